"""`scoring release`: check packs, say which part of the version must be raised, write the changelog, build."""

from __future__ import annotations

import argparse

from scoring.cli.console import CLEAN, FINDINGS, Console, UsageError
from scoring.cli.options import ACCEPT, add_form, add_reports, named, picked


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("packs", nargs="+", metavar="PACK", help="the files of packs")
    parser.add_argument("-n", "--dry-run", action="store_true", help="write nothing, say what would be done")
    parser.add_argument(
        "--against",
        type=named,
        metavar="OLD",
        help="what they are held against: a file, a tag, an address (default: the last release that is found)",
    )
    parser.add_argument(
        "--raise", dest="raise_version", action="store_true", help="write the version that is needed, if it is too low"
    )
    parser.add_argument("--accept", **ACCEPT)
    parser.add_argument("--date", dest="day", metavar="DAY", help="the day of the changelog's entry (default: today)")
    parser.add_argument("--tag", action="store_true", help="make an annotated tag of the last commit; push nothing")
    parser.add_argument("--wheel", type=named, metavar="DIR", help="write a wheel of them into a folder")
    parser.add_argument(
        "--distribution", type=named, metavar="NAME", help="the wheel's name and version, acme-metrics==1.2.0"
    )
    parser.add_argument("--earlier", action="store_true", help="with --wheel: earlier releases go into it, too")
    parser.add_argument("--to", type=named, metavar="ADDRESS", help="put them into a folder or store that lists them")
    parser.add_argument("--strict", action="store_true", help="warnings are findings too")
    add_form(parser)
    add_reports(parser, "sarif")


def run(options: argparse.Namespace, console: Console) -> int:
    """Release, show the findings and what was done."""
    from scoring.api.releasing import release
    from scoring.cli.findings import REPORTS, show

    if options.format in REPORTS and (options.json or options.form != "text"):
        raise UsageError(f"--format {options.format} is the whole output; leave out --json and --as")
    how = picked(
        options, "dry_run", "against", "raise_version", "day", "tag", "wheel", "distribution", "earlier", "to", "strict"
    )
    found = release(options.packs, accept=dict(options.accept), **how)
    show(found.findings, console, options.format)
    if options.format not in REPORTS:
        console.result(found, options)
    return CLEAN if found.passed else FINDINGS
