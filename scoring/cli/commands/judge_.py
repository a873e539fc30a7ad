"""`scoring judge`: how good the judge of a run is: agreement with others and with people, and where it should pass."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from scoring.cli.console import Console
from scoring.cli.errors import CLEAN, UsageError


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
        kind.add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace, console: Console) -> int:
    """Read the runs, measure, print."""
    from scoring.engine.runs.judge_quality import agreement, calibration
    from scoring.engine.runs.read import read_run

    if len(set(options.runs)) < len(options.runs):
        raise UsageError("a run agrees with itself; name different ones")
    runs = [read_run(name) for name in options.runs]
    data: dict[str, Any]
    if options.kind == "calibrate":
        data = calibration(runs[0], options.labels, field=options.field, aim=options.aim)
    else:
        data = agreement(runs, options.labels, field=options.field, pass_at=options.pass_at)
    if options.json:
        console.json(data)
    else:
        console.print(_calibrated(data, console) if options.kind == "calibrate" else _agreed(data, console))
    return CLEAN


def _calibrated(data: Mapping[str, Any], console: Console) -> str:
    from scoring.report.table import table

    low, high = data["accuracy_interval"]
    head = [
        console.style.bold(f"pass: score >= {data['pass_at']:.6g}"),
        f"accuracy {data['accuracy']:.4f} [{low:.4f}, {high:.4f}] · kappa {data['kappa']:.4f} · F1 {data['f1']:.4f} · "
        f"ROC AUC {data['roc_auc']:.4f}",
        f"{data['records']} labelled records with a score, {data['positives']} of them passes"
        + (f"; {data['without_score']} without a score left out" if data["without_score"] else ""),
    ]
    names = ("accuracy", "kappa", "f1")
    rows = [
        [f"{row['at']:.6g}", *(f"{row[name]:.4f}" for name in names), str(row["false_passes"]), str(row["false_fails"])]
        for row in _around(data["thresholds"], data["pass_at"])
    ]
    header = ["threshold", *names, "false passes", "false fails"]
    return "\n".join([*head, "", table(rows, header, [1, 2, 3, 4, 5], console.style)])


def _around(rows: list[dict[str, Any]], at: float, most: int = 11) -> list[dict[str, Any]]:
    """The thresholds next to the proposed one."""
    place = next(index for index, row in enumerate(rows) if row["at"] == at)
    start = max(0, min(place - most // 2, len(rows) - most))
    return rows[start : start + most]


def _agreed(data: Mapping[str, Any], console: Console) -> str:
    from scoring.report.table import table
    from scoring.report.visible import visible

    lines = [
        f"{console.style.bold('Krippendorff alpha')}  {_number(data['krippendorff_alpha'])}  "
        f"scores of {data['records']} records",
        f"{console.style.bold('Fleiss kappa')}        {_number(data['fleiss_kappa'])}  "
        f"passes from {data['pass_at']:g} on, {data['rated_by_all']} records rated by all {len(data['raters'])}",
    ]
    rows = [
        [
            visible(" – ".join(pair["raters"])),
            str(pair["records"]),
            _number(pair["same_verdict"]),
            _number(pair["cohen_kappa"]),
        ]
        for pair in data["pairs"]
    ]
    header = ["raters", "records", "same verdict", "Cohen kappa"]
    return "\n".join([*lines, "", table(rows, header, [1, 2, 3], console.style)])


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
