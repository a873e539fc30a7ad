"""How often the interval of every metric covers the truth, or says that it may not.

A small part of the last table of benchmarks/coverage.py; samples have a fixed seed.
"""

from __future__ import annotations

import importlib
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scoring.registry.store import registry
from scoring.statistics.closed_intervals import Interval
from scoring.statistics.intervals import interval
from scoring.statistics.rows import Rows

SAMPLES = 60
LEAST = 0.93 - 2.5 * math.sqrt(0.05 * 0.95 / SAMPLES)


def _benchmark() -> Any:
    folder = str(Path(__file__).parents[3] / "benchmarks")
    sys.path.insert(0, folder)
    try:
        return importlib.import_module("figures")
    finally:
        sys.path.remove(folder)


CASES = {case.name: case for case in _benchmark().CASES}
QUICK = [name for name, case in CASES.items() if case.cost == 1]


def test_every_metric_of_the_registry_is_drawn() -> None:
    found = [one.name for one in registry if one.kind == "metric"]
    assert {case.metric for case in CASES.values()} == set(found)


@pytest.mark.parametrize("name", QUICK)
def test_an_interval_covers_or_says_that_it_may_cover_less(name: str) -> None:
    case, source = CASES[name], np.random.default_rng(7)
    truth = case.statistic(case.records(np.random.default_rng(8), 20_000)).value()
    found = [case.interval(source, 30) for _ in range(SAMPLES)]
    known = [one for one in found if isinstance(one, Interval)]
    missed = [
        one for one in known if not one.low - 0.002 <= truth <= one.high + 0.002 and "less" not in (one.note or "")
    ]
    assert 1.0 - len(missed) / SAMPLES >= LEAST


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith(("detection_", "label_", "pixel_"))])
def test_an_interval_of_images_covers_or_says_that_it_may_cover_less(name: str) -> None:
    """Twenty samples of thirty images: with more, the last table of benchmarks/coverage.py."""
    case, source = CASES[name], np.random.default_rng(7)
    found = [case.interval(source, 30) for _ in range(20)]
    truth = case.truth(30)
    known = [one for one in found if isinstance(one, Interval)]
    missed = [one for one in known if not one.low <= truth <= one.high and "less" not in (one.note or "")]
    assert len(missed) <= 3
    assert len(known) >= 10


def test_an_error_of_few_images_rests_on_those_that_hold_errors() -> None:
    """Of a hundred near-perfect images a few hold a false positive: the share of its kind is that of as few trials."""
    case, source = CASES["detection_errors, near perfect"], np.random.default_rng(3)
    for _ in range(5):
        found = case.interval(source, 100)
        assert isinstance(found, Interval)
        assert found.note == "few of the kind it rests on, so it may cover more or less"
        assert found.high - found.low > 0.5


def test_what_few_images_add_to_an_average_precision_is_in_its_interval() -> None:
    """A hundred images lift it by .02, so its interval reaches further down than that of other figures near 0."""
    case, source = CASES["detection_ap, found 60 %, a rare class"], np.random.default_rng(11)
    down, up = [], []
    for _ in range(8):
        statistic = case.statistic(case.records(source, 100))
        low, high = limits(statistic)
        down.append(statistic.value() - low)
        up.append(high - statistic.value())
    assert np.mean(down) > 0.83 * np.mean(up)  # 0.80 without heed to it


def test_a_label_that_few_images_show_is_told_beside_the_mean_over_labels() -> None:
    source = np.random.default_rng(4)
    few, none = CASES["detection_ap, found 60 %, a rare class"], CASES["pixel_report, near perfect"]
    found = few.interval(source, 30)
    assert isinstance(found, Interval)
    assert found.note == "few images of a label, so it may cover more or less"
    many = none.interval(source, 300)
    assert isinstance(many, Interval)
    assert many.note != found.note


def rows_of(given: str, right: str) -> Rows:
    return Rows(range(len(given)), np.ones(len(given)), columns={"response": list(given), "reference": list(right)})


def limits(statistic: Any) -> tuple[float, float]:
    found = interval(statistic)
    assert found is not None
    return found.low, found.high


def metric(name: str, rows: Rows, **settings: Any) -> Any:
    found = registry.metric(name)
    assert found is not None
    return found.function(rows, **settings)


def test_a_precision_rests_on_the_answers_that_are_its_label() -> None:
    """Nine of eleven right among a hundred records: Wilson's and Jeffreys' intervals of 9 of 11."""
    rows = rows_of("a" * 11 + "b" * 89, "a" * 9 + "b" * 91)
    low, high = limits(metric("precision", rows, label="a"))
    assert (low, high) == pytest.approx((0.523, 0.949), abs=0.02)
    alone = limits(metric("precision", rows_of("a" * 11, "a" * 9 + "b" * 2), label="a"))
    assert (low, high) == pytest.approx(alone, abs=0.01)


def test_further_records_of_other_labels_do_not_narrow_a_recall() -> None:
    few, many = (rows_of("aaaaaab" + "b" * more, "aaaaaaa" + "b" * more) for more in (10, 1000))
    assert limits(metric("recall", few, label="a")) == pytest.approx(
        limits(metric("recall", many, label="a")), abs=0.02
    )


def test_a_label_that_is_nowhere_has_no_interval() -> None:
    assert interval(metric("precision", rows_of("bbb", "bbb"), label="a")) is None


def test_the_interval_of_a_rare_label_says_that_it_is_one() -> None:
    found = interval(metric("recall", rows_of("aab" + "b" * 97, "aaa" + "b" * 97), label="a"))
    assert found is not None
    assert found.note == "few of the kind it rests on, so it may cover more or less"


def test_calibrated_confidences_may_be_calibrated() -> None:
    """The error of ten bins of ten records is some 0.1 by chance alone; the truth, 0, is in the interval."""
    source = np.random.default_rng(3)
    sure = source.random(100)
    scores = (source.random(100) < sure) * 1.0
    statistic = metric("ece", Rows(range(100), scores, columns={"sure": sure.tolist()}), confidence="sure")
    assert statistic.value() > 0.05
    assert limits(statistic)[0] == 0.0


def test_scores_close_together_may_hide_one_far_off() -> None:
    found = interval(metric("mean", Rows(range(30), 0.9 + np.arange(30) / 300)))
    assert found is not None
    assert found.note == "one score far off would lie beyond it, so it may cover less"


@pytest.mark.parametrize(("name", "noted"), [("pearson, runaway ratings", True), ("pearson, normal, .6", False)])
def test_a_correlation_of_many_ratings_that_rests_on_a_few_says_so(name: str, noted: bool) -> None:
    """At 300 records with a rating in twenty far off it covers 92 %, and tells; ordinary ratings carry no note."""
    source = np.random.default_rng(9)
    found = [CASES[name].interval(source, 300) for _ in range(40)]
    told = [
        isinstance(one, Interval) and one.note == "a few units outweigh all others, so it may cover less"
        for one in found
    ]
    assert sum(told) >= 34 if noted else sum(told) <= 4
