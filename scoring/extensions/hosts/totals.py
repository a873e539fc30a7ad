"""The figures of answers that a host has scored by columns: those of the task, as a run over the same records has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from scoring.api.result import Shown, TableRow
from scoring.compiler.tasks.task import CompiledTask
from scoring.data.json_read import NotJson, parse
from scoring.data.json_write import dumps
from scoring.data.plain_values import host_record
from scoring.data.rows.batch import Batch, single
from scoring.data.rows.report import InputReport
from scoring.data.rows.row import Block
from scoring.diagnostics.words import counted, shown
from scoring.engine.road.census import Census
from scoring.engine.road.summary import RunState
from scoring.errors import InputError
from scoring.outcomes import Results
from scoring.statistics.breakdown import attributes_of
from scoring.statistics.statistic import NotPortable

if TYPE_CHECKING:
    from scoring.report.document import Document

_FORM = "scoring columns 1"


@dataclass(frozen=True, repr=False)
class Totals(Shown):
    """The figures over some scored answers: metrics with their intervals, breakdowns, counts and pass rate.

    Figures over several sets of answers, such as those of several processes, are merged; they are then the figures over
    all answers, to the bit, in any order. Answers of one id in two sets are not found.

    Args:
        task: The task that scored the answers.
        state: What figures keep of the answers.
        report: The oddities of the answers.

    Examples:
        >>> from scoring import load
        >>> task = load({"kind": "task", "name": "t", "score": "equal"})
        >>> one, other = (task.score_columns(["a", said], ["a", "a"]).summary() for said in "ab")
        >>> one.merge(other)
        <Totals of t: 4 answers, mean 0.7500>
        >>> Totals.from_bytes(task, one.to_bytes()).metrics
        {'mean': 1.0}
    """

    task: CompiledTask
    state: RunState
    report: InputReport

    @classmethod
    def of(cls, task: CompiledTask, results: Results, records: Sequence[Any]) -> Self:
        """Return the figures over answers.

        Args:
            task: The task that scored them.
            results: The result of each answer.
            records: The record of each, from which metrics and breakdowns read; None where there is none.

        Raises:
            InputError: when weights, clusters or strata are to be read from records, and no record has them.
        """
        known = [{} if record is None else host_record(record) for record in records]
        report = InputReport()
        block = Block("answer", range(1, len(known) + 1), [*known])
        (batch,) = single([block], lambda _: results.ids, report) if known else (Batch([], [], []),)
        _check_read(task, known)
        state = RunState.of(task, results, known, Census.of(task, results, batch))
        return cls(task, state, report)

    def __repr__(self) -> str:
        figures = (f"{name} {'–' if value is None else f'{value:.4f}'}" for name, value in self.metrics.items())
        about = [counted(len(self), "answer"), *figures]
        return f"<Totals of {self.task.name}: {', '.join(about)}>"

    def __len__(self) -> int:
        return self.state.whole.counts["records"]

    @property
    def metrics(self) -> dict[str, float | None]:
        """The value of each metric by the metric's name; None if it is undefined."""
        return {metric["metric"]: metric["value"] for metric in self.to_json()["metrics"]}

    def merge(self, other: Totals) -> Totals:
        """Return the figures over the answers of both.

        Raises:
            InputError: when they are those of tasks that mean different things.
        """
        if other.task.signature.meaning != self.task.signature.meaning:
            raise InputError(
                f"figures of {self.task.name} and {other.task.name} can't be merged: their scores mean different "
                f"things ({self.task.signature.meaning} and {other.task.signature.meaning})"
            )
        report = InputReport()
        report.take(self.report.to_json())
        report.take(other.report.to_json())
        return Totals(self.task, self.state.merge(other.state), report)

    def to_bytes(self) -> bytes:
        """Return the figures as bytes, which `from_bytes` reads on any machine; JSON, never a pickle.

        Raises:
            InputError: when a metric keeps what can't travel.
        """
        try:
            state = self.state.pack()
        except NotPortable as error:
            raise InputError(f"the figures of {self.task.name} can't travel: {error}") from error
        about = {"form": _FORM, "meaning": self.task.signature.meaning}
        return dumps({**about, "state": state, "report": self.report.to_json()}).encode()

    @classmethod
    def from_bytes(cls, task: CompiledTask, data: bytes) -> Self:
        """Return the figures from the bytes of `to_bytes`, which need not be trusted.

        Args:
            task: The task that scored the answers, or one that means the same.
            data: The bytes.

        Raises:
            InputError: when they are none, or those of a task that means something else.
        """
        try:
            found = parse(data.decode())
            if not isinstance(found, dict) or found.get("form") != _FORM:
                raise InputError("these bytes are no figures of scored columns; give those of `to_bytes`")
            if found["meaning"] != task.signature.meaning:
                raise InputError(
                    f"these figures are of a task that means something else than {task.name}: "
                    f"{shown(str(found['meaning'])[:80])} is not {task.signature.meaning}"
                )
            report = InputReport()
            report.take(found["report"])
            return cls(task, RunState.unpack(task, found["state"]), report)
        except (NotJson, UnicodeDecodeError, KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise InputError(f"these bytes are no figures of {task.name}; give those of `to_bytes`") from error

    def to_json(self) -> dict[str, Any]:
        """Return the summary as plain data, as in the `summary.json` of a run.

        A breakdown of which no answer has the attribute is left out; the entry `inputs` says so.
        """
        report = InputReport()
        report.take(self.report.to_json())
        summary = self.state.summary(self.task, report)
        missing = {
            name
            for name in self.task.by
            if any(self.state.census.count("empty_attributes", one) == len(self) > 0 for one in attributes_of(name))
        }
        return {**summary, "by": {name: rows for name, rows in summary["by"].items() if name not in missing}}

    def document(self) -> Document:
        """Return the figures as a document, which is rendered in any output format."""
        from scoring.report.of.summary import summary_document

        return summary_document(self.to_json())

    def table(self) -> list[TableRow]:
        """Return a row for each metric: its name, value and interval."""
        return list(self.to_json()["metrics"])


def _check_read(task: CompiledTask, records: Sequence[Any]) -> None:
    """Raise InputError if weights, clusters or strata are to be read from records, and no record has them."""
    intervals = task.intervals
    drawn = ("cluster", "strata")
    wanted = {name: f"the {key} of its intervals" for key in drawn if (name := getattr(intervals, key))}
    columns = {name: task.column_of(name, records) for name in wanted}
    if (path := task.spec.record.get("weight")) is not None:
        wanted["weight"], columns["weight"] = f"its weights (`{path}`)", list(map(task.reader_of("weight"), records))
    for name, what in wanted.items():
        if records and all(value is None for value in columns[name]):
            raise InputError(f"{task.name} reads {what} from records, and none has it: give it in `records=`")
