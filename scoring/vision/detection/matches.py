"""What every detection turned out to be, at every IoU threshold and in every area range: the mergeable statistic."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from scoring.vision.arrays import Bools, Floats, Ints, rank_in_run, starts_of_runs
from scoring.vision.detection.matching import settle
from scoring.vision.detection.pairs import OverlapPairs, best_overlaps, image_pairs, same_label_pairs
from scoring.vision.detection.settings import MatchRules
from scoring.vision.detection.table import Detections
from scoring.vision.vocabulary import Vocabulary

#: One bit per IoU threshold.
Bits = NDArray[np.uint64]
#: As pycocotools: an overlap of 1 up to rounding reaches the threshold 1.
ALMOST_ONE = 1 - 1e-10


@dataclass(frozen=True, eq=False)
class Listed:
    """The images and labels of all that the data lists, matched or not: what a resample needs to count again."""

    truth_image: Ints  # places of the images in the whole data set
    truth_label: Ints
    truth_counts: Bools  # area ranges × ground truths
    row_image: Ints
    row_label: Ints

    def merge(self, other: Listed, mine: Ints, theirs: Ints) -> Listed:
        """What both parts list."""
        return Listed(
            np.concatenate((self.truth_image, other.truth_image)),
            np.concatenate((mine[self.truth_label], theirs[other.truth_label])),
            np.concatenate((self.truth_counts, other.truth_counts), axis=1),
            np.concatenate((self.row_image, other.row_image)),
            np.concatenate((mine[self.row_label], theirs[other.row_label])),
        )


@dataclass(frozen=True, eq=False)
class Matches:
    """Detections sorted by label, score and the tie rule, with a bit per IoU threshold and row per area range."""

    rules: MatchRules
    labels: Vocabulary
    listed: Listed
    label: Ints
    score: Floats
    tie: Floats
    image: Ints  # place of the image in the whole data set
    rank: Ints  # place among the detections of the same image and label
    true: Bits  # area ranges × detections
    ignored: Bits

    def merge(self, other: Matches) -> Matches:
        """The statistic of two disjoint parts of a data set together."""
        if self.rules != other.rules:
            raise ValueError("matches under different rules cannot be merged")
        labels, mine, theirs = self.labels.join(other.labels)
        return Matches(
            self.rules,
            labels,
            self.listed.merge(other.listed, mine, theirs),
            np.concatenate((mine[self.label], theirs[other.label])),
            np.concatenate((self.score, other.score)),
            np.concatenate((self.tie, other.tie)),
            np.concatenate((self.image, other.image)),
            np.concatenate((self.rank, other.rank)),
            np.concatenate((self.true, other.true), axis=1),
            np.concatenate((self.ignored, other.ignored), axis=1),
        )._in_order()

    def _in_order(self) -> Matches:
        order = np.lexsort((self.rank, self.image, -self.tie, -self.score, self.label))
        return replace(
            self,
            **{name: getattr(self, name)[order] for name in ("label", "score", "tie", "image", "rank")},
            true=np.ascontiguousarray(self.true[:, order]),
            ignored=np.ascontiguousarray(self.ignored[:, order]),
        )

    @property
    def cost(self) -> int:
        """About how many numbers a resample of these matches reads and writes."""
        steps = len(self.rules.iou_thresholds)
        return 4 * self.label.size + steps * (self.listed.truth_label.size + 400 * len(self.labels))

    @cached_property
    def positives(self) -> Ints:
        """Ground truths that count, area ranges × labels."""
        label, width = self.listed.truth_label, len(self.labels)
        counts = [np.bincount(label[counted], minlength=width) for counted in self.listed.truth_counts]
        return np.array(counts, dtype=np.int64)

    @cached_property
    def observed(self) -> Bools:
        """Labels met in a ground truth or a detection."""
        found = np.zeros(len(self.labels), dtype=np.bool_)
        found[self.listed.truth_label] = True
        found[self.listed.row_label] = True
        return found

    def is_true(self, area: int, threshold: int) -> Bools:
        """Which detections are true positives."""
        return _bit(self.true[area], threshold)

    def is_ignored(self, area: int, threshold: int) -> Bools:
        """Which detections count neither as true nor as false."""
        return _bit(self.ignored[area], threshold)

    def area(self, name: str) -> int:
        """Number of a named area range."""
        return list(self.rules.areas).index(name)


def _bit(bits: Bits, number: int) -> Bools:
    return np.asarray((bits >> np.uint64(number)) & np.uint64(1) != 0, dtype=np.bool_)


def match(table: Detections, rules: MatchRules) -> Matches:
    """Match the detections of a table under given rules."""
    rows, pairs, tie = ranked_rows(table, rules)
    rank = rank_in_run(table.row_image[rows] * max(len(table.labels), 1) + table.row_label[rows])
    areas = [_area_range(table, rules, rows, pairs, limits) for limits in rules.areas.values()]
    counted = np.array([counted for counted, _, _ in areas], dtype=np.bool_)
    truth_image, row_image = table.order[table.truth_image], table.order[table.row_image]
    return Matches(
        rules,
        table.labels,
        Listed(truth_image, table.truth_label, counted, row_image, table.row_label),
        table.row_label[rows],
        table.row_score[rows],
        tie,
        row_image[rows],
        rank,
        np.array([true for _, true, _ in areas], dtype=np.uint64),
        np.array([ignored for _, _, ignored in areas], dtype=np.uint64),
    )._in_order()


_KEPT: WeakKeyDictionary[Detections, dict[str, Matches]] = WeakKeyDictionary()


def matched(table: Detections, rules: MatchRules) -> Matches:
    """The same as `match`, remembered while the table lives: metrics of one table share their matching."""
    kept = _KEPT.setdefault(table, {})
    key = repr((rules, dict(rules.areas)))
    if key not in kept:
        kept[key] = match(table, rules)
    return kept[key]


def ranked_rows(table: Detections, rules: MatchRules) -> tuple[Ints, OverlapPairs, Floats]:
    """Rows by image and label, best first and cut at the maximum; their pairs; and the value that breaks ties.

    In the pairs, `detection` is the position in the returned rows; a detection's first choice comes first.
    """
    group = table.row_image * max(len(table.labels), 1) + table.row_label
    rows = np.lexsort((-table.row_score, group))
    if rules.max_detections is not None:
        rows = rows[rank_in_run(group[rows]) < rules.max_detections]
    # Only overlaps that reach a threshold matter, unless ties or the best choice need to know them all.
    need_all = rules.ties != "as_listed" or rules.several_labels != "each"
    lowest = 1e-9 if need_all else min((*rules.iou_thresholds, ALMOST_ONE))
    pairs = _by_position(same_label_pairs(table, rows, at_least=lowest, crowd=rules.crowd), table, rows)
    tie = np.zeros(rows.size)
    if rules.ties != "as_listed":
        tie = _tie(table, rules, rows, pairs)
        rows, pairs, tie = _reorder(table, rows, pairs, tie)
    if rules.several_labels == "drop_unmatched":
        rows, pairs, tie = _drop_unmatched(table, rows, pairs, tie)
    return rows, _preferred(pairs, rules), tie


def _by_position(pairs: OverlapPairs, table: Detections, rows: Ints) -> OverlapPairs:
    place = np.empty(table.row_image.size, dtype=np.int64)
    place[rows] = np.arange(rows.size)
    return OverlapPairs(place[pairs.detection], pairs.truth, pairs.overlap)


def _tie(table: Detections, rules: MatchRules, rows: Ints, pairs: OverlapPairs) -> Floats:
    """What breaks ties of scores: the largest overlap with the own label, or else with any."""
    tie = best_overlaps(pairs, rows.size)
    if rules.ties == "overlap_any_label":
        lonely = np.flatnonzero(tie == 0)
        near = image_pairs(table, rows[lonely])
        best = np.zeros(table.row_image.size)
        np.maximum.at(best, near.detection, near.overlap)
        tie[lonely] = best[rows[lonely]]
    return tie


def _reorder(table: Detections, rows: Ints, pairs: OverlapPairs, tie: Floats) -> tuple[Ints, OverlapPairs, Floats]:
    """Sort the rows of an image and label again, now with ties broken."""
    group = table.row_image[rows] * max(len(table.labels), 1) + table.row_label[rows]
    order = np.lexsort((rows, -tie, -table.row_score[rows], group))
    place = np.empty(rows.size, dtype=np.int64)
    place[order] = np.arange(rows.size)
    detection = place[pairs.detection]
    regroup = np.argsort(detection, kind="stable")
    return (rows[order], OverlapPairs(detection[regroup], pairs.truth[regroup], pairs.overlap[regroup]), tie[order])


def _drop_unmatched(
    table: Detections, rows: Ints, pairs: OverlapPairs, tie: Floats
) -> tuple[Ints, OverlapPairs, Floats]:
    """Leave out rows near no ground truth of their label, where another row of the same shape is near one."""
    near = np.zeros(rows.size, dtype=np.bool_)
    near[pairs.detection] = True
    shape_near = np.zeros(len(table.shapes), dtype=np.bool_)
    shape_near[table.row_shape[rows[near]]] = True
    kept = near | ~shape_near[table.row_shape[rows]]
    if kept.all():
        return rows, pairs, tie
    place = np.cumsum(kept) - 1
    return rows[kept], OverlapPairs(place[pairs.detection], pairs.truth, pairs.overlap), tie[kept]


def _preferred(pairs: OverlapPairs, rules: MatchRules) -> OverlapPairs:
    """The choices of each detection, best first: larger overlap; of equal ones the later listed under `next_free`."""
    later = -pairs.truth if rules.matching == "next_free" else pairs.truth
    alone = _alone(pairs.detection)
    if not alone.all():
        several = np.flatnonzero(~alone)
        order = np.lexsort((later[several], -pairs.overlap[several], pairs.detection[several]))
        place = np.arange(pairs.detection.size)
        place[several] = several[order]
        pairs = OverlapPairs(pairs.detection[place], pairs.truth[place], pairs.overlap[place])
    if rules.matching == "best_only":
        first = starts_of_runs(pairs.detection)
        pairs = OverlapPairs(pairs.detection[first], pairs.truth[first], pairs.overlap[first])
    return pairs


def _alone(detection: Ints) -> Bools:
    """Pairs that are the only one of their detection."""
    if detection.size == 0:
        return np.zeros(0, dtype=np.bool_)
    different = detection[1:] != detection[:-1]
    return np.asarray(np.append(True, different) & np.append(different, True), dtype=np.bool_)


def _area_range(
    table: Detections, rules: MatchRules, rows: Ints, pairs: OverlapPairs, limits: tuple[float, ...]
) -> tuple[Bools, Bits, Bits]:
    """Which ground truths count, and the true and ignored detections at all thresholds, in one area range."""
    low, high = limits
    out = (table.truth_area < low) | (table.truth_area > high)
    if rules.crowd:
        out |= table.truth_crowd | (table.truth_ignore & rules.ignore_marks)
    shared = table.truth_crowd if rules.crowd and bool(table.truth_crowd.any()) else None
    if rules.minimum_score is not None:
        pairs = pairs.where(table.row_score[rows[pairs.detection]] > rules.minimum_score)
    if bool(out.any()):  # ground truths that count are preferred to ignored ones
        order = np.argsort(pairs.detection * 2 + out[pairs.truth], kind="stable")
        pairs = pairs.where(order)  # type: ignore[arg-type]
    area = table.row_area[rows]
    outside = (area < low) | (area > high)
    true = np.zeros(rows.size, dtype=np.uint64)
    ignored = np.zeros(rows.size, dtype=np.uint64)
    for number, threshold in enumerate(rules.iou_thresholds):
        near = pairs.where(pairs.overlap >= min(threshold, ALMOST_ONE))
        ranks = np.arange(near.detection.size, dtype=np.int64)
        matched = settle(near.detection, near.truth, ranks, shared, len(table.truth_ids))
        dismissed = out[near.truth[matched]]
        aside = outside.copy()
        aside[near.detection[matched]] = dismissed
        bit = np.uint64(1 << number)
        true[near.detection[matched[~dismissed]]] |= bit
        ignored[aside] |= bit
    return ~out, true, ignored
