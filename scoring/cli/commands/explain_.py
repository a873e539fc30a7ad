"""`scoring explain`: a record's way through the stages, a primitive, a pack's scorer, or a finding."""

from __future__ import annotations

import argparse

from scoring.cli.console import CLEAN, Console
from scoring.cli.options import add, add_form, add_judge, judge_options, picked


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("what", metavar="WHAT", help="a spec, a primitive, PACK:SCORER, or the id of a finding")
    parser.add_argument("data", nargs="?", metavar="DATA", help="the records, when WHAT is a spec")
    parser.add_argument("--record", metavar="ID", help="which record (default: the first)")
    parser.add_argument("--references", metavar="FILE", help="references, joined to DATA by id")
    parser.add_argument("--input-format", metavar="FORMAT", help="format of DATA, as `scoring score` takes it")
    add_form(parser)
    add_judge(parser)
    add(parser, "--dialect")


def run(options: argparse.Namespace, console: Console) -> int:
    """Explain whatever was named."""
    from scoring.api.explaining import explain
    from scoring.cli.findings import show

    given = picked(options, "data", "references", "input_format", "record", "dialect")
    found = explain(options.what, **given, judge=judge_options(options), on_note=console.remark)
    show(found.warnings, console)
    console.result(found, options)
    return CLEAN
