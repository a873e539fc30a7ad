"""The inputs of verbs: files, folders, pipes, and tables in memory."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from scoring.api.paths import check_paths
from scoring.compiler.tasks.task import CompiledTask
from scoring.data.address import is_address
from scoring.data.file import InputFile, describe_folder, describe_input
from scoring.data.file_format import holds_rows, unpacked_name
from scoring.data.rows.batch import LOOKED_AT, Batch, in_batches, single, split_at
from scoring.data.rows.memory import blocks_of_source, rows_of, shape_of
from scoring.data.rows.report import InputReport
from scoring.data.rows.row import first_rows
from scoring.data.streams import read_whole
from scoring.engine.road.census import foreseen
from scoring.engine.road.evaluate import counted_nulls
from scoring.errors import InputError
from scoring.format.read import similar_file
from scoring.registry.extension import service
from scoring.registry.plugins import FORMATS, LOGS

if TYPE_CHECKING:
    from scoring.api.opening import Opened

MEMORY = "memory"
"""The kind of an input that was in memory."""
PART = "part"
"""The kind of an input that is one part of a run, scored separately."""
_FILES = (str, Path, InputFile)
_HEAD = 1 << 16


class GivenData(Struct, frozen=True):
    """The data of a run, as given by the caller.

    Args:
        data: The records, or just the predictions if references are separate: a path (``-`` is standard input), an
            iterable of mappings, a data frame, or an Arrow table.
        references: The references to join to the predictions by id, in any of these forms, or paths of several files
            with parts of them.
        input_format: The format of ``data``, such as ``csv,delimiter=tab``.
        limit: The maximum number of records to score, for a suite of each task; None for all.
        specs: The manifest entries of the files that the spec was read from.
        on_note: Called with each finding about the first records, as a line of text.
        reference_format: The format of ``references``.
        layout: The layout of the files, one of those that the task names; None for the one that fits.
    """

    data: Any = None
    references: Any = None
    input_format: str | None = None
    limit: int | None = None
    specs: Sequence[Mapping[str, Any]] = ()
    on_note: Callable[[str], None] | None = None
    reference_format: str | None = None
    layout: str | None = None

    def opened(self) -> GivenData:
        """Return a copy with opened files in place of paths; each is hashed as it is read.

        Raises:
            InputError: when there is no such file.
        """
        data = source(self.data, self.input_format)
        how = self.reference_format, "--reference-format"
        references = [source(one, *how) for one in self.parts]
        for side in (data, *references):  # the files of a folder are told by those that look into it
            if isinstance(side, InputFile):
                side.watch()
                if self.on_note is not None and any(one.is_guessed for one in side.files):
                    self.on_note(f"{side.name} is read as plain text, a record for each line (the format `lines`)")
        return replace(self, data=data, references=references if len(references) > 1 else references[0])

    def batches(self, task: CompiledTask, report: InputReport, *, compare_ids: bool = True) -> Iterator[Batch]:
        """Return an iterator over the records for a task in batches, after checking the first ones.

        Args:
            task: The task that will score them.
            report: The report to which oddities of the input are added.
            compare_ids: Whether to search for repeated ids, which takes memory for each id.

        Raises:
            InputError: when a file can't be read.
            SpecError: when the spec names a path that none of the first records has.
        """
        sources = (self.data, *self.parts)
        has_many = task.spec.answers == "many"
        if self.references is None:
            if isinstance(self.data, InputFile):
                self.data.columns = task.columns
            blocks = blocks_of_source(self.data)
            blocks = blocks if self.limit is None else first_rows(blocks, self.limit)
            batches = single(blocks, task.record_ids, report, compare_ids=compare_ids and not has_many)
        else:
            from scoring.data.rows.join import join_by_id, rows_of_parts

            named = None
            if all(isinstance(side, InputFile) and side.format.shape == "fixed" for side in sources):
                # Both sides have the keys of their formats; it is odd only that the task names one without the side.
                named = {path.partition(".")[0].partition("[")[0] for path in task.spec.record.values()}
            gold = rows_of_parts(self.parts, task.record_id)
            items = join_by_id(rows_of(self.data), gold, task.record_id, report, named, has_many=has_many)
            batches = in_batches(islice(items, self.limit))
        first, rest = split_at(counted_nulls(task, sources, batches, report), LOOKED_AT)
        records = first.whole()
        check_paths(task, records, self._whole)
        if any(shape_of(source) == "columns" for source in sources):
            service("turned-columns", "data with typed columns")(task, sources, records, report)
        self.foretell(task, first)
        return chain([first], rest)

    def foretell(self, task: CompiledTask, first: Batch) -> None:
        """Report findings about the first records before the run; for short data they are reported only at the end."""
        if self.on_note is not None and len(first) >= LOOKED_AT:
            from scoring.report.of.summary import input_lines

            for line in input_lines(foreseen(task, first).to_json()):
                self.on_note(f"in the first {LOOKED_AT:,} records: {line}")

    def _whole(self) -> Iterable[Mapping[str, Any]]:
        """Return the first record with all its keys, in a list, if only some columns are read; otherwise nothing."""
        if isinstance(self.data, InputFile) and self.data.columns is not None:
            self.data.columns = None
            return [row.record for row in islice(rows_of(self.data), 1) if row.record is not None]
        return ()

    @property
    def parts(self) -> list[Any]:
        """The inputs with the references: usually one, or several files with parts of them."""
        is_files = isinstance(self.references, list) and all(isinstance(one, _FILES) for one in self.references)
        return self.references or [None] if is_files else [self.references]

    def fraction(self, done: int) -> float | None:
        """Return the finished fraction of the data, of which `done` records are scored; None if it is unknown."""
        read = self.data if self.references is None else self.references
        share = read.fraction() if isinstance(read, InputFile) else None
        return max(share or 0.0, min(1.0, done / self.limit)) if self.limit else share

    def log(self) -> str | None:
        """Return the name of the evaluation host whose log the data are, by the format that is stated, the file's
        suffix or its first bytes; None if they are no log."""
        if self.input_format is not None:
            stated = self.input_format.partition(",")[0]
            return stated if stated in LOGS else None
        if not isinstance(self.data, str | Path) or self.references is not None or not Path(self.data).is_file():
            return None
        name = str(self.data)
        suffix, head = Path(unpacked_name(name)).suffix, InputFile(name).head(_HEAD)
        marks = ((log, one) for log, alternatives in LOGS.items() for one in alternatives)
        found = (log for log in LOGS if suffix and suffix in FORMATS[log]["suffixes"])
        return next(found, None) or next(
            (log for log, one in marks if all(mark.encode() in head for mark in one)), None
        )

    def sides(self) -> list[tuple[str, Any]]:
        """Return the inputs of a run over records as pairs of the role (such as ``predictions``) and the input."""
        if self.references is None:
            return [("records", self.data)]
        return [("predictions", self.data), *(("references", one) for one in self.parts)]

    def stamps(self) -> list[Any]:
        """Return the current stamps of the files, which change whenever a file does."""
        sides = (self.data, *self.parts)
        files = [one.stamps() for one in sides if isinstance(one, InputFile)]
        return [*files, *(watch_source(one).stamps for one in sides if isinstance(one, Path))]

    def settings(self) -> dict[str, Any]:
        """Return the manifest's settings about the data; the name of data in memory is None."""
        return {
            "data": _name(self.data),
            "references": list(map(_name, self.parts)) if len(self.parts) > 1 else _name(self.references),
            "input_format": self.input_format,
            "limit": self.limit,
            **({} if self.reference_format is None else {"reference_format": self.reference_format}),
        }


def _name(data: Any) -> str | None:
    if isinstance(data, InputFile):
        return data.name
    return str(data) if isinstance(data, str | Path) else None


def source(data: Any, input_format: str | None = None, option: str = "--input-format") -> Any:
    """Return the file or folder that a path, pattern or address names (``-``: standard input); other values unchanged.

    `option` is the name of the option that gives the format, for messages.

    Raises:
        InputError: when there is no such file, or a format is given for something that is not a file.
    """
    is_path = isinstance(data, str | Path)
    if input_format is not None and (not is_path or Path(data).is_dir()):
        what = f"the folder {data}" if is_path else "the files that the spec names" if data is None else "a table"
        raise InputError(f"{option} is of a file that is given, not of {what}; leave it out")
    if not is_path:
        return data
    name = str(data)
    if name == "-":
        return InputFile(name, read_whole(sys.stdin.buffer, "standard input"), input_format)
    if Path(name).is_dir():
        return Path(name)
    file = InputFile(name, kind=input_format)
    if file.files[0] is file and not is_address(name) and not Path(name).exists():
        similar = similar_file(Path(name))
        raise InputError(f"can't read {name}: there is no such file{f'; did you mean `{similar}`?' if similar else ''}")
    return file


def watch_source(data: Any) -> Any:
    """Return an input prepared to detect changes: a file that is hashed as it is read, or a `WatchedFolder`."""
    if isinstance(data, InputFile):
        return data.watch()
    if isinstance(data, Path):
        from scoring.data.watched import WatchedFolder

        return WatchedFolder.of(data)
    return data


def input_paths(opened: Opened, given: GivenData, *more: str | Path | None) -> Iterator[str]:
    """Yield the names of all files and folders that a run reads, except data without a name."""
    sources: list[Any] = [opened.spec, *(source for _, source in given.sides()), *opened.files.values(), *more]
    if opened.joined is not None:
        sources += [*(path for _, path in opened.joined.files), opened.joined.results]
    elif opened.kind == "table":
        with suppress(ValueError, TypeError, OSError, InputError):  # told in earnest where they are read
            from scoring.registry.table_kind import table_kind

            spec = opened.task.spec
            sources += table_kind(str(spec.records)).sources(spec, opened.folder, given.parts[0], given.data).values()
    yield from (str(one) for one in sources if isinstance(one, str | Path) and str(one) not in ("", "-"))
    yield from (one.address for one in sources if isinstance(one, InputFile))


def spec_inputs(opened: Opened) -> tuple[dict[str, Any], ...]:
    """Return the manifest entries of the files that the spec was read from.

    The digest of a spec is that of the text that was compiled, even if its file has changed since. A shipped file that
    is given by its name has no entry.
    """
    is_file = bool(opened.spec) and Path(opened.spec).is_file() and not holds_rows(opened.spec)
    files = [("spec", InputFile(opened.spec, kind="spec"))] if is_file else []
    if opened.joined is not None:
        files += [(role, InputFile(str(path))) for role, path in opened.joined.files]
        results = opened.joined.results
        if results is not None and results.is_file():  # one that is missing is told by those that read it
            files.append(("task results", InputFile(str(results))))
    found = [_describe_input(role, data) for role, data in files]
    read = opened.texts
    for entry in found:
        text = read.get(Path(entry["name"]))
        if text is not None and entry["sha256"] != (sha256 := hashlib.sha256(text).hexdigest()):
            entry |= {"bytes": len(text), "sha256": sha256, "changed": True}
    return tuple(found)


def inputs_of(
    given: GivenData, used: Sequence[tuple[str, Any]], on_note: Callable[[str], None] | None
) -> tuple[Mapping[str, Any], ...]:
    """Return the manifest entries of the spec's files, then of the inputs in `used`: pairs of a role and an input.

    `on_note` is called with a line for each file that changed while it was read.
    """
    found = (*given.specs, *(_describe_input(role, data) for role, data in used))
    for entry in found:
        if entry.get("changed") and on_note is not None:
            on_note(f"{entry['name']} changed while it was read; the manifest has the digest of what was scored")
    return found


def _describe_input(role: str, data: Any) -> dict[str, Any]:
    """Return the manifest entry of an input; data in memory are marked as such, since they can't be read again."""
    if isinstance(data, InputFile):
        return describe_input(role, data)
    from scoring.data.watched import WatchedFolder

    if isinstance(data, WatchedFolder):
        found = describe_folder(role, data.path)
        data.check()
        return found
    return {"role": role, "name": type(data).__name__, "kind": MEMORY, "bytes": 0, "sha256": ""}
