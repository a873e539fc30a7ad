"""Several forms of one answer, of which the best counts."""

from __future__ import annotations

from typing import Any, Literal, TypeVar

from scoring.late import np
from scoring.primitives.combine.tables import greatest
from scoring.ranges import ScoreRange
from scoring.registry import PairScorer, Transform, batch, bounds, primitive
from scoring.registry.pairs import PairPlaces, PairsAsked, PairScores, portions
from scoring.result import Outcome, Unscored
from scoring.values import Score

A = TypeVar("A")
B = TypeVar("B")

_NO_PREDICTION = "there is no prediction to compare"


@primitive(topics=("answers", "text"), aka=("fork", "alternatives", "several readings"))
def variants(value: A, /, *steps: Transform[A, B]) -> list[B]:
    """What each of several pipelines makes of a value, as a list.

    Args:
        steps: The pipelines; all see the same value.

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
    """The best score that any one of several predictions has, such as the `variants` of a response.

    Args:
        scorer: Compares one prediction with the reference.

    Raises:
        Unscored: when the list of predictions is empty.

    Examples:
        >>> any_prediction(["a", "b"], "b", scorer=lambda p, r: float(p == r))
        1.0

    Source:
        As used in IFEval (Zhou et al. 2023), the loose accuracy.
    """
    if not prediction:
        raise Unscored(_NO_PREDICTION)
    return max([scorer(one, reference) for one in prediction])


@batch(any_prediction)
def _(predictions: list[list[Any]], references: list[Any], /, *, scorer: Any) -> PairsAsked:
    asked = scorer.over([one for many in predictions for one in many], references)
    return best_of_many(asked, predictions, "rows", _NO_PREDICTION)


@bounds(any_prediction)
def _(*, scorer: ScoreRange) -> ScoreRange:
    return scorer


def best_of_many(
    asked: PairsAsked, lists: list[list[Any]], side: Literal["rows", "columns"], without: str
) -> PairsAsked:
    """The best scores where one side of each pair is a list.

    Args:
        asked: The scorer over two columns, of which one holds the items of all lists.
        lists: The lists.
        side: Which column that is.
        without: Why a pair has no score whose list is empty.
    """
    counts = np.array(list(map(len, lists)), dtype=np.int64)
    starts = np.cumsum(counts) - counts

    def score(pairs: PairPlaces) -> PairScores:
        ours, others = (pairs.rows, pairs.columns) if side == "rows" else (pairs.columns, pairs.rows)
        sizes = counts[ours]
        best = PairScores(np.full(len(pairs), np.nan))
        best.failed = dict.fromkeys(np.flatnonzero(sizes == 0).tolist(), Outcome.unscored(without))
        for part in portions(sizes):
            some = np.flatnonzero(sizes[part]) + part.start
            if len(some):
                stretch, single = (starts[ours[some]], sizes[some]), (others[some], np.ones(len(some), dtype=np.int64))
                places = (*stretch, *single) if side == "rows" else (*single, *stretch)
                found = asked(PairPlaces.products(*places))
                first = np.cumsum(sizes[some]) - sizes[some]
                best.put(some, PairScores(greatest(found.values, first), found.first_failures(sizes[some])))
        return best

    return score
