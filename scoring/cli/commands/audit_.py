"""`scoring audit`: attack the metric itself, and show where it gives what it should not."""

from __future__ import annotations

import argparse
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from scoring.cli.console import Console, add_form
from scoring.cli.errors import CLEAN, FINDINGS, UsageError

if TYPE_CHECKING:
    from scoring.engine.audit.laws import Audit

_RECORDS = 200
_CHANGES = ("case", "whitespace", "order", "keys", "numbers")


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    from scoring.cli.data import add_data
    from scoring.cli.findings import add_format
    from scoring.cli.load import add_dialect

    parser.add_argument("spec", metavar="SPEC", help="a task, or a pack with examples")
    add_data(parser)
    parser.add_argument(
        "--invariant",
        action="append",
        choices=_CHANGES,
        default=[],
        metavar="CHANGE",
        help=f"a change that every scorer must overlook: {', '.join(_CHANGES)}; can be given several times",
    )
    add_form(parser)
    add_dialect(parser)
    add_format(parser)


def run(options: argparse.Namespace, console: Console) -> int:
    """Try the laws, show what holds, and fail where one that must hold does not."""
    from scoring.engine.audit.laws import audit_data
    from scoring.report.of.audit import audit_document

    audits = _audits(options, console)
    if audits is None:
        return FINDINGS
    if not any(verdict.tried for found in audits for verdict in found.verdicts.values()):
        raise UsageError(f"nothing to try: {options.spec} has no examples with references; name DATA with some")
    data = audit_data(audits, options.invariant)
    if options.json:
        console.json(data)
    else:
        console.show(audit_document(data), options.form)
    return CLEAN if data["passed"] else FINDINGS


def _audits(options: argparse.Namespace, console: Console) -> list[Audit] | None:
    from scoring.cli.data import Data
    from scoring.cli.load import load_task
    from scoring.data.rows.report import InputReport
    from scoring.engine.audit.pairs import audit_pack, audit_task
    from scoring.format.load import Loader
    from scoring.format.model import Pack

    loader = Loader(dialect=options.dialect)
    loaded = loader.file(Path(options.spec), options.spec)
    if isinstance(loaded.spec, Pack):
        if options.data is not None:
            raise UsageError(f"{options.spec} is a pack, which is audited on its examples; leave {options.data} out")
        return audit_pack(loaded, loader)
    task = load_task(options, console)
    if task is None:
        return None
    if task.asks_judge:
        raise UsageError(f"{task.name} is scored by a judge; that can't be audited")
    if task.spec.records is not None:
        from scoring.cli.vision import audit_data_set

        return audit_data_set(task, options, _RECORDS)
    records = []
    if options.data is not None:
        items = Data.of(options).items(task, InputReport())
        records = [item.record for item in islice(items, _RECORDS) if item.record is not None and not item.problem]
    return audit_task(task, records)
