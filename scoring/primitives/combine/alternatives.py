"""Combinators for several alternatives of one answer, the best of which counts."""

from __future__ import annotations

from collections.abc import Callable, Sized
from typing import Any, TypeVar

from scoring.primitives.combine.item_pairs import count_contents
from scoring.primitives.combine.tables import greatest, group_spans
from scoring.ranges import ScoreRange
from scoring.registry import PairScorer, Transform, batch, bounds, matrix, primitive
from scoring.registry.pairs import ColumnScorer, PairIndices, PairScores, portions
from scoring.result import Outcome, Unparsed, Unscored
from scoring.values import Score

A = TypeVar("A")
B = TypeVar("B")
_NO_PREDICTION = "there is no prediction to compare"
_NO_REFERENCE = "there is no reference to compare with"
MOST_READ = 400_000_000
"""The limit on characters that are read: those of the value on one side, for each of the values on the other side."""
_FEW = 8


@primitive(topics=("answers", "text"), aka=("fork", "alternatives", "several readings"))
def variants(value: A, /, *steps: Transform[A, B]) -> list[B]:
    """Run several pipelines on the same value, and return the list of their results.

    Args:
        steps: The pipelines; each gets the same value.

    Examples:
        >>> variants("*A*", str.lower, lambda text: text.strip("*"))
        ['*a*', 'A']
    """
    return [step(value) for step in steps]


@batch(variants)
def _(values: list[Any], /, *steps: Any) -> list[Any]:
    rows = zip(*(step.column(values) for step in steps), strict=True) if steps else ([] for _ in values)
    return [next((one for one in row if type(one) is Outcome), list(row)) for row in rows]


@primitive(
    traits=("response_alone",),
    topics=("answers", "instructions"),
    aka=("best of several answers", "loose accuracy", "any candidate"),
)
def any_prediction(prediction: list[A], reference: B, /, *, scorer: PairScorer[A, B]) -> Score:
    """Return the best score of several predictions, such as the `variants` of a response, against the reference.

    Args:
        scorer: Compares one prediction with the reference.

    Raises:
        Unparsed: when the list of predictions is empty: the response has none.
        Unscored: when the reference's characters times the number of predictions exceed 400 million.

    Examples:
        >>> any_prediction(["a", "b"], "b", scorer=lambda p, r: float(p == r))
        1.0

    Source:
        As used in IFEval (Zhou et al. 2023), the loose accuracy.
    """
    if not prediction:
        raise Unparsed(_NO_PREDICTION)
    if _is_little(reference, prediction):
        return max([scorer(one, reference) for one in prediction])
    _check_work(reference, "reference", prediction)
    return float(max(score for row in matrix(scorer, prediction, [reference]) for score in row))


@primitive(
    topics=("answers",),
    aka=("multiple references", "best reference", "max over ground truths", "metric_max_over_ground_truths", "aliases"),
)
def any_reference(prediction: A, reference: list[B], /, *, scorer: PairScorer[A, B]) -> Score:
    """Return the best score of the prediction against several references.

    Args:
        scorer: Compares the prediction with one reference.

    Raises:
        Unscored: when there are no references, or the prediction's characters times their number exceed 400 million.

    Examples:
        >>> any_reference("b", ["a", "b"], scorer=lambda p, r: float(p == r))
        1.0

    Source:
        As used in ANLS (Biten et al. 2019, ST-VQA): the maximum over the ground truth answers.
    """
    if not reference:
        raise Unscored(_NO_REFERENCE)
    if _is_little(prediction, reference):
        return max([scorer(prediction, one) for one in reference])
    _check_work(prediction, "prediction", reference)
    return float(max(score for row in matrix(scorer, [prediction], reference) for score in row))


def _is_little(value: object, others: Sized) -> bool:
    """Return whether preparing a value anew for each of ``others`` takes less time than filling a table."""
    return len(others) < _FEW and (type(value) is not str or len(value) < 2_000)


def _extent(value: object) -> int:
    """Return the number of characters of a value, where each value in a list or mapping counts as four more."""
    values, characters = (0, len(value)) if isinstance(value, str) else count_contents([value])
    return characters + 4 * values


def _check_work(value: object, side: str, others: Sized) -> None:
    """Raise `Unscored` if comparing a value, the given ``side`` of a pair, with each of ``others`` reads too much."""
    if len(others) >= _FEW and (extent := _extent(value)) * len(others) > MOST_READ:
        sizes = f"a {side} of {extent:,} characters and {len(others):,} values on the other side are too long to be"
        raise Unscored(f"{sizes} compared: at most {MOST_READ:,} characters are read, those of the {side} for each")


def _declare(plain: Callable[..., Any], without: Outcome, *, by_row: bool) -> None:
    """Register the batch form and the score range of ``plain``, a combinator that takes the best score over a list: the
    prediction if ``by_row``, else the reference. A pair with an empty list has the outcome ``without``."""

    @batch(plain)
    def _(predictions: list[Any], references: list[Any], /, *, scorer: Any) -> ColumnScorer:
        import numpy as np

        lists, values = (predictions, references) if by_row else (references, predictions)
        items = [one for many in lists for one in many]
        score_pairs = scorer.over(items, references) if by_row else scorer.over(predictions, items)
        counts, starts = group_spans(lists)
        extents = np.array([*map(_extent, values)] if counts.max(initial=0) >= _FEW else [0] * len(values), np.int64)

        def score(pairs: PairIndices) -> PairScores:
            import numpy as np

            ours, others = (pairs.rows, pairs.columns) if by_row else (pairs.columns, pairs.rows)
            sizes = counts[ours]
            best = PairScores(np.full(len(pairs), np.nan))
            best.failed = dict.fromkeys(np.flatnonzero(sizes == 0).tolist(), without)
            best.alone = np.flatnonzero(sizes * extents[others] > MOST_READ).tolist()
            sizes[best.alone] = 0
            for part in portions(sizes):
                some = np.flatnonzero(sizes[part]) + part.start
                if len(some):
                    stretch, single = (starts[ours[some]], sizes[some]), (others[some], np.ones(len(some), np.int64))
                    found = score_pairs(PairIndices.products(*(*stretch, *single) if by_row else (*single, *stretch)))
                    first = np.cumsum(sizes[some]) - sizes[some]
                    best.put(some, PairScores(greatest(found.values, first), found.first_failures(sizes[some])))
            return best

        return score

    @bounds(plain)
    def _(*, scorer: ScoreRange) -> ScoreRange:
        return scorer


_declare(any_prediction, Outcome.unparsed(_NO_PREDICTION), by_row=True)
_declare(any_reference, Outcome.unscored(_NO_REFERENCE), by_row=False)
