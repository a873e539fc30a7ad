"""Run an opened spec of any kind on data, and write the run folder."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from msgspec import Struct
from msgspec.structs import replace

from scoring.api.arguments import check_number, check_path, verb
from scoring.api.judging import WORKERS, opened_judge
from scoring.api.locked import locked_packs
from scoring.api.opening import SUITE_FILES, Opened
from scoring.api.run import Run, Stretched
from scoring.api.sources import GivenData, input_paths, inputs_of, spec_inputs, watch_source
from scoring.data.address import hide_credentials
from scoring.data.file import InputFile
from scoring.data.file_format import other_settings
from scoring.data.rows.batch import one_by_one
from scoring.data.rows.report import InputReport
from scoring.engine.road.evaluate import BATCH_SIZE, Lane, Options
from scoring.errors import InputError
from scoring.registry.effect import EffectOptions
from scoring.registry.extension import find_service, service

if TYPE_CHECKING:
    from scoring.engine.road.checkpoint import Checkpointer
    from scoring.engine.runs.folder import LineWriter, PartFiles, RunFolder

ProgressCallback: TypeAlias = Callable[[int, float | None], None]
"""Called with the number of finished records, and with the finished share of the input if it is known."""


class RunOptions(Struct, frozen=True):
    """Options for how a run is executed and written, explained by `scoring.evaluate`; none can change a number."""

    output: str | Path | None = None
    force: bool = False
    scores: Literal["jsonl", "parquet"] = "jsonl"
    html: bool = False
    plots: str | Path | None = None
    processes: int = 1
    batch_size: int | None = None
    judge: EffectOptions | None = None
    judge_workers: int = WORKERS
    keep_values: bool = True
    keep_records: bool = True
    state: Literal["exact", "sums"] = "exact"
    parts: str | Path | None = None
    part: str | None = None
    engine: str = "local"
    on_progress: ProgressCallback | None = None
    on_note: Callable[[str], None] | None = None
    write_back: str | Path | None = None
    rename: Callable[[Run], Run] | None = None
    """Replaces the names of input files in a repeated run by the recorded ones."""

    def check(self) -> None:
        """Check that the options are valid and consistent, before anything is read.

        Raises:
            InputError: for the first option that is not.
        """
        for name in ("processes", "batch_size", "judge_workers"):
            check_number(name, getattr(self, name), or_none=name == "batch_size")
        if self.scores not in ("jsonl", "parquet"):
            raise InputError(f"there is no layout `{self.scores}` of scores; there are jsonl and parquet")
        for what, path in (
            ("the run folder", self.output),
            ("the folder of the parts", self.parts),
            ("the folder of plots", self.plots),
        ):
            check_path(path)
            if path is not None and not str(path):
                raise InputError(f"{what} has no name: it is an empty text")
        if self.state not in ("exact", "sums"):
            raise InputError(f"there is no state `{self.state}`; there are exact and sums")
        if self.judge is not None and not hasattr(self.judge, "remembering"):
            name = self.judge[:40] if isinstance(self.judge, str) else "…"
            raise InputError(f"`judge` says how to ask: `JudgeOptions(model={name!r})`")
        is_loose = self.scores == "parquet" and not self.parts  # a folder of parts has scores of its own
        foldered = {
            "--html": self.html,
            "--scores parquet": is_loose,
            "--force": self.force and self.write_back is None,
        }
        if self.part and not self.parts:
            raise InputError("--part needs the folder of the parts: add --parts FOLDER")
        if self.part and self.output:
            raise InputError("--part scores one part; `scoring merge` makes the run folder of all")
        kept = (("--html", self.html), ("--plots", self.plots), ("--write-back", self.write_back is not None))
        for option, is_set in kept:
            if is_set and (self.parts or self.engine != "local"):
                raise InputError(f"{option} needs the records, which a run in parts does not keep; leave one out")
        for option, value in foldered.items():
            if value and not self.output:
                raise InputError(f"{option} needs a run folder: add --output FOLDER")

    def options(self, asks_judge: bool) -> Options:
        """Return the options for the engine; `asks_judge` is whether the task calls a judge, and so needs threads,
        unless its replies are all read from a file."""
        workers = (self.judge.workers if self.judge is not None else None) or self.judge_workers
        waits = asks_judge and (self.judge is None or self.judge.waits)
        return Options(
            self.processes,
            self.batch_size or BATCH_SIZE,
            lines=self.output is not None,
            keep="values" if self.keep_values or self.html else "columns" if self.keeps_results else "nothing",
            state=self.state,
            threads=workers if waits else 1,
        )

    @property
    def in_files(self) -> bool:
        """Whether each part writes a scores file of its own, instead of all parts adding to one."""
        return self.scores == "parquet" and bool(self.parts or self.engine != "local")

    @property
    def keeps_results(self) -> bool:
        """Whether the run keeps results in memory in addition to what it writes."""
        return bool(self.keep_values or self.keep_records or self.html or self.plots or self.write_back)

    def progress_callback(self, share: Callable[[int], float | None]) -> Callable[[int], None] | None:
        """Return the engine's progress callback, which calls `on_progress` with the count of records and the finished
        share of the input, as returned by `share`; None if there is no `on_progress`."""
        callback = self.on_progress
        return None if callback is None else lambda count: callback(count, share(count))


@verb
def run_opened(opened: Opened, given: GivenData, options: RunOptions | None = None) -> Run:
    """Score data by an opened spec, write the run folder if the options name one, and return the run.

    Raises:
        InputError: when the data can't be read, the folder must not be written to, or this kind of task does not
            support an option.
    """
    options = options or RunOptions()
    options.check()
    has_records = opened.joined is None or opened.joined.results is None
    _check_data(opened, given, has_records)
    for option, is_set in (("--parts", options.parts), ("--engine", options.engine != "local")):
        if is_set:
            opened.check_has(option)
    if options.state == "sums":
        opened.check_has("--state sums")
        service("portable-state", "--state sums")(opened.task, options.state)
    pages = service("run-pages", "--plots") if options.plots else None
    draw = pages.figures_in(options.plots, options.on_note) if pages else None
    folder = _folder_of(opened, given, options)
    if given.layout or (opened.kind == "rows" and ("layouts" in opened.task.spec.sections or given.log())):
        opened, given = service("laid-out", "`layouts:`")(opened, given, options.on_note)
    asks = opened.target.asks_judge and has_records
    back = options.write_back
    write_back = service("log-writer", "--write-back")(given, back, options.force) if back is not None else None
    with folder or nullcontext(), opened_judge(options.judge, needed=asks, on_note=options.on_note) as judge:
        given = replace(given, specs=spec_inputs(opened), on_note=options.on_note).opened()
        opened = opened.read_by(other_settings(given.input_format, given.reference_format))
        try:
            opening: AbstractContextManager[Any] = nullcontext()
            if folder and has_records:
                opening = nullcontext(folder.part_files()) if options.in_files else folder.scores(options.scores)
            with opening as writer:
                way = RunInProgress(opened, given, options, writer, folder)
                way.begin()
                run = way.run()
            judge_settings = options.judge.settings(judge) if options.judge is not None else {}
            run = dataclasses.replace(run, settings={**way.settings(), **judge_settings})
            run = run if options.rename is None else options.rename(run)
            if folder is not None:
                run.finish(folder, html=options.html)
            for use in filter(None, (draw, write_back)):
                use(run)
        except OSError as error:
            if folder is None:
                raise
            from scoring.data.os_errors import refused

            raise InputError(f"can't write {hide_credentials(str(options.output))}: {refused(error)}") from error
        except KeyboardInterrupt:
            # It may come before there is a way: the folder is opened first.
            if folder is not None and folder.is_in_parts is not None and options.on_note is not None:
                options.on_note(f"what was scored stands in {options.output}; the same command goes on behind it")
            raise
    return run


def _folder_of(opened: Opened, given: GivenData, options: RunOptions) -> RunFolder | None:
    """Return the run folder that the options name, or None if they name none.

    Raises:
        InputError: when it must not be written to, or one of the inputs is in it.
    """
    if not options.output:
        return None
    from scoring.engine.runs.stored import refuse_inputs, run_folder

    folder = run_folder(options.output, options.force)
    cache = options.judge.cache if options.judge is not None else None
    refuse_inputs(folder, input_paths(opened, given, cache, options.parts))
    return folder


def _check_data(opened: Opened, given: GivenData, has_records: bool) -> None:
    check_number("limit", given.limit)
    if opened.kind != "rows" and len(given.parts) > 1:
        raise InputError(f"a {opened.kind} takes one file or folder of references, not {len(given.parts)}")
    if opened.kind == "rows" and given.data is None:
        raise InputError(f"which records? DATA is missing; write `scoring score {opened.spec or 'SPEC'} answers.jsonl`")
    if opened.joined is not None:
        if opened.files.get("results") and given.data is not None:
            raise InputError("give DATA to score or --results to compute from, not both")
        if has_records and given.data is None:
            raise InputError(f"a {opened.kind} needs DATA to score, or --results to be computed from")


class RunInProgress(Struct, frozen=True):
    """A run in progress, which reads the given data and writes to the folder that the options name."""

    opened: Opened
    given: GivenData
    options: RunOptions
    writer: LineWriter | PartFiles | None
    folder: RunFolder | None

    def begin(self) -> None:
        """Register the run in its folder, if it has one; an interrupted run with the same settings there is resumed."""
        if self.folder is None:
            return
        from scoring.engine.runs.texts import texts_of
        from scoring.format.bundle import text_digest

        target = self.opened.target
        about = {"signature": target.signature, **target.reads, **self.settings()}
        if self.folder.begin(about, self.given.stamps(), text_digest(texts_of(target))):
            self.note("the spec was edited since this run was stopped; it means the same, so it goes on")

    def run(self) -> Run:
        """Score everything and return the run."""
        if self.opened.joined is None:
            if self.opened.kind == "rows":
                return self.rows()
            from scoring.api.data_sets import run_over_data_set

            return run_over_data_set(self.opened, self.given, self.options.processes, self.line_writer(), self.inputs)
        from scoring.registry.spec_kind import spec_kind

        done: Run = spec_kind(self.opened.kind).run(self)
        return done

    def note(self, text: str) -> None:
        """Call the option `on_note`, if it is given, with a remark about the run."""
        if self.options.on_note is not None:
            self.options.on_note(text)

    def settings(self) -> dict[str, Any]:
        """Return the settings for the manifest with which the run can be repeated, without options of output."""
        opened, options = self.opened, self.options
        files = {} if opened.joined is None else {name: opened.files.get(name) for name in SUITE_FILES}
        own = {"spec": opened.spec or None, "by": list(opened.by), "dialect": opened.dialect}
        state = {"state": options.state} if options.state != "exact" else {}
        part = {"part": True} if options.part else {}  # whose data is one part's alone
        # A run that is made again is told where its packs came from; no project of this machine has a say.
        locked = locked_packs(opened.folder, opened.recipe) if options.rename is None else {}
        return {**own, **self.given.settings(), **files, **state, **part, **({"locked": locked} if locked else {})}

    def is_kept(self) -> bool:
        """Return whether the run can be resumed if it is interrupted.

        This requires a folder, a task that calls no judge, and results that are not kept in memory.
        """
        is_resumable = self.folder is not None and self.folder.is_resumable
        return is_resumable and not self.options.keeps_results and not self.opened.target.asks_judge

    def keeper(self, sources: Sequence[Any]) -> Checkpointer | None:
        """Return an object that saves checkpoints while the inputs `sources` are scored; None if not resumable."""
        files = [source for source in sources if isinstance(source, InputFile)]
        folder, writer = self.folder, self.line_writer()
        if folder is None or writer is None or len(files) < len(sources) or not self.is_kept():
            return None
        from scoring.engine.road.checkpoint import Checkpointer

        return Checkpointer(folder, writer, files, self.options.on_note)

    def line_writer(self) -> LineWriter | None:
        """Return the writer of the scores file; None if none is written."""
        assert not self.options.in_files, "which are written by parts alone"
        return cast("LineWriter | None", self.writer)

    def inputs(self, used: Sequence[tuple[str, Any]]) -> tuple[Mapping[str, Any], ...]:
        """Return the manifest entries of all inputs, of which `used` are those of the data with their roles."""
        return inputs_of(self.given, used, self.options.on_note)

    def rows(self) -> Run:
        """Score the records of a task."""
        sides = [(role, watch_source(source)) for role, source in self.given.sides()]
        given = replace(self.given, data=_file(self.given.data), references=_file(self.given.references))
        way, folder = replace(self, given=given), self.folder
        in_parts = bool(self.options.parts) or self.options.engine != "local"
        if not in_parts and not self.options.keeps_results:
            # What stands of a run that was stopped says how it goes on, with however many processes.
            before = folder.is_in_parts if folder is not None and self.is_kept() else None
            in_parts = (self.options.processes > 1 if before is None else before) and _can_be_cut(self.opened, given)
        return way.in_parts(sides) if in_parts else way.in_one(sides)

    def in_parts(self, sides: Sequence[tuple[str, Any]]) -> Run:
        """Score the records of a task in parts; `sides` are the inputs with their roles, for the manifest."""
        folder, settings, options = self.folder, self.settings(), self.options
        is_local = not options.parts and options.engine == "local"
        keep_in = folder if self.is_kept() and is_local else None
        if keep_in is not None and keep_in.is_in_parts:
            self.note(f"goes on from the parts that stand in {keep_in.path}")

        def about() -> dict[str, Any]:  # once the data was cut, and read for that
            return {"inputs": self.inputs(sides), "settings": settings}

        score = service("run-in-parts", "--engine" if not is_local and not options.parts else "--parts")
        done: Run = score(self.opened, self.given, options, keep_in, self.writer, about)
        return done

    def in_one(self, sides: Sequence[tuple[str, Any]]) -> Run:
        """Score the records of a task one by one; `sides` are the inputs with their roles, for the manifest."""
        from scoring.engine.road.run import run_batches

        given, options, task, report = self.given, self.options, self.opened.task, InputReport()
        is_small = options.state == "sums"
        if is_small:
            report.add("uncompared_ids", "--state sums")
        done = run_batches(
            task,
            given.batches(task, report, compare_ids=not is_small),
            options=options.options(task.asks_judge),
            report=report,
            writer=self.line_writer(),
            on_progress=options.progress_callback(given.fraction),
            keeper=self.keeper([source for _, source in given.sides()]),
        )

        def read_again(wanted: set[int]) -> dict[int, Any]:
            if isinstance(given.data, Iterator):  # it can be read only once
                return {}
            if any(isinstance(source, InputFile) and source.is_changed() for _, source in given.sides()):
                return {}  # what stands there now is not what was scored
            read = task.reader_of("response")
            items = enumerate(one_by_one(replace(given, on_note=None).batches(task, InputReport())))
            return {place: read(item.record) for place, item in items if place in wanted and item.record is not None}

        parts = (Stretched(None, done.places, done.records),)
        return Run(task, "rows", done.summary, parts, inputs=self.inputs(sides), responses=read_again)


def _file(source: Any) -> Any:
    """Return a folder as an input of several files that are hashed as they are read; anything else unchanged."""
    return InputFile(str(source)).watch() if isinstance(source, Path) else source


def _can_be_cut(opened: Opened, given: GivenData) -> bool:
    """Return whether the data can be cut into parts that several processes read themselves."""
    why_whole = find_service("why-whole")
    return why_whole is not None and why_whole(opened, given) is None


def lanes_of(opened: Opened, given: GivenData, report: InputReport) -> Sequence[Lane]:
    """Return the tasks to run, each with its records: the spec's own task, or those of a suite.

    Raises:
        InputError: when a file can't be read.
    """
    if opened.joined is None:
        return [Lane(opened.task, given.batches(opened.task, report))]
    from scoring.registry.spec_kind import spec_kind

    return spec_kind(opened.kind).lanes(opened, given, report)
