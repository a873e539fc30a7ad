"""megabench-upstream on invented awkward inputs, whose values the released code itself computed.

The rows hold what inferred rules got wrong once, and some that they got right: single answers behind odd markers and
before explanations, embedded JSON, verse, plans on odd PDDL, fields without a number, auxiliary metrics without an
object. `benchmarks/differential.py` makes more of the kind beside a checkout of the official repository.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.result import Outcome
from tests.parity.test_megabench_upstream import same_value
from tests.support.golden import decode, read_jsonl

PACK = "megabench-upstream"
ROWS = [decode(row) for row in read_jsonl(Path(__file__).parent / "data" / "megabench_released.jsonl")]
SCORERS = sorted({row["name"] for row in ROWS if row["kind"] == "scorer"})
PARSERS = sorted({row["name"] for row in ROWS if row["kind"] == "parser"})
QUERIES = [row for row in ROWS if row["kind"] == "query"]


def _number(outcome: Outcome) -> Any:
    """The number that the released code prints: -1 where there is nothing to score."""
    return -1 if outcome.status == "not_applicable" else outcome.value


def _same(found: Outcome, wanted: Any) -> bool:
    number = _number(found)
    if number is None or wanted != wanted:
        return number is not None and number != number
    return bool(abs(number - wanted) <= 1e-9)


@pytest.mark.parametrize("name", SCORERS)
def test_scorers(name: str) -> None:
    scorer = scoring.scorer(f"{PACK}@1:{name}")
    wrong = []
    for row in (row for row in ROWS if row.get("name") == name):
        found = scorer.score(row["response"], row.get("reference"), context=row.get("context"))
        wrong += [] if _same(found, row["score"]) else [(row, found)]
    assert not wrong


@pytest.mark.parametrize("name", PARSERS)
def test_parsers(name: str) -> None:
    rows = [row for row in ROWS if row.get("name") == name]
    found = [scoring.parser(f"{PACK}@1:{name}", **row["args"]).parse(row["response"]) for row in rows]
    wrong = [(row, value) for row, value in zip(rows, found, strict=True) if not same_value(value, row["parsed"])]
    assert not wrong


@cache
def _task(metrics: str) -> scoring.Task:
    return scoring.load(json.loads(metrics), dialect=PACK)


def test_queries() -> None:
    for row in QUERIES:
        record = {"id": 1, "response": row["response"], "reference": row["reference"]}
        result = _task(json.dumps(row["metrics"])).score(record)
        assert _same(result.outcome, row["score"]), row
        for name, wanted in row["fields"].items():
            assert _same(result.fields[name].outcome, wanted), (name, row)


def test_a_run_of_many_queries_scores_them_as_one_by_one() -> None:
    for row in QUERIES:
        run = _task(json.dumps(row["metrics"])).evaluate(
            [{"id": i, "response": row["response"], "reference": row["reference"]} for i in range(3)]
        )
        assert all(_same(result.outcome, row["score"]) for result in run.records), row


def test_the_issue_that_asked_for_it() -> None:
    """The single lines that a reader of the released code found first."""
    parser = scoring.parser(f"{PACK}@1:answer_string", answer_key="a", is_single_line_ans=True)
    assert parser.parse("Answer: 50%\n\nBecause it is half.") == {"a": "50%"}
    angles = scoring.scorer(f"{PACK}@1:angle_seq_float_rmse")
    assert angles.score("[[1], [2]]", "1,2").value == pytest.approx(0.9)
    verse = scoring.scorer(f"{PACK}@1:constrained_generation")
    for word, syllables in (("can’t", "1"), ("'way", "1"), ("rustles", "3"), ("enthrall", "2"), ("unheated", "3")):
        pytest.importorskip("pronouncing", reason="the extra of verse is not installed")
        assert verse.score(word, None, context={"syllables": syllables}).value == 1.0, word
