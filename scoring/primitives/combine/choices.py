"""Combinators that choose among pipelines, or join the scores of several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import Any, TypeVar

from scoring.depth import in_full_depth
from scoring.lang.cases import case_name, is_case_of
from scoring.ranges import ScoreRange, hull, joined_range
from scoring.registry import PairScorer, Transform, batch, bounds, primitive
from scoring.registry.pairs import ColumnScorer, PairIndices, PairScores, scores_of_pairs
from scoring.result import NotApplicable, Outcome, Unscored
from scoring.values import Score

A = TypeVar("A")
B = TypeVar("B")
R = TypeVar("R")


@primitive(traits=("response_alone",), topics=("scores",), aka=("any scorer", "logical or"))
def any_of(prediction: A, reference: B, /, *scorers: PairScorer[A, B]) -> Score:
    """Return the best of the scores that the pipelines give the pair.

    Args:
        scorers: The pipelines; each gets the same pair.

    Examples:
        >>> any_of("a", "a", lambda p, r: 0.5, lambda p, r: float(p == r))
        1.0
    """
    return max([scorer(prediction, reference) for scorer in _some(scorers)])


@primitive(traits=("response_alone",), topics=("scores",), aka=("all scorers", "logical and"))
def all_of(prediction: A, reference: B, /, *scorers: PairScorer[A, B]) -> Score:
    """Return the worst of the scores that the pipelines give the pair: all must be satisfied.

    Args:
        scorers: The pipelines; each gets the same pair.

    Examples:
        >>> all_of("a", "a", lambda p, r: 0.5, lambda p, r: float(p == r))
        0.5
    """
    return min([scorer(prediction, reference) for scorer in _some(scorers)])


def _some(scorers: tuple[PairScorer[A, B], ...]) -> tuple[PairScorer[A, B], ...]:
    if not scorers:
        raise Unscored("no pipeline was given")
    return scorers


def _taken(where: Any, score: Any, other: Any) -> Any:
    """Return the first column's scores where the condition holds, and those of the other column elsewhere."""
    import numpy as np

    return np.where(where, score, other)


def _declare(
    plain: Callable[..., Any], join: Callable[[Sequence[float]], float], fold: Callable[[Any, Any], Any]
) -> None:
    """Register the batch form and the score range of a combinator that joins the scores of several pipelines.

    Args:
        plain: The combinator.
        join: Joins the scores of one pair.
        fold: Joins two columns of scores; further columns are joined to the result one after another.
    """

    @batch(plain)
    def _(predictions: list[Any], references: list[Any], /, *scorers: Any) -> ColumnScorer:
        every: tuple[Any, ...] = _some(scorers)
        functions = [scorer.over(predictions, references) for scorer in every]

        def score(pairs: PairIndices) -> PairScores:
            parts = [score_pairs(pairs) for score_pairs in functions]
            # The reason is that of the first pipeline that fails.
            failed = {place: outcome for part in reversed(parts) for place, outcome in part.failed.items()}
            return PairScores(reduce(fold, [part.values for part in parts]), failed)

        return score

    @bounds(plain)
    def _(*scorers: ScoreRange) -> ScoreRange:
        return joined_range(join, scorers)


# As `max` and `min` do, keep the first of equal scores, and treat NaN by the same comparisons.
_declare(any_of, max, lambda best, score: _taken(score > best, score, best))
_declare(all_of, min, lambda worst, score: _taken(score < worst, score, worst))


@primitive(traits=("response_alone",), topics=("scores",))
def first_of(prediction: A, reference: B, /, *scorers: PairScorer[A, B]) -> Score:
    """Return the score of the first pipeline that can score the pair; each is tried only if those before it failed.

    Args:
        scorers: The pipelines in the order they are tried.

    Raises:
        Unscored: when none of them can, with the reason of the last one.

    Examples:
        >>> def broken(p, r):
        ...     raise Unscored("no")
        >>> first_of("a", "b", broken, lambda p, r: 0.25)
        0.25
    """
    return _first(scorers, prediction, reference)


@batch(first_of)
def _(predictions: list[Any], references: list[Any], /, *scorers: Any) -> ColumnScorer:
    def score(pairs: PairIndices) -> PairScores:
        import numpy as np

        found: PairScores = scorers[0].over(predictions, references)(pairs)
        for scorer in scorers[1:]:
            left = np.array(sorted(found.failed), dtype=np.int64)
            if not len(left):
                break
            found.put(left, scores_of_pairs(scorer, predictions, references, pairs.at(left)))
        return found

    return score


@bounds(first_of)
def _(*scorers: ScoreRange) -> ScoreRange:
    return hull(scorers)


@primitive(traits=("response_alone",), topics=("scores",), aka=("if then else", "condition"))
def when(
    prediction: A,
    reference: B,
    /,
    *,
    test: PairScorer[A, B],
    then: PairScorer[A, B],
    otherwise: PairScorer[A, B] | None = None,
) -> Score:
    """Score with one pipeline where a test pipeline gives a positive score, and with another one elsewhere.

    Args:
        test: The pipeline whose score decides; any score above 0 counts as yes.
        then: The pipeline used where the test succeeds.
        otherwise: The pipeline used elsewhere; without it the score is 0 there.

    Examples:
        >>> when("a", "a", test=lambda p, r: float(r.isalpha()), then=lambda p, r: 1.0)
        1.0
    """
    if test(prediction, reference) > 0:
        return then(prediction, reference)
    return otherwise(prediction, reference) if otherwise is not None else 0.0


@batch(when)
def _(predictions: list[Any], references: list[Any], /, *, test: Any, then: Any, otherwise: Any = None) -> ColumnScorer:
    tested = test.over(predictions, references)

    def score(pairs: PairIndices) -> PairScores:
        import numpy as np

        found = tested(pairs)
        fails = np.zeros(len(pairs), dtype=bool)
        fails[list(found.failed)] = True
        holds = found.values > 0
        scores = PairScores(np.zeros(len(pairs)), found.failed)
        for scorer, where in ((then, holds & ~fails), (otherwise, ~holds & ~fails)):
            indices = np.flatnonzero(where)
            if scorer is not None and len(indices):
                scores.put(indices, scores_of_pairs(scorer, predictions, references, pairs.at(indices)))
        return scores

    return score


@bounds(when)
def _(*, test: ScoreRange, then: ScoreRange, otherwise: ScoreRange | float = 0.0) -> ScoreRange:
    return then if test.low > 0 else then.hull(otherwise)


@primitive(
    traits=("cases", "response_alone"), revision=2, topics=("scores",), aka=("case", "by answer type", "dispatch")
)
def switch(
    prediction: A, reference: B, /, *, on: object, default: PairScorer[A, B] | None = None, **cases: PairScorer[A, B]
) -> Score:
    """Score with the pipeline that a value of the record selects by name.

    Args:
        on: The value that selects the case, usually ``record.something``.
        default: The pipeline used where no case has the value's name.
        cases: One pipeline per value, by name. The names `true`, `false`, `null` and numbers match these values as
            well as their text: `true=…` is for the boolean true and the text ``true``, `"1"=…` for 1, 1.0 and the
            text ``1``.

    Raises:
        Unscored: when no case fits and there is no default.

    Examples:
        >>> switch(3, 3, on="Int", Int=lambda p, r: float(p == r))
        1.0
        >>> switch(3, 3, on=True, true=lambda p, r: 0.5, default=lambda p, r: 0.0)
        0.5
    """
    scorer: PairScorer[A, B] = _case(on, default, cases)
    return scorer(prediction, reference)


@batch(switch)
def _(predictions: list[Any], references: list[Any], /, *, on: Any, default: Any = None, **cases: Any) -> ColumnScorer:
    score_pairs: ColumnScorer = _case(on, default, cases).over(predictions, references)
    return score_pairs


@bounds(switch)
def _(*, on: object, **cases: ScoreRange) -> ScoreRange:
    return hull(cases.values())


def _case(on: object, default: Any, cases: dict[str, Any]) -> Any:
    if isinstance(on, str):
        chosen = cases.get(on, default)
    else:
        chosen = next((case for name, case in cases.items() if is_case_of(name, on)), default)
    if chosen is None:
        known = ", ".join(cases) or "none"
        if on is None:
            raise Unscored(f"nothing says which case it is (cases: {known}); write `default=` for such records")
        raise Unscored(f"no case is called {case_name(on)[:60]!r} (cases: {known})")
    return chosen


@primitive(traits=("catches", "response_alone"), topics=("scores",), aka=("default score", "on error"))
def attempt(prediction: A, reference: B, /, *, scorer: PairScorer[A, B], otherwise: float = 0.0) -> Score:
    """Score with a pipeline, and return a fixed score where it fails.

    This hides failures, so use it only where the benchmark's rules demand it. A pair that is not applicable stays so.

    Args:
        scorer: The pipeline that is tried.
        otherwise: The score where the pipeline fails.

    Examples:
        >>> def broken(p, r):
        ...     raise ValueError("no number")
        >>> attempt("x", "1", scorer=broken)
        0.0

    Source:
        As used in MEGA-Bench released code, MetricType.match: an exception counts as 0.
    """
    try:
        return in_full_depth(scorer, prediction, reference)
    except NotApplicable:
        raise
    except Exception:  # this primitive is meant for any kind of failure
        return otherwise


@batch(attempt)
def _(predictions: list[Any], references: list[Any], /, *, scorer: Any, otherwise: float = 0.0) -> ColumnScorer:
    score_pairs = scorer.over(predictions, references)

    def score(pairs: PairIndices) -> PairScores:
        found: PairScores = score_pairs(pairs)
        for place in [at for at, outcome in found.failed.items() if outcome.status != "not_applicable"]:
            found.values[place] = otherwise
            del found.failed[place]
        return found

    return score


@bounds(attempt)
def _(*, scorer: ScoreRange, otherwise: ScoreRange) -> ScoreRange:
    return scorer.hull(otherwise)


@primitive(topics=("extraction",), aka=("or else", "coalesce"))
def fallback(value: object, /, *steps: Transform[Any, Any]) -> object:
    """Return the result of the first pipeline that can transform the value.

    Args:
        steps: The pipelines in the order they are tried.

    Raises:
        Unparsed: when none of them can, with the reason of the last one.

    Examples:
        >>> fallback("x7", int, lambda text: int(text[1:]))
        7
    """
    return _first(steps, value)


@batch(fallback)
def _(values: list[Any], /, *steps: Any) -> list[Any]:
    found = list(steps[0].column(values))
    for step in steps[1:]:
        left = [place for place, value in enumerate(found) if type(value) is Outcome]
        for place, value in zip(left, step.column([values[place] for place in left]), strict=True):
            found[place] = value
    return found


def _first(pipelines: Iterable[Callable[..., R]], *values: Any) -> R:
    last: Exception = Unscored("no pipeline was given")
    for pipeline in pipelines:
        try:
            return in_full_depth(pipeline, *values)
        except Exception as error:  # whatever the failure is, the next pipeline may succeed
            last = error
    raise last
