"""More than one opinion: several judges, several samples of one judge, and both orders of a comparison."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import median, multimode
from typing import Any, Literal

from msgspec import Struct

from scoring.extensions.judge.calls import Judge, JudgeError
from scoring.extensions.judge.programs.program import JudgeProgram
from scoring.extensions.judge.programs.run import run_program
from scoring.result import Unscored

Combine = Literal["majority", "mean", "median"]


class Opinion(Struct, frozen=True):
    """One opinion of a judge: its score, or the reason why there is none; `sample` numbers the judge's repeated
    opinions on the same inputs from 0.
    """

    judge: str
    sample: int
    score: float | None
    reason: str | None = None

    @property
    def label(self) -> str:
        """The judge's name, followed by the number of the opinion, from 1, unless it is the judge's first.

        Examples:
            >>> Opinion("m", 0, 1.0).label, Opinion("m", 1, 1.0).label
            ('m', 'm #2')
        """
        return f"{self.judge} #{self.sample + 1}" if self.sample else self.judge


class PanelJudgement(Struct, frozen=True):
    """The combined score of a panel, and every opinion behind it."""

    score: float
    opinions: tuple[Opinion, ...]


def ask_panel(
    program: JudgeProgram,
    inputs: Mapping[str, Any],
    judges: Sequence[Judge],
    *,
    samples: int = 1,
    combine: Combine = "majority",
    quorum: int | None = None,
    restarts: int | None = None,
) -> PanelJudgement:
    """Return the combined score of several judges, each of which gives one opinion or several (samples).

    Args:
        program: The judge program.
        inputs: The program's inputs.
        judges: The judges to ask.
        samples: The number of opinions that each judge gives.
        combine: How scores are combined; a tied majority is resolved by the mean of the tied scores.
        quorum: The number of opinions required; more than half of those asked for if not given.
        restarts: How often a program may start again after an invalid reply, as in ``run_program``.

    Raises:
        Unscored: when there are fewer opinions with a score than the quorum.
    """
    opinions = tuple(
        _opinion(program, inputs, judge, sample, restarts) for judge in judges for sample in range(samples)
    )
    scores = [opinion.score for opinion in opinions if opinion.score is not None]
    needed = len(opinions) // 2 + 1 if quorum is None else quorum
    if len(scores) < max(needed, 1):
        reasons = "; ".join(sorted({opinion.reason for opinion in opinions if opinion.reason}))
        raise Unscored(f"{len(scores)} of {len(opinions)} judges gave a score, {needed} are needed: {reasons}")
    return PanelJudgement(COMBINE[combine](scores), opinions)


def _opinion(
    program: JudgeProgram, inputs: Mapping[str, Any], judge: Judge, sample: int, restarts: int | None
) -> Opinion:
    try:
        found = run_program(program, inputs, judge, sample=sample, restarts=restarts)
    except JudgeError as error:
        return Opinion(judge.name, sample, None, str(error))
    return Opinion(judge.name, sample, found.score)


def majority(scores: Sequence[float]) -> float:
    """Return the most common score, or the mean of the most common ones if several are tied.

    Examples:
        >>> majority([1.0, 0.0, 1.0]), majority([1.0, 0.0])
        (1.0, 0.5)
    """
    tied = multimode(scores)
    return math.fsum(tied) / len(tied)


COMBINE: Mapping[str, Callable[[Sequence[float]], float]] = {
    "majority": majority,
    "mean": lambda scores: math.fsum(scores) / len(scores),
    "median": lambda scores: float(median(scores)),
}


class PairedAnswers(Struct, frozen=True):
    """The result of a comparison in both orders: the winner (``first``, ``second`` or ``tie``), whether the orders
    agreed, and the preference for the first string in each order.
    """

    winner: Literal["first", "second", "tie"]
    consistent: bool
    scores: tuple[float, float]


def compare_both_orders(
    program: JudgeProgram,
    inputs: Mapping[str, Any],
    judge: Judge,
    *,
    pair: tuple[str, str] = ("first", "second"),
    restarts: int | None = None,
) -> PairedAnswers:
    """Run a program that compares two strings twice, the second time with the strings swapped, to counter position
    bias, and return which string is preferred.

    Args:
        program: A program whose score is the preference for its first string: above 0.5, below it, or equal to it.
        inputs: The program's inputs.
        judge: The judge to ask.
        pair: The names of the two inputs to swap.
        restarts: How often the program may start again after an invalid reply, as in ``run_program``.

    Raises:
        Unscored: when a preference is not between 0 and 1.
    """
    one, other = pair
    swapped = {**inputs, one: inputs[other], other: inputs[one]}
    straight = _preference(program, inputs, judge, restarts)
    turned = 1 - _preference(program, swapped, judge, restarts)
    if (straight - 0.5) * (turned - 0.5) < 0:
        return PairedAnswers("tie", False, (straight, turned))
    middle = (straight + turned) / 2
    winner: Literal["first", "second", "tie"] = "first" if middle > 0.5 else "second" if middle < 0.5 else "tie"
    return PairedAnswers(winner, (straight == 0.5) == (turned == 0.5), (straight, turned))


def _preference(program: JudgeProgram, inputs: Mapping[str, Any], judge: Judge, restarts: int | None) -> float:
    found = run_program(program, inputs, judge, restarts=restarts)
    if found.score is None or not 0 <= found.score <= 1:
        raise Unscored(f"judge `{program.name}` does not give a preference between 0 and 1")
    return found.score
