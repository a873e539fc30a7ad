"""megabench@1 and megabench-upstream@1 differ where docs/differences.md says so, and nowhere else."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import pytest

import scoring
from scoring.result import Outcome
from tests.parity.megabench_differences import Difference, explains, read_differences
from tests.parity.test_megabench_upstream import METRICS
from tests.support.golden import decode, read_jsonl, require_golden

DIFFERENCES = read_differences()


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
