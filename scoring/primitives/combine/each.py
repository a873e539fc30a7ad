"""The combinator that scores each item of a list: points of a rubric, instructions of a prompt, calls of an answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from scoring.ranges import ScoreRange
from scoring.registry import Aggregator, FieldScore, FieldScores, ItemNumber, ItemScorer, bounds, primitive, rowwise
from scoring.registry.pairs import portions
from scoring.result import NotApplicable, Outcome, Unparsed, Unscored
from scoring.values import Score, show_value

A = TypeVar("A")
B = TypeVar("B")
MOST_READ = 100_000_000
"""The limit of an `each`: the characters of its pair times the number of items, those of nested `each` included."""


@primitive(
    traits=("items", "response_alone"),
    topics=("rubrics", "instructions"),
    aka=("rubric", "checklist", "criteria", "for each item", "weighted points"),
)
def each(
    prediction: A,
    reference: B,
    /,
    *,
    over: list[Any],
    score: ItemScorer[A, B],
    join: Aggregator,
    weight: ItemNumber = 1.0,
    empty: float | None = None,
) -> Score:
    """Score the pair once for each item of a list, and join the scores.

    Inside `score` the path `item` refers to the current item: parameters of all steps, cases of `switch` and inputs of
    judges may read `item.kind` or `item.args.n`. Inside a nested `each`, `item` is one of the nested list's items. An
    item that is not applicable is left out. If an item can't be scored, the record is unscored, and the reason states
    the item's position.

    Args:
        over: The items, such as ``record.rubric``; at most 10,000, including those of a nested `each`.
        score: The pipeline that is run for each item. It always gets the same pair; the characters of the pair times
            the number of items are at most 100 million.
        join: The aggregator that combines the scores of the items, followed by rescorers if needed.
        weight: The weight of each item, such as ``item.points``.
        empty: The score where the list has no items; without it such a record is not applicable.

    Raises:
        NotApplicable: when there are no items, or none is applicable.
        Unscored: when an item can't be scored, a weight is not a finite number, or the pair is too long for that many
            items.

    Examples:
        >>> from scoring.primitives.aggregate.joins import mean
        >>> holds = lambda prediction, reference, item: float(item["word"] in prediction)
        >>> items = [{"word": "tea", "points": 3}, {"word": "milk", "points": 1}]
        >>> each("a cup of tea", None, over=items, score=holds, weight=lambda item: item["points"], join=mean)
        0.75

    Source:
        As used in HealthBench (Arora et al. 2025) and IFEval (Zhou et al. 2023), for rubrics and instructions that
        records bring.
    """

    _check_work(prediction, reference, over, score)

    def score_item(item: Any) -> Outcome | float:
        try:
            return score(prediction, reference, item)
        except (NotApplicable, Unparsed, Unscored) as error:
            return Outcome.of_exception(error)

    return _joined(over, map(score_item, over), weight, join, empty)


@rowwise(each)
def _(predictions: list[Any], references: list[Any], settings: list[dict[str, Any]], /) -> list[Any]:
    found: list[Any] = []
    for part in portions([len(one["over"]) for one in settings]):
        some = settings[part]
        calls: list[tuple[Any, Any, Any]] = []
        refused: dict[int, Unscored] = {}
        sides = zip(predictions[part], references[part], some, strict=True)
        for place, (prediction, reference, one) in enumerate(sides):
            try:
                _check_work(prediction, reference, one["over"], one["score"])
            except Unscored as error:
                refused[place] = error
            else:
                calls += [(prediction, reference, one["score"].row(item)) for item in one["over"]]
        outcomes = iter(some[0]["score"].column(*map(list, zip(*calls, strict=True))) if calls else ())
        for place, one in enumerate(some):
            if place in refused:
                found.append(refused[place])
                continue
            of_record = [*islice(outcomes, len(one["over"]))]
            try:
                scores = ((outcome.value if outcome.is_scored else outcome) for outcome in of_record)
                found.append(_joined(one["over"], scores, one.get("weight", 1.0), one["join"], one.get("empty")))
            except Exception as error:  # any failure concerns this record alone
                found.append(error)
    return found


@bounds(each)
def _(
    *, score: ScoreRange, join: Callable[[ScoreRange], ScoreRange], empty: ScoreRange | float | None, **_: Any
) -> ScoreRange:
    found = join(score)
    return found if empty is None else found.hull(empty)


def _joined(
    over: Sequence[Any], scores: Iterable[Outcome | float], weight: ItemNumber, join: Aggregator, empty: float | None
) -> float:
    """Return the result of `each` from the scores of the items, which are read only up to the first that fails."""
    if not over and empty is not None:
        return empty
    fields: list[FieldScore] = []
    for place, (item, score) in enumerate(zip(over, scores, strict=True)):
        try:
            if isinstance(score, Outcome):
                if score.status == "not_applicable":
                    continue
                raise (Unparsed if score.status == "unparsed" else Unscored)(score.reason or "")
            fields.append(FieldScore(f"item_{place}", score, _weight(weight, item)))
        except (Unparsed, Unscored) as error:
            raise type(error)(f"item {place + 1} of {len(over)}: {error}") from None
    if not fields:
        raise NotApplicable("no item is applicable" if over else "there are no items")
    return join(FieldScores(fields))


def _weight(weight: ItemNumber, item: Any) -> float:
    found = weight(item) if callable(weight) else weight
    if not math.isfinite(found):
        raise Unscored(f"its weight is {show_value(found)}, which is not a finite number")
    return found


def _check_work(prediction: Any, reference: Any, over: Sequence[Any], score: ItemScorer[Any, Any]) -> None:
    """Check that a pair is not too long to run the pipeline ``score`` on it once for every item of ``over``.

    Raises:
        Unscored: when the number of characters times the number of items is more than `MOST_READ`.
    """
    items = max(len(over), getattr(score, "around", 0))  # counts all nesting levels, where the step is part of a spec
    if items > 1 and _is_longer([prediction, reference], MOST_READ // items):
        most = MOST_READ // items
        raise Unscored(
            f"the pair is too long to go over it for {items:,} items: it has more than {most:,} characters, and over "
            f"all items {MOST_READ:,} are the most"
        )


def _is_longer(values: list[Any], most: int) -> bool:
    """Return whether values, with all that they contain, have more than ``most`` characters.

    A value that is not a string counts as one character; so does a list or mapping, in addition to its content.
    """
    left = most
    waiting = [*values]
    while waiting:
        value = waiting.pop()
        left -= len(value) if isinstance(value, str | bytes) else 1
        if left < 0:
            return True
        if isinstance(value, Mapping):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list | tuple | set | frozenset):
            waiting += value
    return False
