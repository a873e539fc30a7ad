"""Names that the field uses lead to ours: in listings and explanations."""

from __future__ import annotations

import contextlib
import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scoring
from scoring.errors import InputError
from scoring.registry import registry

QUERIES = tomllib.loads(Path(__file__).with_name("queries.toml").read_text(encoding="utf-8"))
"""What the field looks for: the names of which one is among the first three, and what is not here."""


@pytest.mark.parametrize("about", QUERIES["found"])
def test_what_the_field_calls_it_is_among_the_first_three(about: str) -> None:
    found = scoring.specs.listing(about=about)
    names = [one["name"] for one in found.to_json()][:3]
    assert set(names) & set(QUERIES["found"][about]), names
    assert "nothing here" not in found.text()


@pytest.mark.parametrize("about", QUERIES["missed"])
def test_what_is_not_here_is_told_as_a_miss(about: str) -> None:
    try:
        said = scoring.specs.listing(about=about).text()
    except InputError as error:
        said = str(error)
    assert said.startswith(f"nothing here is about `{about}`; ")


def test_the_queries_are_many_and_of_both_kinds() -> None:
    assert len(QUERIES["found"]) >= 160
    assert len(set(QUERIES["missed"])) == len(QUERIES["missed"]) >= 40
    assert not QUERIES["found"].keys() & set(QUERIES["missed"])


def test_a_glossary_names_what_is_there_and_nothing_else() -> None:
    from scoring.extensions.reference.search import everything, glossary

    packs = ((pack, "", one) for pack in ("anls",) for one in scoring.specs.listing(pack).to_json() if "role" in one)
    here = {str(one.data["name"]) for one in everything(packs)}
    assert not glossary().names.keys() - here
    for name, also in glossary().names.items():
        for one in also:
            assert glossary().why_absent(one) is None, f"{one}: it is `{name}`, and said to be absent"


def test_a_formula_that_the_glossary_gives_in_place_of_what_is_not_here_is_a_metric() -> None:
    from scoring.extensions.reference.search import glossary

    told = [found for why in set(glossary().absent.values()) for found in re.findall(r"`(\w+: [^`]+)` among the", why)]
    assert len(told) >= 5
    for one in told:
        name, _, formula = one.partition(": ")
        task = {"kind": "task", "name": "t", "version": "1.0.0", "score": "equal", "metrics": [{name: formula}]}
        assert [metric.text for metric in scoring.load(task).metrics] == [name]


def first(about: str) -> str:
    return str(scoring.specs.listing(about=about).to_json()[0]["name"])


@pytest.mark.parametrize(
    ("about", "name"),
    [
        ("word error rate", "edit_rate"),
        ("WER", "edit_rate"),
        ("exact match", "equal"),
        ("exact_match", "equal"),
        ("lower case", "lower"),
        ("trim", "strip"),
        ("regular expression regex", "find"),
        ("mean reciprocal rank", "mrr"),
        ("area under the roc curve", "roc_auc"),
        ("expected calibration errors", "ece"),
        ("pass@k", "pass_at_k"),
        ("matthews corelation", "matthews"),
        ("summaries with ROUGE", "rouge"),
        ("calibrated confidence", "ece"),
        ("levenstein", "levenshtein"),
        ("numbr", "number"),
    ],
)
def test_the_best_answer_to_a_question_stands_first(about: str, name: str) -> None:
    assert first(about) == name


@pytest.mark.parametrize("about", ["swe-bench", "tau-bench", "v-measure", "coreference", "fid", "levenstein"])
def test_what_only_comes_near_is_told_as_a_miss(about: str) -> None:
    text = scoring.specs.listing(about=about).text()
    assert text.startswith(f"nothing here is about `{about}`; this comes nearest:\n")


@pytest.mark.parametrize("about", ["mer", "pass@k", "ROUGE", "exact_match", "word error rate", "calibrated confidence"])
def test_what_is_there_is_no_miss(about: str) -> None:
    assert "nothing here" not in scoring.specs.listing(about=about).text()


def test_definitions_of_packs_and_recipes_are_found() -> None:
    found = {
        one["name"]: one["kind"] for about in ("rouge", "anls") for one in scoring.specs.listing(about=about).to_json()
    }
    assert found["rouge@1"] == "task"
    assert found["anls:anls"] == "scorer"
    for name in found:
        assert scoring.explain(name).text()


def test_what_nothing_is_about_says_where_to_look() -> None:
    for about in ("zzzzqqqq", "readability", "", "the", "…" * 10_000):
        with pytest.raises(InputError, match="topics") as caught:
            scoring.specs.listing(about=about)
        assert len(str(caught.value)) < 200
    with pytest.raises(InputError, match="leave `text` out"):
        scoring.specs.listing("text", about="lower")


@given(about=st.text(max_size=300))
@settings(max_examples=30)
def test_any_words_can_be_looked_for(about: str) -> None:
    with contextlib.suppress(InputError):
        found = scoring.specs.listing(about=about).to_json()
        assert 0 < len(found) <= 20
        assert all(one["name"] and one["kind"] for one in found)


def test_a_topic_lists_what_is_scored_with() -> None:
    names = {one["name"] for one in scoring.specs.listing("retrieval").to_json()}
    assert {"mrr", "ndcg", "recall_at_k"} <= names
    assert "lower" not in names
    assert {one["topic"] for one in scoring.specs.listing("topics").to_json()} >= {"answers", "speech", "rubrics"}


@pytest.mark.parametrize("what", [None, "metric", "combinator", "text", "topics", "tasks", "packs", "megabench"])
def test_a_terminal_of_100_columns_shows_a_line_each(what: str | None) -> None:
    lines = scoring.specs.listing(what).text().splitlines()
    table = lines[2:] if what == "megabench" else lines  # what a pack says of itself is prose
    assert max(map(len, table)) <= 100


def test_every_recipe_is_listed_and_explained() -> None:
    names = [one["name"] for one in scoring.specs.listing("tasks").to_json()]
    assert "rouge@1" in names
    for name in names:
        assert f"name: {name.partition('@')[0]}" in scoring.explain(name).text()


def test_a_summary_is_whole_on_a_page() -> None:
    summary = registry.get("levenshtein").doc.summary  # type: ignore[union-attr]  # it is there
    assert summary in scoring.specs.listing("text").text("html")


@pytest.mark.parametrize(("other", "name"), [("wer", "edit_rate"), ("Exact Match", "equal"), ("auc", "roc_auc")])
def test_another_name_is_explained_as_ours(other: str, name: str) -> None:
    found = scoring.explain(other).to_json()
    assert found["name"] == name
    assert "also called" in scoring.explain(other).text()


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("exact_match", "equal"),
        ("trim", "strip"),
        ("lowercase", "lower"),
        ("exactmtch", "equal"),
        ("includes", "contains"),
    ],
)
def test_what_is_nearly_a_name_is_told(written: str, meant: str) -> None:
    with pytest.raises(InputError, match=f"did you mean `{meant}`|$"):
        scoring.explain(f"{written}x")
