"""Runs in parts: scored by several processes or machines, or one after another, and merged into one run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from scoring.api.arguments import verb
from scoring.api.opening import Opened
from scoring.api.run import Run, Stretched
from scoring.api.running import RunOptions
from scoring.api.sources import PART, GivenData
from scoring.compiler.tasks.serialize import task_from_bytes, task_to_bytes
from scoring.compiler.tasks.task import CompiledTask
from scoring.data.file import InputFile
from scoring.data.file_format import other_settings
from scoring.data.output import OpenFolder
from scoring.data.plain_files import open_plain
from scoring.data.rows.read import read_blocks
from scoring.data.rows.report import InputReport
from scoring.data.slice import Slice
from scoring.engine.road.drive import Workers, in_requested_order
from scoring.engine.road.evaluate import Options
from scoring.engine.runs.folder import LineWriter, PartFiles, RunFolder
from scoring.engine.runs.stored import refuse_inputs, run_folder
from scoring.errors import InputError
from scoring.extensions.wide.cutting import SIZE, cut, uncut, whole_part, with_line_counts
from scoring.extensions.wide.folder import PartsFolder, PartsHead, StoredPart, read_head, read_parts
from scoring.extensions.wide.part import (
    Joined,
    NameOf,
    PartDone,
    PartScorer,
    check_portable,
    name_in,
    parquet_scores,
    scored_parts,
    workers_for,
)
from scoring.extensions.wide.remote.engines import counted_by
from scoring.outcomes import Results

_LINES = 4096
_LEAST = 1 << 18
"""Parts of fewer bytes than this are scored in less time than a process takes to start."""


class InParts(Struct, frozen=True):
    """The settings of a run that is scored in parts (slices of the data).

    Args:
        options: The options for scoring parts.
        folder: The folder that keeps the parts, so that a stopped run can be resumed; None for none.
        one: Which part of the whole data is given, such as ``3/10`` for the third of ten; None to cut it into parts.
        on_part: Called with the number of records done and the share of parts done.
        engine: The engine whose workers score: ``local`` processes, ``ray`` or ``spark``.
        layout: The layout of the parts' records, ``jsonl`` or ``parquet``.
        bytes: The size of a part in bytes, if it is fixed; see `size`.
        within: The open folder to which ``folder`` is relative, if any.
        on_note: Called with a line about anything worth knowing besides the result.
    """

    options: Options
    folder: Path | None = None
    one: str | None = None
    on_part: Callable[[int, float], None] = field(default=lambda records, share: None)
    engine: str = "local"
    layout: str = "jsonl"
    bytes: int | None = None
    within: OpenFolder | None = None
    on_note: Callable[[str], None] | None = None

    def size(self, file: InputFile) -> int:
        """Return the approximate size in bytes of the parts into which to cut a file; if parts are kept, it does not
        depend on the number of workers."""
        if self.bytes is not None:
            return self.bytes
        if self.folder is not None or self.engine != "local":
            return SIZE
        return min(SIZE, max(_LEAST, file.size // (4 * self.options.processes)))

    def kept_in(self, folder: RunFolder, given: GivenData) -> InParts:
        """Return these settings changed so that the parts are kept in the run's folder until the run is complete.

        A resumed run uses the part size of its existing parts, whatever the number of processes.

        Args:
            folder: The run folder.
            given: The data of the run.
        """
        existing, file = folder.parts, _file(given)
        size = int(existing.name.rpartition(".")[2]) if existing is not None else self.size(file) if file else SIZE
        return replace(self, folder=folder.parts_of(size), bytes=size, within=folder.unfinished)

    def place(self) -> tuple[int, int | None]:
        """Return the index (from 0) of the part that `one` names, or 0 if `one` is None, and the number of all parts,
        or None if unknown.

        Raises:
            InputError: when `one` is not a number or of the form ``3/10``.
        """
        if self.one is None:
            return 0, None
        number, _, total = self.one.partition("/")
        # A number without a total is a part of an unknown number; a truncated one (`3/`) is invalid.
        if not (number.isdecimal() and (total or number).isdecimal() and 0 < int(number) <= int(total or number)) or (
            "/" in self.one and not total
        ):
            raise InputError(f"--part {self.one} is not a part: write 3/10 for the third of ten")
        return int(number) - 1, int(total) if total else None


def why_whole(opened: Opened, given: GivenData) -> str | None:
    """Return the reason why a run's data can't be cut into parts and must be scored as a whole; None if they can be
    cut.

    Args:
        opened: The spec of the run.
        given: The data of the run.
    """
    if opened.target.asks_judge:
        return "a task that asks a judge makes many calls at once in one process, and its cache lets it continue"
    if given.references is not None:
        return "predictions and references are joined as a whole; join them to one file first"
    if given.limit is not None:
        return "a limit counts records from the first; leave it out"
    file = _file(given)
    return "parts are of files; give the path of one" if file is None or file.name == "-" else uncut(file)


def _file(given: GivenData) -> InputFile | None:
    """Return the file with the data of a run, or the folder, as an input file; None if the data is not in files."""
    if isinstance(given.data, Path):
        return InputFile(str(given.data))
    return given.data if isinstance(given.data, InputFile) else None


def parts_of_run(
    opened: Opened,
    given: GivenData,
    options: RunOptions,
    keep_in: RunFolder | None,
    writer: LineWriter | PartFiles | None,
    about: Callable[[], Mapping[str, Any]],
) -> Run:
    """Score a file in parts, according to the options of a run, and return the run merged from them.

    Args:
        opened: The spec.
        given: The data.
        options: The options of the run.
        keep_in: The run's own folder, if parts are kept there until the run is complete.
        writer: The writer for the run's records; None to write none.
        about: Returns the entries of the parts' manifest about data and settings; called after the data was cut.

    Raises:
        InputError: when the data or the metrics can't be scored in parts, or a folder contains parts of something else.
    """
    folder = Path(options.parts) if options.parts else None
    tell = options.on_progress or (lambda records, share: None)
    layout = "parquet" if options.in_files else "jsonl"
    how = InParts(options.options(False), folder, options.part, tell, options.engine, layout, on_note=options.on_note)
    how = how if keep_in is None else how.kept_in(keep_in, given)
    return rows_in_parts(opened, given, how, writer, about)


def rows_in_parts(
    opened: Opened,
    given: GivenData,
    how: InParts,
    writer: LineWriter | PartFiles | None,
    about: Callable[[], Mapping[str, Any]],
) -> Run:
    """Score a file in parts, and return the run merged from them.

    Args:
        opened: The spec.
        given: The data.
        how: The settings for the parts.
        writer: The writer for the run's records; None to write none.
        about: Returns the entries of the parts' manifest about data and settings; called after the data was cut.

    Raises:
        InputError: when the data or the metrics can't be scored in parts, or a folder contains parts of something else.
    """
    task, file = opened.task, _file(given)
    why = why_whole(opened, given)
    if file is None or (why is not None and not (how.one and why == uncut(file))):
        raise InputError(f"this run can't be made in parts: {why}")
    check_portable(task, how.options.state)
    blocks = read_blocks(InputFile.of(file.part), may_be_empty=True)  # a part may have no records
    if how.one is None or next(blocks, None) is not None:
        given.batches(task, InputReport())  # raises for faults of all records before any is scored
    first, of = how.place()
    bundle, lines = task_to_bytes(task), writer is not None or how.folder is not None
    scorer = PartScorer(bundle, replace(how.options, lines=lines), how.layout)
    found = [whole_part(file)] if how.one else list(cut(file, how.size(file)))
    with workers_for(scorer, how.engine, min(how.options.processes, len(found))) as workers:
        count = with_line_counts(found) if workers is None or how.engine == "local" else counted_by(workers, found)
        parts = dict(enumerate(count, start=first))
        meaning, state = task.signature.meaning, how.options.state
        total = of if how.one else len(parts)
        head = PartsHead(bundle.decode(), meaning, state, total, scores=how.layout, **about())

        def name_of(place: int, position: int) -> tuple[Any, str]:
            return name_in(task, parts[place], position)

        if how.folder is not None:
            advice = "use a new folder" if how.bytes is None else "score it again with --force"
            kept = PartsFolder(how.folder, head, advice, how.within)
            if how.within is None and how.on_note is not None and kept.texts != head.bundle:  # else the run reports it
                how.on_note(
                    "the spec was edited since the first part was scored; it means the same, so both are joined"
                )
            stored = _kept(kept, scorer, parts, how, workers)
            return _joined(task, head, [(one.place, one.done, _lines_of(one)) for one in stored], name_of, writer)
        ordered = _with_progress(in_requested_order(scored_parts(scorer, parts.items(), workers), parts), parts, how)
        return _joined(task, head, ((place, one, [one.lines]) for place, one in ordered), name_of, writer)


def _kept(
    folder: PartsFolder, scorer: PartScorer, parts: Mapping[int, Slice], how: InParts, workers: Workers | None
) -> list[StoredPart]:
    """Return all parts of a run as stored in the folder, after scoring those that are missing.

    Args:
        folder: The folder.
        scorer: The scorer of the parts.
        parts: The rows of each part, by its position.
        how: The settings of the run, whose function `on_part` is called after each part.
        workers: The workers that score; None for this process.
    """
    stored = {place: one for place, part in parts.items() if (one := folder.standing(place, part)) is not None}
    missing = [(place, part) for place, part in parts.items() if place not in stored]
    for place, done in scored_parts(scorer, missing, workers):
        stored[place] = folder.write(place, parts[place], done)
        how.on_part(sum(one.done.records for one in stored.values()), len(stored) / len(parts))
    return [stored[place] for place in sorted(stored)]


def _with_progress(
    found: Iterable[tuple[int, PartDone]], parts: Mapping[int, Slice], how: InParts
) -> Iterator[tuple[int, PartDone]]:
    records = 0
    for number, (place, done) in enumerate(found, start=1):
        records += done.records
        how.on_part(records, number / len(parts))
        yield place, done


def _joined(
    task: CompiledTask,
    head: PartsHead,
    parts: Iterable[tuple[int, PartDone, Iterable[bytes]]],
    name_of: NameOf,
    writer: LineWriter | PartFiles | None,
) -> Run:
    joined = Joined(task, head.state == "sums", name_of)
    for place, done, lines in parts:
        joined.add(place, done)
        if isinstance(writer, PartFiles):
            writer.write_part(place, lines)
        elif writer is not None:
            for chunk in lines:
                writer.write_content(chunk)
    nothing = (Stretched(None, (), Results.of([])),)
    return Run(task, "rows", joined.summary(), nothing, inputs=head.inputs, settings=head.settings or {})


def _lines_of(part: StoredPart) -> Iterator[bytes]:
    """Yield the lines of a stored part's file of records, some lines at a time, as bytes."""
    with open_plain(part.lines) as stream:
        while lines := stream.readlines(_LINES * 256):
            yield b"".join(lines)


@verb
def merge(
    parts: str | Path | Sequence[str | Path],
    output: str | Path | None = None,
    *,
    force: bool = False,
    scores: Literal["jsonl", "parquet"] | None = None,
    html: bool = False,
    on_note: Callable[[str], None] | None = None,
) -> Run:
    """Merge parts that were scored separately into a run: bit for bit as if one process had scored all of the data.

    The folders contain the task, so neither its files nor the data are needed.

    Args:
        parts: What ``scoring score --parts FOLDER`` has written: one folder, or several.
        output: The run folder, if one is to be written.
        force: Whether to replace an older run in the run folder.
        scores: The format of the scores file, by default that of the parts. Parquet parts stay separate files,
            `scores/part-00001.parquet` and so on; with ``parquet``, parts that are lines become one `scores.parquet`.
        html: Whether to add a page, ``report.html``, to the run folder.
        on_note: Called with a line about anything worth knowing besides the result.

    Raises:
        InputError: when parts belong to several runs, one exists twice, two have rows in common, or one is missing; for
            a format that the parts can't have; for options of a run folder where none is written.

    Examples:
        >>> import tempfile, scoring
        >>> spec, data = "specs/quickstart/invoices.yaml", "specs/quickstart/invoices.jsonl"
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     run = scoring.evaluate(spec, data, parts=folder)
        ...     scoring.runs.merge(folder).metrics == run.metrics
        True
    """
    folders = [Path(one) for one in ([parts] if isinstance(parts, str | Path) else parts)]
    return merge_parts(folders, output, force=force, scores=scores, html=html, on_note=on_note)


def merge_parts(
    folders: Sequence[Path],
    output: str | Path | None = None,
    *,
    force: bool = False,
    scores: Literal["jsonl", "parquet"] | None = None,
    html: bool = False,
    rename: Callable[[Run], Run] = lambda run: run,
    on_note: Callable[[str], None] | None = None,
) -> Run:
    """Merge the parts in some folders into a run and return it, with the options of `merge`; `rename` is applied to the
    run before it is written, for instance to change the names of its input files."""
    if not folders:
        raise InputError("no folder of parts is given: name at least one")
    for option, is_given in (("--html", html), ("--force", force)):
        if is_given and output is None:
            raise InputError(f"{option} needs a run folder: add --output FOLDER")
    head, stored = read_parts(folders)
    other = next((one for one in folders if read_head(one).bundle != head.bundle), None)
    if other is not None and on_note is not None:
        on_note(f"the spec was edited between {folders[0]} and {other}; it means the same, and the run keeps the first")
    _check_layout(scores, head.scores, output)
    settings = other_settings((head.settings or {}).get("input_format"))
    task = task_from_bytes(head.bundle.encode()).read_by(settings)
    if task.signature.meaning != head.meaning:
        raise InputError(f"the parts mean {head.meaning}, and their task means {task.signature.meaning} here")
    by_place = {one.place: one for one in stored}

    def name(place: int, position: int) -> tuple[Any, str]:
        from scoring.data.json_read import parse

        if head.scores == "parquet":
            found: tuple[Any, str] = parquet_scores().name_at(by_place[place].lines, position)
            return found
        with open_plain(by_place[place].lines) as stream:
            record = parse(next(line for number, line in enumerate(stream) if number == position))
        return record["id"], record["where"]

    head = replace(head, inputs=_inputs(head, stored))
    finished = [(one.place, one.done, _lines_of(one)) for one in stored]
    if output is None:
        return _joined(task, head, finished, name, None)
    folder = run_folder(output, force)
    refuse_inputs(folder, folders)
    with folder:
        is_parquet = head.scores == "parquet"
        with nullcontext(folder.part_files()) if is_parquet else folder.scores(scores or head.scores) as writer:
            run = rename(_joined(task, head, finished, name, writer))
        run.finish(folder, html=html)
    return run


def _check_layout(wanted: str | None, stored: str, output: str | Path | None) -> None:
    if wanted not in (None, "jsonl", "parquet"):
        raise InputError(f"there is no layout `{wanted}` of scores; the layouts are jsonl and parquet")
    if wanted == "parquet" and not output:
        raise InputError("--scores parquet needs a run folder: add --output FOLDER")
    if wanted == "jsonl" and stored == "parquet":
        raise InputError("these parts hold their scores as Parquet, and stay so: leave out `--scores jsonl`")


def _inputs(head: PartsHead, parts: Sequence[StoredPart]) -> list[Mapping[str, Any]]:
    """Return the input files to list in the manifest of a merged run: the files that were cut into parts or, if the
    parts were scored from files of their own, the spec and these files.

    Args:
        head: The manifest of the parts.
        parts: The stored parts.
    """
    if not (head.settings or {}).get("part"):
        return list(head.inputs)
    spec = [entry for entry in head.inputs if entry["role"] == "spec"]
    files = ((one.rows["name"], one.rows["sha256"]) for one in parts)
    return [*spec, *({"role": "records", "name": name, "kind": PART, "bytes": 0, "sha256": sha} for name, sha in files)]
