"""A finished run of a task or suite: its figures, a table of its records, its folder and its page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct

from scoring.api.arguments import in_words, verb
from scoring.api.gates import check_gates, gates_of, passed
from scoring.api.result import Shown, TableRow
from scoring.compiler.tasks.task import CompiledTask
from scoring.diagnostics.words import counted
from scoring.errors import InputError
from scoring.outcomes import Results
from scoring.registry.extension import service

if TYPE_CHECKING:
    from scoring.compiler.identity.signature import Signature
    from scoring.engine.features import RunKind
    from scoring.engine.runs.folder import RunFolder
    from scoring.registry.spec_kind import CompiledFile
    from scoring.report.document import Document

PAGE = "report.html"

NOTHING: Mapping[str, float] = {}

RawResponses: TypeAlias = Callable[[set[int]], Mapping[int, Any]]
"""Returns the raw responses of some records, by their positions among the results."""


class Stretched(Struct, frozen=True):
    """The results of one task of a run, record by record.

    Args:
        task: The name of the task in its suite; None if the run has only one task.
        places: The position of each record in the input, as text.
        results: The result of each record.
    """

    task: str | None
    places: Sequence[str]
    results: Results


def _not_kept(wanted: set[int]) -> Mapping[int, Any]:
    return {}


@dataclass(frozen=True, repr=False)
class Run(Shown):
    """The results of scoring a data set by a task over records, a suite, or a task over a data set of images.

    Args:
        task: The task or suite.
        kind: ``rows``, ``table``, or the kind of a file that joins tasks, such as ``suite``.
        summary: Metrics, counts, fields and breakdowns as plain data.
        parts: The results of each task; empty for a suite that was computed from task results.
        files: The content of further files of the run folder by name: task results, plots of images.
        inputs: The manifest entries of the files that were read.
        settings: The settings by which the run can be repeated.
        tags: For each task of a suite, the tags by which it is selected on the page.
        responses: Returns the raw responses of some records, which it reads from the data again.
        pictures: Returns further blocks of the page, such as images with what was found on them.
    """

    task: CompiledTask | CompiledFile
    kind: RunKind
    summary: Mapping[str, Any]
    parts: Sequence[Stretched] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    inputs: Sequence[Mapping[str, Any]] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    tags: Sequence[frozenset[str]] = ()
    responses: RawResponses = field(default=_not_kept, compare=False)
    pictures: Callable[[], Iterable[Any]] = field(default=tuple, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        # Responses are read again from files, which are not where a pickle may go.
        return {**self.__dict__, "responses": _not_kept, "pictures": tuple}

    def __repr__(self) -> str:
        figures = (f"{name} {'–' if value is None else f'{value:.4f}'}" for name, value in self.metrics.items())
        records = sum(len(part.results) for part in self.parts)
        return f"<Run of {self.task.name}: {', '.join([counted(records, 'record'), *figures])}>"

    @property
    def _joins_tasks(self) -> bool:
        return not isinstance(self.task, CompiledTask)

    @property
    def metrics(self) -> dict[str, float | None]:
        """The value of each metric by the metric's name; None if it is undefined."""
        return {metric["metric"]: metric["value"] for metric in self.summary["metrics"]}

    @property
    def coverage(self) -> float:
        """The share of records with a score among those to which the task applies; 0 if it applies to none.

        For a suite it is the smaller of two shares: that of its tasks, and that of all their records.
        """
        share, counts = self.summary.get("coverage") or 0.0, self.summary["counts"]
        if self._joins_tasks and counts["records"]:
            share = min(share, 1 - counts["records_without_score"] / counts["records"])
        return float(share)

    @verb
    def gates(
        self, *, at_least: Mapping[str, float] = NOTHING, at_most: Mapping[str, float] = NOTHING
    ) -> list[dict[str, Any]]:
        """Return each limit as plain data, with the figure's value and whether the limit ``holds``.

        Args:
            at_least: The lower limits by the names of figures in ``metrics``, as given by `--min`.
            at_most: The upper limits by the names of figures, as given by `--max`.

        Raises:
            InputError: for a name that no figure has, and for a limit that is not a number.

        Examples:
            >>> import scoring
            >>> task = scoring.load({"kind": "task", "name": "t", "score": "equal"})
            >>> task.evaluate([{"id": 1, "response": "a", "reference": "a"}]).gates(at_least={"mean": 0.9})
            [{'metric': 'mean', 'min': 0.9, 'value': 1.0, 'holds': True}]
        """
        gates = gates_of(at_least.items(), at_most.items())
        check_gates(gates, self.task)
        return passed(gates, self.metrics)

    @property
    def never_equal(self) -> list[str]:
        """Messages about fields and metrics that compare values of types that can never be equal; usually empty."""
        return list(self.summary["inputs"].get("never_equal", {}).get("examples", ()))

    @property
    def signature(self) -> Signature:
        """The signature of the task: everything that can change the numbers, in one line."""
        return self.task.signature

    @property
    def records(self) -> Any:
        """The results of all records or images in the order of the data; for a suite, by task name."""
        return self._of_parts("results")

    @property
    def places(self) -> Any:
        """The position of each record in the input, as text; for a suite, by task name."""
        return self._of_parts("places")

    def _of_parts(self, name: str) -> Any:
        if self._joins_tasks:
            return {part.task: getattr(part, name) for part in self.parts}
        return getattr(self.parts[0], name)

    @property
    def plots(self) -> dict[str, str]:
        """The plots of the run as SVG, by file name: scores, groups, and the curves and matrices of metrics."""
        return dict(service("run-pages", "a plot").plots_of_run(self))

    def table(self) -> list[TableRow]:
        """Return a row for each record.

        The columns are ``id``, ``score``, ``status``, ``reason``, ``passed`` (for a suite, ``task`` before these), the
        score of each field under its name, and the attributes under their names; a field or attribute whose name is
        already in use is called ``field.NAME`` or ``attribute.NAME``.
        """
        return [row for part in self.parts for row in _rows(part)]

    def to_json(self) -> dict[str, Any]:
        """Return the summary as plain data, with the content of ``summary.json``."""
        return dict(self.summary)

    def document(self) -> Document:
        """Return the summary as a document, which is rendered in any output format."""
        from scoring.report.of.summary import summary_document

        return summary_document(self.summary)

    def page(self) -> str:
        """Return the HTML page of the run: its summary, its plots, the records with the lowest scores, and the rule."""
        return str(service("run-pages", "a page").page_of_run(self))

    @verb
    def write(self, path: str | Path, *, force: bool = False, layout: str = "jsonl", html: bool = False) -> Path:
        """Write the run folder, and return its path.

        Args:
            path: The folder; it must be missing or empty unless `force` is given.
            force: Whether to replace an older run in it.
            layout: The format of the scores file, ``jsonl`` or ``parquet``.
            html: Whether to add the page as ``report.html``.

        Raises:
            InputError: when the folder must not be written to, or the layout is unknown.
        """
        if layout not in ("jsonl", "parquet"):
            raise InputError(f"there is no layout {in_words(layout)} of scores; there are jsonl and parquet")
        from scoring.engine.runs.record_line import record_lines
        from scoring.engine.runs.stored import run_folder

        folder = run_folder(path, force)
        with folder:
            if self.parts:
                with folder.scores(layout) as writer:
                    for part in self.parts:
                        writer.write(record_lines(part.places, part.results, part.task))
            self.finish(folder, html=html)
        return Path(path)

    def finish(self, folder: RunFolder, *, html: bool = False) -> None:
        """Write all files of the run folder except the scores.

        Args:
            folder: The open run folder, to which the scores have been written already.
            html: Whether to add the page.
        """
        from scoring.engine.runs.folder import TEXTS, finish
        from scoring.engine.runs.texts import texts_of

        if html:
            folder.write_text(PAGE, self.page())
        for name, text in {**self.files, TEXTS: texts_of(self.task)}.items():
            folder.write_text(name, text)
        kind = self.kind if self._joins_tasks else "task"
        finish(folder, kind, self.task, self.summary, self.inputs, self.settings)


def _rows(part: Stretched) -> Iterator[dict[str, Any]]:
    for result in part.results:
        row: dict[str, Any] = {} if part.task is None else {"task": part.task}
        row |= {"id": result.id, "score": result.score, "status": result.status}
        row |= {"reason": result.reason, "passed": result.passed}
        _add(row, "field", ((name, found.score) for name, found in result.fields.items()))
        _add(row, "attribute", result.attributes.items())
        yield row


def _add(row: dict[str, Any], what: str, cells: Iterable[tuple[str, Any]]) -> None:
    for name, value in cells:
        row[f"{what}.{name}" if name in row else name] = value
