"""Strata: records are drawn within each of them, so that figures over fixed groups spread by their records alone."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scoring
from scoring.metrics.summary import mean_score, quantile
from scoring.statistics.closed_intervals import Interval
from scoring.statistics.clusters import clustered_statistic
from scoring.statistics.grouped import GroupStatistic
from scoring.statistics.intervals import spread_of
from scoring.statistics.jackknife import influences, left_out
from scoring.statistics.resampling import resample
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic
from scoring.statistics.strata import NotInStrata, Strata, in_strata, labels_of

DOMAINS = {"law": [1.0, 0.5, 0.0, 0.75], "math": [0.25, 1.0], "med": [0.5, 0.5, 1.0, 0.0, 0.25, 1.0]}
SCORES = [score for held in DOMAINS.values() for score in held]
NAMES = [name for name, held in DOMAINS.items() for _ in held]


def formula(text: str) -> Any:
    return scoring.load({"kind": "task", "name": "t", "score": "equal", "metrics": [{"m": text}]}).metrics[0]


macro = formula("mean(per(record.domain, mean(score)))")


def table(scores: Any = SCORES, names: Any = NAMES) -> Rows:
    return Rows(range(len(scores)), np.asarray(scores, dtype=float), columns={"domain": names})


def stratified(metric: Any, rows: Rows, clusters: list[str | None] | None = None) -> tuple[Statistic, Strata] | str:
    found = metric(rows)
    numbered = isinstance(found, GroupStatistic)
    labels = labels_of(rows.column("domain"), clusters or [None] * len(rows), numbered=numbered)
    try:
        return in_strata(clustered_statistic(metric, rows, labels, keyed_by=found.keyed_by))
    except NotInStrata as why:
        return str(why)


def spread(metric: Any, rows: Rows, **wanted: Any) -> Interval | str:
    found = stratified(metric, rows)
    return found if isinstance(found, str) else spread_of(found[0], strata=found[1], **wanted)


def variances(weights: dict[str, float]) -> dict[str, float]:
    """What each stratum adds to the variance of a stratified mean: W² s² / n (Cochran: Sampling Techniques, 5.3)."""
    return {name: weights[name] ** 2 * float(np.var(held, ddof=1)) / len(held) for name, held in DOMAINS.items()}


EQUAL = dict.fromkeys(DOMAINS, 1 / 3)
BY_SIZE = {name: len(held) / len(SCORES) for name, held in DOMAINS.items()}


@pytest.mark.parametrize(("metric", "weights"), [(macro, EQUAL), (mean_score, BY_SIZE)], ids=["macro", "mean"])
def test_the_variance_is_that_of_a_stratified_mean(metric: Any, weights: dict[str, float]) -> None:
    found = stratified(metric, table())
    assert not isinstance(found, str)
    statistic, strata = found
    plan = strata.plan(statistic)
    others = plan.units[:, 0] if strata.left is not None else left_out(statistic, plan)
    told = 0.0
    for part in plan.parts:
        held = np.repeat(others[part], plan.counts[part])
        told += (len(held) - 1) / len(held) * float(((held - held.mean()) ** 2).sum())
    by_hand = variances(weights)
    assert told == pytest.approx(sum(by_hand.values()), rel=1e-12)
    # The interval takes it, widened for the degrees of freedom that Satterthwaite gives it.
    degrees = sum(by_hand.values()) ** 2 / sum(by_hand[name] ** 2 / (len(held) - 1) for name, held in DOMAINS.items())
    spare = (1 + 2.42 / degrees) / (1 + 2.42 / 11)
    squares = float((plan.counts * influences(others, plan) ** 2).sum())
    assert squares / (12 * 11) == pytest.approx(told * spare, rel=1e-12)


def test_a_normal_interval_is_the_value_and_its_errors() -> None:
    found = spread(mean_score, table(), method="normal")
    assert isinstance(found, Interval)
    by_hand = variances(BY_SIZE)
    degrees = sum(by_hand.values()) ** 2 / sum(by_hand[name] ** 2 / (len(held) - 1) for name, held in DOMAINS.items())
    half = 1.959964 * (sum(by_hand.values()) * (1 + 2.42 / degrees) / (1 + 2.42 / 11)) ** 0.5
    mean = sum(SCORES) / 12
    assert [found.low, found.high] == pytest.approx([mean - half, mean + half], abs=1e-6)


def test_each_draw_has_as_many_of_every_stratum_as_the_data() -> None:
    """Strata that are all alike inside leave nothing to draw: the figure stays, where drawn records would move it."""
    scores = [0.0] * 30 + [1.0] * 10
    found = stratified(mean_score, table(scores, ["a"] * 30 + ["b"] * 10))
    assert not isinstance(found, str)
    statistic, strata = found
    assert resample(strata.plan(statistic), 0, "m", 50).tolist() == [0.25] * 50
    found = stratified(mean_score, table())
    assert not isinstance(found, str)
    statistic, strata = found
    draws = resample(strata.plan(statistic), 0, "m", 20_000)
    # Draws with replacement have the variance of n units, not of n - 1.
    wanted = sum(BY_SIZE[name] ** 2 * float(np.var(held)) / len(held) for name, held in DOMAINS.items())
    assert float(draws.var()) == pytest.approx(wanted, rel=0.05)


def test_a_quantile_is_drawn_within_strata() -> None:
    def median(rows: Rows) -> Statistic:
        return quantile(rows, q=0.25)

    scores = [place / 200 for place in range(40)] + [0.9 + place / 1000 for place in range(40)]
    found = spread(median, table(scores, ["a"] * 40 + ["b"] * 40))
    assert isinstance(found, Interval)
    # The lower half always is of one stratum, so its median never leaves that one.
    assert 0.0 < found.low < 0.1 < found.high < 0.2


def test_a_cluster_that_lies_in_two_strata_is_refused() -> None:
    found = stratified(mean_score, table(), ["d1", *[None] * 10, "d1"])
    assert found == (
        "the cluster d1 is in the strata law and med, so it can't be drawn within one; take another `cluster`, or "
        "`strata` that hold whole clusters"
    )


@pytest.mark.parametrize("metric", [mean_score, macro], ids=["mean", "macro"])
def test_clusters_are_drawn_within_strata(metric: Any) -> None:
    """Pairs of equal records tell as much as one of them does: as the data without every second one."""
    names = ["a"] * 20 + ["b"] * 40
    scores = [float(random.Random(place // 2).random() < 0.6) for place in range(60)]
    clusters = [f"d{place // 2}" for place in range(60)]
    found = stratified(metric, table(scores, names), clusters)  # type: ignore[arg-type]
    assert not isinstance(found, str)
    statistic, strata = found
    kept = stratified(metric, table(scores[::2], names[::2]))
    assert not isinstance(kept, str)
    half, others = kept
    plans = strata.plan(statistic), others.plan(half)
    assert [plan.total for plan in plans] == [30, 30]
    spreads = []
    for plan, one, of in zip(plans, (statistic, half), (strata, others), strict=True):
        left = plan.units[:, 0] if of.left is not None else left_out(one, plan)
        spreads.append(float((plan.counts * influences(left, plan) ** 2).sum()))
    assert spreads[0] == pytest.approx(spreads[1], rel=1e-9)


@pytest.mark.parametrize("metric", [mean_score, macro], ids=["mean", "macro"])
def test_a_stratum_of_a_single_record_leaves_no_interval(metric: Any) -> None:
    found = spread(metric, table([*SCORES, 1.0, 0.0], [*NAMES, "one", "two"]))
    assert found == (
        "the stratum one has a single unit, so its spread is unknown, and 1 more strata are like it; join strata"
    )


def test_a_small_stratum_is_noted() -> None:
    scores, names = [0.0, 0.25, 0.5, 1.0] * 10, ["a"] * 30 + ["b"] * 10
    found = spread(macro, table(scores, names))
    assert isinstance(found, Interval)
    assert found.note == "a stratum of fewer than 12 units, so it may cover more or less"
    even = spread(macro, table(scores, ["a"] * 20 + ["b"] * 20))
    assert isinstance(even, Interval)
    assert even.note is None


@pytest.mark.parametrize(
    "text", ["mean(per(record.domain, max(score)))", "mean(per(record.domain, majority(record.domain, score)))"]
)
def test_extremes_and_majorities_of_fixed_groups_have_no_interval(text: str) -> None:
    found = spread(formula(text), table())
    assert found == "within fixed groups, an extreme or a majority has none"


@pytest.mark.property
@settings(max_examples=15)
@given(st.permutations(range(12)), st.sampled_from(["auto", "percentile", "bca", "normal"]))
def test_the_order_of_records_changes_no_interval(places: list[int], method: str) -> None:
    for metric in (mean_score, macro, lambda rows: quantile(rows, q=0.5)):
        one, other = (spread(metric, rows, method=method) for rows in (table(), table().select(places)))
        assert one == other


def test_the_interval_of_a_macro_average_covers_as_often_as_it_says() -> None:
    source, chances = np.random.default_rng(6), np.repeat([0.8, 0.6, 0.5, 0.3], [40, 30, 18, 12])
    names = np.repeat(list("abcd"), [40, 30, 18, 12]).tolist()
    held = 0
    for _ in range(300):
        found = spread(macro, table((source.random(100) < chances) * 1.0, names))
        assert isinstance(found, Interval)
        held += found.low <= 0.55 <= found.high
    assert 0.93 - 2 * (0.05 * 0.95 / 300) ** 0.5 <= held / 300 <= 0.98 + 2 * (0.02 * 0.98 / 300) ** 0.5
