"""Rank correlations, errors of numbers and calibration, against scipy and against the rules said plainly."""

from __future__ import annotations

import json
import math
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st

import scoring
from scoring.extensions.agreement.metrics import kendall, matthews, spearman
from scoring.extensions.calibration.metrics import average_precision, brier, ece, roc_auc
from scoring.extensions.figures.metrics.errors import mae, r_squared, rmse
from scoring.statistics.intervals import interval
from scoring.statistics.rows import Rows

shares = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0])
pairs = st.lists(st.tuples(shares, shares), min_size=2, max_size=25)
marked = st.lists(st.tuples(shares, st.booleans()), min_size=1, max_size=25)


def sides(found: list[tuple[Any, Any]]) -> tuple[list[Any], list[Any]]:
    first, second = zip(*found, strict=True)
    return [*first], [*second]


@pytest.mark.property
@given(pairs)
def test_rank_correlations_are_those_of_scipy(found: list[tuple[float, float]]) -> None:
    scores, human = sides(found)
    assume(len(set(scores)) > 1 and len(set(human)) > 1)
    rows = Rows.of_scores(scores, human=human)
    assert spearman(rows, other="human").value() == pytest.approx(scipy.stats.spearmanr(scores, human).statistic)
    assert kendall(rows, other="human").value() == pytest.approx(scipy.stats.kendalltau(scores, human).statistic)


@pytest.mark.property
@given(marked)
def test_the_area_under_roc_is_the_share_of_pairs_in_order(found: list[tuple[float, bool]]) -> None:
    numbers, right = sides(found)
    rows = Rows.of_scores([float(one) for one in right], sure=numbers)
    won = [
        1.0 if a > b else 0.5 if a == b else 0.0 for a, is_in in found if is_in for b, is_other in found if not is_other
    ]
    value = roc_auc(rows, confidence="sure").value()
    assert value is None if not won else value == pytest.approx(sum(won) / len(won))


@pytest.mark.property
@given(marked)
def test_average_precision_sums_precisions_over_steps_of_recall(found: list[tuple[float, bool]]) -> None:
    numbers, right = sides(found)
    value = average_precision(Rows.of_scores([float(one) for one in right], sure=numbers), confidence="sure").value()
    positives = sum(right)
    if not positives:
        assert value is None
        return
    levels = sorted({*numbers}, reverse=True)
    above = [[is_in for number, is_in in found if number >= level] for level in levels]
    recalls = [0.0, *(sum(part) / positives for part in above)]
    steps = [after - before for before, after in pairwise(recalls)]
    wanted = sum(step * sum(part) / len(part) for step, part in zip(steps, above, strict=True))
    assert value == pytest.approx(wanted)


@pytest.mark.property
@given(pairs, st.integers(1, 12))
def test_calibration_errors_are_those_of_the_bins(found: list[tuple[float, float]], bins: int) -> None:
    sure, scores = sides(found)
    rows = Rows.of_scores(scores, sure=sure)
    in_bins: dict[int, list[tuple[float, float]]] = {}
    for one, score in found:
        in_bins.setdefault(max(math.ceil(one * bins), 1), []).append((one, score))
    wanted = sum(abs(sum(one - score for one, score in part)) for part in in_bins.values()) / len(found)
    assert ece(rows, confidence="sure", bins=bins).value() == pytest.approx(wanted, abs=1e-12)
    squares = [(one - score) ** 2 for one, score in found]
    assert brier(rows, confidence="sure").value() == pytest.approx(sum(squares) / len(found))


@pytest.mark.property
@given(pairs, st.integers(1, 30))
def test_errors_of_bins_of_a_fixed_size_share_equal_confidences(found: list[tuple[float, float]], size: int) -> None:
    """Each record is its neighbours' mean where confidences are equal, so that any order of them gives the same."""
    sure, scores = sides(found)
    of_level = {level: [score for one, score in found if one == level] for level in sure}
    order = [(level, math.fsum(of_level[level]) / len(of_level[level])) for level in sorted(sure)]
    count = max(len(order) // size, 1)
    borders = [*(place * size for place in range(count)), len(order)]
    bins = [order[start:end] for start, end in pairwise(borders)]
    gaps = [abs(math.fsum(one - score for one, score in part)) / len(part) for part in bins]
    weights = [len(part) / len(order) for part in bins]
    wanted = math.fsum(weight * gap for weight, gap in zip(weights, gaps, strict=True))
    squares = math.sqrt(math.fsum(weight * gap**2 for weight, gap in zip(weights, gaps, strict=True)))
    rows = Rows.of_scores(scores, sure=sure)
    statistic = ece(rows, confidence="sure", binning="size", size=size)
    assert statistic.value() == pytest.approx(wanted, abs=1e-12)
    assert [one["records"] for one in statistic.details()["reliability"]] == [len(part) for part in bins]
    statistic = ece(rows, confidence="sure", binning="size", size=size, gaps="squares")
    assert statistic.value() == pytest.approx(squares, abs=1e-12)
    first = ece(rows, confidence="sure", binning="size", size=size, last="left_out").value()
    assert first is None if count == 1 else first == pytest.approx(wanted - weights[-1] * gaps[-1], abs=1e-12)


@pytest.mark.parametrize("gaps", ["absolute", "squares"])
@pytest.mark.parametrize("last", ["counts", "left_out"])
def test_the_influence_of_a_record_is_what_a_little_more_of_it_changes(gaps: Any, last: Any) -> None:
    """The last border moves with the weight, and with it no other, so a bit more of a record of the last bin is a
    derivative with fixed borders."""
    source = random.Random(3)
    sure = sorted(round(source.random(), 2) for _ in range(40))
    scores = [float(source.random() < one / 2) for one in sure]
    statistic = ece(Rows.of_scores(scores, sure=sure), confidence="sure", binning="size", size=9, gaps=gaps, last=last)
    units, counts = statistic.kinds()
    influence = statistic.influence(units)
    assert float(influence @ counts) == pytest.approx(0.0, abs=1e-12)
    moved = counts.astype(float)
    moved[-1] += 1e-6
    low, high = statistic.of_counts(units, [counts.astype(float), moved])
    assert (high - low) / 1e-6 == pytest.approx(influence[-1], abs=1e-5)


def test_matthews_of_two_labels_is_the_phi_coefficient() -> None:
    given_, right = list("yyyynnnnnn"), list("yyynynnnnn")
    tp, tn, fp, fn = 3, 5, 1, 1
    phi = (tp * tn - fp * fn) / math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    rows = Rows.of_scores([0] * 10, response=given_, reference=right)
    assert matthews(rows).value() == pytest.approx(phi)
    assert matthews(Rows.of_scores([0], response=["y"], reference=["y"])).value() is None


def test_matthews_of_three_labels_is_the_correlation_of_their_indicators() -> None:
    given_, right = list("abcabcabca"), list("abcaabbcca")
    columns = [[[float(one == label) for one in side] for label in "abc"] for side in (given_, right)]

    def covariance(one: list[float], other: list[float]) -> float:
        return sum(a * b for a, b in zip(one, other, strict=True)) - sum(one) * sum(other) / len(one)

    both, *own = (
        sum(covariance(a, b) for a, b in zip(x, y, strict=True))
        for x, y in ((columns[0], columns[1]), (columns[0], columns[0]), (columns[1], columns[1]))
    )
    rows = Rows.of_scores([0] * 10, response=given_, reference=right)
    assert matthews(rows).value() == pytest.approx(both / math.sqrt(own[0] * own[1]))


def test_errors_of_numbers_worked_out_by_hand() -> None:
    rows = Rows.of_scores([0] * 5, response=[1, 5, "x", None, 2], reference=[2, 8, 3, 4, None])
    assert rmse(rows).value() == pytest.approx(math.sqrt((1 + 9) / 2))
    assert mae(rows).value() == 2.0
    assert r_squared(rows).value() == pytest.approx(1 - 10 / 18)
    constant = Rows.of_scores([0] * 2, response=[1, 2], reference=[3, 3])
    assert r_squared(constant).value() is None


def test_a_confidence_beyond_one_is_none() -> None:
    rows = Rows.of_scores([1.0, 0.0, 1.0], sure=[90, 0.5, "high"])
    assert brier(rows, confidence="sure").value() == 0.25
    assert brier(rows, confidence="sure").count == 1


def test_columns_alike_have_no_correlation() -> None:
    rows = Rows.of_scores([1.0, 1.0], human=[1, 2])
    assert spearman(rows, other="human").value() is None
    assert kendall(rows, other="human").value() is None


@pytest.mark.parametrize("metric", [spearman, kendall])
def test_a_correlation_has_an_interval_around_it(metric: Any) -> None:
    rows = Rows.of_scores([place % 7 / 7 for place in range(60)], human=[place % 5 + place % 7 for place in range(60)])
    statistic = metric(rows, other="human")
    found = interval(statistic, name="r", resamples=200)
    assert found is not None
    assert found.low < statistic.value() < found.high


def test_a_task_reports_them(tmp_path: Path) -> None:
    spec = tmp_path / "task.yaml"
    spec.write_text(
        "kind: task\nname: t/numbers\nversion: 1.0.0\nparse: number\nscore: within(absolute=0.5)\n"
        'record: {sure: sure}\nmetrics: [mean, rmse, mae, r_squared, spearman(other="sure"), '
        'brier(confidence="sure"), roc_auc(confidence="sure")]\n',
        "utf-8",
    )
    data = tmp_path / "data.jsonl"
    records = [(1, 1, 0.9), (2, 2, 0.8), (5, 3, 0.3), (7, 7, 0.6)]
    lines = [json.dumps({"response": str(a), "reference": b, "sure": c}) for a, b, c in records]
    data.write_text("\n".join(lines), "utf-8")
    figures = scoring.evaluate(str(spec), str(data)).metrics
    assert figures["rmse"] == 1.0
    assert figures["mae"] == 0.5
    assert figures['roc_auc(confidence="sure")'] == 1.0
    assert figures['brier(confidence="sure")'] == pytest.approx((0.01 + 0.04 + 0.09 + 0.16) / 4)


def test_tau_of_a_small_table_worked_out_by_hand() -> None:
    # Of six pairs three are in order, one is not, one ties in the scores and one in the ratings.
    value = kendall(Rows.of_scores([0.1, 0.4, 0.4, 0.9], human=[1, 3, 2, 2]), other="human").value()
    assert value == pytest.approx((3 - 1) / 5)


def test_a_matthews_correlation_of_one_label_is_what_the_spec_says() -> None:
    rows = Rows.of_scores([1.0, 0.0], response=["a", "a"], reference=["a", "b"])
    assert matthews(rows).value() is None
    assert matthews(rows, undefined=0).value() == 0
    assert matthews(Rows.of_scores([], response=[], reference=[]), undefined=0).value() is None
