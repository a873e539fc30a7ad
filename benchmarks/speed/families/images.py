"""Boxes and masks from COCO files by the command line, and scores of labels, beside the tools for them."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.speed.row import Call, Command, Peer, Row, by_script, scored, task

LABELS = [f"c{number}" for number in range(10)]
HEIGHT, WIDTH = 240, 320
Item = dict[str, Any]


def box(chance: random.Random) -> list[float]:
    """Left, top, width, height, on a picture of 640 by 480."""
    width, height = chance.uniform(8, 160), chance.uniform(8, 120)
    return [chance.uniform(0, 640 - width), chance.uniform(0, 480 - height), width, height]


def moved(chance: random.Random, one: list[float], spread: float) -> list[float]:
    """A box beside another one."""
    return [one[0] + chance.gauss(0, spread * one[2]), one[1] + chance.gauss(0, spread * one[3]),
            one[2] * math.exp(chance.gauss(0, spread)), one[3] * math.exp(chance.gauss(0, spread))]  # fmt: skip


def boxes(folder: Path, size: int, seed: int) -> None:
    """Seven objects of 80 labels in an image, and some 46 detections, most of them of low score."""
    chance, truth, found = random.Random(seed), [], []
    for image in range(1, size + 1):
        for _ in range(chance.randint(3, 11)):
            one, label = box(chance), chance.randint(0, 79)
            truth.append({"image_id": image, "category_id": label, "bbox": one, "area": one[2] * one[3]})
            for _ in range(chance.randint(1, 4)):
                score = round(chance.betavariate(3, 2), 8)
                found.append(
                    {"image_id": image, "category_id": label, "bbox": moved(chance, one, 0.12), "score": score}
                )
        for _ in range(28):
            score = round(chance.betavariate(1, 6), 8)
            found.append({"image_id": image, "category_id": chance.randint(0, 79), "bbox": box(chance), "score": score})
    documents(folder, truth, found, (size, 480, 640, 80), {})


def ellipse(chance: random.Random) -> tuple[float, float, float, float]:
    """Its centre and its two radii."""
    return chance.uniform(20, 220), chance.uniform(20, 300), chance.uniform(6, 45), chance.uniform(6, 60)


def run_lengths(y: float, x: float, tall: float, wide: float) -> tuple[Item, int]:
    """The run lengths of an ellipse, column by column, and its pixels."""
    counts, area, at = [], 0, 0
    for column in range(max(0, math.ceil(x - wide)), min(WIDTH - 1, math.floor(x + wide)) + 1):
        half = tall * math.sqrt(max(0.0, 1 - ((column - x) / wide) ** 2))
        top, bottom = max(0, math.ceil(y - half)), min(HEIGHT - 1, math.floor(y + half))
        if bottom >= top:
            start, length = column * HEIGHT + top, bottom - top + 1
            if counts and start == at:
                counts[-1] += length
            else:
                counts += [start - at, length]
            at, area = start + length, area + length
    return {"size": [HEIGHT, WIDTH], "counts": packed([*counts, HEIGHT * WIDTH - at])}, area


def packed(counts: list[int]) -> str:
    """Run lengths as COCO's files have them: differences to the last but one, five bits in a letter."""
    letters = []
    for place, count in enumerate(counts):
        rest, more = count - (counts[place - 2] if place > 2 else 0), True
        while more:
            bits, rest = rest & 31, rest >> 5
            more = rest != (-1 if bits & 16 else 0)
            letters.append(chr(bits + 48 + 32 * more))
    return "".join(letters)


def masks(folder: Path, size: int, seed: int) -> None:
    """Six ellipses of ten labels in an image, and twice as many detections."""
    chance, truth, found = random.Random(seed), [], []
    for image in range(1, size + 1):
        for _ in range(6):
            one, label = ellipse(chance), chance.randint(0, 9)
            shape, area = run_lengths(*one)
            truth.append({"image_id": image, "category_id": label, "segmentation": shape, "area": area})
            for _ in range(2):
                near = [value * math.exp(chance.gauss(0, 0.08)) for value in one]
                score = round(chance.betavariate(3, 2), 8)
                item = {"image_id": image, "category_id": label, "segmentation": run_lengths(*near)[0], "score": score}
                found.append(item)
    documents(folder, truth, found, (size, HEIGHT, WIDTH, 10), {"geometry": "mask", "rasterise": True})


def documents(folder: Path, truth: list[Item], found: list[Item], shape: tuple[int, ...], settings: Item) -> None:
    """Write COCO's two files, and the task over them."""
    size, height, width, labels = shape
    for number, item in enumerate(truth, start=1):
        item |= {"id": number, "iscrowd": 0}
    content = {
        "images": [{"id": place + 1, "height": height, "width": width} for place in range(size)],
        "categories": [{"id": label, "name": f"c{label}"} for label in range(labels)],
        "annotations": truth,
    }
    (folder / "truth.json").write_text(json.dumps(content))
    (folder / "results.json").write_text(json.dumps(found))
    spec = task(
        "images", imports={"coco": "coco@1"}, records="detection", groundtruth="truth.json",
        predictions="results.json", metrics=["coco.statistics"], **({"settings": settings} if settings else {}),
    )  # fmt: skip
    (folder / "task.json").write_text(json.dumps(spec))


def twelve(text: str) -> list[float]:
    """The twelve statistics of our command, in COCO's order."""
    details = json.loads(text)["metrics"][0]["details"]
    names = (
        "AP",
        "AP50",
        "AP75",
        "AP_small",
        "AP_medium",
        "AP_large",
        "AR1",
        "AR10",
        "AR100",
        "AR_small",
        "AR_medium",
        "AR_large",
    )
    return [-1.0 if details[name] is None else details[name] for name in names]


def coco(name: str, work: str, size: int, prepare: Callable[[Path, int, int], None], kind: str, *floors: Peer) -> Row:
    """The command on COCO's files."""
    peers = tuple(
        Peer(tool, by_script("coco.py", tool, kind), goal, needs=(tool,))
        for tool, goal in (("faster-coco-eval", 2.0), ("pycocotools", None))
    )
    ours = Command(scored(data="results.json").arguments, twelve)
    return Row(f"images/{name}", work, size, prepare, ours, (*peers, *floors), tolerance=1e-9)


def scores(folder: Path, size: int, seed: int) -> None:
    """Scores of ten labels for each datum, which sum up to 1."""
    import numpy as np

    generator = np.random.Generator(np.random.PCG64(seed))
    truth = generator.integers(0, 10, size)
    logits = generator.normal(0, 1, (size, 10))
    logits[np.arange(size), truth] += 1.5
    shares = np.exp(logits - logits.max(axis=1, keepdims=True))
    np.savez(folder / "scores.npz", truth=truth, scores=(shares / shares.sum(axis=1, keepdims=True)).round(6))


def loaded(folder: Path) -> tuple[Any, Any]:
    """The true labels and the matrix."""
    import numpy as np

    data = np.load(folder / "scores.npz")
    return data["truth"], data["scores"]


def frames(folder: Path) -> tuple[Any, Any]:
    """A data frame of labels, and one with a column of scores for each label."""
    import pandas

    labels, matrix = loaded(folder)
    ids = [str(place) for place in range(len(labels))]
    truth = pandas.DataFrame({"id": ids, "label": [LABELS[label] for label in labels]})
    return truth, pandas.DataFrame({"id": ids, **dict(zip(LABELS, matrix.T, strict=True))})


def classified(metric: str) -> Call:
    """Ours, on two data frames: a column of scores for each label."""

    def ready(folder: Path) -> Callable[[], Any]:
        import scoring

        truth, found = frames(folder)
        classes = scoring.load(task("labels", records="classification", metrics=[metric]))
        return lambda: classes.evaluate(found, references=truth)

    return Call(ready, lambda run: [*run.metrics.values()])


def sklearn(work: Callable[[Any, Any], float]) -> Call:
    """A function of the labels and the matrix."""

    def ready(folder: Path) -> Callable[[], Any]:
        import sklearn.metrics  # noqa: F401

        truth, matrix = loaded(folder)
        return lambda: [float(work(truth, matrix))]

    return Call(ready)


def area(truth: Any, matrix: Any) -> float:
    """The mean area under the ROC curves, one label against the rest."""
    from sklearn.metrics import roc_auc_score

    return sum(roc_auc_score(truth == label, matrix[:, label]) for label in range(10)) / 10


def report(truth: Any, matrix: Any) -> float:
    """The accuracy; precision, recall and F1 of each label are computed as well."""
    from sklearn.metrics import accuracy_score, precision_recall_fscore_support

    best = matrix.argmax(axis=1)
    precision_recall_fscore_support(truth, best, zero_division=0)
    value: float = accuracy_score(truth, best)
    return value


def from_frames(work: Callable[[Any, Any], float]) -> Call:
    """A function of the labels and the matrix that two data frames have, whose rows have one order."""

    def ready(folder: Path) -> Callable[[], Any]:
        import pandas

        truth, found = frames(folder)

        def figure() -> list[float]:
            assert (truth["id"] == found["id"]).all()
            matrix = found[LABELS].to_numpy()
            return [work(pandas.Index(LABELS).get_indexer(truth["label"]), matrix)]

        return figure

    return Call(ready)


def areas_by_hand(truth: Any, matrix: Any) -> float:
    """The mean area of ten labels, and its standard error by DeLong's rule, from one order of each label's scores."""
    import numpy as np

    size, areas, parts = len(truth), [], np.zeros((2, len(truth)))
    for label in range(10):
        scores, right = matrix[:, label], truth == label
        order = scores.argsort()
        ranked, hits = scores[order], right[order]
        before = np.concatenate(([0], np.cumsum(hits)))  # how many of the right ones have less
        starts = np.flatnonzero(np.concatenate(([True], ranked[1:] != ranked[:-1])))
        ends = np.append(starts[1:], size)
        run = np.repeat(np.arange(len(starts)), ends - starts)  # scores that are equal
        rights = ((before[starts] + before[ends]) / 2)[run]
        all_of_run, count = ((starts + ends) / 2)[run], int(before[-1])
        over = (all_of_run - rights)[hits] / (size - count)
        areas.append(float(over.mean()))
        parts[0, order[hits]] += (over - over.mean()) / count
        under = 1 - rights[~hits] / count
        parts[1, order[~hits]] += (under - under.mean()) / (size - count)
    error = float(np.sqrt((parts.sum(axis=0) ** 2).sum())) / 10
    assert 0 < error < 0.1
    return sum(areas) / 10


def report_by_hand(truth: Any, matrix: Any) -> float:
    """The accuracy, and precision, recall and F1 of each label."""
    import numpy as np

    table = np.bincount(truth * 10 + matrix.argmax(axis=1), minlength=100).reshape(10, 10)
    hits, wanted, found = table.diagonal(), table.sum(axis=1), table.sum(axis=0)
    precision, recall = hits / np.maximum(found, 1), hits / np.maximum(wanted, 1)
    assert (2 * hits / (wanted + found) <= np.maximum(precision, recall)).all()
    return float(hits.sum() / len(truth))


def of_scores(
    name: str, metric: str, work: Callable[[Any, Any], float], bare: Callable[[Any, Any], float], floor: str
) -> Row:
    """A metric of 1,000,000 scores."""
    return Row(
        f"images/{name}", f"`{metric}` of 100,000 data with 10 scores each, `task.evaluate`", 100_000, scores,
        classified(metric),
        (
            Peer("scikit-learn", sklearn(work), 0.5, needs=("scikit-learn", "pandas")),
            Peer(floor, from_frames(bare), needs=("numpy", "pandas"), is_floor=True),
        ),
        few=100,
    )  # fmt: skip


ROWS = [
    coco("coco-boxes", "5,000 images, 12 COCO statistics with intervals, `scoring score`", 5_000, boxes, "bbox"),
    coco(
        "coco-masks",
        "500 images of run lengths, 12 COCO statistics",
        500,
        masks,
        "segm",
        Peer(
            "pycocotools' overlaps, NumPy", by_script("coco_floor.py"), needs=("pycocotools", "orjson"), is_floor=True
        ),
    ),
    of_scores("roc-auc", "label_roc_auc", area, areas_by_hand, "by hand from frames, with an interval"),
    of_scores("report", "label_report", report, report_by_hand, "by hand from frames"),
]
