"""The command that makes runs: score."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from msgspec.structs import replace

from scoring import api
from scoring.cli import arguments as shared
from scoring.cli.arguments import api_arguments, argument, command, findings_as, judge_options
from scoring.cli.console import CLEAN, GATED, UNCOVERED, Console, UsageError
from scoring.cli.options import Verb
from scoring.cli.values import file_name, folder

COMMANDS = {"score": "score the records of a data file"}

_EVALUATE = Verb("scoring.api.evaluating:evaluate")

_OPENING = ("spec", "dialect", "by", "seed", "locked", "frozen", "tasks", "attributes", "results")
_DATA = ("data", "references", "input_format", "reference_format", "layout", "limit")


@command(
    "score",
    argument("spec", metavar="SPEC", help="a task (YAML, JSON, or a file of another tool), or a suite"),
    shared.DATA,
    _EVALUATE.option("references", action="append"),
    *_EVALUATE("input_format", "reference_format", "layout", "limit"),
    _EVALUATE.option("output", "-o", "--output", type=folder),
    _EVALUATE.option("write_back", type=file_name, metavar="FILE"),
    *_EVALUATE("force", "scores", "state", "parts", "part", "engine", "processes", "batch_size", "seed", "by", "html"),
    _EVALUATE.option("plots", type=folder, metavar="DIR"),
    shared.FORM,
    argument(
        "--dialects",
        nargs="?",
        const="@",
        metavar="NAMES",
        help="compare rules on these answers instead: of names, tasks, packs or scorers, else of the task's own name",
    ),
    *_EVALUATE("tasks", "attributes", "results", "dialect", "locked", "frozen"),
    shared.MIN_COVERAGE,
    *shared.GATES,
    shared.WATCH,
    judge_options,
    findings_as(),
)
def _score(options: argparse.Namespace, console: Console) -> int:
    """Open the spec, score the data, print the run and write its folder; return the exit code."""
    arguments = api_arguments(options, "dialects", by=options.by or ())
    opening = {name: arguments.pop(name) for name in _OPENING}
    data = {name: arguments.pop(name) for name in _DATA}
    how = api.RunOptions(**arguments, keep_values=False, keep_records=False, on_note=console.remark)
    how.check()
    opened = api.open_spec(**opening)
    console.findings(opened.warnings, options.format)
    gates = api.gates_of(options.min, options.max)
    if options.dialects:
        if gates:
            raise UsageError("--min and --max are of the figures of a run; leave them out, or --dialects")
        compare_dialects = api.service("compare-dialects", "--dialects")
        console.result(compare_dialects(opened, names=options.dialects, **data), options)
        return CLEAN
    api.check_gates(gates, opened.target)
    with _progress(console) as update:
        done = api.run_opened(opened, api.GivenData(**data), replace(how, on_progress=update))
    code = report_run(done, options, console)
    if options.write_back and not options.json:
        console.print(f"the log with its scores is in {options.write_back}", "dim")
    return code


@contextmanager
def _progress(console: Console) -> Iterator[Callable[[int, float | None], None]]:
    """Yield a callback that shows the progress of a run that takes more than a second, if an extension shows it."""
    start, shown = monotonic(), list[Any]()

    def update(done: int, fraction: float | None) -> None:
        if not shown and monotonic() > start + 1 and (progress := api.find_service("run-progress")):
            shown.append(progress(console.err, start))
        for one in shown:
            one.update(done, fraction)

    try:
        yield update
    finally:
        for one in shown:
            one.close()


def report_run(run: api.Run, options: argparse.Namespace, console: Console) -> int:
    """Print a run and the limits that it exceeds; return the exit code: 3 for low coverage, 4 for a limit, or 0."""
    share, least = run.coverage, options.min_coverage
    gates, figures = api.gates_of(options.min, options.max), run.metrics
    api.check_gates(gates, run.task)
    gate_results = {"gates": api.passed(gates, figures)} if gates else {}
    console.result(dataclasses.replace(run, summary={**run.summary, **gate_results}), options)
    if options.output and not options.json:
        console.print(f"written to {api.hide_credentials(options.output)}", "dim")
    failed = [gate for gate in gates if not gate.holds(figures[gate.metric])]
    for gate in failed:
        console.remark(gate.message(figures[gate.metric]))
    if run.never_equal:
        console.remark("what is compared can never be equal; which field it is stands under `input`")
        return UNCOVERED
    if share < least or not share:
        few = f"coverage {share:.1%} is below --min-coverage {least:.1%}" if share else "nothing has a score"
        console.remark(f"{few}; the reasons stand with the figures")
        return UNCOVERED
    return GATED if failed else CLEAN
