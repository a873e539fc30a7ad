"""Metrics over images: every one of detections, classifications and segmentations, with settings that are drawn."""

from __future__ import annotations

import json
import shutil
import tempfile
import weakref
from pathlib import Path
from random import Random
from typing import Any

import scoring
from scoring.diagnostics.diagnostic import SpecError
from tests.fuzz import codec
from tests.fuzz.generators import values
from tests.fuzz.target import Fault, Refused, Subject, Target, Told, reason_faults
from tests.fuzz.targets.metrics import figure_faults
from tests.fuzz.targets.primitives import of_kinds, written

KINDS = {"Detections": "detection", "Classifications": "classification", "Segmentations": "segmentation"}
LABELS = ("cat", "dog", "ship")
SIZE = 16


class Images(Target):
    """A data set of some images with a few metrics of its kind; an input is the lines of its file."""

    name = "images"
    weight = 0.03
    together = 3
    short = 8

    def setup(self, random: Random) -> Any:
        kind = random.choice(list(KINDS))
        metrics = [one for one in of_kinds("metric") if str(one.inputs[0]) == kind]
        calls = [written(random, random.choice(metrics), reads=False) for _ in range(random.randrange(1, 3))]
        spec = {"kind": "task", "name": "t", "records": KINDS[kind], "metrics": [*dict.fromkeys(calls)]}
        closed = KINDS[kind] == "segmentation" or random.randrange(3) == 0
        return {**spec, **({"labels": list(LABELS)} if closed else {}), **({"by": ["site"]} if closed else {})}

    def member(self, setup: Any) -> str:
        return ", ".join(one.partition("(")[0] for one in setup["metrics"])

    def given(self, random: Random, setup: Any) -> Any:
        draw = {"detection": _boxes, "classification": _scores, "segmentation": _pixels}[setup["records"]]
        images = [{"id": number, "site": random.choice("lr"), **draw(random)} for number in range(random.randrange(5))]
        if images and random.randrange(3) == 0:
            images[0][random.choice(list(images[0]))] = values.anything(random, 2)
        return images

    def open(self, setup: Any) -> Subject:
        try:
            return _Images(scoring.load(setup))
        except SpecError as error:
            raise Refused from error


def _number(random: Random, high: float) -> Any:
    return values.number(random) if values.chance(random, 20) else round(random.uniform(0, high), random.randrange(3))


def _box(random: Random) -> dict[str, Any]:
    corner, label = [_number(random, SIZE / 2) for _ in range(2)], {"label": random.choice(LABELS)}
    kind = random.randrange(6)
    if kind < 4:
        return {**label, "bbox": [*corner, _number(random, SIZE / 2), _number(random, SIZE / 2)]}
    if kind == 4:
        return {**label, "segmentation": [[_number(random, SIZE) for _ in range(2 * random.randrange(2, 6))]]}
    return {**label, "rbox": [*corner, _number(random, 5), _number(random, 5), _number(random, 360)]}


def _boxes(random: Random) -> dict[str, Any]:
    truths = [_box(random) for _ in range(random.randrange(4))]
    found = [{**_box(random), "score": _number(random, 1)} for _ in range(random.randrange(4))]
    found += [{**one, "score": _number(random, 1)} for one in truths if random.randrange(2)]
    if truths and values.chance(random, 4):
        truths[0] |= {"iscrowd": 1}
    return {"height": SIZE, "width": SIZE, "groundtruth": truths, "predictions": found}


def _scores(random: Random) -> dict[str, Any]:
    found = {label: _number(random, 1) for label in LABELS if random.randrange(4)}
    return {"groundtruth": random.choice(LABELS), "predictions": found}


def _pixels(random: Random) -> dict[str, Any]:
    height, width = random.randrange(1, 4), random.randrange(1, 4)
    return {
        side: [[random.randrange(4) for _ in range(width)] for _ in range(height)]
        for side in ("groundtruth", "prediction")
    }


class _Images:
    many = None

    def __init__(self, task: scoring.Task) -> None:
        self.task, self.folder = task, Path(tempfile.mkdtemp(prefix="fuzz-"))
        self._gone = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)

    def one(self, given: Any) -> Told:
        """The figures of a data set; in another order of its images they are the same."""
        told, faults = self._told(given)
        turned, _ = self._told(given[::-1])
        if turned != told and not told.startswith("refused"):
            faults.append(Fault("differs", "images in another order", f"{told[:900]}\n{turned[:900]}"))
        return Told(told, tuple(faults))

    def _told(self, images: Any) -> tuple[str, list[Fault]]:
        path = self.folder / "images.jsonl"
        try:
            path.write_text("".join(json.dumps(one) + "\n" for one in images))
        except (TypeError, ValueError, RecursionError):  # what no file holds
            return "refused: no file", []
        try:
            run = self.task.evaluate(references=path)
        except (scoring.InputError, SpecError) as error:
            message = str(error).replace(str(self.folder), "…")
            return f"refused: {message}", reason_faults(message.partition("\n")[0])
        figures = run.summary["metrics"]
        faults = [fault for figure in figures for fault in figure_faults(figure)]
        return codec.write([figures, run.summary["counts"], run.summary["by"]]), faults
