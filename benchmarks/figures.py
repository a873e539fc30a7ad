"""Records for every metric of the registry, drawn so that its interval has a hard time; benchmarks/coverage.py counts.

A case is a metric with its settings and a way to draw records for it. What the figure truly is, a sample tells that is
so large that its error plays no part beside the intervals; where a figure depends on how many records there are (the
Elo rating, which goes on moving), the mean of many samples.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from pictures import boxes, labels, pixels

from scoring.outcomes import NOT_APPLICABLE, SCORED, UNSCORED
from scoring.registry.store import registry
from scoring.statistics.closed_intervals import Interval
from scoring.statistics.intervals import spread_of
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic

Records = Callable[[Any, int], Any]
"""So many records or images, drawn from a source of random numbers."""

TRUTH_SEED = 20261124


@dataclass(frozen=True)
class Case:
    """A metric over records that are drawn.

    Args:
        metric: Its name in the registry.
        drawn: What is drawn, in words.
        records: Draws so many records.
        settings: The metric's settings.
        limits: What the figure may come to, where that is not from 0 to 1.
        large: How many records tell the truth.
        samples: How many samples tell it in place of one, of as many records as the interval is of.
        cost: A figure that takes longer is drawn less often.
    """

    metric: str
    drawn: str
    records: Records
    settings: Mapping[str, Any] = field(default_factory=dict)
    limits: tuple[float, float] = (0.0, 1.0)
    large: int = 200_000
    samples: int = 0
    cost: int = 1

    @property
    def name(self) -> str:
        """The case in words."""
        return f"{self.metric}, {self.drawn}"

    def statistic(self, rows: Any) -> Statistic:
        """The statistic of some records or images."""
        found = registry.metric(self.metric)
        assert found is not None
        return found.function(rows, **self.settings)  # type: ignore[no-any-return]

    def interval(self, source: Any, n: int) -> Interval | str | None:
        """The interval of so many records, why there is none, or None where there is no figure either."""
        statistic = self.statistic(self.records(source, n)).finished()
        return None if statistic.value() is None else spread_of(statistic, limits=self.limits, resamples=400)

    def truth(self, n: int) -> float:
        """What the figure truly is."""
        return _truth(self, n if self.samples else 0)

    def __hash__(self) -> int:
        return hash(self.name)


@cache
def _truth(case: Case, n: int) -> float:
    source = np.random.default_rng(TRUTH_SEED)
    if n:
        found = [case.statistic(case.records(source, n)).value() for _ in range(case.samples)]
        return math.fsum(value for value in found if value is not None) / sum(value is not None for value in found)
    value = case.statistic(case.records(source, case.large)).value()
    assert value is not None
    return value


# Scores --------------------------------------------------------------------------------------------------------------


def _scores(draw: Records | Callable[[Any, int], Any]) -> Records:
    return lambda source, n: Rows(range(n), draw(source, n))  # type: ignore[arg-type]


def _near_perfect(source: Any, n: int) -> Any:
    """Almost all between 0.9 and 1, and one in 33 is 0."""
    return np.where(source.random(n) < 0.03, 0.0, 0.9 + 0.1 * source.random(n))


def _right(share: float) -> Callable[[Any, int], Any]:
    return lambda source, n: (source.random(n) < share) * 1.0


def _rare_good(source: Any, n: int) -> Any:
    return source.beta(0.05, 1.0, n)


def _weighed(source: Any, n: int) -> Rows:
    """Weights that go with the score: what is long is wrong more often."""
    weights = source.lognormal(0.0, 0.7, n)
    right = source.random(n) < 1.0 / (1.0 + 0.5 * weights)
    return Rows(range(n), right * 1.0, weights=weights)


def _passed(source: Any, n: int) -> Rows:
    return Rows(range(n), np.ones(n), passed=np.where(source.random(n) < 0.1, -1, source.random(n) < 0.95))


def _with_unscored(source: Any, n: int) -> Rows:
    which = source.random(n)
    return Rows(range(n), np.where(which < 0.92, 1.0, np.nan), np.where(which < 0.92, SCORED, UNSCORED))


def _not_applicable(source: Any, n: int) -> Rows:
    which, scores = source.random(n), source.random(n)
    scores = np.where(which < 0.2, np.nan, scores)
    return Rows(range(n), scores, np.where(which < 0.2, NOT_APPLICABLE, SCORED))


def _sampled(source: Any, n: int) -> Rows:
    """Four samples of each question, some of which are hopeless."""
    chance = np.repeat(source.beta(0.3, 0.6, n), 4)
    questions = [f"q{place}" for place in np.repeat(np.arange(n), 4)]
    return Rows(range(4 * n), (source.random(4 * n) < chance) * 1.0, columns={"question": questions})


# Answers -------------------------------------------------------------------------------------------------------------


def _answerable(share: float) -> Records:
    """Questions of which a share has an answer."""

    def draw(source: Any, n: int) -> Rows:
        real = source.random(n) < share
        tried = np.where(real, source.random(n) < 0.8, source.random(n) < 0.05)
        right = np.where(real, tried & (source.random(n) < 0.7), ~tried)
        no = "Not answerable"
        columns = {"response": ["a" if one else no for one in tried], "reference": ["a" if one else no for one in real]}
        return Rows(range(n), right * 1.0, columns=columns)

    return draw


def _labels(shares: list[float], right: float) -> Records:
    """Labels of some shares; a wrong one is drawn by the same shares."""
    names = np.array([f"L{place:02}" for place in range(len(shares))])
    chances = np.array(shares) / sum(shares)

    def draw(source: Any, n: int) -> Rows:
        gold = source.choice(len(names), n, p=chances)
        given = np.where(source.random(n) < right, gold, source.choice(len(names), n, p=chances))
        columns = {"response": names[given].tolist(), "reference": names[gold].tolist()}
        return Rows(range(n), (given == gold) * 1.0, columns=columns)

    return draw


def _ranked(source: Any, n: int) -> Rows:
    """Lists of five of ten, with a relevant one or two; of a fifth nothing is relevant."""
    order = source.random((n, 10)).argsort(axis=1)[:, :5]
    many = source.choice(3, n, p=[0.2, 0.5, 0.3])
    relevant = [list(range(count)) for count in many]
    found = order.tolist()
    return Rows(
        range(n),
        np.ones(n),
        columns={"retrieved": found, "relevant": relevant, "pred_page": found, "evidence_pages": relevant},
    )


def _sure(positive: float, apart: float) -> Records:
    """A number that is greater for what is positive."""

    def draw(source: Any, n: int) -> Rows:
        kind = source.random(n) < positive
        sure = 1.0 / (1.0 + np.exp(-source.normal(kind * apart, 1.0)))
        return Rows(range(n), kind * 1.0, columns={"sure": sure.tolist()})

    return draw


def _confident(source: Any, n: int) -> Rows:
    """Confidences that are somewhat too high."""
    sure = source.beta(4.0, 1.5, n)
    return Rows(range(n), (source.random(n) < sure - 0.1) * 1.0, columns={"sure": sure.tolist()})


def _calibrated(source: Any, n: int) -> Rows:
    """Confidences that are worth what they say."""
    sure = source.beta(4.0, 1.5, n)
    return Rows(range(n), (source.random(n) < sure) * 1.0, columns={"sure": sure.tolist()})


def _rated(noise: Callable[[Any, int], Any]) -> Records:
    def draw(source: Any, n: int) -> Rows:
        one = source.normal(size=n)
        two = 0.6 * one + 0.8 * noise(source, n)
        return Rows(range(n), one, columns={"human": two.tolist(), "response": one.tolist(), "reference": two.tolist()})

    return draw


def _normal(source: Any, n: int) -> Any:
    return source.normal(size=n)


def _runaway(source: Any, n: int) -> Any:
    return source.normal(size=n) * np.where(source.random(n) < 0.05, 6.0, 1.0)


WORDS = np.array([f"{first}{second}" for first in "abcd" for second in "mnrst"])


def _texts(source: Any, n: int) -> Rows:
    """Sentences of which words are exchanged, dropped, or, in a few, repeated without end."""
    found: dict[str, list[Any]] = {"response": [], "reference": []}
    for _ in range(n):
        gold = WORDS[source.integers(0, len(WORDS), source.integers(4, 16))].tolist()
        given = [str(source.choice(WORDS)) if source.random() < 0.2 else word for word in gold]
        given = given[: len(given) - 1] if source.random() < 0.3 else given
        found["reference"].append(" ".join(gold))
        found["response"].append(" ".join(given * 4 if source.random() < 0.03 else given))
    return Rows(range(n), np.ones(n), columns=found)


def _battles(source: Any, n: int) -> Rows:
    """Comparisons of three sides of different strength."""
    strength, names = np.array([0.0, 0.5, 1.0]), np.array(["x", "y", "z"])
    first = source.integers(0, 3, n)
    second = (first + source.integers(1, 3, n)) % 3
    wins = source.random(n) < 1.0 / (1.0 + np.exp(strength[second] - strength[first]))
    columns = {"one": names[first].tolist(), "two": names[second].tolist(), "at": list(range(n))}
    return Rows(range(n), wins * 1.0, columns=columns)


def _lengths(source: Any, n: int) -> Rows:
    own, other = source.normal(110, 30, n), source.normal(100, 30, n)
    wins = source.random(n) < 1.0 / (1.0 + np.exp(-(own - other) / 40.0))
    return Rows(range(n), wins * 1.0, columns={"own": own.tolist(), "other": other.tolist()})


RARE = [0.05, 0.45, 0.5]
TWENTY = [1.0] * 20
BOTH = (-1.0, 1.0)
ABOVE = (0.0, math.inf)
ANY = (-math.inf, math.inf)


def _of(names: str, drawn: str, records: Records, **more: Any) -> Iterator[Case]:
    """The same case of several metrics."""
    for name in names.split():
        yield Case(name, drawn, records, **more)


CASES: tuple[Case, ...] = (
    *_of("mean macro generalised_accuracy", "near perfect, 3 % zeros", _scores(_near_perfect)),
    Case("mean", "beta(.05, 1)", _scores(_rare_good)),
    *_of("weighted_mean micro", "weights go with the score", _weighed),
    Case("accuracy", "95 % right", _scores(_right(0.95))),
    Case("pass_rate", "95 % pass, 10 % undecided", _passed),
    Case("coverage", "92 % scored", _with_unscored),
    Case("megabench_upstream/task_mean", "20 % not applicable", _not_applicable),
    Case("quantile", "median", _scores(lambda source, n: source.beta(2.0, 5.0, n))),
    Case("quantile", "0.9", _scores(lambda source, n: source.beta(2.0, 5.0, n)), {"q": 0.9}),
    *_of("pass_at_k best_of_k", "4 samples", _sampled, settings={"k": 2, "question": "question"}),
    Case("mean_of_k", "4 samples", _sampled, {"question": "question"}),
    *_of("generalised_precision generalised_recall generalised_f1", "15 % answerable", _answerable(0.15)),
    *_of("generalised_precision generalised_recall generalised_f1", "70 % answerable", _answerable(0.7)),
    *_of("precision recall f1", "a label of 5 %", _labels(RARE, 0.7), settings={"label": "L00"}),
    *_of("precision recall f1", "a label of 17 %", _labels([0.17, 0.43, 0.4], 0.8), settings={"label": "L00"}),
    *_of("precision recall f1", "20 labels", _labels(TWENTY, 0.7)),
    *_of("precision recall f1", "3 labels, one rare", _labels(RARE, 0.7)),
    *_of("precision recall f1", "weighted", _labels(RARE, 0.7), settings={"average": "weighted"}),
    *_of("precision recall f1", "micro", _labels(RARE, 0.7), settings={"average": "micro"}),
    Case("matthews", "3 labels, one rare", _labels(RARE, 0.7), limits=BOTH),
    Case("matthews", "two labels, 5 %", _labels([0.05, 0.95], 0.8), limits=BOTH),
    *_of("cohen_kappa", "two labels, 5 %", _labels([0.05, 0.95], 0.8), limits=BOTH,
         settings={"first": "response", "second": "reference"}),
    *_of("cohen_kappa", "3 labels", _labels(RARE, 0.7), limits=BOTH,
         settings={"first": "response", "second": "reference"}),
    *_of("hit_at_k precision_at_k recall_at_k f1_at_k mrr mean_average_precision ndcg", "20 % nothing relevant",
         _ranked,
         settings={"k": 3}),
    *_of("mmesgbench/hit mmesgbench/precision mmesgbench/recall mmesgbench/retrieval_f1 mmesgbench/ndcg",
         "20 % nothing relevant", _ranked),
    *_of("roc_auc average_precision", "5 % positive", _sure(0.05, 1.2), settings={"confidence": "sure"}),
    *_of("roc_auc average_precision", "60 % positive", _sure(0.6, 1.2), settings={"confidence": "sure"}),
    *_of("roc_auc average_precision", "60 % positive, far apart", _sure(0.6, 3.0), settings={"confidence": "sure"}),
    Case("brier", "too sure", _confident, {"confidence": "sure"}),
    *_of("ece", "too sure", _confident, settings={"confidence": "sure"}),
    *_of("ece", "calibrated", _calibrated, settings={"confidence": "sure"}),
    *_of("ece", "too sure, by mass", _confident, settings={"confidence": "sure", "binning": "mass"}),
    *_of("ece", "too sure, squares", _confident, settings={"confidence": "sure", "gaps": "squares"}),
    *_of("ece", "too sure, squares by size", _confident,
         settings={"confidence": "sure", "binning": "size", "size": 20, "gaps": "squares"}),
    *_of("pearson spearman", "normal, .6", _rated(_normal), settings={"other": "human"}, limits=BOTH),
    Case("kendall", "normal, .6", _rated(_normal), {"other": "human"}, BOTH, 20_000, cost=4),
    *_of("pearson spearman", "runaway ratings", _rated(_runaway), settings={"other": "human"}, limits=BOTH),
    *_of("rmse mae", "normal", _rated(_normal), limits=ABOVE),
    *_of("rmse mae", "5 % far off", _rated(_runaway), limits=ABOVE),
    Case("r_squared", "normal", _rated(_normal), limits=(-math.inf, 1.0)),
    *_of("corpus_bleu corpus_chrf", "3 % without end", _texts, large=40_000, cost=5),
    Case("corpus_codebleu", "3 % without end", _texts, {"language": "java"}, large=10_000, cost=20),
    Case("corpus_ter", "3 % without end", _texts, {}, ABOVE, 40_000, cost=5),
    Case("cider", "3 % without end", _texts, {}, (0.0, 10.0), 40_000, cost=5),
    Case("bradley_terry", "3 sides", _battles, {"first": "one", "second": "two", "model": "z"}, ANY, 100_000, cost=4),
    Case("elo", "3 sides", _battles, {"first": "one", "second": "two", "order": "at", "model": "z"}, ANY,
         samples=4_000, cost=4),
    Case("length_controlled_win_rate", "longer wins", _lengths, {"length": "own", "other_length": "other"},
         cost=20),
    *_of("detection_ap detection_ar coco/statistics", "found 60 %, a rare class", boxes(0.6, 0.08),
         large=50_000, cost=5),
    *_of("detection_ap detection_ar coco/statistics", "near perfect", boxes(0.97, 0.01), large=50_000, cost=5),
    *_of("detection_counts detection_confusion detection_examples detection_errors", "found 60 %, a rare class",
         boxes(0.6, 0.08), large=50_000, cost=2),
    *_of("detection_counts detection_confusion detection_examples detection_errors", "near perfect", boxes(0.97, 0.01),
         large=50_000, cost=2),
    *_of("label_report label_curve label_roc_auc label_confusion label_examples", "70 % right, a rare class",
         labels(0.7), large=20_000, cost=2),
    *_of("label_report label_curve label_roc_auc label_confusion label_examples", "97 % right, a rare class",
         labels(0.97), large=20_000, cost=2),
    *_of("label_errors", "70 % right, a rare class", labels(0.7), settings={"thresholds": [0.5]},
         large=20_000, cost=2),
    *_of("label_errors", "97 % right, a rare class", labels(0.97), settings={"thresholds": [0.5]},
         large=20_000, cost=2),
    Case("pixel_report", "a label in 5 %", pixels(0.8, 0.05), large=20_000, cost=2),
    Case("pixel_report", "near perfect", pixels(0.98, 0.3), large=20_000, cost=2),
)  # fmt: skip
