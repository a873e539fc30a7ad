"""How often two runs are called different: where they are not, and where they are; beside Student's t and sign flips.

    python benchmarks/comparison.py              # about two minutes of one processor
    python benchmarks/comparison.py --samples 4000

Every line is one kind of change and number of records: how often `scoring compare` finds a difference at 5 %, how often
a test of the changes' signs does (every pattern, or ten thousand of them), and how often Student's t. Where there is
none, no more than 7 % may (but for two errors of the simulation); the exit status is 1 where one cell does. A test of
signs alone is not valid for skewed changes, and the t test not for those of 0 and 1: their columns show it.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats

from scoring.statistics.paired import paired, permutation_test

SEED = 20261123
MOST = 0.07
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


def main() -> int:
    """Print the table."""
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
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
