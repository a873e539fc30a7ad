"""Giving ground truths to detections, for all images at once, in rounds.

Going through the detections from the best to the worst and letting each take what it likes best of what is left
is a stable matching in which every ground truth prefers the better detection. So all detections may propose at
the same time: each asks for its first choice, a ground truth keeps the best that asked, the others ask for their
next choice. Two or three rounds settle a whole data set, whatever the number of images.
"""

from __future__ import annotations

import numpy as np

from scoring.vision.arrays import Bools, Ints, starts_of_runs


def settle(detection: Ints, truth: Ints, rank: Ints, shared: Bools | None, truths: int) -> Ints:
    """Match detections to ground truths one to one.

    Args:
        detection: Detection of each pair; the pairs of one stand together, its first choice first.
        truth: Ground truth of each pair.
        rank: A ground truth keeps the pair of the lowest rank that asks for it.
        shared: Ground truths that any number of detections may take (crowd regions).
        truths: How many ground truths there are.

    Examples:
        >>> a = np.array
        >>> settle(a([0, 1, 1]), a([0, 0, 1]), a([0, 1, 2]), None, 2).tolist()
        [0, 2]

    Returns:
        Positions of the matched pairs, ascending.
    """
    pairs = detection.size
    nobody = pairs
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
        _offer(owner, wanted[better], asking[better], rank)
        after = owner[wanted]
        lost = asking[after != asking]
        displaced = before[(before != nobody) & (after != before)]
        turned = np.unique(np.concatenate((lost, displaced)))
        following = turned + 1
        again = following < pairs
        again[again] = detection[following[again]] == detection[turned[again]]
        asking = following[again]
    accepted.append(owner[owner != nobody])
    return np.sort(np.concatenate(accepted))


def _offer(owner: Ints, wanted: Ints, asking: Ints, rank: Ints) -> None:
    """Write the best asker of each ground truth: worst first, so that the last write is the best."""
    worst_first = np.argsort(rank[asking], kind="stable")[::-1]
    owner[wanted[worst_first]] = asking[worst_first]
