"""`scoring explain`: a record's way through the stages, a primitive, a pack's scorer, or a finding."""

from __future__ import annotations

import argparse
import os
from typing import Any

from scoring.cli.console import Console, add_form
from scoring.cli.errors import CLEAN, UsageError


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    from scoring.cli.judge import add_judge
    from scoring.cli.load import add_dialect

    parser.add_argument("what", metavar="WHAT", help="a spec, a primitive, PACK:SCORER, or the id of a finding")
    parser.add_argument("data", nargs="?", metavar="DATA", help="the records, when WHAT is a spec")
    parser.add_argument("--record", metavar="ID", help="which record (default: the first)")
    parser.add_argument("--references", metavar="FILE", help="references, joined to DATA by id")
    parser.add_argument("--input-format", metavar="FORMAT", help="format of DATA, as `scoring score` takes it")
    add_form(parser)
    add_judge(parser)
    add_dialect(parser)


def run(options: argparse.Namespace, console: Console) -> int:
    """Explain whatever was named."""
    from scoring.api.explaining import explain_name
    from scoring.cli.vision import names_data_set

    if options.data is not None or names_data_set(options.what, options.dialect):
        return _record(options, console)
    if options.record is not None:
        raise UsageError("--record needs the records: scoring explain SPEC DATA --record ID")
    console.result(explain_name(options.what), options)
    return CLEAN


def _record(options: argparse.Namespace, console: Console) -> int:
    from scoring.cli.judge import judge_of
    from scoring.cli.load import load_task
    from scoring.report.of.trace import trace_document

    options.spec, options.limit = options.what, None
    task = load_task(options, console)
    if task is None:
        return 1
    if task.spec.records is not None:
        from scoring.cli.vision import explain_in_data_set

        return explain_in_data_set(task, options, console)
    item = _find(task, options)
    if item.problem is not None or item.record is None:
        raise UsageError(f"this record can't be scored: {item.problem}")
    # An explanation asks again what scoring asked; without a file, the calls are kept for the moment.
    options.judge_cache = options.judge_cache or os.environ.get("SCORING_JUDGE_CACHE") or ":memory:"
    with judge_of(options, console, needed=task.asks_judge):
        story = task.explain(item.record)
    if options.json:
        console.json(story)
    else:
        console.show(trace_document(story), options.form)
    return CLEAN


def _find(task: Any, options: argparse.Namespace) -> Any:
    from scoring.cli.data import Data
    from scoring.data.rows.join import id_text
    from scoring.data.rows.report import InputReport
    from scoring.diagnostics.suggest import did_you_mean

    seen: list[str] = []
    for item in Data.of(options).items(task, InputReport()):
        text = id_text(item.id)
        if options.record is None or text == options.record or item.where == options.record:
            return item
        if text is not None and len(seen) < 10_000:
            seen.append(text)
    close = did_you_mean(options.record, seen)
    hint = f"; did you mean `{close}`?" if close else ""
    raise UsageError(f"no record has the id `{options.record}`{hint}")
