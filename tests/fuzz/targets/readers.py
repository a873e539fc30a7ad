"""Files of records in every format: tables for tasks over rows, and data sets of images."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import scoring
from tests.fuzz import drawing
from tests.fuzz.generators import mutate, values
from tests.fuzz.target import Subject, Target, Told
from tests.fuzz.targets.scratch import Scratch

ROWS: list[dict[str, Any]] = [
    {"id": "q1", "response": "the cat", "reference": "cat", "level": 3, "tags": ["a", "b"], "at": None},
    {"id": "q2", "response": "Paris, France\n", "reference": 'Pa"ris', "level": 0.5, "tags": [], "at": "2024-01-01"},
    {"id": "q3", "response": "42", "reference": "42", "level": -1, "tags": ["b"], "at": "é"},
]
NAMES = ("response", "reference", "id", "level", "tags", "at", "x", "", "record", "a.b")
PACKED: dict[str, Callable[[bytes], bytes]] = {"": bytes, ".gz": lambda content: gzip.compress(content, mtime=0)}


def delimited(rows: list[Any], mark: str) -> bytes:
    """Rows as a table of text."""
    heads = list(rows[0]) if rows else ["id"]
    cells = [[json.dumps(row.get(head)).strip('"') for head in heads] for row in rows]
    return "\n".join(mark.join(map(_quoted, line)) for line in [heads, *cells]).encode("utf-8", "surrogatepass")


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if any(mark in cell for mark in ',;\t"\n') else cell


def arrow(rows: list[Any], kind: str) -> bytes:
    """Rows as Arrow or Parquet, where Arrow has types for them."""
    import pyarrow
    from pyarrow import ipc, parquet

    try:
        table = pyarrow.Table.from_pylist(rows)
    except (pyarrow.ArrowException, OverflowError, TypeError, UnicodeError):
        table = pyarrow.Table.from_pylist(ROWS)
    stream = io.BytesIO()
    if kind == "parquet":
        parquet.write_table(table, stream, row_group_size=2)
    else:
        with (ipc.new_file if kind == "arrow" else ipc.new_stream)(stream, table.schema) as writer:
            writer.write_table(table)
    return stream.getvalue()


def _json(rows: Any) -> bytes:
    return json.dumps(rows).encode()


FORMATS: dict[str, Callable[[list[Any]], bytes]] = {
    "jsonl": lambda rows: b"".join(_json(row) + b"\n" for row in rows),
    "json": _json,
    "csv": lambda rows: delimited(rows, ","),
    "tsv": lambda rows: delimited(rows, "\t"),
    "parquet": lambda rows: arrow(rows, "parquet"),
    "arrow": lambda rows: arrow(rows, "arrow"),
    "arrows": lambda rows: arrow(rows, "stream"),
}


@cache
def seed(kind: str) -> bytes:
    """The rows as they are, in one format."""
    return FORMATS[kind](ROWS)


TEXT = ("jsonl", "json", "csv", "tsv")
COLUMNS = ("parquet", "arrow", "arrows")


class Readers(Target):
    """Files of records as text: mutated records written well, and well written files with mutated bytes."""

    name = "readers"
    weight = 0.05
    kinds: tuple[str, ...] = TEXT
    together = 8
    short = 14

    def setup(self, random: Random) -> Any:
        kind = random.choice(self.kinds)
        option = random.choice((None, None, None, *self.kinds))
        option = None if option == "arrows" else option
        return {"kind": kind, "packed": random.choice(("", "", "", ".gz")), "input_format": option}

    def member(self, setup: Any) -> str:
        return f"{setup['kind']}{setup['packed']}"

    def given(self, random: Random, setup: Any) -> Any:
        kind, done = setup["kind"], random.randrange(8)
        if done < 3:
            rows = [mutate.value(random, dict(row), NAMES) for row in ROWS[: random.randrange(4)]]
            rows += [values.anything(random, 2)] if done == 0 and kind in ("jsonl", "json") else []
            content = _written(kind, rows)
        elif done < 5 and kind not in ("parquet", "arrow", "arrows"):
            text = mutate.text(random, seed(kind).decode())
            content = text.encode("utf-8", "surrogatepass")
        else:
            content = drawing.content(random, seed(kind), seed(random.choice(list(FORMATS))))
        if setup["packed"] and random.randrange(4):
            content = PACKED[setup["packed"]](content)
            content = drawing.content(random, content) if random.randrange(3) == 0 else content
        return content

    def open(self, setup: Any) -> Subject:
        return _File(setup)


def _written(kind: str, rows: list[Any]) -> bytes:
    try:
        return FORMATS[kind](rows)
    except (ValueError, TypeError, AttributeError, RecursionError):  # what the format has no form for
        return seed(kind)


class ColumnReaders(Readers):
    """Files of records by columns, Parquet and Arrow, likewise."""

    name = "columns"
    weight = 0.1
    kinds = COLUMNS


class _File:
    many = None

    def __init__(self, setup: Any) -> None:
        self.scratch = Scratch()
        self.task = scoring.load({"kind": "task", "name": "t", "score": "to_text | levenshtein", "by": ["level"]})
        self.name = f"data.{setup['kind'] if setup['kind'] != 'arrows' else 'arrow'}{setup['packed']}"
        self.input_format = setup["input_format"]

    def one(self, given: bytes) -> Told:
        """What a run over the file comes to, or why it can't be read."""
        path = self.scratch.put(self.name, given)
        return self.scratch.told(lambda: self.task.evaluate(path, input_format=self.input_format), self.name)


BOXES: list[dict[str, Any]] = [
    {"id": 1, "height": 20, "width": 20, "site": "a",
     "groundtruth": [{"label": "cat", "bbox": [0, 0, 10, 10]}, {"label": "dog", "bbox": [5, 5, 9, 9]}],
     "predictions": [{"label": "cat", "score": 0.9, "bbox": [0, 0, 10, 9]}]},
    {"id": 2, "height": 20, "width": 20, "site": "b",
     "groundtruth": [{"label": "dog", "bbox": [1, 1, 4, 4]}], "predictions": [
         {"label": "dog", "score": 0.8, "bbox": [1, 1, 4, 4]}, {"label": "cat", "score": 0.3, "bbox": [7, 7, 2, 2]}]},
]  # fmt: skip
OUTLINES: list[dict[str, Any]] = [
    {"id": 1, "height": 9, "width": 9,
     "groundtruth": [{"label": "cat", "segmentation": [[0, 0, 5, 0, 5, 5, 0, 5]]}],
     "predictions": [{"label": "cat", "score": 0.9, "segmentation": [[0, 0, 5, 0, 5, 4, 0, 4]]}]},
    {"id": 2, "height": 3, "width": 2,
     "groundtruth": [{"label": "cat", "segmentation": {"size": [3, 2], "counts": [1, 4, 1]}}],
     "predictions": [{"label": "cat", "score": 0.5, "segmentation": {"size": [3, 2], "counts": [0, 6]}}]},
    {"id": 3, "groundtruth": [{"label": "ship", "rbox": [5, 5, 4, 1, 30]}],
     "predictions": [{"label": "ship", "score": 0.7, "rbox": [5, 5, 4, 1, 20]}]},
]  # fmt: skip
LABELS: list[dict[str, Any]] = [
    {"id": "a", "groundtruth": "cat", "predictions": {"cat": 0.9, "dog": 0.1}, "site": ["l", "n"]},
    {"id": "b", "groundtruth": "dog", "predictions": {"cat": 0.8, "dog": 0.2}, "site": ["r"]},
    {"id": "c", "groundtruth": {"kind": "cat", "colour": "red"}, "predictions": {"kind": {"cat": 1.0}}},
]
MAPS: list[dict[str, Any]] = [
    {"id": "a", "site": "x", "groundtruth": [[1, 1]], "prediction": [[1, 0]]},
    {"id": "b", "height": 1, "width": 2, "groundtruth": {"road": {"size": [1, 2], "counts": [0, 2]}},
     "prediction": {"road": {"size": [1, 2], "counts": [0, 2]}}},
]  # fmt: skip
COCO: dict[str, Any] = {
    "images": [{"id": 1, "height": 20, "width": 20, "site": "a"}, {"id": 2, "height": 20, "width": 20}],
    "categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}],
    "annotations": [
        {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5], "iscrowd": 0, "area": 25},
        {"id": 2, "image_id": 2, "category_id": 2, "bbox": [0, 0, 5, 5], "iscrowd": 1, "area": 25},
    ],
}
FOUND: list[dict[str, Any]] = [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5], "score": 0.5}]
SETS: dict[str, tuple[str, list[str], list[Any]]] = {
    "boxes": ("detection", ["detection_ap", "detection_counts", "detection_confusion"], BOXES),
    "outlines": ("detection", ["detection_ap"], OUTLINES),
    "labels": ("classification", ["label_report", "label_roc_auc", "label_confusion"], LABELS),
    "maps": ("segmentation", ["pixel_report"], MAPS),
    "coco": ("detection", ["coco/statistics"], []),
}
WORDS = ("cat", "dog", "", "id", "bbox", "score", "predictions", "site", "label", "counts", "size", "groundtruth")


class DataSets(Target):
    """Data sets of images and labels: one thing of their content changed, or bytes of their files."""

    name = "data_sets"
    weight = 0.03
    together = 8
    short = 12

    def setup(self, random: Random) -> Any:
        return {"set": random.choice(list(SETS)), "closed": random.randrange(3) == 0, "by": random.randrange(2) == 0}

    def member(self, setup: Any) -> str:
        return str(setup["set"])

    def given(self, random: Random, setup: Any) -> Any:
        parts = [COCO, FOUND] if setup["set"] == "coco" else [SETS[setup["set"]][2]]
        place = random.randrange(len(parts))
        for _ in range(random.choice((1, 1, 2, 3))):
            parts[place] = mutate.value(random, parts[place], WORDS)
        contents = list(map(_safe_json, parts)) if len(parts) > 1 else [_lines(parts[0])]
        if random.randrange(5) == 0:
            contents[place] = drawing.content(random, contents[place])
        return contents

    def open(self, setup: Any) -> Subject:
        return _DataSet(setup)


def _safe_json(part: Any) -> bytes:
    return json.dumps(part).encode()


def _lines(part: Any) -> bytes:
    return b"".join(_safe_json(line) + b"\n" for line in (part if isinstance(part, list) else [part]))


class _DataSet:
    many = None

    def __init__(self, setup: Any) -> None:
        kind, metrics, _ = SETS[setup["set"]]
        self.scratch = Scratch()
        spec: dict[str, Any] = {"kind": "task", "name": "t", "records": kind, "metrics": metrics}
        if setup["closed"] or kind == "segmentation":
            spec["labels"] = ["road"] if kind == "segmentation" else ["cat", "dog", "ship"]
        if setup["by"]:
            spec["by"] = ["site"]
        self.task = scoring.load(spec)

    def one(self, given: list[bytes]) -> Told:
        """The figures of the data set, or what is wrong with it."""
        if len(given) == 1:
            path = self.scratch.put("data.jsonl", given[0])
            return self.scratch.told(lambda: self.task.evaluate(references=path), "data.jsonl")
        truth, found = self.scratch.put("truth.json", given[0]), self.scratch.put("found.json", given[1])
        return self.scratch.told(lambda: self.task.evaluate(found, references=truth), ".json")
