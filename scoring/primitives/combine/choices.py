"""Combinators that choose among pipelines, or join their scores."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from scoring.registry import Between, PairScorer, Transform, primitive
from scoring.result import NotApplicable, Unscored
from scoring.values import Score

A = TypeVar("A")
B = TypeVar("B")


@primitive
def any_of(prediction: A, reference: B, /, *scorers: PairScorer[A, B]) -> Score:
    """The best score that any of the pipelines gives the pair.

    Args:
        scorers: The pipelines; all see the same pair.

    Examples:
        >>> any_of("a", "a", lambda p, r: 0.5, lambda p, r: float(p == r))
        1.0
    """
    return max(scorer(prediction, reference) for scorer in _some(scorers))


@primitive
def all_of(prediction: A, reference: B, /, *scorers: PairScorer[A, B]) -> Score:
    """The worst score that any of the pipelines gives the pair: every one must hold.

    Args:
        scorers: The pipelines; all see the same pair.

    Examples:
        >>> all_of("a", "a", lambda p, r: 0.5, lambda p, r: float(p == r))
        0.5
    """
    return min(scorer(prediction, reference) for scorer in _some(scorers))


@primitive
def average_of(prediction: A, reference: B, /, *scorers: PairScorer[A, B]) -> Score:
    """The mean of the scores that the pipelines give the pair.

    Args:
        scorers: The pipelines; all see the same pair.

    Examples:
        >>> average_of("a", "a", lambda p, r: 0.5, lambda p, r: float(p == r))
        0.75
    """
    scores = [scorer(prediction, reference) for scorer in _some(scorers)]
    return sum(scores) / len(scores)


@primitive
def first_of(prediction: A, reference: B, /, *scorers: PairScorer[A, B]) -> Score:
    """The score of the first pipeline that can score the pair; the others are tried when it can not.

    Args:
        scorers: The pipelines in the order they are tried.

    Raises:
        Unscored: when none of them can, with the last one's reason.

    Examples:
        >>> def broken(p, r):
        ...     raise Unscored("no")
        >>> first_of("a", "b", broken, lambda p, r: 0.25)
        0.25
    """
    last: Exception = Unscored("no pipeline was given")
    for scorer in scorers:
        try:
            return scorer(prediction, reference)
        except Exception as error:  # whatever the pipeline could not do, the next one may
            last = error
    raise last


@primitive
def when(
    prediction: A,
    reference: B,
    /,
    *,
    test: PairScorer[A, B],
    then: PairScorer[A, B],
    otherwise: PairScorer[A, B] | None = None,
) -> Score:
    """Score with one pipeline where a test pipeline gives a positive score, with another one elsewhere.

    Args:
        test: Its score decides; any score above 0 counts as yes.
        then: Used where the test holds.
        otherwise: Used elsewhere; without it the score is 0 there.

    Examples:
        >>> when("a", "a", test=lambda p, r: float(r.isalpha()), then=lambda p, r: 1.0)
        1.0
    """
    if test(prediction, reference) > 0:
        return then(prediction, reference)
    return otherwise(prediction, reference) if otherwise is not None else 0.0


@primitive(traits=("cases",))
def switch(
    prediction: A, reference: B, /, *, on: object, default: PairScorer[A, B] | None = None, **cases: PairScorer[A, B]
) -> Score:
    """Score with the pipeline that is named by a value of the record.

    Args:
        on: The value that chooses, usually ``record.something``.
        default: Used where no case has the value's name.
        cases: One pipeline per value, by name.

    Raises:
        Unscored: when no case fits and there is no default.

    Examples:
        >>> switch(3, 3, on="Int", Int=lambda p, r: float(p == r))
        1.0
    """
    chosen = cases.get(on if isinstance(on, str) else str(on), default)
    if chosen is None:
        known = ", ".join(cases) or "none"
        raise Unscored(f"no case is called {str(on)[:60]!r} (cases: {known})")
    return chosen(prediction, reference)


@primitive(traits=("catches",))
def attempt(
    prediction: A, reference: B, /, *, scorer: PairScorer[A, B], otherwise: Annotated[float, Between(0, 1)] = 0.0
) -> Score:
    """Score with a pipeline; where it can not, give a fixed score instead.

    This hides failures, so it belongs where a benchmark's rule says so.

    Args:
        scorer: The pipeline that is tried.
        otherwise: The score where it raises.

    Examples:
        >>> def broken(p, r):
        ...     raise ValueError("no number")
        >>> attempt("x", "1", scorer=broken)
        0.0

    Source:
        MEGA-Bench released code, MetricType.match: an exception counts as 0.
    """
    try:
        return scorer(prediction, reference)
    except NotApplicable:
        raise
    except Exception:  # any failure is what this primitive is for
        return otherwise


@primitive
def any_reference(prediction: A, reference: list[B], /, *, scorer: PairScorer[A, B]) -> Score:
    """The best score against any one of several references.

    Args:
        scorer: Compares the prediction with one reference.

    Raises:
        Unscored: when the list of references is empty.

    Examples:
        >>> any_reference("b", ["a", "b"], scorer=lambda p, r: float(p == r))
        1.0

    Source:
        ANLS (Biten et al. 2019, ST-VQA): the maximum over the ground truth answers.
    """
    if not reference:
        raise Unscored("there is no reference to compare with")
    return max(scorer(prediction, one) for one in reference)


@primitive
def fallback(value: object, /, *steps: Transform[Any, Any]) -> object:
    """The result of the first pipeline that can transform the value.

    Args:
        steps: The pipelines in the order they are tried.

    Raises:
        Unparsed: when none of them can, with the last one's reason.

    Examples:
        >>> fallback("x7", int, lambda text: int(text[1:]))
        7
    """
    last: Exception = Unscored("no pipeline was given")
    for step in steps:
        try:
            return step(value)
        except Exception as error:  # whatever the pipeline could not do, the next one may
            last = error
    raise last


def _some(scorers: tuple[PairScorer[A, B], ...]) -> tuple[PairScorer[A, B], ...]:
    if not scorers:
        raise Unscored("no pipeline was given")
    return scorers
