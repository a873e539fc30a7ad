"""Tasks: loaded from a file or from plain data, ready to score records and to evaluate data sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypedDict, Unpack

from scoring.api.arguments import check_kinds, in_words, verb
from scoring.api.columns import Columns
from scoring.api.json_references import ReferencesAs, host_parts, read_references
from scoring.api.opening import SUITE_FILES, Opened, SpecSource, open_spec, reopened
from scoring.api.sources import GivenData
from scoring.compiler.serialize import task_from_bytes, task_to_bytes
from scoring.compiler.task import CompiledTask
from scoring.diagnostics.diagnostic import Diagnostic, SpecError
from scoring.diagnostics.suggest import nearest
from scoring.registry.effect import EffectOptions
from scoring.result import MISSING, RecordResult

if TYPE_CHECKING:
    from scoring.api.run import Run
    from scoring.api.worker import TaskWorker

OPENING = ("dialect", "locked", "frozen", *SUITE_FILES)


class Task(CompiledTask):
    """A task that scores records and evaluates data sets."""

    warnings: tuple[Diagnostic, ...] = ()
    folder: Path | None = None
    opened: Opened | None = None

    def __repr__(self) -> str:
        over = f" over {self.spec.records}" if self.spec.records is not None else ""
        about = f"{self.name} {self.version}".rstrip() + over
        return f"<Task {about}: {', '.join(metric.text for metric in self.metrics)}>"

    def _repr_html_(self) -> str:
        import html

        return f"<code>{html.escape(repr(self))}</code>"

    def seeded(self, seed: int) -> Self:
        """Return the same task with another seed for everything that draws random numbers."""
        found = super().seeded(seed)
        found.warnings, found.folder, found.opened = self.warnings, self.folder, self.opened
        return found

    def to_bytes(self) -> bytes:
        """Return the task as one bundle: the spec, every pack that it imports, its dialect, its seed.

        It is JSON with a digest, never a pickle, and holds the texts as they were read. Pickle, cloudpickle and
        ``copy.deepcopy`` of a task go through it, so a task reaches machines where its files are not.

        Raises:
            InputError: when it is larger than 64 MB.

        Examples:
            >>> task = load({"kind": "task", "name": "t", "score": "equal"})
            >>> Task.from_bytes(task.to_bytes()).signature == task.signature
            True
        """
        return task_to_bytes(self)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return the task of a bundle: the same scores, figures and signature as where it was packed.

        No file is read: neither path nor pack of this machine has a say. The data of a task over images does not
        travel; give it to `evaluate`.

        Args:
            data: What `to_bytes` gave, from whatever source.

        Raises:
            InputError: for bytes that are no bundle, and for one that means something else with the primitives here.
            SpecError: when a spec in it is not in order.
        """
        found = task_from_bytes(data)
        task = cls(found.parts, found.seed)
        own = found.spec.data.get("by") or ()
        more = tuple(one for one in found.spec.by if one not in own)
        task.opened = Opened(found, dialect=found.parts.loader.dialect, by=more)
        return task

    def __reduce__(self) -> tuple[Callable[[bytes], Task], tuple[bytes]]:
        return type(self).from_bytes, (self.to_bytes(),)

    def score_parts(
        self,
        response: Any,
        reference: Any = MISSING,
        *,
        context: Any = None,
        id: Any = None,
        record: Any = None,
        references_as: ReferencesAs = "values",
    ) -> RecordResult:
        """Score one answer of which a host holds the parts, such as a trainer; the result can explain itself.

        Args:
            response: The model's raw response; None where there is none.
            reference: What it is compared with. `MISSING`, the default, is none, as is None, which is a reference
                only where the spec says ``on_null: value``.
            context: What expressions read as ``context.…``, by default that of ``record``.
            id: What the result is called, by default the id of ``record``.
            record: A mapping from which paths such as ``record.kind``, breakdowns and weights are read.
            references_as: ``json`` where the reference is a text that holds it as JSON.

        Raises:
            InputError: for ``json`` where the task reads no reference, or this one is no text.

        Examples:
            >>> task = load({"kind": "task", "name": "t", "parse": "json", "fields": {"a": "equal"}})
            >>> task.score_parts('{"a": 1}', '{"a": 1}', references_as="json").score
            1.0
        """
        if references_as != "values":
            (reference,) = read_references(self, [reference], references_as)
        return super().score_parts(response, reference, context=context, id=id, record=record)

    def score_columns(
        self,
        responses: Any,
        references: Any,
        *,
        contexts: Any = None,
        ids: Any = None,
        records: Any = None,
        references_as: ReferencesAs = "values",
    ) -> Columns:
        """Score many answers of which a host holds the parts, column by column; see `score_parts`.

        The columns are lists, NumPy arrays, columns of pandas, polars or Arrow; ten thousand at a time is a good size.

        Args:
            responses: The raw responses, None where there is none.
            references: A reference each, `MISSING` where there is none; None where there are none at all.
            contexts: A context each.
            ids: An id each, by default those of ``records``, or else the positions.
            records: A mapping each.
            references_as: ``json`` where the references are texts that hold them as JSON.

        Raises:
            ValueError: when two of the columns differ in length, with both lengths.
            InputError: when a column of an engine holds, at one place of the references, texts and lists or objects
                that were written as text; a list of Python's has types of its own.
        """
        return Columns(
            self.score_lists(*host_parts(self, responses, references, contexts, ids, records, references_as))
        )

    async def ascore(self, record: Mapping[str, Any]) -> RecordResult:
        """Score one record without blocking the event loop; for tasks with a judge.

        Await several at once, and as many are under way, in threads; the judge's own concurrency bounds what its server
        sees. The judge is that of `judge` options, of the environment, or of ``use_judge`` around the call.

        Args:
            record: The record, as a line of the data.

        Examples:
            >>> import asyncio
            >>> task = load({"kind": "task", "name": "t", "score": "equal"})
            >>> asyncio.run(task.ascore({"response": "a", "reference": "a"})).score
            1.0
        """
        from scoring.engine.road.threads import in_thread

        return await in_thread(self.score, record)

    async def ascore_parts(
        self,
        response: Any,
        reference: Any = MISSING,
        *,
        context: Any = None,
        id: Any = None,
        record: Any = None,
        references_as: ReferencesAs = "values",
    ) -> RecordResult:
        """`score_parts` without blocking the event loop, see `ascore`."""
        from scoring.engine.road.threads import in_thread

        more = {"context": context, "id": id, "record": record, "references_as": references_as}
        return await in_thread(self.score_parts, response, reference, **more)

    def worker(self, *, seconds: float = 2.0, memory: int | str | None = None) -> TaskWorker:
        """Return a process that scores and can be killed, for hosts that must not wait for a record, nor die of one.

        A record that has no score in time is ``unscored: no score within 2 s``, one that takes its process down
        likewise with what happened; those around it are scored as ever. A record that hangs costs its time and half as
        much again at most. The process is started as a program of its own: no fork, no signals, from any thread.

        Args:
            seconds: How long a record may take.
            memory: What a record may take beside what the task itself needs, such as ``1GB``; needs Linux.

        Raises:
            ValueError: for a time or a size that is none.

        Examples:
            >>> task = load({"kind": "task", "name": "t", "score": "lower | equal"})
            >>> with task.worker(seconds=5) as worker:
            ...     worker.score_parts("Paris", "paris").score
            1.0
        """
        from scoring.api.worker import TaskWorker, bytes_of

        if not isinstance(seconds, int | float) or not 0 < seconds <= 1e6:
            raise ValueError(f"a record can't have {in_words(seconds)} seconds: give a number above 0, up to a million")
        return TaskWorker(self, seconds, bytes_of(memory))

    def evaluate(self, data: Any = None, **options: Any) -> Run:
        """Score every record, or a whole data set of images, and join the scores into data-set metrics.

        Args:
            data: The records (of a data set the predictions): a path to a file of any format, an iterable of mappings,
                a pandas or polars data frame, or an Arrow table. In memory, NaN, NaT and NA are missing.
            options: Those of `evaluate`: references, output, limit, processes, seed and so on.

        Raises:
            InputError: when the data is no table, can't be read, or is none; for an option that such a task lacks.
        """
        return evaluate(self, data, **options)


@verb
def load(
    spec: SpecSource,
    *,
    dialect: str | None = None,
    by: Sequence[str] = (),
    seed: int | None = None,
    locked: bool | None = None,
    frozen: bool = False,
) -> Task:
    """Return a task from a file, or from plain data; a file of a foreign form loads as it is.

    Args:
        spec: A path, or the mapping that a file would hold.
        dialect: What the names in a file of a foreign form mean, by default what its front end takes them for.
        by: Breakdowns beside those of the spec.
        seed: The seed of the intervals in place of the spec's.
        locked: Whether it must have a lock and be as it pins it; by default it must where it has one, and with False
            locks are left aside.
        frozen: Whether the lock of its project must be there and fit its project file and specs.

    Raises:
        SpecError: with every finding, when the spec is not in order.

    Examples:
        >>> load({"kind": "task", "name": "t", "score": "lower | equal"})
        <Task t: mean>
    """
    from scoring.compiler.compile import and_the_rest
    from scoring.format.load import Loader
    from scoring.format.model import SuiteSpec, TaskSpec

    loader = Loader(dialect=dialect)
    try:
        loaded = loader.data(spec) if isinstance(spec, Mapping) else loader.file(Path(spec), str(spec))
    except SpecError as error:
        raise and_the_rest(error, loader) from None
    if not isinstance(loaded.spec, TaskSpec):
        kind = "suite" if isinstance(loaded.spec, SuiteSpec) else "pack"
        raise SpecError.of(
            "wrong-kind",
            f"this is a {kind}, not a task",
            loaded.spec.span,
            help="a pack's scorers are read with `scoring.scorer`, a suite is run with `scoring.evaluate`",
        )
    opened = open_spec(spec, dialect=dialect, by=by, seed=seed, locked=locked, frozen=frozen)
    task = Task(opened.task.parts, opened.task.seed)
    task.warnings = opened.warnings
    task.folder = loaded.folder
    task.opened = opened
    return task


def score(spec: SpecSource | Task, record: Mapping[str, Any]) -> RecordResult:
    """Return the result of one record; never raises for what the record holds.

    Args:
        spec: A task, its file, or its content as plain data.
        record: The record, as a line of the data.

    Raises:
        SpecError: when the spec is not in order.

    Examples:
        >>> score({"kind": "task", "name": "t", "score": "equal"}, {"id": 1, "response": "a", "reference": "a"}).score
        1.0
    """
    return (spec if isinstance(spec, Task) else load(spec)).score(record)


class MoreOptions(TypedDict, total=False):
    """Further keyword arguments of `evaluate`.

    Args:
        dialect: What the names in a file of a foreign form mean.
        locked: Whether the spec must have a lock and be as it pins it; by default where it has one.
        frozen: Whether the lock of its project must be there and fit its project file and specs.
        tasks: Where the tasks of a suite are, in place of what it says.
        attributes: The attributes of a suite's tasks, likewise.
        results: Task results from which a suite is computed, in place of data.
        force: Replace an older run in the run folder.
        scores: The layout of its scores, ``jsonl`` or ``parquet``.
        html: Add its page, ``report.html``.
        batch_size: How many records are scored together; the numbers are the same for any.
        judge_workers: How many records of a task that asks a judge are under way at once, in threads.
        keep_values: Whether results keep what was parsed and compared.
        keep_records: Whether the run keeps results at all, beside what it writes; without them memory does not grow.
        state: What figures keep of records: ``exact`` counts all different units, ``sums`` stays of constant size;
            where more than 1,000 units differ its intervals come from sums of squares.
        parts: A folder that keeps the parts of the run, so that one that was stopped goes on where it stood.
        engine: Whose workers score a file in parts: ``local`` processes, ``ray`` or ``spark``.
        part: Which part of a run the data is, ``3/10``; `scoring.runs.merge` joins them.
        on_progress: Told how many records are done, and which share of the input that is where it is known.
        on_note: Told, in a line, what should be known beside the results.
    """

    dialect: str | None
    locked: bool | None
    frozen: bool
    tasks: str | Path | None
    attributes: str | Path | None
    results: str | Path | None
    force: bool
    scores: Literal["jsonl", "parquet"]
    html: bool
    batch_size: int | None
    judge_workers: int
    keep_values: bool
    keep_records: bool
    state: Literal["exact", "sums"]
    parts: str | Path | None
    part: str | None
    engine: str
    on_progress: Callable[[int, float | None], None] | None
    on_note: Callable[[str], None] | None


@verb
def evaluate(
    spec: SpecSource | Task | Opened,
    data: Any = None,
    *,
    references: Any = None,
    input_format: str | None = None,
    limit: int | None = None,
    by: Sequence[str] = (),
    seed: int | None = None,
    output: str | Path | None = None,
    processes: int = 1,
    judge: EffectOptions | None = None,
    **more: Unpack[MoreOptions],
) -> Run:
    """Score data by a task of any kind: rows, a suite of tasks, or a data set of images.

    Args:
        spec: A task, its file, its content as plain data, or a suite's file or name.
        data: The records; of a data set of images the predictions. A path (also of a folder, where a suite has a file
            for each task), an iterable of mappings, a pandas or polars data frame, an Arrow table.
        references: What the records are joined to by id; of a data set the ground truth.
        input_format: The format of ``data``, such as ``csv,delimiter=tab``.
        limit: Only so many records or images, of each task of a suite.
        by: Breakdowns beside those of the spec.
        seed: The seed of the intervals in place of the spec's.
        output: The run folder, if one is to be written.
        processes: How many processes score; the numbers are the same for any.
        judge: How the judge is asked; None leaves the one that this process has.
        more: See `MoreOptions`.

    Raises:
        SpecError: with every finding, when the spec is not in order.
        InputError: when data can't be read, the folder is not free, or such a task has no such option.

    Examples:
        >>> task = load({"kind": "task", "name": "t", "score": "equal"})
        >>> evaluate(task, [{"id": 1, "response": "a", "reference": "a"}])
        <Run of t: 1 record, mean 1.0000>
    """
    from scoring.api.running import RunOptions, run_opened

    given: dict[str, Any] = dict(more)
    loading = {name: given.pop(name) for name in OPENING if name in given}
    unknown = [name for name in given if name not in MoreOptions.__annotations__]
    if unknown:
        close = nearest(unknown[0], [*MoreOptions.__annotations__, *GivenData.__annotations__, "by", "seed"])
        hint = f"; did you mean `{close}`?" if close else ""
        raise TypeError(f"evaluate() has no option `{unknown[0]}`{hint}")
    check_kinds("evaluate", more.items(), MoreOptions.__annotations__)
    options = RunOptions(output=output, processes=processes, judge=judge, **given)
    options.check()
    opened = reopened(spec, by=by, seed=seed, **loading)
    return run_opened(opened, GivenData(data, references, input_format, limit), options)
