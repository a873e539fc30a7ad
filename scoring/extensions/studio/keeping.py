"""Texts that become specs, and what they read of the data, which is kept for texts that read the same."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from scoring.api.opening import SUITE_FILES, Opened
from scoring.api.sources import GivenData
from scoring.compiler.tasks.compile import compile_task
from scoring.compiler.tasks.task import CompiledTask
from scoring.data.json_write import plain
from scoring.data.rows.batch import Batch
from scoring.data.rows.report import InputReport
from scoring.errors import InputError
from scoring.extensions.layouts.choosing import laid_out
from scoring.extensions.names.open_texts import OpenTextLoader, OpenTexts
from scoring.extensions.studio.boards import ScoreBoard, SetInProgress
from scoring.extensions.studio.images import HeldImages, ImagesInProgress, read_images
from scoring.extensions.studio.records import HeldRecords, LanesInProgress
from scoring.extensions.studio.settings import StudioSettings
from scoring.extensions.suites.model import Suite
from scoring.extensions.suites.results import read_results
from scoring.extensions.suites.run import recompute, run_of_summaries
from scoring.extensions.suites.running import suite_records
from scoring.format.model import Pack, TaskSpec
from scoring.registry.spec_kind import spec_kind

MOST_KEPT = 4
"""The most readings of the data that are kept."""
# What a data set is read by: the other keys change no image.
_READ_BY = ("records", "groundtruth", "predictions", "labels", "label_map", "filters")
_READ_IN = ("geometry", "rasterise")


def compiled_text(opened: OpenTexts, spec: str) -> Opened:
    """Return what is compiled of the text that stands for the file of a spec, and of those for the files of its tasks.

    Raises:
        SpecError: when they have mistakes.
        InputError: when it is no task and no suite.
    """
    path, loader = Path(spec), OpenTextLoader(opened)
    loaded = loader.text(opened.texts[path], path)
    if isinstance(loaded.spec, TaskSpec):
        return Opened(compile_task(loaded, loader)[0], spec, path.parent)
    if isinstance(loaded.spec, Pack):
        raise InputError("this is a pack, which scores nothing by itself; the studio is for tasks and suites")
    with opened.in_place():
        found = spec_kind(loaded.spec.kind).compile(loaded, None, dict.fromkeys(SUITE_FILES))
    return Opened(found, spec, path.parent)


def open_texts(question: Mapping[str, Any]) -> OpenTexts:
    """Return the texts that a question brings by the paths of their files."""
    return OpenTexts({Path(path): text for path, text in question["texts"].items()})


def tasks_by_file(texts: OpenTexts, opened: Opened) -> dict[str, list[str]]:
    """Return the names of the tasks in each spec file of a suite, by its path; tasks in files of other forms are left
    out."""
    found: dict[str, list[str]] = {}
    files = {*texts.read.values()}
    for task in opened.target.tasks if isinstance(opened.target, Suite) else ():
        path = task.compiled.parts.loaded.path
        if path in files:
            found.setdefault(str(path), []).append(task.name)
    return found


def meaning_of(opened: Opened) -> Any:
    """Return what two texts have in common that make the same of any data."""
    target: Any = opened.target
    tasks = target.tasks if isinstance(target, Suite) else ()
    return str(target.signature), target.spec.data, [one.compiled.spec.data for one in tasks]


class DataKeeper:
    """The data of a studio, as specs have read them.

    Args:
        settings: What the studio was opened with.
    """

    def __init__(self, settings: StudioSettings) -> None:
        self.settings = settings
        self.has_more = False
        self._kept: dict[str, Any] = {}
        self._newest: ImagesInProgress | None = None

    def begin(
        self,
        name: str,
        opened: Opened,
        version: int,
        given: GivenData | None = None,
        before: Mapping[str, ScoreBoard] | None = None,
    ) -> SetInProgress:
        """Start to score the data by a spec; records are read at once, images while it goes on.

        Args:
            name: What the results are called.
            opened: The spec.
            version: The number of the text.
            given: The data, if they are others than the studio's own.
            before: The boards of the text before, of which a suite's tasks keep those that they would make again.

        Raises:
            InputError: when the data can't be read.
            SpecError: when the spec names a path that no record has.
        """
        if opened.kind == "rows":
            opened, held = self._records(opened, self._given(opened))
            return LanesInProgress(name, "rows", {"": (opened.task, held)}, version, meaning_of(opened))
        if opened.kind == "table":
            own = given or self.settings.given()
            meaning, read = meaning_of(opened), partial(self._images, opened, own)
            self._newest = ImagesInProgress(name, opened, read, version, meaning, self._newest)
            return self._newest
        if isinstance(opened.target, Suite):
            return self._suite(name, opened, opened.target, version, before or {})
        raise InputError(f"the studio is for tasks and suites, not for a {opened.kind}; `scoring score` runs it")

    def _given(self, opened: Opened) -> GivenData:
        if self.settings.data is None:
            raise InputError(
                f"which records? DATA is missing; write `scoring studio {self.settings.spec} answers.jsonl`"
            )
        # One record more than are held, so that it is seen whether there are more.
        return replace(self.settings.given(), limit=self.settings.limit + 1)

    def _keep(self, key: Any, read: Any) -> Any:
        """Return what was read before under a key, or read it."""
        text = json.dumps(plain(key), default=str)
        found = self._kept.pop(text, None)
        if found is None:
            found = read()
        self._kept[text] = found  # the newest is the last
        while len(self._kept) > MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        held, self.has_more = found
        return held

    @property
    def _folder(self) -> Path:
        return Path(self.settings.data or ".").parent

    def _records(self, opened: Opened, given: GivenData) -> tuple[Opened, HeldRecords]:
        """Return a task as it reads the records, and the records."""
        opened, given = laid_out(opened, given)
        task, limit = opened.task, self.settings.limit

        def read() -> tuple[HeldRecords, bool]:
            report = InputReport()
            batch = Batch.join([Batch([], [], []), *given.opened().batches(task, report)])
            return HeldRecords(batch[:limit], report, self._folder), len(batch) > limit

        return opened, self._keep(_reads(task), read)

    def _suite(
        self, name: str, opened: Opened, suite: Suite, version: int, before: Mapping[str, ScoreBoard]
    ) -> SetInProgress:
        meaning = meaning_of(opened)
        if suite.results is not None:
            if self.settings.data is not None:
                raise InputError("this suite is computed from the file that `results` names; open it without DATA")
            report = InputReport()
            summary = recompute(suite, read_results(suite.results, report), report).summary
            return LanesInProgress(name, "suite", {}, version, meaning, lambda _: summary)
        given, limit = self._given(opened), self.settings.limit

        def read() -> tuple[tuple[dict[str, HeldRecords], InputReport], bool]:
            report = InputReport()
            tasks, _ = suite_records(opened, given.opened(), report)
            has_more = any(len(one.batch) > limit for one in tasks)
            if not any(len(one.batch) for one in tasks):
                raise InputError("the data holds no record of any task of the suite")
            held = {one.task.name: HeldRecords(one.batch[:limit], InputReport(), self._folder) for one in tasks}
            return (held, report), has_more

        tasks = [[one.name, one.shared, _reads(one.compiled)] for one in suite.tasks]
        held, report = self._keep([tasks, suite.spec.data.get("data")], read)

        def joined(summaries: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
            return run_of_summaries(suite, summaries, copy.deepcopy(report)).summary

        lanes = {one.name: (one.compiled, held[one.name]) for one in suite.tasks}
        known = {name: before[name] for name, lane in lanes.items() if _is_made_of(before.get(name), *lane)}
        return LanesInProgress(name, "suite", lanes, version, meaning, joined, known)

    def _images(self, opened: Opened, given: GivenData) -> HeldImages:
        """Return the data set of a task; called by the thread that scores it, of which there is one at a time."""
        spec = opened.task.spec
        settings = {name: spec.data.get(name) for name in _READ_BY if name in spec.data}
        settings |= {name: dict(spec.data["settings"]).get(name) for name in _READ_IN if "settings" in spec.data}
        files = [str(getattr(one, "address", one)) for one in (given.data, given.references)]
        key = [settings, str(opened.folder), files, given.limit]
        held: HeldImages = self._keep(key, lambda: read_images(opened, given, self.settings.limit))
        return held


def _is_made_of(board: ScoreBoard | None, task: CompiledTask, held: HeldRecords) -> bool:
    """Return whether a board is what a task makes of its records."""
    if board is None or board.task is None or board.held is not held:
        return False
    return (str(board.task.signature), board.task.spec.data) == (str(task.signature), task.spec.data)


def _reads(task: CompiledTask) -> Any:
    spec = task.spec
    return (sorted(spec.record.items()), spec.answers, spec.on_null, sorted(task.columns or ("*",)))
