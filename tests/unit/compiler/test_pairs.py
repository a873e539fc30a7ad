"""Batches give what single calls give, whatever forms a package brings, and no result is another's."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import scoring
from scoring.registry import batch, primitive, registry
from scoring.result import Outcome
from scoring.values import Score

NAME = "tried"
PAIRS = [("a", "b"), ("", "b"), ("c", "c"), ("", ""), ("a", "a")]


@pytest.fixture(autouse=True)
def _borrowed_registry() -> Iterator[None]:
    """Declarations of these tests go with them."""
    yield
    registry._steps.pop(NAME, None)


def declared(one: Callable[[str, str], float], many: Callable[[list[str], list[str]], Any] | None = None) -> None:
    """A comparator that a package brings, and its batch form."""

    def compare(prediction: str, reference: str, /) -> Score:
        """One line.

        Examples:
            >>> 1
            1
        """
        return one(prediction, reference)

    primitive(name=NAME)(compare)
    if many is not None:
        batch(compare)(many)


def outcomes_agree(score: str, pairs: list[tuple[Any, Any]] = PAIRS) -> list[Outcome]:
    """The outcomes of a batch, which are those of single records."""
    task = scoring.load({"kind": "task", "name": "t", "score": score})
    records = [{"id": place, "response": one, "reference": other} for place, (one, other) in enumerate(pairs)]
    found = [result.outcome for result in task.score_batch(records)]
    assert found == [task.score(record).outcome for record in records]
    return found


def test_a_comparator_that_raises_stop_iteration_fails_for_its_own_pairs_within_combinators() -> None:
    declared(lambda prediction, reference: next(iter([0.5] if prediction else [])))
    found = outcomes_agree("any_of(tried, tried)")
    assert [outcome.value for outcome in found] == [0.5, None, 0.5, None, 0.5]


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8])
def test_arrays_of_other_numbers_than_floats_are_read_as_what_they_hold(dtype: type) -> None:
    def one(prediction: str, reference: str) -> float:
        return float(bool(prediction))

    declared(one, lambda predictions, references: np.array([bool(p) for p in predictions], dtype=dtype))
    found = outcomes_agree("any_of(tried, tried)", PAIRS[:4])
    assert [outcome.value for outcome in found] == [1.0, 0.0, 1.0, 0.0]


@pytest.mark.parametrize("score", ["tried", "any_of(tried, tried)", "tried | at_least(threshold=0.2)"])
@pytest.mark.parametrize("off", [-1, 1])
def test_a_batch_form_that_gives_too_few_scores_or_too_many_is_not_taken(score: str, off: int) -> None:
    declared(lambda p, r: len(p) / 4, lambda predictions, references: [0.5] * (len(predictions) + off))
    assert outcomes_agree(score)
    assert outcomes_agree(score, [*PAIRS, (None, "a")])


@pytest.mark.parametrize("step", ["zero_below(1, strict=true)", "at_most(0, strict=true)", "scale(by=0)"])
def test_what_a_comparator_refuses_is_no_zero_where_nothing_would_be_kept(step: str) -> None:
    long = "ab" * 10_400
    assert [one.status for one in outcomes_agree(f"levenshtein | {step}", [(long, "b" + long), ("a", "b")])] == [
        "unscored",
        "scored",
    ]


def test_the_largest_numbers_are_not_close_to_all_others() -> None:
    largest = sys.float_info.max
    lists = [([largest] * 20, [5.0] * 20), ([largest] * 20, [-largest] * 20)]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert [outcome.value for outcome in outcomes_agree("align(scorer=within)", lists)] == [0.0, 0.0]
    assert not told


@pytest.mark.parametrize("response", ["a", "b", None])
@pytest.mark.parametrize("reference", ["a", None])
def test_nobody_can_write_into_an_outcome_which_records_share(response: str | None, reference: str | None) -> None:
    task = scoring.load({"kind": "task", "name": "t", "score": "attempt(scorer=equal)"})
    record = {"response": response} | ({} if reference is None else {"reference": reference})
    for result in (task.score(record), *task.score_batch([record, record])):
        for found in (result.outcome, *(field.outcome for field in result.fields.values())):
            for name, value in {"value": 0.75, "status": "scored", "reason": "by hand"}.items():
                with pytest.raises(AttributeError):
                    setattr(found, name, value)
