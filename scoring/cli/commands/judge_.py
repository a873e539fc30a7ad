"""`scoring judge`: how good the judge of a run is: agreement with others and with people, and where it should pass."""

from __future__ import annotations

import argparse

from scoring.cli.console import CLEAN, Console
from scoring.cli.options import add_form


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
    calibrate = kinds.add_parser("calibrate", help="propose a pass threshold from labels that people gave")
    calibrate.add_argument("runs", nargs=1, metavar="RUN", help="a run folder")
    calibrate.add_argument(
        "--labels", required=True, metavar="COLUMN", help="labels of people: an attribute or a column of the data"
    )
    calibrate.add_argument(
        "--aim", choices=("kappa", "accuracy", "f1"), default="kappa", help="what is to be best (default: kappa)"
    )
    agree = kinds.add_parser("agreement", help="how far judges agree, with one another and with people")
    agree.add_argument("runs", nargs="+", metavar="RUN", help="run folders of the same records")
    agree.add_argument("--labels", metavar="COLUMN", help="labels of people: an attribute or a column of the data")
    agree.add_argument("--pass-at", type=float, default=0.5, metavar="X", help="scores from here on pass (0.5)")
    for kind in (calibrate, agree):
        kind.add_argument("--field", metavar="NAME", help="a field's score instead of the record's")
        add_form(kind)


def run(options: argparse.Namespace, console: Console) -> int:
    """Read the runs, measure, print."""
    from scoring.api.judges import agreement, calibrate

    if options.kind == "calibrate":
        found = calibrate(options.runs[0], options.labels, field=options.field, aim=options.aim)
    else:
        found = agreement(*options.runs, labels=options.labels, field=options.field, pass_at=options.pass_at)
    console.result(found, options)
    return CLEAN
