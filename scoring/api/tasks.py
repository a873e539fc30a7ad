"""Load tasks from files or plain data, and score single records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from scoring.api.arguments import verb
from scoring.api.evaluating import evaluate
from scoring.api.opening import Opened, SpecSource, open_spec
from scoring.compiler.tasks.task import CompiledTask
from scoring.diagnostics.diagnostic import Diagnostic
from scoring.registry.extension import service
from scoring.result import MISSING, RecordResult

if TYPE_CHECKING:
    from scoring.api.run import Run

ReferencesAs: TypeAlias = Literal["values", "json"]
"""The form of references: the values themselves, or JSON strings of them."""


class Task(CompiledTask):
    """A compiled task that scores single records and evaluates data sets."""

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
        """Return a copy of the task with another seed for everything that draws random numbers."""
        found = super().seeded(seed)
        found.warnings, found.folder, found.opened = self.warnings, self.folder, self.opened
        return found

    def to_bytes(self) -> bytes:
        """Return the task as one bundle of bytes: its spec, every pack that it imports, its dialect and its seed.

        The bundle is JSON with a digest, never a pickle, and contains the texts as they were read. Pickle, cloudpickle
        and ``copy.deepcopy`` use it for tasks, so a task can be sent to machines that don't have its files.

        Raises:
            InputError: when it is larger than 64 MB.

        Examples:
            >>> task = load({"kind": "task", "name": "t", "score": "equal"})
            >>> Task.from_bytes(task.to_bytes()).signature == task.signature
            True
        """
        from scoring.compiler.tasks.serialize import task_to_bytes

        return task_to_bytes(self)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return the task from a bundle, with the same scores, figures and signature as where the bundle was made.

        No file is read, neither a spec nor a pack of this machine. The data of a task over images is not part of the
        bundle; pass it to `evaluate`.

        Args:
            data: The bytes that `to_bytes` returned; they need not be trusted.

        Raises:
            InputError: for bytes that are not a bundle, and for a task whose meaning differs with the primitives
                installed here.
            SpecError: when a spec in it is invalid.
        """
        from scoring.compiler.tasks.serialize import task_from_bytes

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
        """Score one answer that is given as separate parts, as a trainer has them, instead of as a record; the result
        can be explained.

        Args:
            response: The model's raw response; None if there is none.
            reference: The reference to compare it with; `MISSING`, the default, if there is none. None also means that
                there is none, unless the spec says ``on_null: value``.
            context: The value that expressions read as ``context.…``; by default that of ``record``.
            id: The id of the result; by default that of ``record``.
            record: A mapping from which paths such as ``record.kind``, breakdowns and weights are read.
            references_as: ``json`` if the reference is given as JSON text.

        Raises:
            InputError: for ``json`` when the task reads no reference, or the reference is not a text.

        Examples:
            >>> task = load({"kind": "task", "name": "t", "parse": "json", "fields": {"a": "equal"}})
            >>> task.score_parts('{"a": 1}', '{"a": 1}', references_as="json").score
            1.0
        """
        if references_as != "values":
            read_references = service("json-references", "`references_as`")
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
    ) -> Any:
        """Score many answers that are given as columns of separate parts, see `score_parts`, and return the results as
        columns: `scoring.runs.Columns`.

        A column is a list, a NumPy array, or a column of pandas, polars or Arrow. About ten thousand answers per call
        are efficient.

        Args:
            responses: The raw responses, None where there is none.
            references: The references, `MISSING` where there is none; None instead of a column if there are none at
                all.
            contexts: The contexts.
            ids: The ids; by default those of ``records``, or else the positions.
            records: The records, as mappings, as a mapping of columns by their names, or as a table.
            references_as: ``json`` if the references are given as JSON texts.

        Raises:
            ValueError: when two of the columns differ in length; the message has both lengths.
            InputError: when a typed column of references seems to have converted lists or objects to text, next to
                values that were texts before; not for Python lists.
        """
        score_columns = service("score-columns", "`Task.score_columns`")
        return score_columns(self, responses, references, contexts, ids, records, references_as)

    def evaluate_columns(self, responses: Any, references: Any, **more: Any) -> Run:
        """Score many answers that are given as columns, and return the run with the task's metrics, intervals and
        breakdowns, as `evaluate` does for records.

        A breakdown of which no answer has the attribute is left out, and the run's ``inputs`` say so. `summary` of
        what `score_columns` returns has the same figures, which can be merged and sent to other machines.

        Args:
            responses: The raw responses, None where there is none.
            references: The references; None instead of a column if there are none at all.
            more: The keyword arguments of `score_columns`.

        Raises:
            InputError: when weights, clusters or strata are to be read from records, and no record has them.
        """
        run: Run = service("evaluate-columns", "`Task.evaluate_columns`")(self, responses, references, **more)
        return run

    async def ascore(self, record: Mapping[str, Any]) -> RecordResult:
        """Score one record without blocking the event loop, for tasks that call a judge.

        Calls that are awaited together run concurrently, in threads; the judge's own limit applies to its requests. The
        judge is that of the `judge` options, of the environment, or of ``use_judge`` around the call.

        Args:
            record: The record, as in a line of the data.

        Examples:
            >>> import asyncio
            >>> task = load({"kind": "task", "name": "t", "score": "equal"})
            >>> asyncio.run(task.ascore({"response": "a", "reference": "a"})).score
            1.0
        """
        found: RecordResult = await service("waiting-threads", "`Task.ascore`").in_thread(self.score, record)
        return found

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
        """Score one answer as `score_parts` does, without blocking the event loop; see `ascore`."""
        waiting = service("waiting-threads", "`Task.ascore_parts`")
        more = {"context": context, "id": id, "record": record, "references_as": references_as}
        found: RecordResult = await waiting.in_thread(self.score_parts, response, reference, **more)
        return found

    def worker(self, *, seconds: float = 2.0, memory: int | str | None = None) -> Any:
        """Return a worker that scores in separate processes, which can be killed, for programs that must neither wait
        for a record nor crash because of one; it has the methods `score`, `score_parts`, `score_columns` and `close`.

        A record that takes too long is ``unscored: no score within 2 s``, and one that crashes its process is unscored
        with a reason, too; all other records are scored as usual. A record that hangs costs at most one and a half
        times the time limit. The processes are started as programs, without fork or signals, so that any thread may
        start them.

        Args:
            seconds: The time limit for one record.
            memory: The memory that a record may take in addition to that of the task, such as ``1GB``; only on Linux.

        Raises:
            ValueError: for an invalid time or size.

        Examples:
            >>> task = load({"kind": "task", "name": "t", "score": "lower | equal"})
            >>> with task.worker(seconds=5) as worker:
            ...     worker.score_parts("Paris", "paris").score
            1.0
        """
        return service("task-worker", "`Task.worker`")(self, seconds, memory)

    def evaluate(self, data: Any = None, **options: Any) -> Run:
        """Score all records, or a whole data set of images, and return the run with the data-set metrics.

        Args:
            data: The records (for a data set of images, the predictions): a path to a file of any format, an iterable
                of mappings, a pandas or polars data frame, or an Arrow table. In memory, NaN, NaT and NA are missing
                values.
            options: The keyword arguments of `scoring.evaluate`: references, output, limit, processes, seed and so on.

        Raises:
            InputError: when the data is missing or can't be read, or this kind of task does not support an option.
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
    """Load and compile a task from a file, which may be a task file of another tool, or from plain data.

    Args:
        spec: The path of a file, or the mapping that a file would contain.
        dialect: The dialect that defines the names in a file of another tool; by default that of its format.
        by: Attributes by which figures are broken down, in addition to those of the spec.
        seed: The seed of the intervals, in place of the spec's.
        locked: Whether to refuse a spec that has no lock, or does not match it. None refuses only one that does not
            match the lock it has, and False ignores locks.
        frozen: Whether to require that the project's lock exists and matches the project file and the specs.

    Raises:
        SpecError: with all findings, when the spec is invalid, or is not a task.

    Examples:
        >>> load({"kind": "task", "name": "t", "score": "lower | equal"})
        <Task t: mean>
    """
    opened = open_spec(spec, dialect=dialect, by=by, seed=seed, locked=locked, frozen=frozen, task_only=True)
    task = Task(opened.task.parts, opened.task.seed)
    task.warnings = opened.warnings
    task.folder = None if isinstance(spec, Mapping) else opened.folder
    task.opened = opened
    return task


def score(spec: SpecSource | Task, record: Mapping[str, Any]) -> RecordResult:
    """Score one record by a task and return its result; no content of the record raises an exception.

    Args:
        spec: A task, the path of its file, or its content as plain data.
        record: The record, as in a line of the data.

    Raises:
        SpecError: when the spec is invalid.

    Examples:
        >>> score({"kind": "task", "name": "t", "score": "equal"}, {"id": 1, "response": "a", "reference": "a"}).score
        1.0
    """
    return (spec if isinstance(spec, Task) else load(spec)).score(record)
