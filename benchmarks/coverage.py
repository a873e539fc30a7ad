"""How often intervals cover the true value: simulated, beside those of scipy and statsmodels.

    python benchmarks/coverage.py            # about four minutes of one processor
    python benchmarks/coverage.py --long     # ten times as many samples
    python benchmarks/coverage.py --only metrics

Every line is one case and number of units: how often our 95 % intervals cover the truth, how wide they are on average,
how many of them carry a note that they may cover more or less than they say, and the peers' coverage and width. Shares
are not simulated but counted: all numbers of right answers, each with its chance. A cell keeps the law where its
coverage lies in [0.93, 0.98] (but for two and a half times the error of the simulation); above it where nine in ten
intervals say so; below it where it is `marked`: where at least 93 % of the intervals cover or say beside the number
that they may cover less, and the line ends with the mark. The exit status is 1 where a cell does not.

The last table draws every metric of the registry in places that are hard: rare labels, rare positives, few answerable
questions, scores that are almost all perfect, values that lie far off (figures.py), images without objects
(pictures.py). There what covers more than 98 % is called `wide`, and is no fault.

Peers: Wilson's, Clopper and Pearson's and Jeffreys' intervals (statsmodels, or scipy without it), the BCa bootstrap of
scipy, and Student's t over the units (over the clusters' residuals where there are clusters or weights).
"""

from __future__ import annotations

import argparse
import math
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from figures import CASES, Case
from scipy import stats

from scoring import load
from scoring.extensions.agreement.metrics import pearson
from scoring.extensions.comparison.statistics.paired import paired
from scoring.extensions.figures.metrics.labels import f1
from scoring.metrics.summary import mean_score, quantile, weighted_mean_score
from scoring.statistics.clusters import clustered_statistic
from scoring.statistics.intervals import interval
from scoring.statistics.rows import Rows
from scoring.statistics.strata import in_strata, labels_of

LOW, HIGH = 0.93, 0.98
SIZES = (5, 10, 30, 100, 300, 1000)
SHARES = (0.02, 0.1, 0.5, 0.9, 0.98)
SEED = 20261122


@dataclass
class Cell:
    """What was found of one case and number of units."""

    case: str
    n: int
    covered: float
    width: float
    noted: float
    samples: int | None
    methods: str
    peers: dict[str, tuple[float, float]] = field(default_factory=dict)
    contradictions: int = 0
    held: float = 1.0
    mark: str = ""
    less: float = 0.0
    may_be_wide: bool = False

    @property
    def word(self) -> str:
        """Whether the cell keeps the law, and how."""
        slack = 2.5 * math.sqrt(0.05 * 0.95 / self.samples) if self.samples else 0.0  # of some 500 cells
        if self.contradictions:
            return "FAILS"
        if self.covered < LOW - slack:
            return "marked" if self.held >= LOW - slack else "FAILS"
        if self.covered <= HIGH + slack:
            return "ok"
        return "says so" if self.noted >= 0.9 else "wide" if self.may_be_wide else "FAILS"


class Tally:
    """Intervals of many samples."""

    def __init__(self, truth: float) -> None:
        self.truth, self.noted, self.held = truth, 0, 0
        self.methods: Counter[str] = Counter()
        self.marks: Counter[str] = Counter()
        self.ends: list[tuple[float, float]] = []

    def add(self, found: Any) -> None:
        """Count one interval; none at all counts as one that says why it is not there."""
        if found is None or isinstance(found, str):
            self.noted += 1
            self.held += 1
            self.ends.append((-math.inf, math.inf))
            self.methods["none"] += 1
            return
        self.noted += found.note is not None
        less = bool(found.note) and "less" in found.note
        self.held += less or found.low - 1e-12 <= self.truth <= found.high + 1e-12
        self.marks[found.note or ""] += less
        self.ends.append((found.low, found.high))
        self.methods[found.method] += 1

    def cell(self, case: str, n: int, **more: Any) -> Cell:
        """What they come to."""
        covered, width = coverage(np.array(self.ends).T, self.truth)
        told = "/".join(name for name, _ in self.methods.most_common(2))
        size, mark = len(self.ends), next((note for note, count in self.marks.most_common(1) if count), "")
        return Cell(
            case,
            n,
            covered,
            width,
            self.noted / size,
            size,
            told,
            mark=mark,
            held=self.held / size,
            less=sum(self.marks.values()) / size,
            **more,
        )


def coverage(ends: Any, truth: float) -> tuple[float, float]:
    """How often some limits hold the truth, and how far apart they lie."""
    low, high = ends
    held = (low <= truth + 1e-12) & (truth <= high + 1e-12)
    widths = np.minimum(high, 1e9) - np.maximum(low, -1e9)
    return float(held.mean()), float(widths.mean())


# What is drawn ------------------------------------------------------------------------------------------------------

Draw = Callable[[Any, tuple[int, ...]], Any]


def beta(a: float, b: float) -> Draw:
    return lambda source, shape: source.beta(a, b, shape)


def mixture(zeros: float, ones: float, rest: Draw) -> Draw:
    """Some scores are 0, some are 1, the rest lies between."""

    def draw(source: Any, shape: tuple[int, ...]) -> Any:
        which = source.random(shape)
        return np.where(which < zeros, 0.0, np.where(which < zeros + ones, 1.0, rest(source, shape)))

    return draw


def uniform(source: Any, shape: tuple[int, ...]) -> Any:
    return source.random(shape)


BOUNDED: dict[str, tuple[Draw, float]] = {
    "uniform": (uniform, 0.5),
    "beta(5, 2)": (beta(5, 2), 5 / 7),
    "narrow: beta(50, 50)": (beta(50, 50), 0.5),
    "two ends: beta(.5, .5)": (beta(0.5, 0.5), 0.5),
    "skewed: beta(.5, 5)": (beta(0.5, 5), 1 / 11),
    "skewed: beta(9, .6)": (beta(9, 0.6), 9 / 9.6),
    "skewed: uniform ** 8": (lambda source, shape: source.random(shape) ** 8, 1 / 9),
    "30 % 0, 30 % 1": (mixture(0.3, 0.3, uniform), 0.5),
    "25 % 0, 60 % 1": (mixture(0.25, 0.6, lambda source, shape: 0.5 + source.random(shape) / 2), 0.7125),
    "90 % 1": (mixture(0.0, 0.9, uniform), 0.95),
}
FREE: dict[str, tuple[Draw, float]] = {
    "normal": (lambda source, shape: source.normal(5, 1, shape), 5.0),
    "exponential": (lambda source, shape: source.exponential(1, shape), 1.0),
    "log-normal": (lambda source, shape: source.lognormal(0, 1, shape), math.exp(0.5)),
}
CLUSTERS = [(0.5, 0.3), (0.5, 0.8), (0.9, 0.3), (0.9, 0.05), (0.98, 0.3)]
PAIRS: dict[str, tuple[Draw, float]] = {}


def pair(share: float, gain: float) -> tuple[Draw, float]:
    """Changes of right and wrong: a share of the answers changes, and the difference is a gain."""

    def draw(source: Any, shape: tuple[int, ...]) -> Any:
        which = source.random(shape)
        return np.where(which < (share + gain) / 2, 1.0, np.where(which < share, -1.0, 0.0))

    return draw, gain


PAIRS |= {
    f"{share:.0%} change, {gain:+g}": pair(share, gain)
    for share, gain in ((0.1, 0.0), (0.1, 0.05), (0.3, 0.1), (0.6, 0.3), (1.0, 0.0))
}
PAIRS["small changes"] = (lambda source, shape: np.clip(source.normal(0.03, 0.05, shape), -1, 1), 0.03)
PAIRS["beta - beta"] = (lambda source, shape: source.beta(5, 2, shape) - source.beta(4, 2, shape), 5 / 7 - 4 / 6)


# What is found ------------------------------------------------------------------------------------------------------


def shares(sizes: Sequence[int]) -> Iterator[Cell]:
    """Shares of independent records, counted in place of drawn."""
    for n in sizes:
        found = [interval(mean_score(Rows.of_scores([1.0] * right + [0.0] * (n - right)))) for right in range(n + 1)]
        ends = np.array([(one.low, one.high) for one in found if one is not None]).T
        theirs = {name: limits(n) for name, limits in _share_peers().items()}
        for share in SHARES:
            chances = stats.binom.pmf(np.arange(n + 1), n, share)

            def told(ends: Any, share: float = share, chances: Any = chances) -> tuple[float, float]:
                held = (ends[0] <= share + 1e-12) & (share <= ends[1] + 1e-12)
                return float(chances @ held), float(chances @ (ends[1] - ends[0]))

            covered, width = told(ends)
            noted = float(sum(chance for chance, one in zip(chances, found, strict=True) if one is None or one.note))
            used = Counter({one.method: 0.0 for one in found if one is not None})
            for chance, one in zip(chances, found, strict=True):
                used[one.method if one else "none"] += chance
            methods = "/".join(name for name, chance in used.most_common(2) if chance > 0.005)
            peers = {name: told(ends) for name, ends in theirs.items()}
            yield Cell(f"share {share}", n, covered, width, noted, None, methods, peers)


def _share_peers() -> dict[str, Callable[[int], Any]]:
    try:
        from statsmodels.stats.proportion import proportion_confint
    except ImportError:

        def of_scipy(method: str) -> Callable[[int], Any]:
            def limits(n: int) -> Any:
                tests = [stats.binomtest(right, n).proportion_ci(0.95, method) for right in range(n + 1)]
                return np.array([(one.low, one.high) for one in tests]).T

            return limits

        return {"wilson": of_scipy("wilson"), "exact": of_scipy("exact")}

    def of(method: str) -> Callable[[int], Any]:
        return lambda n: np.array(proportion_confint(np.arange(n + 1), n, method=method))

    return {"wilson": of("wilson"), "exact": of("beta"), "jeffreys": of("jeffreys"), "wald": of("normal")}


def students(above: Any, below: Any) -> Any:
    """Student's interval of ratios over units, one sample a line."""
    n, total = above.shape[1], below.sum(axis=1)
    value = above.sum(axis=1) / total
    error = np.sqrt(((above - value[:, None] * below) ** 2).sum(axis=1) * n / (n - 1)) / total
    half = stats.t.ppf(0.975, n - 1) * error
    return value - half, value + half


def bca(samples: Any, most: int) -> Any:
    """scipy's BCa bootstrap of means, of some of the samples."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # samples that are all alike, of which it says nan
        found = stats.bootstrap((samples[:most],), np.mean, axis=-1, n_resamples=999, vectorized=True, rng=SEED)
    low, high = found.confidence_interval
    value = samples[:most].mean(axis=1)
    return np.where(np.isnan(low), value, low), np.where(np.isnan(high), value, high)


def means(table: dict[str, tuple[Draw, float]], limits: tuple[float, float], how: How) -> Iterator[Cell]:
    """Means of independent scores."""
    for case, (draw, truth) in table.items():
        for n in how.sizes:
            samples = draw(how.source, (how.samples(n), n))
            tally = Tally(truth)
            for line in samples:
                tally.add(interval(mean_score(Rows(range(n), line)), limits=limits))
            peers = {"t": coverage(students(samples, np.ones_like(samples)), truth)}
            if n <= how.drawn:
                peers["bca"] = coverage(bca(samples, how.peers), truth)
            yield tally.cell(case, n, peers=peers)


def weighted(how: How) -> Iterator[Cell]:
    """Weighted shares and means, of weights that differ."""
    for case, draw, truth in (("weighted share .9", None, 0.9), ("weighted beta(5, 2)", beta(5, 2), 5 / 7)):
        for n in how.sizes:
            shape = (how.samples(n), n)
            scores = draw(how.source, shape) if draw else (how.source.random(shape) < truth) * 1.0
            weights = how.source.lognormal(0, 0.7, shape)
            tally = Tally(truth)
            for line, weight in zip(scores, weights, strict=True):
                tally.add(interval(weighted_mean_score(Rows(range(n), line, weights=weight))))
            yield tally.cell(case, n, peers={"t": coverage(students(scores * weights, weights), truth)})


def clustered(how: How) -> Iterator[Cell]:
    """Shares of records in clusters that are more alike than others, of equal and of unequal sizes."""
    for share, alike in CLUSTERS:
        for kind in ("equal", "unequal"):
            for n in [size for size in how.sizes if size <= 300]:
                shape = (how.samples(n) // 2, n)
                sizes = np.full(shape, 6) if kind == "equal" else how.source.integers(1, 12, shape)
                spread = (1 - alike) / alike
                right = how.source.binomial(sizes, how.source.beta(share * spread, (1 - share) * spread, shape))
                tally = Tally(share)
                for counts, hits in zip(sizes, right, strict=True):
                    owners = np.repeat(np.arange(n), counts)
                    firsts = np.cumsum(counts) - counts
                    scores = (np.arange(counts.sum()) - firsts[owners] < hits[owners]) * 1.0
                    clusters = dict(enumerate(owners.tolist()))
                    tally.add(interval(mean_score(Rows(range(len(scores)), scores)), clusters=clusters))
                peers = {"t": coverage(students(right * 1.0, sizes * 1.0), share)}
                yield tally.cell(f"{kind} clusters {share}, icc {alike}", n, peers=peers)


def stratified(how: How) -> Iterator[Cell]:
    """Means over four fixed domains of unequal sizes, each of which counts the same."""
    metric = load(
        {"kind": "task", "name": "t", "score": "equal", "metrics": [{"m": "mean(per(record.domain, mean(score)))"}]}
    ).metrics[0]
    for case, chances in (("shares .9 to .3", (0.9, 0.7, 0.5, 0.3)), ("shares .95", (0.95,) * 4)):
        for n in [size for size in how.sizes if 30 <= size <= 300]:
            sizes = [n * part // 10 for part in (4, 3, 2, 1)]
            names, right = np.repeat(list("abcd"), sizes).tolist(), np.repeat(chances, sizes)
            tally = Tally(float(np.mean(chances)))
            for line in how.source.random((how.samples(n), n)):
                rows = Rows(range(n), (line < right) * 1.0, columns={"domain": names})
                labels = labels_of(names, [None] * n, numbered=True)
                known = in_strata(clustered_statistic(metric, rows, labels, keyed_by=metric(rows).keyed_by))
                tally.add(known if isinstance(known, str) else interval(known[0], strata=known[1]))
            yield tally.cell(f"four fixed domains, {case}", n)


def others(how: How) -> Iterator[Cell]:
    """Figures that are no means: F1 of two labels, a correlation, a median."""
    truth = 2 * 0.4 / (2 * 0.4 + 0.1 + 0.1)
    for n in [size for size in how.sizes if size <= 300]:
        tallies = Tally(truth), Tally(0.6), Tally(math.log(2))
        low, high = [], []
        for _ in range(how.samples(n)):
            which = how.source.choice(4, size=n, p=[0.4, 0.1, 0.1, 0.4])
            given, right = np.array(list("yyxx"))[which].tolist(), np.array(list("yxyx"))[which].tolist()
            rows = Rows(range(n), np.zeros(n), columns={"given": given, "right": right})
            tallies[0].add(interval(f1(rows, prediction="given", reference="right", label="y")))
            one = how.source.normal(size=n)
            two = 0.6 * one + 0.8 * how.source.normal(size=n)
            rows = Rows(range(n), one, columns={"human": two.tolist()})
            tallies[1].add(interval(pearson(rows, other="human"), limits=(-1.0, 1.0)))
            if n > 3:
                theirs = stats.pearsonr(one, two).confidence_interval()
                low.append(theirs.low)
                high.append(theirs.high)
            scores = how.source.exponential(size=n)
            tallies[2].add(interval(quantile(Rows(range(n), scores))))
        peers = {"fisher": coverage((np.array(low), np.array(high)), 0.6)}
        yield tallies[0].cell("f1 of a label", n)
        yield tallies[1].cell("correlation .6", n, peers=peers)
        yield tallies[2].cell("median", n)


def differences(how: How) -> Iterator[Cell]:
    """Differences of two runs; an interval that tells another story than its p-value is counted."""
    for case, (draw, truth) in PAIRS.items():
        for n in [8, *how.sizes]:
            samples = draw(how.source, (how.samples(n), n))
            tally, wrong = Tally(truth), 0
            for line in samples:
                found = paired(line, resamples=1000)
                tally.add(found.interval)
                wrong += (found.interval.low <= 0.0 <= found.interval.high) != (found.p_value >= 0.05)
            peers = {"t": coverage(students(samples, np.ones_like(samples)), truth)}
            yield tally.cell(case, n, peers=peers, contradictions=wrong)


def metrics(how: How, cases: Sequence[Case] = CASES) -> Iterator[Cell]:
    """Every metric of the registry, where it is hard."""
    for case in cases:
        for n in [size for size in how.sizes if 10 <= size <= 300]:
            tally = Tally(case.truth(n))
            for _ in range(max(how.samples(n) // case.cost, 20)):
                found = case.interval(how.source, n)
                if found is not None:
                    tally.add(found)
            yield tally.cell(case.name, n, may_be_wide=True)


@dataclass
class How:
    """How much is drawn."""

    sizes: Sequence[int]
    most: int
    peers: int
    drawn: int
    source: Any

    def samples(self, n: int) -> int:
        """Fewer of long samples."""
        return self.most if n <= 100 else self.most // 2


def show(title: str, cells: Iterator[Cell]) -> list[Cell]:
    """Print the lines of a table as they are found."""
    head = f"{'case':44} {'n':>5} {'cover':>6} {'width':>7} {'noted':>6}  {'':8} {'method':18} peers: coverage, width"
    print(f"\n{title}\n{head}")
    found = []
    for cell in cells:
        peers = "  ".join(f"{name} {covered:.3f} {width:.3f}" for name, (covered, width) in cell.peers.items())
        wrong = f"  {cell.contradictions} contradictions" if cell.contradictions else ""
        wrong += f"  {cell.mark}" if cell.word == "marked" else ""
        print(
            f"{cell.case:44} {cell.n:5} {cell.covered:6.3f} {cell.width:7.3f} {cell.noted:6.0%}  {cell.word:8} "
            f"{cell.methods:18} {peers}{wrong}",
            flush=True,
        )
        found.append(cell)
    return found


def main() -> int:
    """Print all tables; 1 where a cell fails."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--long", action="store_true", help="ten times as many samples, and more sizes")
    parser.add_argument("--samples", type=int, help="how many samples of each case")
    parser.add_argument("--only", help="the tables alone whose name has these letters")
    options = parser.parse_args()
    sizes = (5, 8, 10, 15, 20, 30, 50, 100, 300, 1000) if options.long else SIZES
    most = options.samples or (10_000 if options.long else 500)
    how = How(sizes, most, 1000 if options.long else 150, 100 if options.long else 30, np.random.default_rng(SEED))
    tables = {
        "Shares of independent records (counted, not drawn)": shares(sizes),
        "Means of scores between 0 and 1": means(BOUNDED, (0.0, 1.0), how),
        "Means of scores without a range": means(FREE, (-math.inf, math.inf), how),
        "Weights that differ": weighted(how),
        "Clusters (n of them)": clustered(how),
        "Strata": stratified(how),
        "Other figures": others(how),
        "Differences of two runs": differences(how),
        "All metrics of the registry, where it is hard": metrics(how),
    }
    every = [cell for name, cells in tables.items() if (options.only or "") in name for cell in show(name, cells)]
    words = Counter(cell.word for cell in every)
    told = f"{words['ok']} in [{LOW}, {HIGH}], {words['says so']} above that say so, {words['wide']} wide"
    print(f"\n{len(every)} cells: {told}, {words['marked']} below that are marked, {words['FAILS']} fail")
    fine = [cell for cell in every if cell.word != "marked" and cell.covered >= LOW]
    noisy = sum(cell.less >= 0.5 for cell in fine)
    print(f"{noisy} of the {len(fine)} cells of at least {LOW} say on half of their intervals that they may cover less")
    return 1 if words["FAILS"] else 0


if __name__ == "__main__":
    sys.exit(main())
