"""Merging: the value of the whole does not depend on order or split, bit for bit."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics.summary import accuracy, coverage, mean_score, pass_rate, quantile, weighted_mean_score
from scoring.registry import registry
from scoring.statistics.exact import ExactSum
from scoring.statistics.intervals import interval
from scoring.statistics.multiplicity import Times
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic, SumStatistic, divide, of_sums

finite = st.floats(allow_nan=False, allow_infinity=False, width=64, min_value=-1e200, max_value=1e200)


@given(st.lists(finite, max_size=30), st.integers(0, 30))
def test_an_exact_sum_is_the_rounded_sum_of_fractions(values: list[float], cut: int) -> None:
    merged = ExactSum.of(values[cut:]).merge(ExactSum.of(values[:cut]))
    assert merged.value == float(sum(map(Fraction, values), Fraction(0)))


def test_an_exact_sum_refuses_what_is_not_finite() -> None:
    with pytest.raises(ValueError, match="finite"):
        ExactSum.of([1.0, float("nan")])


METRICS: dict[str, Callable[[Rows], Statistic]] = {
    "mean_score": mean_score,
    "weighted_mean_score": weighted_mean_score,
    "pass_rate": pass_rate,
    "accuracy": lambda rows: accuracy(rows, threshold=0.5),
    "coverage": coverage,
    "quantile": lambda rows: quantile(rows, q=0.3),
}
COLUMNS = ("group", "given", "other", "right", "human", "ranked", "wanted")


def sample(size: int = 200) -> Rows:
    source = random.Random(7)
    scores = [None if source.random() < 0.1 else source.random() for _ in range(size)]
    passed = [None if score is None else score > 0.4 for score in scores]
    weights = [source.random() * 10 for _ in scores]
    right = [source.choice("abc") for _ in scores]
    columns: dict[str, list[object]] = {
        "group": [place % 17 for place in range(size)],
        "right": [*right],
        "other": [source.choice("abcd") for _ in right],
        "given": [label if source.random() < 0.7 else "a" for label in right],
        "human": [source.random() for _ in scores],
        "ranked": [source.sample(range(9), 5) for _ in scores],
        "wanted": [[source.randrange(9)] for _ in scores],
    }
    return Rows.of_scores(scores, weights=weights, passed=passed, **columns)


def check_splits(metric: Callable[[Rows], Statistic]) -> None:
    """Check that any split in any order gives the same bits."""
    rows = sample()
    whole, spread = metric(rows).value(), interval(metric(rows), resamples=50)
    assert whole is not None
    for seed in range(5):
        places = list(range(len(rows)))
        random.Random(seed).shuffle(places)
        cuts = sorted(random.Random(seed + 100).sample(range(len(places)), 4))
        parts = [places[a:b] for a, b in zip([0, *cuts], [*cuts, len(places)], strict=True)]
        statistics = [metric(rows.select(part)) for part in parts]
        merged = statistics[0]
        for other in statistics[1:]:
            merged = merged.merge(other)
        assert merged.value() == whole
        assert interval(merged, resamples=50) == spread


@pytest.mark.parametrize("name", METRICS)
def test_any_split_in_any_order_gives_the_same_bits(name: str) -> None:
    check_splits(METRICS[name])


def check_nothing(metric: Callable[[Rows], Statistic]) -> None:
    """Check that nothing to count has no value."""
    rows = Rows([], [], columns={column: [] for column in COLUMNS})
    assert metric(rows).value() is None


@pytest.mark.parametrize("name", METRICS)
def test_nothing_to_count_has_no_value(name: str) -> None:
    check_nothing(METRICS[name])


def test_unscored_records_count_where_they_should() -> None:
    rows = Rows.of_scores([1.0, None, 0.5])
    assert coverage(rows).value() == pytest.approx(2 / 3)
    assert mean_score(rows).value() == 0.75
    filled = rows.with_unscored_at("high")
    assert mean_score(filled).value() == pytest.approx(2.5 / 3)


def test_columns_come_from_records_by_path() -> None:
    rows = Rows([1, 2], [1.0, 0.0], ["scored"] * 2, [1.0] * 2, [None] * 2, records=[{"a": {"b": 1}}, {}])
    assert rows.column("a.b") == [1, None]
    with pytest.raises(KeyError):
        Rows.of_scores([1.0]).column("missing")


def check_sums(metric: Callable[[Rows], Statistic], state: str) -> None:
    """Check that a statistic that declares sums needs no units for its value."""
    statistic = metric(sample())
    assert statistic.state == state
    if isinstance(statistic, SumStatistic):
        nothing = np.zeros((1, len(statistic.sums)))
        assert replace(statistic, blocks=((Times(np.array([statistic.count])), nothing),)).value() == statistic.value()


@pytest.mark.parametrize("name", METRICS)
def test_a_statistic_that_declares_sums_needs_no_units_for_its_value(name: str) -> None:
    check_sums(METRICS[name], "units" if name == "quantile" else "sums")


def test_a_metric_that_reads_the_rows_as_lists_goes_on_working() -> None:
    """Written as before the columns: None for a missing score, words for outcomes, a tuple for each unit."""

    def scored_share(rows: Rows) -> Statistic:
        pairs = zip(rows.ids, rows.scores, rows.statuses, rows.passed, rows.weights, strict=True)
        held = [(key, score * weight) for key, score, status, passed, weight in pairs if score is not None and passed]
        return of_sums(divide, [key for key, _ in held], [(score, 1.0) for _, score in held], width=2)

    rows = Rows.of_scores([0.5, None, 1.0], passed=[True, None, False], weights=[2.0, 1.0, 1.0])
    assert scored_share(rows).value() == 1.0
    assert scored_share(rows.select([1, 2])).value() is None


def test_shares_lie_between_0_and_1() -> None:
    for metric in (pass_rate, accuracy, coverage):
        assert registry.of_function(metric).range == (0.0, 1.0)
