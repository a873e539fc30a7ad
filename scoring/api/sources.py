"""Inputs of a verb: files, folders, pipes, and tables in memory."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.api.paths import check_paths, check_turned
from scoring.api.turned import LOOKED_AT
from scoring.compiler.task import CompiledTask
from scoring.data.address import is_address, stamp
from scoring.data.file import InputFile
from scoring.data.os_errors import refused
from scoring.data.plain_files import walked
from scoring.data.rows.join import Item, join_by_id, single
from scoring.data.rows.memory import blocks_or_rows, rows_of
from scoring.data.rows.report import InputReport
from scoring.data.streams import read_whole
from scoring.engine.road.census import foreseen
from scoring.engine.road.evaluate import counted_nulls
from scoring.errors import InputError, TableFault
from scoring.format.read import similar_file
from scoring.registry.table_kind import table_kind

if TYPE_CHECKING:
    from scoring.api.opening import Opened

MEMORY = "memory"
"""The kind of an input that was in memory."""
PART = "part"
"""The kind of an input that is one part of a run, scored separately."""


@dataclass(frozen=True, slots=True)
class GivenData:
    """The data of a run.

    Args:
        data: The records, or the predictions where references stand apart: a path (``-`` is standard input), a list of
            mappings, a data frame, an Arrow table.
        references: What they are joined to, likewise.
        input_format: The format of ``data``, such as ``csv,delimiter=tab``.
        limit: How many records are scored, of each task of a suite; all by default.
        specs: The files that the spec was read from, as a manifest names them.
        on_note: Told of what the first records foretell, where there are many.
    """

    data: Any = None
    references: Any = None
    input_format: str | None = None
    limit: int | None = None
    specs: Sequence[Mapping[str, Any]] = ()
    on_note: Callable[[str], None] | None = None

    def opened(self) -> GivenData:
        """Return the same with opened files instead of paths, each hashed as it is read.

        Raises:
            InputError: when there is no such file.
        """
        data, references = source(self.data, self.input_format), source(self.references)
        for held in (data, references):  # the files of a folder are told by those that look into it
            if isinstance(held, InputFile):
                held.watch()
        return GivenData(data, references, self.input_format, self.limit)

    def items(self, task: CompiledTask, report: InputReport, *, compare_ids: bool = True) -> Iterator[Item]:
        """Return the records of a row task.

        Args:
            task: The task.
            report: Told what is odd.
            compare_ids: Whether to look for ids that stand twice, which takes memory for each.

        Raises:
            InputError: when a file can't be read.
            SpecError: when the spec names a path that none of the first records has.
        """
        if self.references is None:
            if isinstance(self.data, InputFile):
                self.data.columns = task.columns
            items = single(blocks_or_rows(self.data), task.record_id, report, compare_ids=compare_ids)
        else:
            items = join_by_id(rows_of(self.data), rows_of(self.references), task.record_id, report)
        sources = (self.data, self.references)
        items = iter(counted_nulls(task, sources, islice(items, self.limit), report))
        first = list(islice(items, LOOKED_AT))
        records = whole_records(first)
        check_paths(task, records, self._whole)
        check_turned(task, sources, records, report)
        self.foretell(task, first)
        return chain(first, items)

    def foretell(self, task: CompiledTask, first: Sequence[Item]) -> None:
        """Report what the first records already show; with fewer records the end of the run reports it as soon."""
        if self.on_note is not None and len(first) >= LOOKED_AT:
            from scoring.report.of.summary import told_inputs

            for line in told_inputs(foreseen(task, first).to_json()):
                self.on_note(f"in the first {LOOKED_AT:,} records: {line}")

    def _whole(self) -> Iterable[Mapping[str, Any]]:
        """Return the first record with all that it has, even where only some columns are read."""
        if isinstance(self.data, InputFile) and self.data.columns is not None:
            self.data.columns = None
            return [row.record for row in islice(rows_of(self.data), 1) if row.record is not None]
        return ()

    def fraction(self) -> float | None:
        """Return how much of the data has been read, where that is known."""
        read = self.data if self.references is None else self.references
        return read.fraction() if isinstance(read, InputFile) else None

    def sides(self) -> list[tuple[str, Any]]:
        """Return the data with their roles in a run of records."""
        if self.references is None:
            return [("records", self.data)]
        return [("predictions", self.data), ("references", self.references)]

    def stamps(self) -> list[Any]:
        """Return the current stamps of the files."""
        held = (self.data, self.references)
        files = [one.stamps() for one in held if isinstance(one, InputFile)]
        return [*files, *(WatchedFolder.of(one).stamps for one in held if isinstance(one, Path))]

    def settings(self) -> dict[str, Any]:
        """Return the settings for a manifest; data in memory have no name."""
        return {
            "data": _name(self.data),
            "references": _name(self.references),
            "input_format": self.input_format,
            "limit": self.limit,
        }


def _name(given: Any) -> str | None:
    if isinstance(given, InputFile):
        return given.name
    return str(given) if isinstance(given, str | Path) else None


def source(given: Any, input_format: str | None = None) -> Any:
    """Return a path, pattern or address as the files or folder that it names; other values unchanged.

    Raises:
        InputError: when there is no such file, or a format is said of what has none.
    """
    is_path = isinstance(given, str | Path)
    if input_format is not None and (not is_path or Path(given).is_dir()):
        what = f"the folder {given}" if is_path else "the files that the spec names" if given is None else "a table"
        raise InputError(f"--input-format is of a file that is given, not of {what}; leave it out")
    if not is_path:
        return given
    name = str(given)
    if name == "-":
        return InputFile(name, read_whole(sys.stdin.buffer, "standard input"), input_format)
    if Path(name).is_dir():
        return Path(name)
    file = InputFile(name, kind=input_format)
    if file.files[0] is file and not is_address(name) and not Path(name).exists():
        meant = similar_file(Path(name))
        raise InputError(f"can't read {name}: there is no such file{f'; did you mean `{meant}`?' if meant else ''}")
    return file


@dataclass(frozen=True, slots=True)
class WatchedFolder:
    """A folder of images, with the stamps of its files before any of them was read."""

    path: Path
    stamps: Mapping[str, str]

    @classmethod
    def of(cls, path: Path) -> WatchedFolder:
        """Return the folder as it is now."""
        return cls(path, {str(file): stamp(str(file)) for file in sorted(walked(path))})

    def check(self) -> None:
        """Refuse a folder that is not as it was.

        Raises:
            InputError: naming it.
        """
        if WatchedFolder.of(self.path) != self:
            raise InputError(f"{self.path} changed while it was scored; score it again")


def watch_source(held: Any) -> Any:
    """Return a source that is hashed while it is read, or compared with its earlier state."""
    if isinstance(held, InputFile):
        return held.watch()
    return WatchedFolder.of(held) if isinstance(held, Path) else held


def whole_records(items: Iterable[Item]) -> list[Mapping[str, Any]]:
    """Return the records of some items that are whole: a reference without a prediction says nothing of where
    answers are."""
    return [item.record for item in items if item.record is not None and item.problem is None]


def input_paths(opened: Opened, given: GivenData, *more: str | Path | None) -> Iterator[str]:
    """Yield the files and folders of this machine that a run reads, if they have names."""
    held: list[Any] = [opened.spec, given.data, given.references, *opened.files.values(), *more]
    if opened.kind == "suite":
        held += [*(path for _, path in opened.suite.files), opened.suite.results]
    elif opened.kind == "images":
        with suppress(ValueError, TypeError, OSError, InputError):  # told in earnest where they are read
            spec = opened.task.spec
            held += table_kind(str(spec.records)).sources(spec, opened.folder, given.references, given.data).values()
    yield from (str(one) for one in held if isinstance(one, str | Path) and str(one) not in ("", "-"))
    yield from (one.address for one in held if isinstance(one, InputFile))


def spec_inputs(opened: Opened) -> tuple[dict[str, Any], ...]:
    """Return the files that the spec was read from as the manifest names them, at once: people go on with their specs.

    Of the spec and of tasks it is the text that was compiled, whatever stands in its file by now. A shipped suite is
    known by its digest alone.
    """
    from scoring.data.file_format import holds_rows

    is_file = bool(opened.spec) and Path(opened.spec).is_file() and not holds_rows(opened.spec)
    files = [("spec", InputFile(opened.spec, kind="spec"))] if is_file else []
    if opened.kind == "suite":
        files += [(role, InputFile(str(path))) for role, path in opened.suite.files]
        results = opened.suite.results
        if results is not None and results.is_file():  # one that is missing is told by those that read it
            files.append(("task results", InputFile(str(results))))
    found = [_describe_input(role, held) for role, held in files]
    read = opened.texts
    for entry in found:
        text = read.get(Path(entry["name"]))
        if text is not None and entry["sha256"] != (sha256 := hashlib.sha256(text).hexdigest()):
            entry |= {"bytes": len(text), "sha256": sha256, "changed": True}
    return tuple(found)


def inputs_of(
    given: GivenData, used: Sequence[tuple[str, Any]], on_note: Callable[[str], None] | None
) -> tuple[Mapping[str, Any], ...]:
    """Return every input as the manifest names it, the spec's own first."""
    found = (*given.specs, *(_describe_input(role, held) for role, held in used))
    for entry in found:
        if entry.get("changed") and on_note is not None:
            on_note(f"{entry['name']} changed while it was read; the manifest has the digest of what was scored")
    return found


def _describe_input(role: str, held: Any) -> dict[str, Any]:
    """Return an input for the manifest; data in memory are marked as such, since they can't be read again."""
    from scoring.engine.runs.manifest import describe_folder, describe_input

    if isinstance(held, InputFile):
        return describe_input(role, held)
    if isinstance(held, WatchedFolder):
        found = describe_folder(role, held.path)
        held.check()
        return found
    return {"role": role, "name": type(held).__name__, "kind": MEMORY, "bytes": 0, "sha256": ""}


@contextmanager
def input_errors() -> Iterator[None]:
    """Files of a data set that can't be scored, as one kind of error.

    Raises:
        InputError: with every fault and its place.
    """
    try:
        yield
    except TableFault as error:
        raise InputError(f"can't score the data set: {error}") from error
    except OSError as error:
        raise InputError(f"can't read {error.filename}: {refused(error)}") from error
