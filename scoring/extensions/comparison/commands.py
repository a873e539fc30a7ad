"""The command that compares runs."""

from __future__ import annotations

import argparse

from scoring.cli import arguments as shared
from scoring.cli.arguments import api_arguments, argument, command
from scoring.cli.console import CLEAN, FINDINGS, GATED, Console
from scoring.cli.options import Verb
from scoring.cli.values import folder

COMMANDS = {"compare": "say whether runs differ, and which records changed; rank more than two"}

_COMPARE = Verb("scoring.extensions.comparison.verbs:compare")


@command(
    "compare",
    *_COMPARE("runs", "cluster", "strata", "confidence", "resamples", "seed", "flips", "metric"),
    argument(
        "--fail-if-worse",
        nargs="?",
        const="",
        metavar="NAME",
        help="exit with 4 where a run is surely worse than the first one, by its figure or by this one",
    ),
    *_COMPARE("force"),
    argument("--plots", type=folder, metavar="DIR", help="a folder to which the plots are written as SVG for papers"),
    shared.FORM,
)
def _compare(options: argparse.Namespace, console: Console) -> int:
    """Compare runs and print the result, or why they can't be compared; return the exit code."""
    from scoring.extensions.comparison.verbs import NotComparable, compare

    draw = None
    if options.plots is not None:
        from scoring.extensions.pages.papers import figure_writer
        from scoring.extensions.pages.run_page import named_plots

        draw = figure_writer(options.plots)
    try:
        gate = options.fail_if_worse or None
        if gate is not None and options.metric is None:
            options.metric = gate
        found = compare(*options.runs, **api_arguments(options, "runs", "fail_if_worse", "plots"))
        if twice := next((run for run in options.runs if options.runs.count(run) > 1), None):
            console.remark(f"{twice} is given twice, and a run never differs from itself; name another run's folder")
    except NotComparable as error:
        for line in (f"{error.headline}:", *(f"  {reason}" for reason in error.reasons), error.advice):
            console.note(line)
        return FINDINGS
    worse = [] if options.fail_if_worse is None else found.worse(gate)
    console.result(found, options)
    if draw is not None:
        draw(named_plots(found.document()))
    for name in worse:
        console.note(f"{name} is worse than {options.runs[0]}, and --fail-if-worse was given")
    return GATED if worse else CLEAN
