"""Comparing two runs over the same images: the headline is recomputed for every resample of the images.

A run stores a line for each image, but a headline such as average precision is not a mean of these lines. So the files
named in the manifests are read again, after their digests have been checked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.json_write import canonical
from scoring.errors import InputError
from scoring.extensions.comparison.runs.comparison import RunDraws, compare_scores, corrected, verdict
from scoring.extensions.comparison.runs.ranking import Board
from scoring.extensions.comparison.statistics.compare import difference
from scoring.extensions.comparison.statistics.paired import PairedTest, exchanged
from scoring.extensions.comparison.statistics.ranks import figure_draws
from scoring.extensions.verification.read import StoredRun
from scoring.extensions.vision.arrays import Ints
from scoring.extensions.vision.data_set.table import ImageMetric, Images
from scoring.extensions.vision.metrics.statistic import VisionStatistic
from scoring.statistics.resampling import generator_for

WORK = 2_000_000_000
"""Maximum number of values that the resamples of one test may read and write."""

LEAST = 200
"""Minimum number of resamples, whatever their cost."""


class Again(Struct, frozen=True):
    """The headline metric of a run and its images by label key, read again from the files that the run names."""

    metric: ImageMetric
    keyed: Mapping[str, Images]


Entrant: TypeAlias = tuple[ImageMetric, Images]
"""The headline of a run, and its images under one label key."""


def compare_data_sets(
    first: StoredRun, second: StoredRun, again: Callable[[StoredRun], Again], draws: RunDraws
) -> dict[str, Any]:
    """Return the comparison of two runs over images as plain data, in the same form as for runs over rows: for each
    label key the headline metric of both runs, the difference, its interval and p-value.

    Args:
        first: The first run.
        second: The second run.
        again: Returns the headline metric of a run and its images by label key, read from the files once more.
        draws: The confidence level, and the seed, number and clusters (an attribute of the images) of the resamples.

    Raises:
        InputError: when the files of a run have changed since it was scored, or give another headline.
    """
    data = compare_scores(first, second, draws)
    by_key = _sides((first, second), again, "two runs")
    rows = corrected([_headline(key, _in_common(sides), draws) for key, sides in by_key.items()], draws.level)
    rows = [{**row, "verdict": verdict(row)} for row in rows]
    return {**data, **rows[0], "effect": None, "metrics": rows}


def data_set_boards(runs: Sequence[StoredRun], again: Callable[[StoredRun], Again], draws: RunDraws) -> list[Board]:
    """Return one leaderboard for each label key (the field of annotations that has the labels): the headline metrics
    of several runs, computed over the images that all runs have.

    Args:
        runs: The runs.
        again: Returns the headline metric of a run and its images by label key, read from the files once more.
        draws: The confidence level, and the seed, number and clusters of the resamples.

    Raises:
        InputError: when the files of a run give another headline value than when it was scored.
    """
    return [_board(key, sides, draws) for key, sides in _sides(runs, again, "runs").items()]


def _sides(runs: Sequence[StoredRun], again: Callable[[StoredRun], Again], noun: str) -> dict[str, list[Entrant]]:
    """Return, for each label key that all runs have, the headline metric and the images of each run; raise an
    InputError that calls the runs `noun` if they have no key in common.
    """
    results = [again(run) for run in runs]
    for run, one in zip(runs, results, strict=True):
        for images, part in zip(one.keyed.values(), run.summary["keys"].values(), strict=True):
            stored = next(row["value"] for row in part["metrics"] if row["metric"] == one.metric.text)
            if one.metric(images).value() != stored:
                raise InputError(f"{run.name}: {one.metric.text} was {stored} and differs now: run `scoring verify`")
    keys = [key for key in results[0].keyed if all(key in one.keyed for one in results)]
    if not keys:
        raise InputError(f"the {noun} have no label key in common")
    return {key: [(one.metric, one.keyed[key]) for one in results] for key in keys}


def _in_common(sides: Sequence[Entrant]) -> list[Entrant]:
    """Return the headline metric of each run and its images, restricted to those that all runs have, in one order."""
    common = set.intersection(*(set(images.ids) for _, images in sides))
    uids = [uid for uid in sides[0][1].ids if uid in common]
    indexes = [{uid: index for index, uid in enumerate(images.ids)} for _, images in sides]
    return [
        (metric, images.select([index_of[uid] for uid in uids]))
        for (metric, images), index_of in zip(sides, indexes, strict=True)
    ]


def _board(key: str, sides: Sequence[Entrant], draws: RunDraws) -> Board:
    common = _in_common(sides)
    found = [metric(images) for metric, images in common]
    pairs = [_headline(key, pair, draws) for pair in combinations(common, 2)]
    images = common[0][1]
    index_of = {uid: index for index, uid in enumerate(images.ids)}
    orders = [[index_of[uid] for uid in statistic.keys] for statistic in found]

    def figures(drawn: Any) -> Any:
        columns = zip(found, orders, strict=True)
        return np.column_stack([one.of_counts(one.units, drawn[:, order]) for one, order in columns])

    clusters = _clusters(images, draws.cluster)
    owners = None if clusters is None else list(clusters.values())
    lines = min(draws.resamples, max(LEAST, WORK // max(sum(one.resample_cost or 1 for one in found), 1)))
    return Board(
        {"metric": common[0][0].text, "key": key},
        [statistic.value() for statistic in found],
        [len(own) - len(images) for _, own in sides],
        len(images),
        [{name: pair[name] for name in ("difference", "interval", "p_value")} for pair in pairs],
        figure_draws(figures, len(images), owners, seed=draws.seed, resamples=lines),
        common[0][0].better,
    )


def _headline(key: str, sides: Sequence[Entrant], draws: RunDraws) -> dict[str, Any]:
    """Return, for a label key, the headline of two runs over the same images, its difference, interval and p-value."""
    (metric, before), (_, after) = sides
    one, other = (figure(images) for figure, images in sides)
    how: dict[str, Any] = {"confidence": draws.level, "seed": draws.seed, "resamples": draws.resamples}
    tested = exchange_test(metric, before, after, _clusters(before, draws.cluster), **how)
    return {
        "metric": metric.text,
        "better_is": metric.better,
        "key": key,
        "records": len(before),
        "first": one.value(),
        "second": other.value(),
        "difference": difference(one, other).value(),
        "interval": tested.interval.to_json() if tested.interval else None,
        "p_value": tested.p_value,
    }


def _clusters(images: Images, name: str | None) -> dict[Any, Any] | None:
    """Return the cluster of each image by the image's id: the value of the attribute `name`, None if it has none.
    Without a name, return None.
    """
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
    """Return the p-value and interval of the difference of two runs by a permutation test: on random images the runs
    exchange their answers.

    Images of one cluster are exchanged together. The metric is applied to one table with both runs' images: in each
    exchange a run has one image of each pair of equal images, and the other run has the rest.

    Args:
        metric: The headline metric.
        first: The images of the first run.
        second: The same images of the second run, in the same order.
        clusters: The cluster of each image by its id.
        confidence: The level of the interval.
        seed: The seed of the draws.
        resamples: The number of random exchanges; fewer are drawn if they are expensive.
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
    """Return a number for each image, equal for the images of one cluster; an image whose cluster is None has
    its own.
    """
    known: dict[Any, int] = {}
    names = [("alone", place) if name is None else ("cluster", name) for place, name in enumerate(clusters)]
    return np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)
