"""The overlapping pairs of detections and ground truths in an image, and the one-to-one matching of them.

Going through the detections from best to worst and letting each take the best choice that is left gives a stable
matching in which every ground truth prefers the better detection. So all detections may propose simultaneously: each
asks for its first choice, a ground truth keeps the best that asked, and the others ask for their next choice. Two or
three rounds settle a whole data set, whatever the number of images.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from scoring.extensions.vision.arrays import Bools, Floats, Ints, expand_ranges, starts_of_runs
from scoring.extensions.vision.detection.table import Detections

#: Smaller overlaps count as no overlap.
TINY = 1e-9


class OverlapPairs(Struct, frozen=True, eq=False):
    """Overlapping pairs, each of the index of a detection row and that of a ground truth, with their overlap."""

    detection: Ints
    truth: Ints
    overlap: Floats

    def where(self, chosen: Bools | Ints) -> OverlapPairs:
        """Return the pairs that `chosen` picks: a mask, or positions, in whose order they are returned."""
        return OverlapPairs(self.detection[chosen], self.truth[chosen], self.overlap[chosen])

    def numbered(self, numbers: Ints) -> OverlapPairs:
        """Return the pairs with each detection row i renumbered to `numbers[i]`."""
        return OverlapPairs(numbers[self.detection], self.truth, self.overlap)

    def best(self, detections: int) -> Floats:
        """Return the largest overlap of each of `detections` detections, 0 for one without pairs."""
        best = np.zeros(detections)
        np.maximum.at(best, self.detection, self.overlap)
        return best


def overlap_pairs(
    table: Detections, rows: Ints, *, at_least: float = TINY, same_label: bool = False, crowd: bool = False
) -> OverlapPairs:
    """Return the overlapping pairs of the given detection rows and the ground truths of the same image, in the order of
    `rows`.

    Args:
        table: The data.
        rows: Detection rows.
        at_least: Smaller overlaps are left out.
        same_label: Only return pairs that have the same label, too.
        crowd: Measure the overlap with a crowd region relative to the detection alone.
    """
    key, truth_key = table.row_image[rows], table.truth_image
    if same_label:
        width = len(table.labels)
        key, truth_key = key * width + table.row_label[rows], truth_key * width + table.truth_label
    order = np.argsort(truth_key, kind="stable")
    ordered = truth_key[order]
    begins = np.searchsorted(ordered, key, side="left")
    lengths = np.searchsorted(ordered, key, side="right") - begins
    truth, row = order[expand_ranges(begins, lengths)], np.repeat(rows, lengths)
    crowds = table.truth_crowd if crowd and bool(table.truth_crowd.any()) else None
    overlap = table.shapes.overlaps(table.truth_shapes, table.row_shape[row], truth, crowds)
    kept = overlap >= at_least
    return OverlapPairs(row[kept], truth[kept], overlap[kept])


def match_one_to_one(detection: Ints, truth: Ints, rank: Ints, shared: Bools | None, truths: int) -> Ints:
    """Match detections to ground truths one to one; return the positions of the matched pairs, ascending.

    Args:
        detection: The detection of each pair; the pairs of one detection are contiguous, its first choice first.
        truth: The ground truth of each pair.
        rank: The rank of each pair; of the detections that compete for a ground truth, the pair of the lowest rank
            wins, and the others try their next choice.
        shared: A mask of the ground truths that any number of detections may match (crowd regions), if any.
        truths: The number of ground truths.

    Examples:
        >>> a = np.array
        >>> match_one_to_one(a([0, 1, 1]), a([0, 0, 1]), a([0, 1, 2]), None, 2).tolist()
        [0, 2]
    """
    nobody = detection.size
    owner = np.full(truths, nobody, dtype=np.int64)
    rank_of = np.append(rank, np.iinfo(np.int64).max)
    asking = starts_of_runs(detection)
    accepted: list[Ints] = []
    while asking.size:
        wanted = truth[asking]
        if shared is not None:
            free = shared[wanted]
            accepted.append(asking[free])
            asking, wanted = asking[~free], wanted[~free]
        before = owner[wanted]
        better = rank_of[asking] < rank_of[before]
        # Worst first, so that the last write is the best asker of each ground truth.
        worst_first = np.flatnonzero(better)[np.argsort(rank[asking[better]], kind="stable")[::-1]]
        owner[wanted[worst_first]] = asking[worst_first]
        after = owner[wanted]
        lost = asking[after != asking]
        displaced = before[(before != nobody) & (after != before)]
        turned = np.unique(np.concatenate((lost, displaced)))
        following = turned + 1
        again = following < nobody
        again[again] = detection[following[again]] == detection[turned[again]]
        asking = following[again]
    accepted.append(owner[owner != nobody])
    return np.sort(np.concatenate(accepted))
