"""The outcome of every detection at every IoU threshold and in every area range: the mergeable statistic."""

from __future__ import annotations

from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from scoring.extensions.vision.arrays import Bools, Floats, Ints, positions, rank_in_run, starts_of_runs
from scoring.extensions.vision.detection.pairs import OverlapPairs, match_one_to_one, overlap_pairs
from scoring.extensions.vision.detection.settings import MatchRules
from scoring.extensions.vision.detection.table import Detections
from scoring.extensions.vision.vocabulary import Vocabulary, end_to_end

#: One bit per IoU threshold.
Bits = NDArray[np.uint64]
#: Like in pycocotools: an overlap of 1 up to rounding reaches the threshold 1.
ALMOST_ONE = 1 - 1e-10


class Matches(Struct, frozen=True, eq=False, dict=True):
    """The detections of a data set, sorted by label, score and tie-breaking value (`tie`), with their outcomes.

    `true` and `ignored` have a row per area range; bit i of a value says whether the detection is a true positive
    (ignored) at IoU threshold i. `rank` is the rank among the detections of the same image and label. `truth_…` are
    columns of all ground truths; `truth_counts` says, per area range, which are in it and not ignored. `row_…` are
    columns of all detections, including those beyond `max_detections`. Images are positions in the whole data set.
    """

    rules: MatchRules
    labels: Vocabulary
    truth_image: Ints  # positions of the images in the whole data set
    truth_label: Ints
    truth_counts: Bools  # area ranges × ground truths
    row_image: Ints
    row_label: Ints
    label: Ints
    score: Floats
    tie: Floats
    image: Ints  # position of the image in the whole data set
    rank: Ints  # rank among the detections of the same image and label
    true: Bits  # area ranges × detections
    ignored: Bits

    def merge(self, other: Matches) -> Matches:
        """Return the matches of two disjoint parts of a data set together; raise a ValueError if their rules differ."""
        if self.rules != other.rules:
            raise ValueError("matches under different rules cannot be merged")
        return end_to_end(self, other, "truth_label", "row_label", "label")._in_order()

    def _in_order(self) -> Matches:
        order = np.lexsort((self.rank, self.image, -self.tie, -self.score, self.label))
        names = ("label", "score", "tie", "image", "rank", "true", "ignored")
        columns: dict[str, Any] = {name: np.ascontiguousarray(getattr(self, name)[..., order]) for name in names}
        return replace(self, **columns)

    @property
    def cost(self) -> int:
        """The approximate number of values that a resample of these matches reads and writes."""
        steps = len(self.rules.iou_thresholds)
        return 4 * self.label.size + steps * (self.truth_label.size + 400 * len(self.labels))

    def images_of_labels(self) -> list[int]:
        """Return the number of images that have an object of each label."""
        width = len(self.labels)
        pairs = np.unique(self.truth_image * max(width, 1) + self.truth_label)
        found: list[int] = np.bincount(pairs % max(width, 1), minlength=width).tolist()
        return found

    @cached_property
    def positives(self) -> Ints:
        """The number of ground truths that count, area ranges × labels."""
        width = len(self.labels)
        counts = [np.bincount(self.truth_label[counted], minlength=width) for counted in self.truth_counts]
        return np.array(counts, dtype=np.int64)

    @cached_property
    def begins(self) -> Ints:
        """The position of the first detection of each label."""
        return np.searchsorted(self.label, np.arange(len(self.labels)))

    @cached_property
    def observed(self) -> Bools:
        """Mask of the labels that a ground truth or a detection has."""
        found = np.zeros(len(self.labels), dtype=np.bool_)
        found[self.truth_label] = True
        found[self.row_label] = True
        return found

    def is_true(self, area: int, threshold: int) -> Bools:
        """Return a mask of the detections that are true positives, for the area range and IoU threshold with these
        indices.
        """
        return _bit(self.true[area], threshold)

    def is_ignored(self, area: int, threshold: int) -> Bools:
        """Return a mask of the detections that count neither as true nor as false positives, for the area range and IoU
        threshold with these indices.
        """
        return _bit(self.ignored[area], threshold)

    def hits_and_misses(self, area: int, threshold: int) -> tuple[Bools, Bools]:
        """Return a mask of the true positives and one of the false positives, for the area range and IoU threshold with
        these indices; false positives with a score of at most `rules.minimum_score` are left out.
        """
        true, counted = self.is_true(area, threshold), ~self.is_ignored(area, threshold)
        if self.rules.minimum_score is not None:
            counted &= self.score > self.rules.minimum_score
        return true, counted & ~true

    def area(self, name: str) -> int:
        """Return the index of a named area range."""
        return list(self.rules.areas).index(name)


def _bit(bits: Bits, number: int) -> Bools:
    return np.asarray((bits >> np.uint64(number)) & np.uint64(1) != 0, dtype=np.bool_)


def match(table: Detections, rules: MatchRules) -> Matches:
    """Match the detections of a table to its ground truths under the given rules, and return their outcomes."""
    rows, pairs, tie = ranked_rows(table, rules)
    rank = rank_in_run(table.row_image[rows] * max(len(table.labels), 1) + table.row_label[rows])
    areas = [_area_range(table, rules, rows, pairs, limits) for limits in rules.areas.values()]
    counted, true, ignored = map(np.array, zip(*areas, strict=True))
    row_image = table.order[table.row_image]
    return Matches(
        rules,
        table.labels,
        table.order[table.truth_image],
        table.truth_label,
        counted,
        row_image,
        table.row_label,
        table.row_label[rows],
        table.row_score[rows],
        tie,
        row_image[rows],
        rank,
        true,
        ignored,
    )._in_order()


_KEPT: WeakKeyDictionary[Detections, dict[str, Matches]] = WeakKeyDictionary()


def match_once(table: Detections, rules: MatchRules) -> Matches:
    """Return what `match` returns, computed once per table and rules, so that several metrics share it."""
    kept = _KEPT.setdefault(table, {})
    key = repr((rules, dict(rules.areas)))
    if key not in kept:
        kept[key] = match(table, rules)
    return kept[key]


def ranked_rows(table: Detections, rules: MatchRules) -> tuple[Ints, OverlapPairs, Floats]:
    """Return the detection rows by image and label, best first, at most `max_detections` of each; their overlapping
    pairs with ground truths; and their tie-breaking values.

    In the pairs, `detection` is an index of the returned rows; the pairs of each detection are in order of preference.
    """
    group = table.row_image * max(len(table.labels), 1) + table.row_label
    rows = np.lexsort((-table.row_score, group))
    if rules.max_detections is not None:
        rows = rows[rank_in_run(group[rows]) < rules.max_detections]
    # Only overlaps that reach a threshold matter, unless rules for ties or several labels need all of them.
    need_all = rules.ties != "as_listed" or rules.several_labels != "each"
    lowest = 1e-9 if need_all else min((*rules.iou_thresholds, ALMOST_ONE))
    pairs = overlap_pairs(table, rows, at_least=lowest, same_label=True, crowd=rules.crowd)
    pairs = pairs.numbered(positions(rows, table.row_image.size)[1])
    tie = np.zeros(rows.size)
    if rules.ties != "as_listed":
        tie = _tie(table, rules, rows, pairs)
        order = np.lexsort((rows, -tie, -table.row_score[rows], group[rows]))
        pairs = pairs.numbered(positions(order, rows.size)[1])
        pairs = pairs.where(np.argsort(pairs.detection, kind="stable"))
        rows, tie = rows[order], tie[order]
    if rules.several_labels == "drop_unmatched":
        rows, pairs, tie = _drop_unmatched(table, rows, pairs, tie)
    return rows, _preferred(pairs, rules), tie


def _tie(table: Detections, rules: MatchRules, rows: Ints, pairs: OverlapPairs) -> Floats:
    """Return, for each row, the value that orders rows of equal score: the largest overlap with a ground truth of the
    row's label or, if there is none and `rules.ties` is "overlap_any_label", of any label.
    """
    tie = pairs.best(rows.size)
    if rules.ties == "overlap_any_label":
        lonely = np.flatnonzero(tie == 0)
        tie[lonely] = overlap_pairs(table, rows[lonely]).best(table.row_image.size)[rows[lonely]]
    return tie


def _drop_unmatched(
    table: Detections, rows: Ints, pairs: OverlapPairs, tie: Floats
) -> tuple[Ints, OverlapPairs, Floats]:
    """Leave out each row (a detection with one of its labels) that overlaps no ground truth of its label, if another
    row of the same detection does.

    Return the remaining rows, with their pairs and tie-breaking values.
    """
    near = np.zeros(rows.size, dtype=np.bool_)
    near[pairs.detection] = True
    shape_near = np.zeros(len(table.shapes), dtype=np.bool_)
    shape_near[table.row_shape[rows[near]]] = True
    kept = near | ~shape_near[table.row_shape[rows]]
    if kept.all():
        return rows, pairs, tie
    return rows[kept], pairs.numbered(np.cumsum(kept) - 1), tie[kept]


def _preferred(pairs: OverlapPairs, rules: MatchRules) -> OverlapPairs:
    """Return the pairs of each detection by decreasing overlap. Under `rules.matching` "next_free", equal overlaps are
    in reverse order of the ground truths; under "best_only", only the best pair is returned, of equal ones the first.
    """
    later = -pairs.truth if rules.matching == "next_free" else pairs.truth
    same = pairs.detection[1:] == pairs.detection[:-1]
    if same.any():  # only detections with several pairs have a choice
        several = np.flatnonzero(np.append(False, same) | np.append(same, False))
        order = np.lexsort((later[several], -pairs.overlap[several], pairs.detection[several]))
        place = np.arange(pairs.detection.size)
        place[several] = several[order]
        pairs = pairs.where(place)
    return pairs.where(starts_of_runs(pairs.detection)) if rules.matching == "best_only" else pairs


def _area_range(
    table: Detections, rules: MatchRules, rows: Ints, pairs: OverlapPairs, limits: tuple[float, ...]
) -> tuple[Bools, Bits, Bits]:
    """Return, for one area range, a mask of the ground truths that count, and for each row the IoU thresholds, as bits,
    at which it is a true positive and at which it is ignored.

    Args:
        table: The data.
        rules: The rules of matching.
        rows: The detection rows.
        pairs: Their overlapping pairs, as `ranked_rows` returns them.
        limits: The least and the greatest area of the range.
    """
    low, high = limits
    out = (table.truth_area < low) | (table.truth_area > high)
    if rules.crowd:
        out |= table.truth_crowd | (table.truth_ignore & rules.ignore_marks)
    shared = table.truth_crowd if rules.crowd and bool(table.truth_crowd.any()) else None
    if rules.minimum_score is not None:
        pairs = pairs.where(table.row_score[rows[pairs.detection]] > rules.minimum_score)
    if bool(out.any()):  # ground truths that count are preferred to ignored ones
        pairs = pairs.where(np.argsort(pairs.detection * 2 + out[pairs.truth], kind="stable"))
    area = table.row_area[rows]
    outside = (area < low) | (area > high)
    true = np.zeros(rows.size, dtype=np.uint64)
    ignored = np.zeros(rows.size, dtype=np.uint64)
    for number, threshold in enumerate(rules.iou_thresholds):
        near = pairs.where(pairs.overlap >= min(threshold, ALMOST_ONE))
        ranks = np.arange(near.detection.size, dtype=np.int64)
        matched = match_one_to_one(near.detection, near.truth, ranks, shared, len(table.truth_ids))
        dismissed = out[near.truth[matched]]
        aside = outside.copy()
        aside[near.detection[matched]] = dismissed
        bit = np.uint64(1 << number)
        true[near.detection[matched[~dismissed]]] |= bit
        ignored[aside] |= bit
    return ~out, true, ignored
