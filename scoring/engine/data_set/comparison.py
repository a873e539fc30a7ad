"""Compare two runs over the same images: the headline is computed again for every resample of the images.

A run keeps a line for each image, but no headline such as average precision is a mean of them. So the files that the
manifests name are read again, after their digests were checked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from scoring.data.rows.row import InputError
from scoring.data.strict_json import canonical
from scoring.engine.data_set.table import ImageMetric, Images
from scoring.engine.runs.comparison import common_cluster, compare_runs
from scoring.engine.runs.leaderboard import Board
from scoring.engine.runs.read import StoredRun
from scoring.metrics.vision.statistic import VisionStatistic
from scoring.statistics.compare import difference
from scoring.statistics.multiple import holm
from scoring.statistics.paired import PairedTest, exchanged
from scoring.statistics.ranks import figure_draws
from scoring.statistics.resampling import generator_for
from scoring.vision.arrays import Ints

WORK = 2_000_000_000
"""How many numbers the resamples of one test may read and write."""

LEAST = 200
"""So many resamples are taken whatever they cost."""


@dataclass(frozen=True)
class Again:
    """A run's images, read again, and its headline."""

    metric: ImageMetric
    keyed: Mapping[str, Images]


def is_data_set(run: StoredRun) -> bool:
    """Whether a run scored a whole data set of images or labelled data."""
    return "keys" in run.summary


def compare_data_sets(
    first: StoredRun,
    second: StoredRun,
    again: Callable[[StoredRun], Again],
    *,
    seed: int = 0,
    cluster: str | None = None,
    confidence: float | None = None,
    resamples: int = 10_000,
) -> dict[str, Any]:
    """The comparison as plain data: as that of two row tasks, but the figures are those of the headline.

    Args:
        first: The run to start from.
        second: The run that may be better.
        again: Reads the files of a run again.
        seed: The seed of the draws.
        cluster: An attribute of the images whose groups are drawn as a whole; by default the one of both runs.
        confidence: The level of the interval; by default the first run's.
        resamples: How many resamples and exchanges are drawn; fewer where they are expensive.

    Raises:
        InputError: when the files of a run are not what was scored, or give another headline.
    """
    level = confidence or first.summary["intervals"]["confidence"]
    data = compare_runs(first, second, seed=seed, cluster=cluster, confidence=level, resamples=resamples)
    one, other = (_checked(run, again(run)) for run in (first, second))
    name = cluster or common_cluster(first, second)
    rows = [_headline(key, one, other, name, (seed, level, resamples)) for key in one.keyed if key in other.keyed]
    if not rows:
        raise InputError("the two runs have no label key in common")
    corrected = holm([row["p_value"] for row in rows])
    rows = [
        {**row, "p_holm": p_value, "significant": p_value is not None and p_value < 1.0 - level}
        for row, p_value in zip(rows, corrected, strict=True)
    ]
    return {**data, **rows[0], "effect": None, "metrics": rows}


def data_set_boards(
    runs: Sequence[StoredRun],
    again: Callable[[StoredRun], Again],
    cluster: str | None,
    level: float,
    *,
    seed: int = 0,
    resamples: int = 10_000,
) -> list[Board]:
    """The boards of several runs, one for each label key: their headlines over the images that all have.

    Args:
        runs: The runs.
        again: Reads the files of a run again.
        cluster: An attribute of the images whose groups are drawn as a whole.
        level: Of the intervals.
        seed: The seed of the draws.
        resamples: How many resamples and exchanges are drawn; fewer where they are expensive.

    Raises:
        InputError: when the files of a run are not what was scored, or give another headline.
    """
    held = [_checked(run, again(run)) for run in runs]
    keys = [key for key in held[0].keyed if all(key in one.keyed for one in held)]
    if not keys:
        raise InputError("the runs have no label key in common")
    return [_board(key, held, cluster, (seed, level, resamples)) for key in keys]


def _board(key: str, held: Sequence[Again], cluster: str | None, how: tuple[int, float, int]) -> Board:
    seed, _, resamples = how
    sizes = [len(one.keyed[key]) for one in held]
    common = set.intersection(*(set(one.keyed[key].ids) for one in held))
    uids = [uid for uid in held[0].keyed[key].ids if uid in common]
    images = [_only(one.keyed[key], uids) for one in held]
    found = [one.metric(part) for one, part in zip(held, images, strict=True)]
    pairs = [
        _headline(
            key, Again(held[one].metric, {key: images[one]}), Again(held[two].metric, {key: images[two]}), cluster, how
        )
        for one, two in combinations(range(len(held)), 2)
    ]
    places = {uid: place for place, uid in enumerate(uids)}
    orders = [[places[uid] for uid in statistic.keys] for statistic in found]

    def figures(drawn: Any) -> Any:
        columns = zip(found, orders, strict=True)
        return np.column_stack([one.of_counts(one.units, drawn[:, order]) for one, order in columns])

    clusters = _clusters(images[0], cluster)
    owners = None if clusters is None else [clusters[uid] for uid in uids]
    lines = min(resamples, max(LEAST, WORK // max(sum(one.resample_cost or 1 for one in found), 1)))
    shown = ("difference", "interval", "p_value")
    return Board(
        {"metric": held[0].metric.text, "key": key},
        [statistic.value() for statistic in found],
        [size - len(uids) for size in sizes],
        len(uids),
        [{name: pair[name] for name in shown} for pair in pairs],
        figure_draws(figures, len(uids), owners, seed=seed, resamples=lines),
    )


def _only(images: Images, uids: Sequence[Any]) -> Images:
    """Some images, in that order."""
    places = {uid: place for place, uid in enumerate(images.ids)}
    return images.select([places[uid] for uid in uids])


def _checked(run: StoredRun, again: Again) -> Again:
    for images, part in zip(again.keyed.values(), run.summary["keys"].values(), strict=True):
        stored = part["metrics"][0]["value"]
        if again.metric(images).value() != stored:
            raise InputError(f"{run.name}: {again.metric.text} was {stored} and is not now: `scoring verify` it")
    return again


def _headline(
    key: str, first: Again, second: Again, cluster: str | None, how: tuple[int, float, int]
) -> dict[str, Any]:
    """What the headline is in both runs, over the images that both have."""
    seed, level, resamples = how
    before, after = _paired(first.keyed[key], second.keyed[key])
    one, other = first.metric(before), second.metric(after)
    clusters = _clusters(before, cluster)
    tested = exchange_test(first.metric, before, after, clusters, confidence=level, seed=seed, resamples=resamples)
    return {
        "metric": first.metric.text,
        "key": key,
        "records": len(before),
        "first": one.value(),
        "second": other.value(),
        "difference": difference(one, other).value(),
        "interval": tested.interval.to_json() if tested.interval else None,
        "p_value": tested.p_value,
    }


def _paired(first: Images, second: Images) -> tuple[Images, Images]:
    """The images of both runs, in one order."""
    places = {uid: place for place, uid in enumerate(second.ids)}
    both = [(place, places[uid]) for place, uid in enumerate(first.ids) if uid in places]
    return first.select([one for one, _ in both]), second.select([other for _, other in both])


def _clusters(images: Images, name: str | None) -> dict[Any, Any] | None:
    if name is None:
        return None
    pairs = zip(images.ids, images.column(name), strict=True)
    return {uid: None if value is None else canonical(value) for uid, value in pairs}


def exchange_test(
    metric: ImageMetric,
    first: Images,
    second: Images,
    clusters: Mapping[Any, Any] | None = None,
    *,
    confidence: float = 0.95,
    seed: int = 0,
    resamples: int = 10_000,
) -> PairedTest:
    """How large a difference is against those of runs that exchange their answers to each image.

    Both runs' images stand in one table; a run is then a choice of one of each pair, and its opposite the other run.
    Images of one cluster are exchanged together.

    Args:
        metric: The headline.
        first: The images of the first run.
        second: The same images of the second run, in the same order.
        clusters: The cluster of each image by its id.
        confidence: The level of the interval.
        seed: The seed of the draws.
        resamples: How many exchanges are drawn; fewer where they are expensive.
    """
    size = len(first)
    one = metric(replace(first, ids=[f"1:{number:09d}" for number in range(size)]))
    behind = replace(second.data, order=second.data.order + 1 + int(max(first.data.order, default=0)))
    other = metric(Images(behind, [f"2:{number:09d}" for number in range(size)], second.attributes))
    if not size or not isinstance(one, VisionStatistic) or not isinstance(other, VisionStatistic):
        return PairedTest(None, None)
    both = one.merge(other)
    units = np.arange(2.0 * size)[:, None]

    def differences(chosen: Ints) -> Any:
        there = np.column_stack((chosen, 1 - chosen))
        return both.of_counts(units, there) - both.of_counts(units, 1 - there)

    observed = float(differences(np.zeros((1, size), dtype=np.int64))[0])
    if observed != observed:
        return PairedTest(None, None)
    lines = min(resamples, max(LEAST, WORK // (2 * max(both.resample_cost, 1))))
    groups = _numbered([None] * size if clusters is None else [clusters[uid] for uid in first.ids])
    drawn = generator_for(seed, "exchange").integers(0, 2, size=(lines, int(groups.max()) + 1))
    found = differences(drawn[:, groups])
    low, high = one.centred or (-math.inf, math.inf)
    known = found[found == found]
    return exchanged(observed, known, drawn.shape[1], confidence=confidence, widest=high - low)


def _numbered(clusters: Sequence[Any]) -> Ints:
    """The number of each image's cluster; one without stands alone."""
    known: dict[Any, int] = {}
    names = [("alone", place) if name is None else ("cluster", name) for place, name in enumerate(clusters)]
    return np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)
