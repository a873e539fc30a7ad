"""Data sets of images in memory, and specs that score one as a whole, in a thread that lets questions be answered."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from scoring.api.data_sets import data_set
from scoring.api.opening import Opened
from scoring.api.paths import check_images
from scoring.api.sources import GivenData
from scoring.compiler.tasks.task import CompiledTask
from scoring.data.json_write import dumps
from scoring.data.os_errors import input_errors
from scoring.data.rows.batch import id_text
from scoring.data.watched import WatchedFolder
from scoring.diagnostics.words import counted
from scoring.extensions.pages.drawing import draw_chart
from scoring.extensions.studio.blocks import document_data
from scoring.extensions.studio.boards import BoardSet, ScoreBoard, first_places
from scoring.extensions.vision.classification.table import Classifications
from scoring.extensions.vision.data_set.pictures import marked_pictures, picture_key
from scoring.extensions.vision.data_set.table import DataSet, ImageData
from scoring.extensions.vision.detection.table import Detections
from scoring.extensions.vision.files.pictures import PictureFiles
from scoring.outcomes import Results
from scoring.registry.table_kind import TableKind
from scoring.report import numbers
from scoring.report.visible import visible

MOST_MOVED = 12
"""The most things that moved on an image that are told."""
_MOST_ATTRIBUTES = 8
_SHOWN_ELSEWHERE = ("id", "width", "height")
# What a row of a story is found by, and what is told of it only beside others.
_ROW_KEYS = ("id", "label", "groundtruth", "prediction")
_ASIDE = ("id", "takes", "taken_by", "nearest", "overlap")


class ImageStory(Struct, frozen=True):
    """The story of one image: its data by kind of data set, a picture for each label key, its predictions' file."""

    data: Mapping[str, Any]
    pictures: Sequence[tuple[str, str, str]]
    how: str
    predictions: str


class HeldImages(Struct, frozen=True, dict=True):
    """A data set of images, or of other labelled data, in memory.

    Args:
        kind: Its kind.
        data: The data set.
        folder: The folder of the spec, below which its files are.
        predictions: The name of the file with the predictions.
        noun: What one of them is called.
    """

    kind: TableKind
    data: Any
    folder: Path
    predictions: str
    noun: str

    is_whole: ClassVar[bool] = True
    records: ClassVar[Sequence[Mapping[str, Any] | None]] = ()

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def ids(self) -> list[str]:
        """The id of each image as text."""
        keyed = self.kind.keyed(self.data).values()
        return [id_text(uid) or "" for uid in dict.fromkeys(uid for images in keyed for uid in images.ids)]

    @cached_property
    def place_of(self) -> Mapping[str, int]:
        """The position of each by its id."""
        return first_places(self.ids)

    def about(self, task: CompiledTask, at: int) -> str:
        """Return what is on an image, and its attributes."""
        return self._described[at]

    def abouts(self, task: CompiledTask) -> Sequence[str]:
        """Return what is on each image, and its attributes."""
        return self._described

    @cached_property
    def _described(self) -> list[str]:
        found: list[list[str]] = [[] for _ in self.ids]
        for key, images in self.kind.keyed(self.data).items():
            places = [self.place_of[id_text(uid) or ""] for uid in images.ids]
            sides = _labels_of(images.data) if isinstance(self.data, DataSet) else [("", "")] * len(places)
            before = f"{key}: " if len(self.kind.keyed(self.data)) > 1 else ""
            for place, (true, predicted) in zip(places, sides, strict=True):
                found[place].append(f"{before}{true or 'nothing'} → {predicted or 'nothing'}")
        attributes = {id_text(one.get("id")): one for one in self.kind.attributes(self.data)}
        for key, texts in zip(self.ids, found, strict=True):
            texts += _attributes(attributes.get(key) or {})
        return [" · ".join(texts) for texts in found]

    def story(self, task: CompiledTask, at: int, full: bool) -> ImageStory:
        """Return what became of everything on an image, and the pictures that show it."""
        settings = self.kind.settings(task.spec, self.folder)
        metrics = {metric.text: metric for metric in task.metrics}
        story = {"task": task.name, **self.kind.story(settings, metrics, self.data, self.ids[at])}
        pictures = [*self._pictures(settings, at)]
        return ImageStory(story, pictures, picture_key(self.data, settings) if pictures else "", self.predictions)

    def _pictures(self, settings: Any, at: int) -> Iterator[tuple[str, str, str]]:
        """Yield for each label key its name, if there are several, the picture as SVG, and a note about it."""
        if not isinstance(self.data, DataSet):
            return
        files = PictureFiles(settings.pictures)
        for key, images in self.data.keyed.items():
            wanted = [uid for uid in images.ids if id_text(uid) == self.ids[at]]
            for picture in marked_pictures(settings, self.data, key, wanted, files):
                yield key if len(self.data.keyed) > 1 else "", draw_chart(picture), picture.note

    def told(self, now: ImageStory, before: ImageStory | None) -> dict[str, Any]:
        """Return a story as plain data, with what moved since the one before, and then with the pictures of both."""
        moved = [] if before is None else _moved(now, before)
        sides = [("", now)] if before is None or not moved else [("now", now), ("before", before)]
        pictures = [
            {"side": visible(" · ".join(filter(None, (key, name)))), "svg": svg, "note": visible(note)}
            for name, side in sides
            for key, svg, note in side.pictures
        ]
        return {
            "head": [],
            "lines": [],
            "moved": moved[:MOST_MOVED],
            "more_moved": max(0, len(moved) - MOST_MOVED),
            "how": now.how,
            "drawings": pictures,
            "blocks": document_data(self.kind.document(now.data))[2:],  # its titles are those of the page
        }

    def pictures(self, at: int) -> list[dict[str, str]]:
        """Return nothing: the pictures of an image are drawn with what is on them."""
        return []


def _labels_of(data: ImageData) -> Iterator[tuple[str, str]]:
    """Yield for each image the labels that it truly has, and those that were predicted, as texts."""
    if isinstance(data, Detections):
        names = data.labels.names
        sides = [(data.truth_image, data.truth_label), (data.row_image, data.row_label)]
        counts = [[Counter[int]() for _ in range(len(data))] for _ in sides]
        for found, (images, labels) in zip(counts, sides, strict=True):
            for image, label in zip(images.tolist(), labels.tolist(), strict=True):
                found[image][label] += 1
        for pair in zip(*counts, strict=True):
            true, predicted = (
                ", ".join(f"{many} {names[label]}" for label, many in sorted(one.items())) for one in pair
            )
            yield true, predicted
    elif isinstance(data, Classifications):
        names = data.labels.names
        best = dict(zip(data.row_datum[data.best_rows()].tolist(), data.best_rows().tolist(), strict=True))
        for at, true in enumerate(data.truth.tolist()):
            row = best.get(at)
            score = "" if row is None else f"{names[int(data.row_label[row])]} {float(data.row_score[row]):.3f}"
            yield names[true], score
    else:
        _, truths, predictions = data.each()
        for rows in zip(truths, predictions, strict=True):
            true, predicted = (", ".join(data.labels[at] for at in np.flatnonzero(row).tolist()) for row in rows)
            yield true, predicted


def _attributes(values: Mapping[str, Any]) -> list[str]:
    plain = ((name, value) for name, value in values.items() if isinstance(value, str | int | float | bool))
    return [f"{name} {value}" for name, value in plain if name not in _SHOWN_ELSEWHERE][:_MOST_ATTRIBUTES]


# ---- what moved on one image


def _moved(now: ImageStory, before: ImageStory) -> list[dict[str, Any]]:
    """Return what differs between two stories of an image; detections are only held against those of the same file."""
    is_same = now.predictions == before.predictions
    new, old = (dict(_facts(story.data, is_same)) for story in (now, before))
    found = []
    for path in dict.fromkeys((*old, *new)):
        was, is_now = old.get(path, ""), new.get(path, "")
        if was != is_now:
            state = "moved" if path in old and path in new else "new" if path in new else "gone"
            found.append({"path": list(path), "state": state, "now": is_now, "was": was})
    return found


def _facts(story: Mapping[str, Any], with_detections: bool) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield what a story says of an image as texts, each with its path."""
    yield ("score",), _text(story.get("score"))
    for key, part in story["keys"].items():
        above = (visible(str(key)),) if len(story["keys"]) > 1 else ()
        for name, value in part.items():
            if name == "detections" and not with_detections:
                continue
            title = {"groundtruths": "ground truth", "detections": "detection"}.get(name, name)
            for row, cells in _rows(value):
                yield (*above, *([title] if title != "notes" else []), *([visible(row)] if row else [])), cells


def _rows(value: Any) -> Iterable[tuple[str, str]]:
    """Return the rows of a part of a story: what each is found by, and its text."""
    if isinstance(value, Mapping):
        return [(str(name), _cells(one) if isinstance(one, Mapping) else _text(one)) for name, one in value.items()]
    if not isinstance(value, Sequence) or isinstance(value, str):
        return [("", _text(value))]
    first = _ROW_KEYS[:1] if all("id" in row for row in value) else _ROW_KEYS[1:]
    return [(" → ".join(str(row[name]) for name in first if name in row), _cells(row)) for row in value]


def _cells(row: Mapping[str, Any]) -> str:
    return " · ".join(_text(value) for name, value in row.items() if name not in _ASIDE)


def _text(value: Any) -> str:
    if value is None or isinstance(value, float):
        return numbers.format_score(value)
    return visible(value if isinstance(value, str) else dumps(value))


# ---- scoring


class GivenUp(Exception):
    """The exception that ends a scoring that nobody waits for any more."""


class ImagesInProgress:
    """A data set that is being read and scored as a whole, in a thread of its own, after an older one has ended.

    Args:
        name: What the board set is called.
        opened: The task.
        read: Reads the data set.
        version: The number of the text.
        meaning: What was compiled.
        older: What may still be scored, which was given up.
    """

    def __init__(
        self,
        name: str,
        opened: Opened,
        read: Callable[[], HeldImages],
        version: int,
        meaning: Any,
        older: ImagesInProgress | None,
    ) -> None:
        self.name, self.version, self._opened, self._read, self.meaning = name, version, opened, read, meaning
        self._what, self._found, self._error = "waiting for what was begun before", None, None
        self._is_given_up, self._began = False, time.monotonic()
        self._older = older
        self._thread = threading.Thread(target=self._work, daemon=True)  # it is started by the first step

    _found: BoardSet | None
    _error: Exception | None
    _older: ImagesInProgress | None

    @property
    def is_complete(self) -> bool:
        """Tell whether the evaluation has ended."""
        return self._thread.ident is not None and not self._thread.is_alive()

    @property
    def standing_still(self) -> float:
        """The seconds for which it has been going on, which it does as a whole."""
        return time.monotonic() - self._began

    def progress(self) -> dict[str, Any]:
        """Return what is being done."""
        return {"what": self._what}

    def is_due(self) -> bool:
        """Return False: there is nothing to show before all is done."""
        return False

    def give_up(self) -> None:
        """Stop before the next figure."""
        self._is_given_up = True

    def step(self, seconds: float) -> None:
        """Wait for some time; raise the error that ended the work, if one did."""
        if self._thread.ident is None:
            self._thread.start()
        self.wait(seconds)
        if self.is_complete and self._error is not None:
            raise self._error

    def wait(self, seconds: float | None = None) -> None:
        """Wait for its end, if it was begun, for some time or for good."""
        if self._thread.ident is not None:
            self._thread.join(seconds)

    def boards(self) -> BoardSet:
        """Return the board of the images."""
        assert self._found is not None
        return self._found

    def _check(self) -> None:
        if self._is_given_up:
            raise GivenUp("a newer text takes its place")

    def _work(self) -> None:
        try:
            if self._older is not None:
                self._older.wait()
                self._older = None
            self._check()
            self._what = "reading the files"
            held = self._read()
            self._check()
            self._what = f"scoring {counted(len(held), held.noun)} as a whole"
            board = self._scored(held)
            self._found = BoardSet(self.name, {"": board}, self.version, "table", True, self.meaning)
        except Exception as error:  # it is told by `step`
            self._error = error

    def _scored(self, held: HeldImages) -> ScoreBoard:
        task = self._opened.task
        check_images(task.spec, held.kind.attributes(held.data))
        metrics = {metric.text: _Watched(metric, self._check) for metric in task.metrics}
        with input_errors():
            settings = held.kind.settings(task.spec, held.folder)
            done = held.kind.evaluate(settings, metrics, held.data, task.intervals, task.seed, 1)
        about = {"task": {"name": task.name, "version": task.version}, "signature": task.signature, "seed": task.seed}
        return _board(held, task, done.records, {**about, **done.data})


class _Watched:
    """A metric that looks whether anybody still waits for it before it computes anything."""

    def __init__(self, metric: Any, check: Callable[[], None]) -> None:
        self._metric, self._check = metric, check

    def __getattr__(self, name: str) -> Any:
        return getattr(self._metric, name)

    def __call__(self, table: Any) -> Any:
        self._check()
        return self._metric(table)


def _board(held: HeldImages, task: CompiledTask, results: Results, summary: Mapping[str, Any]) -> ScoreBoard:
    """Return the board of results of images: with several label keys the score under each, and the numbers that a score
    is made of."""
    fields: dict[str, Any] = {}
    counts = set()
    for key, column in results.fields.items():
        before = f"{key}/" if len(results.fields) > 1 else ""
        if before:
            fields[key] = np.array(column.outcomes.values, dtype=np.float64)
        notes = {at: one.notes for at, one in column.outcomes.odd.items() if one.notes}
        for name in dict.fromkeys(name for one in notes.values() for name in one):
            values = {at: one[name] for at, one in notes.items() if type(one.get(name)) in (int, float)}
            if not values:
                continue
            fields[f"{before}{name}"] = found = np.full(len(results), np.nan)
            found[list(values)] = list(values.values())
            if all(type(value) is int for value in values.values()):
                counts.add(f"{before}{name}")
    reasons = {at: one.reason for at, one in results.outcomes.odd.items() if one.reason}
    return ScoreBoard(
        "",
        held,
        np.array(results.outcomes.values, dtype=np.float64),
        np.frombuffer(bytes(results.outcomes.statuses), dtype=np.uint8),
        np.frombuffer(bytes(results.passed), dtype=np.uint8),
        fields,
        reasons,
        summary,
        task,
        frozenset(counts),
    )


def read_images(opened: Opened, given: GivenData, most: int) -> tuple[HeldImages, bool]:
    """Return the data set of a task, of at most so many images, and whether there are more.

    Raises:
        InputError: when it can't be read.
    """
    for one_more in (1, 0):
        size = most + one_more if given.limit is None else min(given.limit, most + one_more)
        kind, _, data, files = data_set(opened, replace(given, limit=size).opened())
        held = HeldImages(kind, data, opened.folder, _source_name(files), "record" if _is_rows(data) else "image")
        if len(held) <= most:
            break
    return held, not one_more


def _source_name(files: Mapping[str, Any]) -> str:
    source = files.get("predictions", files["groundtruth"])
    return str(source.path if isinstance(source, WatchedFolder) else getattr(source, "name", source))


def _is_rows(data: Any) -> bool:
    return isinstance(data, DataSet) and any(isinstance(one.data, Classifications) for one in data.keyed.values())
