"""Named scorers and parsers from Python: what is given to them is used, or refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.diagnostics.diagnostic import SpecError

PACK = """
kind: pack
name: house
version: 1.0.0
doc: For tests.
scorers:
  near: {doc: Near., params: {threshold: {doc: The least.}}, score: levenshtein | zero_below(threshold)}
  low: {doc: In small letters., params: {how: {type: pipeline, doc: How.}}, score: lower | how}
parsers:
  after: {doc: After., params: {suffix: {doc: What goes.}}, parse: remove_characters(suffix)}
"""


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    path = tmp_path / "house.yaml"
    path.write_text(PACK, encoding="utf-8")
    return path


def refused(name: str, **params: Any) -> tuple[str, str]:
    with pytest.raises(SpecError) as caught:
        scoring.scorer(name, **params)
    (found,) = caught.value.diagnostics
    return found.id, found.message


def test_an_expression_has_no_parameters() -> None:
    assert refused("levenshtein", threshold=0.5) == ("unknown-parameter", "an expression has no parameter `threshold`")


def test_neither_has_an_expression_that_parses() -> None:
    with pytest.raises(SpecError, match="an expression has no parameter `first`"):
        scoring.parser("json", first=True)
    with pytest.raises(SpecError, match="an expression has no parameter `first`"):
        scoring.parser("json").parse("{}", first=True)


def test_a_parameter_without_a_default_is_asked_for(pack: Path) -> None:
    assert refused(f"{pack}:low") == ("missing-parameter", "`low` needs its parameter `how`")
    assert refused(f"{pack}:near") == ("missing-parameter", "`near` needs its parameter `threshold`")
    assert scoring.scorer(f"{pack}:near", threshold=0.5).score("abc", "abd").value == pytest.approx(2 / 3)
    with pytest.raises(SpecError, match="`after` needs its parameter `suffix`"):
        scoring.parser(f"{pack}:after")


def test_a_pack_whose_definition_has_such_a_parameter_is_in_order(pack: Path) -> None:
    assert scoring.specs.check_file(pack) == ()


@pytest.mark.parametrize("given", [None, 5, ["lower"]])
def test_a_pipeline_is_given_as_a_text(pack: Path, given: Any) -> None:
    assert refused(f"{pack}:low", how=given)[0] == "argument-type"


def test_nan_lies_within_no_bounds(pack: Path) -> None:
    assert refused(f"{pack}:near", threshold=float("nan"))[0] == "argument-value"


def test_a_path_may_have_spaces(pack: Path) -> None:
    folder = pack.parent / "our packs"
    folder.mkdir()
    moved = pack.rename(folder / pack.name)
    assert scoring.scorer(f"{moved}:low", how="equal").score("A", "a").value == 1.0


@pytest.mark.parametrize("weight", [10**400, float("inf"), "2", -1])
def test_a_weight_that_is_none_leaves_the_record_unscored(weight: Any) -> None:
    task = scoring.load({"kind": "task", "name": "t", "record": {"weight": "w"}, "score": "equal"})
    result = task.score({"id": "r", "response": "a", "reference": "a", "w": weight})
    assert (result.status, result.weight) == ("unscored", 1.0)
    assert result.reason == "the record's weight is not a finite number from 0 to 1e70"


def test_a_deep_answer_of_the_wrong_type_is_the_responses_fault() -> None:
    deep: list[Any] = []
    for _ in range(190):
        deep = [deep]
    outcome = scoring.scorer("lower | equal").score(deep, "a")
    assert outcome.status == "unparsed"
    assert outcome.reason is not None
    assert outcome.reason.startswith("`lower` takes Text, but the prediction is List[")
    for _ in range(3000):
        deep = [deep]
    beyond = scoring.scorer("lower | equal").score(deep, "a")
    assert beyond.status == "unscored"
    assert str(beyond.reason).startswith("a value is nested deeper than 200 levels")


def test_a_path_that_is_wrong_leads_to_the_file_that_was_meant(pack: Path) -> None:
    (found,) = scoring.specs.check_file(pack.with_name("hose.yaml"))
    assert found.help == (f"did you mean `{pack}`?",)
    (found,) = scoring.specs.check_file(pack.parent)
    assert found.help == ("name a file in it",)


def test_an_attribute_that_no_record_has_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "t.yaml"
    path.write_text('kind: task\nname: t\nscore: equal\nby: ["topic x langs[]", level]\nintervals: {cluster: docs}\n')
    record = {"response": "a", "reference": "a", "level": "easy", "langs": []}
    with pytest.raises(scoring.SpecError) as caught:
        scoring.load(path).evaluate([record])
    found = [(one.message, *one.help) for one in caught.value.diagnostics]
    there = "the records have `response`, `reference`, `level` and `langs`"
    assert found == [
        ("no record has `topic`, which `by` names", there),
        ("no record has `docs`, which `cluster` names", there),
    ]
    run = scoring.load(path).evaluate([{**record, "topic": None, "docs": None}])
    assert run.summary["inputs"] == {"empty_attributes": {"count": 2, "examples": ["docs", "topic"]}}
    assert scoring.load(path).evaluate([]).summary["inputs"] == {}
