"""COCO's twelve statistics of masks from `truth.json` and `results.json` here, by hand: the least that they cost.

Overlaps and areas of run lengths are computed by pycocotools in C, no interval is. No object is a crowd.

python benchmarks/peers/coco_floor.py
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

import numpy as np
import orjson
from pycocotools import mask

RANGES = ((0, 1e10), (0, 1024), (1024, 9216), (9216, 1e10))
LIMITS = np.linspace(0.5, 0.95, 10)
RECALLS = np.linspace(0, 1, 101)
Items = list[dict[str, Any]]


def matched(overlaps: list[list[float]], ignored: list[bool]) -> bytes:
    """What each detection matches at each limit: nothing, an object, or one (2) that does not count."""
    order = sorted(range(len(ignored)), key=ignored.__getitem__)
    found = bytearray(10 * len(overlaps))
    for step, limit in enumerate(LIMITS.tolist()):
        left = order.copy()
        for place, row in enumerate(overlaps):
            best, most = -1, limit
            for one in left:
                if best >= 0 and ignored[one] and not ignored[best]:
                    break
                if row[one] >= most:
                    best, most = one, row[one]
            if best >= 0:
                left.remove(best)
                found[10 * place + step] = 1 + ignored[best]
    return bytes(found)


def figures(groups: list[tuple[Items, Items]]) -> tuple[Any, Any, Any]:
    """Precisions and recalls of one label by range and limit, and recalls of the first and the first ten detections.

    A group is the objects and the detections of an image.
    """
    scores: list[float] = []
    sizes: list[int] = []
    ranks: list[int] = []
    parts: list[list[bytes]] = [[] for _ in RANGES]
    areas = np.array([one["area"] for truths, _ in groups for one in truths])
    for truths, found in groups:
        if not found:
            continue
        found.sort(key=lambda one: -one["score"])
        shapes = [one["segmentation"] for one in found]
        scores += [one["score"] for one in found]
        ranks += range(len(found))
        sizes += mask.area(shapes).tolist()
        overlaps = mask.iou(shapes, [one["segmentation"] for one in truths], [0] * len(truths)) if truths else []
        rows = overlaps.tolist() if truths else [[] for _ in found]
        for part, (low, high) in zip(parts, RANGES, strict=True):
            part.append(matched(rows, [not low <= one["area"] <= high for one in truths]))
    order = np.argsort(-np.array(scores), kind="stable")
    size, rank = np.array(sizes)[order], np.array(ranks)[order]
    precisions, recalls = np.full((4, 10, 101), -1.0), np.full((4, 10), -1.0)
    first = np.full((2, 10), -1.0)
    for place, (low, high) in enumerate(RANGES):
        wanted = int(((areas >= low) & (areas <= high)).sum())
        if not wanted:
            continue
        table = np.frombuffer(b"".join(parts[place]), np.uint8).reshape(-1, 10)[order]
        outside = ((size < low) | (size > high))[:, None]
        hits = np.cumsum(table == 1, axis=0)
        seen = hits + np.cumsum((table == 0) & ~outside, axis=0)
        precision = np.maximum.accumulate((hits / (seen + np.spacing(1)))[::-1])[::-1]
        recalls[place] = hits[-1] / wanted
        precisions[place] = 0.0
        for limit in range(10):
            at = np.searchsorted(hits[:, limit] / wanted, RECALLS)
            inside = at < len(table)
            precisions[place, limit, inside] = precision[at[inside], limit]
        if place == 0:
            first[:] = [(table[rank < most] == 1).sum(axis=0) / wanted for most in (1, 10)]
    return precisions, recalls, first


def main() -> None:
    """Print the statistics."""
    with open("truth.json", "rb") as file:
        truth = orjson.loads(file.read())
    groups: dict[int, dict[int, tuple[Items, Items]]] = defaultdict(lambda: defaultdict(lambda: ([], [])))
    with open("results.json", "rb") as file:
        for side, items in enumerate((truth["annotations"], orjson.loads(file.read()))):
            for one in items:
                groups[one["category_id"]][one["image_id"]][side].append(one)
    labels = [figures([images[image] for image in sorted(images)]) for images in groups.values()]
    precisions, recalls, first = (np.stack(side) for side in zip(*labels, strict=True))

    def mean(values: Any) -> float:
        known = values[values > -1]
        return float(known.mean()) if known.size else -1.0

    small_to_large = [mean(precisions[:, place]) for place in (1, 2, 3)]
    print(json.dumps([
        mean(precisions[:, 0]), mean(precisions[:, 0, 0]), mean(precisions[:, 0, 5]), *small_to_large,
        mean(first[:, 0]), mean(first[:, 1]), *(mean(recalls[:, place]) for place in range(4)),
    ]))  # fmt: skip


if __name__ == "__main__":
    main()
