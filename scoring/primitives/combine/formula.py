"""The combinator that joins the scores of several pipelines by a formula."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from scoring.lang.evaluation import FormulaWords, Values, evaluation, failure_of
from scoring.lang.functions import FUNCTIONS
from scoring.lang.parser import parse_formula
from scoring.ranges import snap_to_whole
from scoring.registry import PairScorer, batch, primitive
from scoring.registry.pairs import ColumnScorer, PairIndices, PairScores
from scoring.result import Outcome, Unscored
from scoring.values import Score

A = TypeVar("A")
B = TypeVar("B")


@primitive(
    traits=("formula", "response_alone"),
    revision=2,
    topics=("scores",),
    aka=("average of", "harmonic mean", "weighted sum", "product of scorers", "f1 of precision and recall"),
)
def combine(prediction: A, reference: B, /, *, formula: str, **scores: PairScorer[A, B]) -> Score:
    """Compute a formula over the scores that several pipelines give the pair.

    The formula is written in the formula language (docs/language.md); its only variables are the names of the
    pipelines. It is checked together with the spec, and the range of the score is that of the formula. A condition
    scores 1 or 0. A score that differs from an integer only by rounding errors becomes that integer: parts of 0.4, 0.3,
    0.2 and 0.1 add up to 1.

    Args:
        formula: The formula, such as ``"2 * p * r / (p + r)"``.
        scores: The pipelines that the formula reads, by name; each gets the same pair.

    Raises:
        Unscored: when the formula has no value, such as a division by 0.

    Examples:
        >>> combine("a", "a", formula="0.75 * p + 0.25 * r", p=lambda p, r: 1.0, r=lambda p, r: 0.0)
        0.75
    """
    return _evaluation(formula)({name: scorer(prediction, reference) for name, scorer in scores.items()})


@batch(combine)
def _(predictions: list[Any], references: list[Any], /, *, formula: str, **scores: Any) -> ColumnScorer:
    evaluate = _evaluation(formula)
    functions = {name: scorer.over(predictions, references) for name, scorer in scores.items()}

    def score(pairs: PairIndices) -> PairScores:
        parts = {name: one(pairs) for name, one in functions.items()}
        failed: dict[int, Outcome] = {}
        for part in reversed(parts.values()):  # the reason is that of the first pipeline that fails
            failed |= part.failed
        found = PairScores(np.full(len(pairs), np.nan), failed)
        columns = [part.values.tolist() for part in parts.values()]
        for place, values in enumerate(zip(*columns, strict=True)):
            if place not in failed:
                try:
                    found.values[place] = evaluate(dict(zip(parts, values, strict=True)))
                except Unscored as error:
                    failed[place] = Outcome.of_exception(error)
        return found

    return score


@lru_cache(maxsize=256)
def _evaluation(text: str) -> Callable[[Values], float]:
    evaluate = evaluation(parse_formula(text), _WORDS)
    return lambda values: snap_to_whole(float(evaluate(values)))


def _read(values: Values, name: str) -> Any:
    if name not in values:
        raise Unscored(f"no pipeline is called `{name}`")
    return values[name]


_WORDS = FormulaWords(
    _read,
    lambda values, path: _read(values, path.root),
    lambda name: FUNCTIONS[name].join,
    failure_of,
    quoted=lambda values, text: values.get(text, text),
)
