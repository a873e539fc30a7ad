"""`scoring score`: score the records of a data file, print the summary, write a run folder."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from scoring.api.files import without_credentials
from scoring.cli.console import CLEAN, Console
from scoring.cli.options import DATA, FROM_0, SUITE, add, add_form, add_judge, given_data, judge_options, named, picked

if TYPE_CHECKING:
    from scoring.api.running import RunOptions
    from scoring.cli.progress import Progress


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("spec", metavar="SPEC", help="a task (YAML, JSON, or of a foreign form), or a suite")
    add(parser, *DATA)
    parser.add_argument("-o", "--output", type=named, metavar="FOLDER", help="write the run folder")
    parser.add_argument("--force", action="store_true", help="replace an older run in the folder")
    parser.add_argument("--scores", choices=("jsonl", "parquet"), default="jsonl", help="format of the scores file")
    parser.add_argument(
        "--state",
        choices=("exact", "sums"),
        default="exact",
        help="what figures keep: all different scores, or sums, whose memory is constant (default: exact)",
    )
    parser.add_argument(
        "--parts", type=named, metavar="FOLDER", help="keep the parts of the run; go on from those that are there"
    )
    parser.add_argument("--part", metavar="N/OF", help="DATA is this part of a run, such as 3/10; `merge` joins them")
    parser.add_argument("--engine", default="local", metavar="NAME", help="who scores: local processes, ray or spark")
    parser.add_argument("--processes", type=int, default=1, metavar="N", help="score in N processes (default: 1)")
    parser.add_argument("--batch-size", type=int, metavar="N", help="records scored together; changes no number")
    parser.add_argument("--seed", type=FROM_0, metavar="N", help="seed of the intervals (default: the spec's)")
    parser.add_argument("--by", action="append", metavar="PATH", help="one more breakdown; can be given several times")
    parser.add_argument("--html", action="store_true", help="add report.html to the run folder")
    add_form(parser)
    parser.add_argument(
        "--dialects",
        nargs="?",
        const="@",
        metavar="NAMES",
        help="compare scorers on these answers instead: the packs and scorers named, else the dialects of one measure",
    )
    add(parser, *SUITE, "--locked", "--frozen", "--min-coverage")
    add_judge(parser)
    add(parser, "--dialect", "--format")


def run(options: argparse.Namespace, console: Console) -> int:
    """Open the spec, score, print, write."""
    from scoring.api.opening import open_spec
    from scoring.api.running import run_opened
    from scoring.api.sources import GivenData
    from scoring.cli.findings import show
    from scoring.cli.progress import Progress

    progress = Progress(console.err.raw)
    how = _how(options, console, progress)
    how_to_load = picked(options, "dialect", "seed", "frozen", "tasks", "attributes", "results")
    how_to_load["locked"] = options.locked or None
    opened = open_spec(options.spec, by=options.by or (), **how_to_load)
    show(opened.warnings, console, options.format)
    if options.dialects:
        from scoring.api.dialects import compare_dialects

        console.result(compare_dialects(opened, names=options.dialects, **given_data(options)), options)
        return CLEAN
    try:
        done = run_opened(opened, GivenData(**given_data(options)), how)
    finally:
        progress.close()
    console.result(done, options)
    if options.output and not options.json:
        console.print(f"written to {without_credentials(options.output)}", "dim")
    return console.covered(done, options.min_coverage)


def _how(options: argparse.Namespace, console: Console, progress: Progress) -> RunOptions:
    from scoring.api.running import RunOptions

    how = RunOptions(
        **picked(
            options, "output", "force", "scores", "html", "processes", "batch_size", "state", "parts", "part", "engine"
        ),
        judge=judge_options(options),
        keep_values=False,
        keep_records=False,
        on_progress=progress.update,
        on_note=console.remark,
    )
    how.check()
    return how
