"""How often two runs are called different: where they are not, and where they are; beside Student's t and sign flips.

    python benchmarks/comparison.py              # about four minutes of one processor
    python benchmarks/comparison.py --samples 4000

Every line is one kind of change and number of records: how often `scoring compare` finds a difference at 5 %, how often
a test of the changes' signs does (every pattern, or ten thousand of them), and how often Student's t. Where there is
none, no more than 7 % may (but for two errors of the simulation); the exit status is 1 where one cell does. A test of
signs alone is not valid for skewed changes, and the t test not for those of 0 and 1: their columns show it.

The second table has differences within strata: means, and macro averages over few fixed groups, beside the same test
without strata (of a macro average it draws the groups). There the interval has to cover the true difference 93 % of the
time, too, but for those with a note, which stand in a column of their own.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

import scoring
from scoring.extensions.comparison.statistics.differing import Chances, InCommon, RunSide
from scoring.extensions.comparison.statistics.paired import paired, permutation_test
from scoring.metrics.summary import mean_score
from scoring.statistics.rows import Rows

SEED = 20261123
MOST, LEAST = 0.07, 0.93
TASK = {"kind": "task", "name": "t", "score": "equal"}
CHANCES = Chances(resamples=1000, widest=1.0)
SIZES = (10, 30, 100, 1000)


def right_or_wrong(source: Any, size: int, gain: float) -> Any:
    """Changes between answers that are right or wrong: three in ten are given anew."""
    before = source.random(size) < 0.6
    anew = source.random(size) < 0.6 + gain / 0.3
    return np.where(source.random(size) < 0.3, anew, before) * 1.0 - before


def graded(source: Any, size: int, gain: float) -> Any:
    """Changes between scores that may be anything from 0 to 1."""
    before = source.beta(2, 2, size)
    return np.clip(before + source.normal(gain, 0.18, size), 0.0, 1.0) - before


def skewed(source: Any, size: int, gain: float) -> Any:
    """Many small gains and few large losses."""
    return np.where(source.random(size) < 0.1 - gain, -0.9, 0.1)


def tailed(source: Any, size: int, gain: float) -> Any:
    """Changes with a long tail on one side."""
    return np.clip(source.exponential(0.1, size) - 0.1 + gain, -1.0, 1.0)


CASES: dict[str, tuple[Callable[[Any, int, float], Any], float]] = {
    "0 or 1, no effect": (right_or_wrong, 0.0),
    "graded, no effect": (graded, 0.0),
    "skewed, no effect": (skewed, 0.0),
    "tailed, no effect": (tailed, 0.0),
    "0 or 1, +0.05": (right_or_wrong, 0.05),
    "graded, +0.09": (graded, 0.09),
    "skewed, +0.095": (skewed, 0.095),
    "tailed, +0.05": (tailed, 0.05),
}


def student(changes: Any) -> float:
    """The p-value of a t test; 1 where all changes are one number."""
    spread = changes.std(ddof=1)
    if spread < 1e-12:
        return 1.0
    return float(2.0 * stats.t.sf(abs(changes.mean()) / spread * math.sqrt(len(changes)), len(changes) - 1))


class Strata(NamedTuple):
    """Records of two runs in some strata, right or wrong or graded.

    Args:
        sizes: How many records each stratum has.
        before: The share of records that the first run has right in each; graded, its mean score.
        after: That of the second.
        is_macro: Whether strata count alike, rather than records.
        is_graded: Whether scores may be anything from 0 to 1.
    """

    sizes: tuple[int, ...]
    before: tuple[float, ...]
    after: tuple[float, ...]
    is_macro: bool = True
    is_graded: bool = False

    @property
    def effect(self) -> float:
        """The true difference."""
        weights = np.ones(len(self.sizes)) if self.is_macro else np.array(self.sizes)
        return float((np.subtract(self.after, self.before) * weights).sum() / weights.sum())

    def draw(self, source: Any) -> tuple[Any, Any]:
        """The scores of both runs, record by record; half of what is hard for the one is hard for the other."""
        size, owners = sum(self.sizes), np.repeat(np.arange(len(self.sizes)), self.sizes)
        shares = [np.array(side)[owners] for side in (self.before, self.after)]
        if self.is_graded:
            one, other = (source.beta(6.0 * share, 6.0 * (1.0 - share)) for share in shares)
            return one, other
        same = source.random(size)
        other = np.where(source.random(size) < 0.5, same, source.random(size))
        return (same < shares[0]) * 1.0, (other < shares[1]) * 1.0


EVEN, APART = (0.7, 0.5, 0.6), (0.9, 0.6, 0.3)
STRATA: dict[str, Strata] = {
    "macro 2x100, none": Strata((100, 100), (0.6, 0.8), (0.6, 0.8)),
    "macro 90+10, none": Strata((90, 10), (0.6, 0.8), (0.6, 0.8)),
    "macro 90+30, turned": Strata((90, 30), (0.9, 0.3), (0.6, 0.6)),
    "macro 100+20+5, none": Strata((100, 20, 5), EVEN, EVEN),
    "macro 20x5, none": Strata((5,) * 20, (0.6,) * 20, (0.6,) * 20),
    "macro 3x40 graded": Strata((40,) * 3, EVEN, EVEN, is_graded=True),
    "mean 3x40, turned": Strata((40,) * 3, APART, (0.6, 0.6, 0.6), is_macro=False),
    "mean 60+20+8, none": Strata((60, 20, 8), EVEN, EVEN, is_macro=False),
    "macro 2x100, +0.1": Strata((100, 100), (0.6, 0.7), (0.7, 0.8)),
    "macro 90+10, +0.3": Strata((90, 10), (0.9, 0.1), (0.7, 0.9)),
    "mean 3x40, +0.1": Strata((40,) * 3, APART, (0.7, 0.7, 0.7), is_macro=False),
}


def strata_table(samples: int, source: Any) -> int:
    """Print the second table; how many of its cells fail."""
    macro = scoring.load({**TASK, "metrics": [{"m": "mean(per(record.domain, mean(score)))"}]}).metrics[0]
    failed = 0
    print(f"\n{'case':22} {'within':>7} {'without':>8} {'covered':>8} {'noted':>7}  contradictions")
    for case, cell in STRATA.items():
        names = [str(name) for name, size in enumerate(cell.sizes) for _ in range(size)]
        metric, count = (macro if cell.is_macro else mean_score), max(samples // 2, 1)
        found, wrong = np.zeros(5), 0
        for _ in range(count):
            sides = [Rows(range(len(names)), one, columns={"domain": names}) for one in cell.draw(source)]
            ours, plain = (
                InCommon.of([RunSide.of(metric, side, None, strata) for side in sides]).test(0, 1, CHANCES)
                for strata in (names, None)
            )
            told = ours.interval
            wrong += (told.low <= 0.0 <= told.high) != (ours.p_value >= 0.05)
            covers = told.low <= cell.effect + 1e-12 and cell.effect - 1e-12 <= told.high
            noted = told.note is not None
            found += [ours.p_value < 0.05, plain.p_value < 0.05, covers, noted, covers or noted]
        rates = found / count
        slack = [2.0 * math.sqrt(share * (1.0 - share) / count) for share in (MOST, LEAST)]
        is_bad = wrong > 0 or (abs(cell.effect) < 1e-9 and rates[0] > MOST + slack[0])
        is_bad |= rates[4] < LEAST - slack[1]
        failed += is_bad
        told = f"{rates[0]:7.3f} {rates[1]:8.3f} {rates[2]:8.3f} {rates[3]:7.3f}"
        print(f"{case:22} {told}  {wrong}{'  FAILS' if is_bad else ''}", flush=True)
    return failed


def main() -> int:
    """Print both tables."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--samples", type=int, default=500)
    options.add_argument("--seed", type=int, default=SEED)
    given = options.parse_args()
    source, failed = np.random.default_rng(given.seed), 0
    print(f"{'case':20} {'n':>5} {'ours':>7} {'signs':>7} {'t':>7}  contradictions")
    for case, (draw, gain) in CASES.items():
        for size in SIZES:
            samples = given.samples if size < 1000 else max(given.samples // 5, 1)
            found, wrong = np.zeros(3), 0
            for _ in range(samples):
                changes = draw(source, size, gain)
                ours = paired(changes)
                wrong += (ours.interval.low <= 0.0 <= ours.interval.high) != (ours.p_value >= 0.05)
                found += np.array([ours.p_value, permutation_test(changes), student(changes)]) < 0.05
            rates = found / samples
            slack = 2.0 * math.sqrt(MOST * (1.0 - MOST) / samples)
            is_bad = (not gain and rates[0] > MOST + slack) or wrong > 0
            failed += is_bad
            shown = " ".join(f"{rate:7.3f}" for rate in rates)
            print(f"{case:20} {size:5} {shown}  {wrong}{'  FAILS' if is_bad else ''}", flush=True)
    failed += strata_table(given.samples, source)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
