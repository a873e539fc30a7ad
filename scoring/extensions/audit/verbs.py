"""The verb that audits a metric: the laws of sound scorers, tried on its examples and data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from scoring.api.arguments import verb
from scoring.api.data_sets import data_set
from scoring.api.opening import Opened, SpecSource, reopened
from scoring.api.result import Result, TableRow
from scoring.api.sources import GivenData
from scoring.compiler.tasks.task import CompiledTask
from scoring.data.rows.batch import one_by_one
from scoring.data.rows.report import InputReport
from scoring.diagnostics.diagnostic import diagnostic
from scoring.diagnostics.source import Span
from scoring.diagnostics.suggest import did_you_mean
from scoring.errors import InputError
from scoring.extensions.audit.documents import audit_document
from scoring.extensions.audit.named import ALL_TASKS, audit_all_tasks
from scoring.extensions.audit.pairs import audit_pack, audit_task, declared_of, sample
from scoring.extensions.audit.rules import DECLARED
from scoring.extensions.audit.verdict import audit_data
from scoring.extensions.ci_reports.junit import JunitCase
from scoring.extensions.judge.judge_of_run import judge_of
from scoring.extensions.judge.judge_options import JudgeOptions
from scoring.extensions.layouts.choosing import laid_out
from scoring.format.definitions import Defining
from scoring.format.load import Loader
from scoring.format.model import Pack, TaskSpec

if TYPE_CHECKING:
    from scoring.diagnostics.diagnostic import Diagnostic, Severity
    from scoring.extensions.audit.verdict import Audit


RECORDS = 200
"""The most records that are tried; from more a sample is drawn."""


class AuditReport(Result):
    """The result of an audit: the laws that hold for the scorers and metrics of a spec, and those that don't."""

    @property
    def passed(self) -> bool:
        """Whether every law that must hold does."""
        return bool(self.data["passed"])

    @property
    def findings(self) -> list[dict[str, Any]]:
        """The laws that must hold and do not, each with its smallest counterexample and a hint."""
        found: list[dict[str, Any]] = self.data["findings"]
        return found

    @property
    def advice(self) -> list[dict[str, Any]]:
        """The broken laws that sound scorers may break, each with a counterexample and a hint; only `strict` counts
        them as failures."""
        found: list[dict[str, Any]] = self.data["advice"]
        return found

    def diagnostics(self, spec: str | Path) -> list[Diagnostic]:
        """Return warnings and broken laws as diagnostics, with locations if `spec` is the path of a file."""
        locations = dict(_locations(Path(spec))) if Path(spec).is_file() else {}
        found = []
        for severity, one in self._by_severity():
            message = f"{one['scorer']}: {one['message']} ({one['law']}, {one['times']} of {one['tried']} tried)"
            location = locations.get(one["scorer"], locations.get(""))
            found.append(diagnostic(severity, "audit-law", message, location, help=one["help"]))
        return [*self.warnings, *found]

    def _by_severity(self) -> Iterator[tuple[Severity, dict[str, Any]]]:
        yield from (("error", one) for one in self.findings)
        yield from (("warning", one) for one in self.advice)

    def cases(self) -> dict[str, list[JunitCase]]:
        """Return the results for ``--format junit``: a suite for each scorer, with a case for each law."""
        messages = {(one["scorer"], one["law"]): one["message"] for one in self.data["findings"]}
        suites: dict[str, list[JunitCase]] = {}
        for scorer in self.data["scorers"]:
            suites[scorer["scorer"]] = [
                JunitCase(
                    law["law"],
                    (messages.get((scorer["scorer"], law["law"]), "does not hold"),) if law["is_broken"] else (),
                    "nothing to try it with" if law["holds"] is None else "",
                )
                for law in scorer["laws"]
            ]
        return suites

    def table(self) -> list[TableRow]:
        """Return a row of plain data for each scorer and law, for a table."""
        return [
            {"scorer": one["scorer"], **law, "broken": len(law["broken"])}
            for one in self.data["scorers"]
            for law in one["laws"]
        ]


@verb
def audit(
    spec: SpecSource | CompiledTask | Opened,
    data: Any = None,
    *,
    references: Any = None,
    input_format: str | None = None,
    reference_format: str | None = None,
    limit: int | None = None,
    seed: int = 0,
    invariant: Sequence[str] = (),
    strict: bool = False,
    dialect: str | None = None,
    judge: JudgeOptions | None = None,
) -> AuditReport:
    """Audit a metric: find answers to which it gives a score that no sound metric gives.

    Args:
        spec: A task, its file, a pack with examples, or ``tasks`` for all tasks by name, on their example data.
        data: Records to try in addition to the examples: a path, records, a data frame, an Arrow table.
        references: The references to which the records are joined.
        input_format: The format of ``data``, such as ``csv,delimiter=tab``.
        reference_format: The format of ``references``.
        limit: The maximum number of records to read; if there are more than 200, a random sample of 200 is used.
        seed: The seed of this sample.
        invariant: Changes under which scores must not change, even if the spec excepts this: ``question``, ``newline``,
            ``whitespace``, ``case``, ``numbers``, ``marks``, ``order``, ``keys``, ``swapped``.
        strict: Whether to count advice, too, which is about laws that sound scorers may break.
        dialect: The dialect in which a file of another tool is read.
        judge: For a task with a judge: the cache whose replies are replayed; the judge is never called.

    Raises:
        SpecError: when the spec has errors.
        InputError: when there is nothing to try, or the kind of task can't be audited.

    Examples:
        >>> found = audit("specs/quickstart/invoices.yaml", "specs/quickstart/invoices.jsonl")
        >>> found.passed, found.to_json()["must_hold"][:4]
        (True, ['reference', 'empty', 'empty_reference', 'others'])
        >>> found = audit({"kind": "task", "name": "t", "score": "equal"}, [{"response": "a", "reference": "Ab"}])
        >>> found.passed, found.advice[-1]["law"]
        (True, 'case')
    """
    laws = [invariant] if isinstance(invariant, str) else invariant
    for law in laws:
        if law not in DECLARED:
            hint = did_you_mean(law, DECLARED, f"the changes are {', '.join(DECLARED)}")
            raise InputError(f"there is no change `{law}`; {hint}")
    given = GivenData(data, references, input_format, limit, reference_format=reference_format)
    settings = _Settings(seed, tuple(laws), strict, dialect, judge)
    return _of_all_tasks(given, settings) if str(spec) == ALL_TASKS else _of_one(spec, given, settings)


class _Settings(Struct, frozen=True):
    """The settings of an audit: the seed of the sample, further laws, whether advice counts, and so on."""

    seed: int
    laws: tuple[str, ...]
    strict: bool
    dialect: str | None
    judge: JudgeOptions | None


def _of_one(spec: SpecSource | CompiledTask | Opened, given: GivenData, settings: _Settings) -> AuditReport:
    """Return the audit of a task, or of a pack."""
    name = spec if isinstance(spec, str | Path) else "the spec"
    audits, about = _of_pack(spec, given, settings.dialect), {"records": 0, "tried": 0, "seed": settings.seed}
    warnings: tuple[Diagnostic, ...] = ()
    if audits is None:
        opened, given = laid_out(reopened(spec, dialect=settings.dialect), given)
        audits, about = _of_task(opened, given, settings.seed, settings.judge)
        warnings = opened.warnings
    if not any(verdict.tried for found in audits for verdict in found.verdicts.values()):
        raise InputError(f"nothing to try: {name} has no examples with references; name DATA with some")
    found = {**audit_data(audits, settings.laws, is_strict=settings.strict), **about}
    passed = "passed" if found["passed"] else "failed"
    return AuditReport(found, f"{name}, {passed}", audit_document, warnings=warnings)


def _of_all_tasks(given: GivenData, settings: _Settings) -> AuditReport:
    """Return the audit of all tasks by name on their example data."""
    if given.data is not None:
        raise InputError("`scoring audit tasks` takes each task's own example data; leave DATA out, or name one task")
    found = audit_all_tasks(lambda spec, records: _of_one(spec, GivenData(records, None, None, None), settings).data)
    return AuditReport(found, f"all tasks, {'passed' if found['passed'] else 'failed'}", audit_document)


def _of_pack(spec: SpecSource | CompiledTask | Opened, given: GivenData, dialect: str | None) -> list[Audit] | None:
    """Return the audits of the scorers of a pack; None if the spec is not a pack.

    Args:
        spec: The spec.
        given: The data; a pack takes none.
        dialect: The dialect in which a file of another tool is read.

    Raises:
        InputError: when data are given for a pack.
    """
    if not isinstance(spec, str | Path) or not Path(spec).is_file():
        return None
    loader = Loader(dialect=dialect)
    loaded = loader.file(Path(spec), str(spec))
    if not isinstance(loaded.spec, Pack):
        return None
    if given.data is not None:
        raise InputError(f"{spec} is a pack, which is audited on its examples; leave {given.settings()['data']} out")
    _check_has_data(given)
    return audit_pack(loaded, loader)


def _of_task(
    opened: Opened, given: GivenData, seed: int, judge: JudgeOptions | None
) -> tuple[list[Audit], dict[str, int]]:
    """Return the audits of a task, and, by name, the numbers of records read and tried, and the seed."""
    opened.check_has("scoring audit")
    task = opened.task
    if task.asks_judge and (judge is None or not judge.replay):
        raise InputError(
            f"{task.name} is scored by a judge, which an audit would ask hundreds of questions; "
            "with --judge-replay it repeats earlier replies of a judge, and tries no other answers"
        )
    if opened.kind == "table":
        tried = RECORDS if given.limit is None else min(given.limit, RECORDS)
        given = replace(given, limit=tried).opened()
        audits, size = _of_images(opened, given)
        return audits, {"records": size, "tried": size, "seed": seed}
    _check_has_data(given)
    records, read = sample(_records(task, given.opened()), RECORDS, seed)
    with judge_of(judge, needed=task.asks_judge):
        return audit_task(task, records), {"records": read, "tried": len(records), "seed": seed}


def _check_has_data(given: GivenData) -> None:
    """Raise an InputError if a setting for records is given without records, since it would have no effect."""
    for name in ("references", "input_format", "reference_format", "limit"):
        if given.data is None and getattr(given, name) is not None:
            raise InputError(f"`{name}` is about records, and none are given; name DATA, or leave it out")


def _of_images(opened: Opened, given: GivenData) -> tuple[list[Audit], int]:
    task = opened.task
    kind, _, data, _ = data_set(opened, given)
    if kind.audit is None:
        raise InputError(f"there are no laws for data sets of `{task.spec.records}`, so there is nothing to audit")
    metrics = {metric.text: metric for metric in task.metrics}
    return kind.audit(metrics, data, declared_of(task)), max(map(len, kind.keyed(data).values()), default=0)


def _records(task: CompiledTask, given: GivenData) -> Iterator[Mapping[str, Any]]:
    if given.data is not None:
        for item in one_by_one(given.batches(task, InputReport(), compare_ids=False)):
            if item.record is not None and not item.problem:
                try:
                    repr(item.record)  # fails if a number in the record can't be written
                except ValueError:
                    why = "it holds a number of more than 4,300 digits; leave it out"
                    raise InputError(f"{item.where} can't be audited: {why}") from None
                yield item.record


def _locations(path: Path) -> Iterator[tuple[str, Span]]:
    """Yield the name, as in an audit, and the location of each definition and field in a file, and of the file itself
    with the name ""."""
    spec = Loader().file(path, str(path)).spec
    if spec.span is not None:
        yield "", spec.span.source.span(spec.span.start, spec.span.start)
    for definition in spec.definitions.values() if isinstance(spec, Defining) else ():
        if definition.span is not None:
            yield definition.name, definition.span
    for field in spec.fields if isinstance(spec, TaskSpec) else ():
        if field.span is not None:
            yield field.name, field.span
