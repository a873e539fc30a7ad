"""megabench@1 and megabench-upstream@1 differ where docs/differences.md says so, and nowhere else."""

from __future__ import annotations

import json
import math
from functools import cache
from typing import Any

import pytest

import scoring
from scoring.result import Outcome, Unparsed
from tests.parity.megabench_differences import (
    Difference,
    ParserDifference,
    explains,
    explains_parser,
    read_differences,
    read_parser_differences,
)
from tests.parity.test_megabench_upstream import METRICS, PARSERS, same_value
from tests.support.golden import decode, read_jsonl, require_golden

DIFFERENCES = read_differences()
PARSER_DIFFERENCES = read_parser_differences()


@cache
def _scorer(pack: str, metric: str) -> scoring.Scorer:
    return scoring.scorer(f"{pack}@1:{metric}")


def _said(outcome: Outcome) -> str:
    if outcome.status == "scored":
        return f"{outcome.value:g}"
    return "n/a" if outcome.status == "not_applicable" else outcome.status


def _number(outcome: Outcome) -> Any:
    """An answer that can't be read counts 0, and so does a pair that fails."""
    return 0.0 if outcome.value is None else outcome.value


def _agree(one: Any, other: Any) -> bool:
    if one != one or other != other:
        return bool(one != one and other != other)
    return bool(math.isclose(one, other, abs_tol=1e-9))


@pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda difference: difference.id)
def test_the_example_of_a_difference_scores_as_stated(difference: Difference) -> None:
    metric, pair = difference.scorers[0], (difference.prediction, difference.reference)
    assert _said(_scorer("megabench", metric).score(*pair)) == difference.documented
    assert _said(_scorer("megabench-upstream", metric).score(*pair)) == difference.released
    assert explains(difference, metric, *pair)


def test_differences_are_listed_once_and_name_existing_scorers() -> None:
    ids = [difference.id for difference in DIFFERENCES]
    assert len(ids) == len(set(ids))
    assert {name for difference in DIFFERENCES for name in difference.scorers} <= set(METRICS)


@pytest.mark.parametrize("metric", METRICS)
def test_every_disagreement_on_golden_vectors_is_explained(metric: str) -> None:
    unexplained = []
    for row in read_jsonl(require_golden("megabench/metrics.jsonl")):
        if row["metric"] != metric:
            continue
        response, reference = decode(row["response"]), decode(row["reference"])
        documented = _scorer("megabench", metric).score(response, reference)
        if _agree(_number(documented), decode(row["score"])):
            continue
        if not any(explains(difference, metric, response, reference) for difference in DIFFERENCES):
            unexplained.append((response, reference, documented, row["score"]))
    assert not unexplained, f"{len(unexplained)}, e.g. {unexplained[:3]}"


def _parse(pack: str, parser: str, response: Any, args: dict[str, Any]) -> Any:
    try:
        return scoring.parser(f"{pack}@1:{parser}", **args).parse(response)
    except Exception as error:  # compared, not hidden
        return error


def _shown(found: Any) -> str:
    if isinstance(found, Unparsed):
        return "unparsed"
    return "error" if isinstance(found, Exception) else f"`{json.dumps(found)}`"


@pytest.mark.parametrize("difference", PARSER_DIFFERENCES, ids=lambda difference: difference.id)
def test_the_example_of_a_parser_difference_is_as_stated(difference: ParserDifference) -> None:
    parser, response = difference.parsers[0], difference.response
    args: dict[str, Any] = {} if parser == "json" else {"is_single_line_ans": True}
    released = _parse("megabench-upstream", parser, response, args)
    assert _shown(_parse("megabench", parser, response, args)) == difference.documented
    assert _shown(released) == difference.released
    assert explains_parser(difference, parser, response, released)


def _same_outcome(documented: Any, released: Any) -> bool:
    if isinstance(documented, Exception):
        return isinstance(released, Exception) or released in ({}, [])
    return same_value(documented, released)


@pytest.mark.parametrize("parser", PARSERS)
def test_every_disagreement_of_parsers_is_explained(parser: str) -> None:
    unexplained = []
    for row in read_jsonl(require_golden("megabench/parsers.jsonl")):
        if row["parser"] != parser:
            continue
        released = TypeError(row["error_class"]) if row.get("error") else decode(row["parsed"])
        response = decode(row["response"])
        documented = _parse("megabench", parser, response, row["args"])
        if _same_outcome(documented, released):
            continue
        if not any(explains_parser(difference, parser, response, released) for difference in PARSER_DIFFERENCES):
            unexplained.append((response, documented, released))
    assert not unexplained, f"{len(unexplained)}, e.g. {unexplained[:3]}"
