"""A small data set of images with hostile labels, names and attributes, and its image files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image


def street(folder: Path, texts: Sequence[str]) -> Path:
    """Write a data set with an image for each text into a folder, and return its task."""
    (folder / "images").mkdir(parents=True)
    pixels = (np.arange(40 * 60 * 3) % 251).astype(np.uint8).reshape(40, 60, 3)
    records = []
    for place, text in enumerate(texts):
        Image.fromarray(pixels).save(folder / "images" / f"{place}.jpg")
        truth = {"label": text, "bbox": [5, 5, 20, 20]}
        other = texts[place - 1] if place % 3 else text
        records.append(
            {
                "id": f"{place} {text}",
                "file_name": f"{place}.jpg" if place % 2 else text,
                "width": 60,
                "height": 40,
                "kind": text,
                "groundtruth": [truth],
                "predictions": [{"label": other, "bbox": [6, 6, 20, 20], "score": 0.9}],
            }
        )
    (folder / "records.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in records), "utf-8")
    spec = {
        "kind": "task",
        "name": "street",
        "version": "1.0.0",
        "imports": {"valor": "valor@1"},
        "records": "detection",
        "groundtruth": "records.jsonl",
        "settings": {"pictures": "images"},
        "by": ["kind"],
        "metrics": ["valor.ap", "valor.detection_confusion", "valor.detection_curve"],
    }
    (folder / "task.json").write_text(json.dumps(spec), "utf-8")
    return folder / "task.json"
