"""Awkward data sets, their figures as valor-lite computes them, and as our packs do through the public interface.

`python -m tests.parity.valor_probes 200` compares so many data sets of each kind, and prints the counts.
"""

from __future__ import annotations

import itertools
import json
import math
import random
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

import scoring
from scoring.extensions.vision.geometry.rle import Masks

TOLERANCE = 1e-9
Figures = dict[tuple[Any, ...], Any]
#: Ties, scores at and beside thresholds, scores that valor-lite takes for 0.
SCORES = ([0.0, 0.5, 1.0], [i / 20 for i in range(21)], [0.0, 1e-10, 1e-9, 2e-9, 1e-8, 2e-8, 0.25, 0.5, 0.5000000001])
ALL_IOUS = [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]


def same(one: Any, other: Any) -> bool:
    """Equal within the tolerance; what is undefined on one side is so on the other."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, int | float) and isinstance(other, int | float):
        return abs(one - other) <= TOLERANCE or (math.isnan(one) and math.isnan(other))
    return bool(one == other)


def differences(ours: Figures, theirs: Figures) -> list[str]:
    """Every figure that only one side has, or that differs."""
    return [
        f"{key}: {ours.get(key, 'missing')} for {theirs.get(key, 'missing')}"
        for key in sorted({*ours, *theirs}, key=str)
        if key not in ours or key not in theirs or not same(ours[key], theirs[key])
    ]


def run(records: str, metrics: list[str], truth: Any, found: Any = None, **keys: Any) -> list[dict[str, Any]]:
    """The metrics of valor-lite's pack over data in memory."""
    spec = {
        "kind": "task", "name": "probe", "version": "1.0.0", "records": records, "imports": {"v": "valor-lite@0.39"},
        "metrics": metrics, "intervals": {"resamples": 100}, **keys,
    }  # fmt: skip
    result: list[dict[str, Any]] = scoring.evaluate(spec, found, references=truth).to_json()["keys"]["label"]["metrics"]
    return result


def cells(figures: Figures, prefix: tuple[Any, ...], found: Mapping[str, Any]) -> None:
    """The cells of a confusion matrix that are not 0, their examples in any order."""
    for key, value in found.items():
        if "count" in value:
            examples = sorted(json.dumps(example, sort_keys=True) for example in value["examples"])
            if value["count"]:
                figures[(*prefix, key)] = [value["count"], examples]
        else:
            cells(figures, (*prefix, key), value)


def examples(figures: Figures, prefix: tuple[Any, ...], data: list[Any]) -> None:
    """What is shown of every datum, in any order within it."""
    for datum in data:
        for kind in ("true_positives", "false_positives", "false_negatives"):
            figures[(*prefix, datum["datum_id"], kind)] = sorted(map(str, map(_plain, datum[kind])))


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


# ---- object detection


SIDE = 110


def shape_of(draw: random.Random, kind: str, box: list[float]) -> dict[str, Any]:
    """A box, or a polygon or a mask near it."""
    x, y, w, h = box
    if kind == "box":
        return {"bbox": box}
    if kind == "polygon":
        corners = [x, y, x + max(w, 1), y + draw.choice([0, 0.5]), x + max(w, 1), y + max(h, 1), x, y + max(h, 1)]
        return {"segmentation": [corners]}
    pixels = np.zeros((SIDE, SIDE), dtype=np.bool_)
    top, left = max(int(y), 0), max(int(x), 0)
    pixels[top : top + max(int(h), 1), left : left + max(int(w), 1)] = True
    pixels[top : top + draw.randint(0, 1), left] = draw.random() < 0.5 or w * h <= 1
    return {"segmentation": {"size": [SIDE, SIDE], "counts": Masks.from_bitmaps([pixels]).counts(0)}, "pixels": pixels}


def detection_set(seed: int) -> dict[str, Any]:
    """Images with shapes on a grid, so that overlaps tie; one-sided labels, empty images, shapes of several labels."""
    draw = random.Random(seed)
    kind = draw.choice(["box", "box", "polygon", "mask"])
    labels = [f"l{i}" for i in range(draw.choice([1, 2, 3, 8]))]
    grid, scores = draw.choice([1, 4, 10]), draw.choice([*SCORES, None])
    style = draw.choice(["plain", "no truth", "nothing found", "one-sided", "dense", "several labels"])
    half = max(1, len(labels) // 2)
    own, theirs = (labels[:half], labels[half:] or labels) if style == "one-sided" else (labels, labels)

    def box() -> list[float]:
        least = 0 if draw.random() < 0.1 else 1
        return [float(grid * draw.randint(low, 6)) for low in (0, 0, least, least)]

    def score() -> float:
        return draw.choice(scores) if scores else round(draw.random(), 6)

    images: list[dict[str, Any]] = []
    for number in range(draw.choice([1, 2, 4, 7])):
        most = 0 if style == "no truth" or draw.random() < 0.15 else 12 if style == "dense" else 6
        truths: list[dict[str, Any]] = [
            {"bbox": box(), "label": draw.choice(own)} for _ in range(draw.randint(0, most))
        ]
        most = 0 if style == "nothing found" or draw.random() < 0.15 else 30 if style == "dense" else 10
        found = []
        for _ in range(draw.randint(0, most)):
            near = draw.choice(truths) if truths and draw.random() < 0.7 else None
            shift = [draw.choice([0, 0, grid, -grid, 0.5]) if draw.random() < 0.6 else 0 for _ in range(4)]
            place = [a + b for a, b in zip(near["bbox"], shift, strict=True)] if near else box()
            several = draw.randint(1, 3) if style == "several labels" else 1
            chosen = draw.sample(theirs, min(several, len(theirs)))
            if near and near["label"] in theirs and near["label"] not in chosen and draw.random() < 0.6:
                chosen[0] = near["label"]
            scored = [score() for _ in chosen]
            found.append(
                {"bbox": [*place[:2], *(max(side, 0.0) for side in place[2:])], "labels": chosen, "scores": scored}
            )
        images.append({"id": f"i{number}", "groundtruth": truths, "predictions": found})
    for side in ("groundtruth", "predictions"):
        for count, shape in enumerate(itertools.chain.from_iterable(image[side] for image in images)):
            shape |= {"id": f"{side[0]}{count}", **shape_of(draw, kind, shape.pop("bbox"))}
    ious = draw.choice([[0.5], [0.1, 0.5, 0.75], ALL_IOUS, [1.0, 0.3]])
    return {
        "kind": kind,
        "images": images,
        "ious": ious,
        "scores": draw.choice([[0.0], [0.0, 0.5], [0.25], [0.5, 0.05, 1.0], [1e-9]]),
    }


def lite_detection(probe: dict[str, Any]) -> Figures | None:
    """What valor-lite says; None where it refuses data that hold nothing."""
    from valor_lite.exceptions import EmptyCacheError
    from valor_lite.object_detection import Bitmask, BoundingBox, Detection, Loader, Polygon

    def shape(item: dict[str, Any], labels: list[str], scores: list[float]) -> Any:
        if "pixels" in item:
            return Bitmask(item["id"], item["pixels"], labels, scores)
        if "segmentation" in item:
            import shapely

            ring = np.reshape(item["segmentation"][0], (-1, 2))
            return Polygon(item["id"], shapely.Polygon(ring), labels, scores)
        x, y, w, h = item["bbox"]
        return BoundingBox(item["id"], x, x + w, y, y + h, labels, scores)

    loader, ious, scores = Loader.in_memory(), probe["ious"], probe["scores"]
    add = {"box": loader.add_bounding_boxes, "polygon": loader.add_polygons, "mask": loader.add_bitmasks}
    add[probe["kind"]]([
        Detection(
            image["id"],
            [shape(item, [item["label"]], []) for item in image["groundtruth"]],
            [shape(item, item["labels"], item["scores"]) for item in image["predictions"]],
        )
        for image in probe["images"]
    ])  # fmt: skip
    try:
        peer = loader.finalize()
    except EmptyCacheError:
        return None
    figures: Figures = {}
    for kind, metrics in peer.compute_precision_recall(iou_thresholds=ious, score_thresholds=scores).items():
        for one in metrics:
            at = one.parameters
            key = kind.value, at.get("label"), at.get("iou_threshold"), at.get("score_threshold")
            held = one.value
            figures[key] = [held[name] for name in held] if isinstance(held, dict) else held
    grids = {"iou_thresholds": ious, "score_thresholds": scores}
    for one in peer.compute_confusion_matrix_with_examples(**grids):
        cells(figures, ("confusion", one.parameters["iou_threshold"], one.parameters["score_threshold"]), one.value)
    for one in peer.compute_examples(**grids):
        examples(figures, ("examples", one.parameters["iou_threshold"], one.parameters["score_threshold"]), [one.value])
    return figures


def _stated(item: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in item.items() if key != "pixels"}


def our_detection(probe: dict[str, Any]) -> Figures:
    """What our pack says, under the keys of valor-lite."""
    ious, scores = probe["ious"], probe["scores"]
    grid = list(itertools.product(ious, scores))
    at = [f"iou_threshold={iou}, score_threshold={score}" for iou, score in grid]
    lists = f"iou_thresholds={ious}, score_thresholds={scores}"
    ap, ar, counts, *rest = run(
        "detection",
        [f"v.ap(iou_thresholds={ious}, curves=true)", f"v.ar({lists})", f"v.counts({lists})"]
        + [f"v.detection_confusion({one}, max_examples=100000)" for one in at]
        + [f"v.detection_examples({one})" for one in at],
        [
            {**image, **{side: list(map(_stated, image[side])) for side in ("groundtruth", "predictions")}}
            for image in probe["images"]
        ],
    )
    figures: Figures = {("mAPAveragedOverIOUs", None, None, None): ap["value"]}
    figures["mARAveragedOverScores", None, None, None] = ar["value"]
    figures |= {("mAP", None, iou, None): one for iou, one in zip(ious, ap["details"]["mean"], strict=True)}
    figures |= {("mAR", None, None, score): one for score, one in zip(scores, ar["details"]["mean"], strict=True)}
    for label, one in ap["details"]["labels"].items():
        curve = ap["details"]["curves"][label]
        figures["APAveragedOverIOUs", label, None, None] = one["ap_over_ious"]
        for place, iou in enumerate(ious):
            figures["AP", label, iou, None] = one["ap"][place]
            figures["PrecisionRecallCurve", label, iou, None] = [curve["precision"][place], curve["score"][place]]
    for label, one in ar["details"]["labels"].items():
        figures["ARAveragedOverScores", label, None, None] = one["ar_over_scores"]
        figures |= {("AR", label, None, score): value for score, value in zip(scores, one["ar"], strict=True)}
    for table in counts["details"]["curves"]:
        for (label, one), (place, score) in itertools.product(table["labels"].items(), enumerate(scores)):
            key = label, table["iou_threshold"], score
            figures["Counts", *key] = [one[name][place] for name in ("tp", "fp", "fn")]
            for kind in ("Precision", "Recall", "F1"):
                figures[kind, *key] = one[kind.lower()][place]
    for (iou, score), found in zip(grid, rest[: len(grid)], strict=True):
        cells(figures, ("confusion", iou, score), found["details"])
    for (iou, score), found in zip(grid, rest[len(grid) :], strict=True):
        examples(figures, ("examples", iou, score), found["details"]["data"])
    return figures


# ---- classification


def class_set(seed: int) -> dict[str, Any]:
    """Data with ties, labels listed twice or not at all, labels that are never predicted or never true."""
    draw = random.Random(seed)
    labels = [f"l{i}" for i in range(draw.choice([1, 2, 3, 10, 40]))]
    scores = draw.choice([*SCORES, [0.0], [0.5], [-1.0, 0.0, 0.5, 2.0], None])
    style = draw.choice(["full", "best few", "twice", "one-sided", "shuffled"])
    true = labels[: max(1, len(labels) // 2)] if style == "one-sided" else labels
    data = []
    for number in range(draw.choice([1, 2, 5, 20, 60])):
        size = len(labels) if style in ("full", "shuffled") else draw.randint(1, len(labels))
        listed = labels if style == "full" else draw.sample(labels, size)
        if style == "twice" and draw.random() < 0.4:
            listed = [*listed, draw.choice(listed)]
        own = draw.choice(true) if draw.random() < 0.95 else "never predicted"
        scored = [draw.choice(scores) if scores else round(draw.random(), 6) for _ in listed]
        data.append({"id": f"d{number}", "groundtruth": own, "predictions": listed, "scores": scored})
    chosen = draw.choice([[0.0], [0.05, 0.5, 0.75], [0.25], [1e-9, 0.5]])
    return {"data": data, "scores": chosen, "hard_max": draw.random() < 0.5}


def lite_classes(probe: dict[str, Any]) -> Figures:
    """What valor-lite says; one threshold at a time where it looks at several one after the other."""
    from valor_lite.classification import Classification, Loader

    loader, hard_max = Loader.in_memory(), probe["hard_max"]
    loader.add_data(
        [Classification(*(d[k] for k in ("id", "groundtruth", "predictions", "scores"))) for d in probe["data"]]
    )
    peer = loader.finalize()
    figures: Figures = {}
    found = peer.compute_precision_recall(score_thresholds=probe["scores"], hardmax=hard_max)
    for kind, metrics in {**peer.compute_rocauc(), **found}.items():
        for one in metrics:
            key = kind.value, one.parameters.get("label"), one.parameters.get("score_threshold")
            figures[key] = (
                [one.value[k] for k in ("tp", "fp", "fn", "tn")] if isinstance(one.value, dict) else one.value
            )
    for score in probe["scores"]:
        (matrix,) = peer.compute_confusion_matrix_with_examples(score_thresholds=[score], hardmax=hard_max)
        cells(figures, ("confusion", score), matrix.value)
        shown = peer.compute_examples(score_thresholds=[score], hardmax=hard_max)
        examples(figures, ("examples", score), [one.value for one in shown])
    return figures


def our_classes(probe: dict[str, Any]) -> Figures:
    """What our pack says, under the keys of valor-lite."""
    scores, hard = probe["scores"], f"hard_max={str(probe['hard_max']).lower()}"
    areas, counts, *rest = run(
        "classification",
        ["v.roc_auc", f"v.classification(thresholds={scores}, {hard})"]
        + [f"v.confusion_matrix(threshold={score}, {hard}, max_examples=100000)" for score in scores]
        + [f"v.examples(threshold={score}, {hard})" for score in scores],
        probe["data"],
    )
    figures: Figures = {("mROCAUC", None, None): areas["value"]}
    figures |= {("ROCAUC", label, None): area for label, area in areas["details"]["per_label"].items()}
    for place, score in enumerate(scores):
        figures["Accuracy", None, score] = counts["details"]["accuracy"][place]
        for label, one in counts["details"]["labels"][place].items():
            figures["Counts", label, score] = [one[name] for name in ("tp", "fp", "fn", "tn")]
            figures |= {(kind, label, score): one[kind.lower()] for kind in ("Precision", "Recall", "F1")}
        cells(figures, ("confusion", score), rest[place]["details"])
        examples(figures, ("examples", score), rest[len(scores) + place]["details"]["data"])
    return figures


# ---- semantic segmentation


def pixel_set(seed: int) -> dict[str, Any]:
    """Small label maps: background alone, no labels at all, labels that are declared and never met."""
    draw, numbers = random.Random(seed), np.random.default_rng(seed)
    labels = [f"l{i}" for i in range(draw.choice([0, 1, 2, 5, 12]))]
    style = draw.choice(["mixed", "background", "absent label", "only predicted"])
    highest = {"background": 0, "absent label": max(0, len(labels) - 1)}.get(style, len(labels))
    maps = {}
    for number in range(draw.choice([1, 2, 5])):
        size = draw.randint(1, 9), draw.randint(1, 9)
        truth = numbers.integers(0, highest + 1, size)
        found = np.where(numbers.random(size) < 0.6, truth, numbers.integers(0, highest + 1, size))
        maps[f"s{number}"] = np.zeros_like(truth) if style == "only predicted" else truth, found
    return {"labels": labels, "maps": maps}


def lite_pixels(probe: dict[str, Any]) -> Figures:
    """What valor-lite says."""
    from valor_lite.semantic_segmentation import Loader, Segmentation

    loader = Loader.in_memory()
    loader.add_data([Segmentation(name, *maps, probe["labels"]) for name, maps in probe["maps"].items()])
    figures: Figures = {}
    for kind, metrics in loader.finalize().compute_precision_recall_iou().items():
        for one in metrics:
            figures |= _flat((kind.value, *one.parameters.values()), one.value)
    return figures


def our_pixels(probe: dict[str, Any]) -> Figures:
    """What our pack says, under the keys of valor-lite."""
    truth, found = ({name: maps[side] for name, maps in probe["maps"].items()} for side in (0, 1))
    (report,) = run("segmentation", ["v.segmentation"], truth, found, labels=probe["labels"])
    table = report["details"]
    figures: Figures = {("mIOU",): report["value"], ("Accuracy",): table["accuracy"]}
    for label, one in table["labels"].items():
        figures |= {(kind, label): one[kind.lower()] for kind in ("Precision", "Recall", "F1", "IOU")}
    parts = ("confusion_matrix", "unmatched_predictions", "unmatched_ground_truths")
    return figures | _flat(("ConfusionMatrix",), {part: table[part] for part in parts})


def _flat(prefix: tuple[Any, ...], value: Any) -> Figures:
    if not isinstance(value, dict):
        return {prefix: value}
    return {key: one for name, inner in value.items() for key, one in _flat((*prefix, name), inner).items()}


PROBES: dict[str, tuple[Callable[[int], Any], Callable[[Any], Figures], Callable[[Any], Figures | None]]] = {
    "detection": (detection_set, our_detection, lite_detection),
    "classification": (class_set, our_classes, lite_classes),
    "segmentation": (pixel_set, our_pixels, lite_pixels),
}


def compared(kind: str, seed: int) -> tuple[int, list[str]]:
    """How many figures of one data set were compared, and those that differ."""
    make, mine, peers = PROBES[kind]
    probe = make(seed)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        theirs = peers(probe)
    return (0, []) if theirs is None else (len(theirs), differences(mine(probe), theirs))


def told(number: int) -> Iterator[str]:
    """What so many data sets of each kind give."""
    for kind in PROBES:
        found = [compared(kind, seed) for seed in range(number)]
        wrong = [(seed, line) for seed, (_, lines) in enumerate(found) for line in lines]
        yield f"{kind}: {number} data sets, {sum(count for count, _ in found)} figures, {len(wrong)} differ"
        yield from (f"  {seed}: {line}"[:300] for seed, line in wrong[:5])


if __name__ == "__main__":
    print("\n".join(told(int(sys.argv[1]))))
