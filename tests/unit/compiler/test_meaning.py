"""One form for all the ways to write a program: what moves no number moves no digest, and what may move one does."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import scoring
from scoring.compiler.identity.meaning import program_meaning
from scoring.format.load import digest_of
from scoring.lang.parser import parse_pipeline
from scoring.lang.printer import print_pipeline
from scoring.registry import registry

HOUSE = """
kind: pack
name: house
version: 1.0.0
doc: Of the house.
scorers:
  near:
    doc: Near enough.
    params: {least: 0.8}
    score: lower | levenshtein | zero_below(least)
"""
SPEC = {
    "kind": "task",
    "name": "t",
    "version": "1.0.0",
    "doc": "What it is about.",
    "imports": {"h": "./house.yaml"},
    "record": {"id": "key", "group": "meta.group"},
    "scorers": {"same": "lower | strip | equal"},
    "parse": "json",
    "fields": {
        "title": {"score": "same", "weight": 2},
        "total": {"score": "number | within(absolute=0.5)", "prediction": "parsed.sum", "optional": True},
        "name": {"score": "lower | levenshtein | zero_below(0.8)"},
        "kind": {"score": "switch(on=record.group, a=equal, b=lower | equal)"},
    },
    "aggregate": "0.5 * title + 0.3 * total + 0.1 * name + 0.1 * kind",
    "pass": "score >= 0.8",
    "metrics": ["mean", "quantile(0.5)"],
    "intervals": {"resamples": 500},
    "by": ["group"],
    "examples": [],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "house.yaml").write_text(HOUSE)
    return tmp_path


def digest(folder: Path, spec: Mapping[str, Any] | str) -> str:
    path = folder / "task.yaml"
    path.write_text(spec if isinstance(spec, str) else yaml.safe_dump(spec, sort_keys=False))
    return scoring.load(path).signature.meaning


def changed(**changes: Any) -> dict[str, Any]:
    """The spec with other values at dotted places; None removes one."""
    spec = copy.deepcopy(SPEC)
    for place, value in changes.items():
        *way, last = place.split("__")
        inner: Any = spec
        for name in way:
            inner = inner[name]
        if value is None:
            inner.pop(last, None)
        else:
            inner[last] = value
    return spec


HARMLESS = {
    "spacing": {"parse": " json ", "fields__name__score": "lower|levenshtein  |  zero_below( 0.8 )"},
    "a zero behind": {"fields__name__score": "lower | levenshtein | zero_below(0.80)"},
    "one with and without a point": {"fields__title__weight": 2.0, "metrics": ["mean", "quantile(0.50)"]},
    "an integer for a number": {"fields__total__score": "number | within(absolute=5e-1)"},
    "a name for a position": {"fields__name__score": "lower | levenshtein | zero_below(threshold=0.8)"},
    "a default that is written": {"fields__total__score": "number | within(absolute=0.5, relative=0)"},
    "a policy's default that is written": {
        "on_unparsed": "unscored",
        "on_error": "unscored",
        "on_missing": "zero",
        "on_null": "absent",
    },
    "an interval's default that is written": {"intervals": {"resamples": 500, "confidence": 0.95, "method": "auto"}},
    "an imported definition": {"fields__name__score": "h.near"},
    "an imported definition with its default": {"fields__name__score": "h.near(0.8)"},
    "another alias": {"imports": {"mine": "./house.yaml"}, "fields__name__score": "mine.near"},
    "an import that nothing uses": {"imports": None},
    "an inlined definition": {"fields__title__score": "lower | strip | equal"},
    "another name for a definition": {"scorers": {"alike": "lower | strip | equal"}, "fields__title__score": "alike"},
    "a definition that nothing uses": {"scorers__other": "equal"},
    "documentation": {"doc": "Other words.", "scorers": {"same": {"doc": "Alike.", "score": "lower | strip | equal"}}},
    "examples": {"examples": None},
    "paths of the record": {"record": {"id": "number", "group": "attributes.group", "response": "output.text"}},
    "a breakdown": {"by": []},
    "the task's own name": {"name": "other", "version": "2.0.0"},
    "spaces and brackets in a formula": {"aggregate": "(0.50*title) + 0.3*total + 0.1*name + 0.10 * (kind)"},
    "a bound in another writing": {"pass": "score >= 0.80"},
    "named cases in another order": {"fields__kind__score": "switch(b=lower | equal, a=equal, on=record.group)"},
}

MOVING: dict[str, dict[str, Any]] = {
    "another constant": {"fields__name__score": "lower | levenshtein | zero_below(0.81)"},
    "another step": {"fields__title__score": "upper | strip | equal"},
    "another order of steps": {"fields__title__score": "strip | lower | equal"},
    "one step less": {"fields__title__score": "lower | equal"},
    "one side alone": {"fields__title__score": "sides(prediction=lower) | strip | equal"},
    "another definition": {"scorers__same": "casefold | equal"},
    "an argument of a definition": {"fields__name__score": "h.near(0.9)"},
    "on_unparsed": {"on_unparsed": "zero"},
    "on_error": {"on_error": "zero"},
    "on_missing": {"on_missing": "unscored"},
    "on_null": {"on_null": "value"},
    "a weight": {"fields__title__weight": 3},
    "an optional field": {"fields__total__optional": False},
    "the place of a prediction": {"fields__total__prediction": "parsed.total"},
    "the place of a reference": {"fields__total__reference": "reference.sum"},
    "the parse stage": {"parse": 'json(accept="any")'},
    "a coefficient": {"aggregate": "0.4 * title + 0.3 * total + 0.2 * name + 0.1 * kind"},
    "an aggregate": {"aggregate": "mean"},
    "the bound to pass": {"pass": "score > 0.8"},
    "no bound to pass": {"pass": None},
    "a metric": {"metrics": ["mean"]},
    "the headline": {"metrics": ["quantile(0.5)", "mean"]},
    "an argument of a metric": {"metrics": ["mean", "quantile(0.9)"]},
    "how often intervals draw": {"intervals": {"resamples": 600}},
    "the level of intervals": {"intervals": {"resamples": 500, "confidence": 0.9}},
    "what intervals draw together": {"intervals": {"resamples": 500, "cluster": "group"}},
    "weighted records": {"record__weight": "importance"},
    "what a case reads": {
        "record__other": "x",
        "fields__kind__score": "switch(on=record.other, a=equal, b=lower | equal)",
    },
    "a case": {"fields__kind__score": "switch(on=record.group, a=equal, b=equal)"},
    "a field's name": {"fields": {"heading": {"score": "same"}}, "aggregate": "mean", "metrics": ["mean"]},
}


@pytest.mark.parametrize("changes", HARMLESS.values(), ids=HARMLESS)
def test_what_moves_no_number_moves_no_meaning(changes: Mapping[str, Any], folder: Path) -> None:
    assert digest(folder, changed(**changes)) == digest(folder, SPEC)


@pytest.mark.parametrize("changes", MOVING.values(), ids=MOVING)
def test_what_may_move_a_number_moves_the_meaning(changes: Mapping[str, Any], folder: Path) -> None:
    assert digest(folder, changed(**changes)) != digest(folder, SPEC)


def test_the_order_of_pipelines_that_a_formula_reads_may_matter() -> None:
    task = {"kind": "task", "name": "pairs", "version": "1.0.0"}
    pipelines = ["p=number | equal", "q=each(over=record.r, score=equal, join=mean)"]
    one, other = (f'combine("p + q", {", ".join(order)})' for order in (pipelines, pipelines[::-1]))
    record = {"response": "no number", "reference": 1, "r": []}
    scored = [scoring.load({**task, "fields": {"f": {"score": score}}}) for score in (one, other)]
    assert scored[0].score(record).fields["f"].status != scored[1].score(record).fields["f"].status
    assert scored[0].signature.meaning != scored[1].signature.meaning


def test_a_cluster_that_is_computed_means_what_it_is_computed_from(folder: Path) -> None:
    def drawn_by(name: str, value: str) -> str:
        return digest(folder, changed(values={name: value}, intervals={"resamples": 500, "cluster": name}))

    assert drawn_by("town", "record.group | lower") != drawn_by("town", "record.group | upper")
    assert drawn_by("town", "record.group | lower") == drawn_by("city", "record.group | lower")


def test_no_two_of_these_mean_the_same(folder: Path) -> None:
    found = [digest(folder, changed(**changes)) for changes in MOVING.values()]
    assert len(set(found)) == len(found)


def test_a_list_of_steps_means_what_the_pipeline_means() -> None:
    text, listed = ({"kind": "task", "name": "t", "score": s} for s in ("lower | equal", ["lower", "equal"]))
    assert scoring.load(text).signature.meaning == scoring.load(listed).signature.meaning


def test_a_pack_that_scores_otherwise_moves_the_meaning_and_its_words_do_not(folder: Path) -> None:
    spec = changed(fields__name__score="h.near")
    before = digest(folder, spec)
    (folder / "house.yaml").write_text(HOUSE.replace("Near enough.", "Nearly.").replace("1.0.0", "1.0.1"))
    assert digest(folder, spec) == before
    (folder / "house.yaml").write_text(HOUSE.replace("0.8", "0.7"))
    assert digest(folder, spec) != before


def test_a_step_that_takes_anything_is_told_1_from_1_point_0() -> None:
    whole, broken = (scoring.scorer(f"per_key(equal, fill={text})").signature for text in ("1", "1.0"))
    assert whole.meaning != broken.meaning


def test_the_mean_that_is_there_anyway_may_be_written() -> None:
    plain = {"kind": "task", "name": "t", "fields": {"a": "equal", "b": "equal"}}
    written = {**plain, "aggregate": "mean", "metrics": ["mean"]}
    assert scoring.load(plain).signature.meaning == scoring.load(written).signature.meaning


def test_another_revision_of_a_primitive_is_another_meaning(monkeypatch: pytest.MonkeyPatch) -> None:
    before = scoring.scorer("lower | equal").signature.meaning
    monkeypatch.setitem(registry._steps, "lower", replace(registry._steps["lower"], revision=2))
    assert scoring.scorer("lower | equal").signature.meaning != before
    assert scoring.scorer("upper | equal").signature.meaning == scoring.scorer("upper|equal").signature.meaning


STEPS = st.sampled_from(["lower", "strip", "upper", 'replace(old="a", new="b")', "collapse_spaces"])
SCORERS = st.recursive(
    st.sampled_from(["equal", "levenshtein", "levenshtein | zero_below(0.5)", "starts_with"]),
    lambda inner: st.one_of(
        st.tuples(STEPS, inner).map(" | ".join),
        st.lists(inner, min_size=1, max_size=3).map(lambda found: f"any_of({', '.join(found)})"),
        st.tuples(inner, inner).map(lambda pair: f"when(test={pair[0]}, then={pair[1]})"),
        inner.map(lambda one: f"attempt(scorer={one}, otherwise=0.25)"),
    ),
    max_leaves=6,
)


def meaning(text: str) -> str:
    return digest_of(program_meaning(scoring.scorer(text).program))


@pytest.mark.property
@given(SCORERS)
def test_a_program_that_is_printed_and_read_again_means_the_same(text: str) -> None:
    assert meaning(print_pipeline(parse_pipeline(text))) == meaning(text)
    assert meaning(print_pipeline(parse_pipeline(text), width=20)) == meaning(text)


@pytest.mark.property
@given(SCORERS, st.floats(0, 1), st.floats(0, 1))
def test_another_constant_is_another_program(text: str, one: float, other: float) -> None:
    first, second = (meaning(f"any_of({text}, equal) | zero_below({number!r})") for number in (one, other))
    assert (first == second) is (one == other)


@pytest.mark.property
@given(SCORERS, SCORERS)
def test_programs_that_mean_the_same_print_alike(one: str, other: str) -> None:
    alike = print_pipeline(parse_pipeline(one)) == print_pipeline(parse_pipeline(other))
    assert (meaning(one) == meaning(other)) is alike
