"""Attack a metric: what must hold of any scorer, tried on its examples and data."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.api.opening import Opened, SpecSource, reopened
from scoring.api.result import Result, TableRow
from scoring.api.running import data_set
from scoring.api.sources import GivenData
from scoring.compiler.task import CompiledTask
from scoring.data.rows.row import InputError

if TYPE_CHECKING:
    from scoring.diagnostics.diagnostic import Diagnostic
    from scoring.engine.audit.laws import Audit

RECORDS = 200
CHANGES = ("case", "whitespace", "order", "keys", "numbers")


class AuditReport(Result):
    """Which laws hold of the scorers of a spec."""

    @property
    def passed(self) -> bool:
        """Whether every law that must hold does."""
        return bool(self.data["passed"])

    def table(self) -> list[TableRow]:
        """A row for each scorer and law."""
        return [
            {"scorer": one["scorer"], **law, "broken": len(law["broken"])}
            for one in self.data["scorers"]
            for law in one["laws"]
        ]


def audit(
    spec: SpecSource | CompiledTask,
    data: Any = None,
    *,
    references: Any = None,
    input_format: str | None = None,
    limit: int | None = None,
    invariant: Sequence[str] = (),
    dialect: str | None = None,
) -> AuditReport:
    """Attack the metric itself, and show where it gives what it should not.

    Args:
        spec: A task, its file, or a pack with examples.
        data: Records to try beside the examples: a path, records, a data frame, an Arrow table.
        references: What the records are joined to, likewise.
        input_format: The format of ``data``.
        limit: How many records are tried, at most 200.
        invariant: Changes that every scorer must overlook: ``case``, ``whitespace``, ``order``, ``keys``, ``numbers``.
        dialect: What the names in a file of a foreign form mean.

    Raises:
        SpecError: when the spec is not in order.
        InputError: when there is nothing to try, or the kind of task can't be audited.

    Examples:
        >>> audit("specs/quickstart/invoices.yaml", "specs/quickstart/invoices.jsonl").to_json()["must_hold"]
        ['reference', 'empty', 'typos']
    """
    from scoring.engine.audit.laws import audit_data
    from scoring.report.of.audit import audit_document

    name = spec if isinstance(spec, str | Path) else "the spec"
    invariant = [invariant] if isinstance(invariant, str) else invariant
    unknown = [change for change in invariant if change not in CHANGES]
    if unknown:
        raise InputError(f"there is no change `{unknown[0]}`; there are {', '.join(CHANGES)}")
    given = GivenData(data, references, input_format, limit)
    audits = _of_pack(spec, given, dialect)
    warnings: tuple[Diagnostic, ...] = ()
    if audits is None:
        opened = reopened(spec, dialect=dialect)
        audits, warnings = _of_task(opened, given), opened.warnings
    if not any(verdict.tried for found in audits for verdict in found.verdicts.values()):
        raise InputError(f"nothing to try: {name} has no examples with references; name DATA with some")
    found = audit_data(audits, invariant)
    passed = "passed" if found["passed"] else "failed"
    return AuditReport(found, f"{name}, {passed}", audit_document, warnings=warnings)


def _of_pack(spec: SpecSource | CompiledTask, given: GivenData, dialect: str | None) -> list[Audit] | None:
    """The audits of a pack; None for another file."""
    from scoring.engine.audit.pairs import audit_pack
    from scoring.format.load import Loader
    from scoring.format.model import Pack

    if not isinstance(spec, str | Path) or not Path(spec).is_file():
        return None
    loader = Loader(dialect=dialect)
    loaded = loader.file(Path(spec), str(spec))
    if not isinstance(loaded.spec, Pack):
        return None
    if given.data is not None:
        raise InputError(f"{spec} is a pack, which is audited on its examples; leave {given.settings()['data']} out")
    return audit_pack(loaded, loader)


def _of_task(opened: Opened, given: GivenData) -> list[Audit]:
    from scoring.data.rows.report import InputReport
    from scoring.engine.audit.pairs import audit_task

    opened.check_has("scoring audit")
    task = opened.task
    if task.asks_judge:
        raise InputError(f"{task.name} is scored by a judge; that can't be audited")
    tried = RECORDS if given.limit is None else min(given.limit, RECORDS)
    given = GivenData(given.data, given.references, given.input_format, tried).opened()
    if opened.kind == "images":
        from scoring.engine.data_set.audit import audit_images

        return audit_images({metric.text: metric for metric in task.metrics}, data_set(opened, given)[1].keyed)
    records = []
    if given.data is not None:
        items = given.items(task, InputReport())
        records = [item.record for item in islice(items, tried) if item.record is not None and not item.problem]
    return audit_task(task, records)
