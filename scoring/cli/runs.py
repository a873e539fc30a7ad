"""The commands about data and runs: score, compare, verify, repeat, bundle, explain."""

from __future__ import annotations

import argparse
from dataclasses import replace

from scoring import api
from scoring.cli import arguments as shared
from scoring.cli.arguments import argument, command, findings_as, given, judge_options
from scoring.cli.console import CLEAN, FINDINGS, GATED, UNCOVERED, Console, UsageError
from scoring.cli.options import Verb
from scoring.cli.values import folder

COMMANDS = {
    "score": "score the records of a data file",
    "compare": "say whether runs differ, and which records changed; rank more than two",
    "verify": "score a finished run again and say whether it comes out the same",
    "repeat": "make a finished run once more, from what its manifest says",
    "bundle": "make one file of a finished run, from which anyone can score it again",
    "explain": "show a record's way through the stages, a primitive, a scorer or a finding",
}

_EVALUATE = Verb("scoring.api.tasks:evaluate")
_COMPARE, _VERIFY = Verb("scoring.api.comparing:compare"), Verb("scoring.api.verifying:verify")
_REPEAT, _BUNDLE = Verb("scoring.api.verifying:repeat"), Verb("scoring.api.verifying:bundle")
_EXPLAIN = Verb("scoring.api.explaining:explain")

_OPENING = ("spec", "dialect", "by", "seed", "locked", "frozen", "tasks", "attributes", "results")
_DATA = ("data", "references", "input_format", "limit")


@command(
    "score",
    argument("spec", metavar="SPEC", help="a task (YAML, JSON, or of a foreign form), or a suite"),
    shared.DATA,
    *_EVALUATE("references", "input_format", "limit"),
    _EVALUATE.option("output", "-o", "--output", type=folder),
    *_EVALUATE("force", "scores", "state", "parts", "part", "engine", "processes", "batch_size", "seed", "by", "html"),
    shared.FORM,
    argument(
        "--dialects",
        nargs="?",
        const="@",
        metavar="NAMES",
        help="compare scorers on these answers instead: the packs and scorers named, else the dialects of one measure",
    ),
    *_EVALUATE("tasks", "attributes", "results", "dialect", "locked", "frozen"),
    shared.MIN_COVERAGE,
    *shared.GATES,
    judge_options,
    findings_as(),
)
def _score(options: argparse.Namespace, console: Console) -> int:
    """Open the spec, score the data, print the run and write its folder; return the exit code."""
    from scoring.cli.progress import Progress

    progress = Progress(console.err.raw)
    told = given(options, "dialects", by=options.by or ())
    opening = {name: told.pop(name) for name in _OPENING}
    data = {name: told.pop(name) for name in _DATA}
    how = api.RunOptions(
        **told, keep_values=False, keep_records=False, on_progress=progress.update, on_note=console.remark
    )
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
    try:
        done = api.run_opened(opened, api.GivenData(**data), how)
    finally:
        progress.close()
    return report_run(done, options, console)


def report_run(run: api.Run, options: argparse.Namespace, console: Console) -> int:
    """Print a run and the limits that it fails, and return the exit code; too low a coverage matters more than any
    limit."""
    share, least = run.coverage, options.min_coverage
    gates, figures = api.gates_of(options.min, options.max), run.metrics
    api.check_gates(gates, run.task)
    told = {"gates": api.passed(gates, figures)} if gates else {}
    console.result(replace(run, summary={**run.summary, **told}), options)
    if options.output and not options.json:
        console.print(f"written to {api.hide_credentials(options.output)}", "dim")
    failed = [gate for gate in gates if not gate.holds(figures[gate.metric])]
    for gate in failed:
        console.remark(gate.told(figures[gate.metric]))
    if run.never_equal:
        console.remark("what is compared can never be equal; which field it is stands under `input`")
        return UNCOVERED
    if share < least or not share:
        few = f"coverage {share:.1%} is below --min-coverage {least:.1%}" if share else "nothing has a score"
        console.remark(f"{few}; the reasons stand with the figures")
        return UNCOVERED
    return GATED if failed else CLEAN


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
    shared.FORM,
)
def _compare(options: argparse.Namespace, console: Console) -> int:
    """Compare runs and print the result, or why they can't be compared; return the exit code."""
    try:
        gate = options.fail_if_worse or None
        if gate is not None and options.metric is None:
            options.metric = gate
        found = api.compare(*options.runs, **given(options, "runs", "fail_if_worse"))
        if twice := next((run for run in options.runs if options.runs.count(run) > 1), None):
            console.remark(f"{twice} is given twice, and a run never differs from itself; name another run's folder")
    except api.NotComparable as error:
        for line in (f"{error.headline}:", *(f"  {reason}" for reason in error.reasons), error.advice):
            console.note(line)
        return FINDINGS
    worse = [] if options.fail_if_worse is None else found.worse(gate)
    console.result(found, options)
    for name in worse:
        console.note(f"{name} is worse than {options.runs[0]}, and --fail-if-worse was given")
    return GATED if worse else CLEAN


@command(
    "verify",
    argument("run", metavar="RUN", help="a run folder, a bundle, or a pack whose signature is looked at"),
    *_VERIFY("data", "references", "root", "processes", "trust"),
    shared.FORM,
)
def _verify(options: argparse.Namespace, console: Console) -> int:
    """Verify a run, or the signature of a pack, and print the result; return the exit code."""
    if options.run.endswith((".yaml", ".yml", ".json")):
        if any(getattr(options, name) is not None for name in ("data", "references", "root")):
            raise UsageError("of a pack its signature is looked at, and nothing is scored; leave its places out")
        found = api.verify_release(options.run, trust=options.trust)
    else:
        found = api.verify(**given(options), on_note=console.remark)
    console.result(found, options)
    return CLEAN if found.passed else FINDINGS


@command(
    "repeat",
    *_REPEAT("run"),
    _REPEAT.option("output", "-o", "--output", type=folder),
    *_REPEAT("data", "references", "root", "processes"),
    shared.FORM,
)
def _repeat(options: argparse.Namespace, console: Console) -> int:
    """Score a run again into a new folder, and print the comparison of the two; return the exit code."""
    found = api.repeat(**given(options), on_note=console.remark)
    console.result(found, options)
    if not found.changed and not options.json:
        console.print(f"written to {options.output}", "dim")
    return CLEAN if found.same else FINDINGS


@command(
    "bundle",
    *_BUNDLE("run"),
    _BUNDLE.option("output", "-o", "--output", metavar="FILE"),
    argument(
        "--no-data", dest="with_data", action="store_false", help="leave out data and references; their digests stay"
    ),
    *_BUNDLE("data", "references", "root", "force"),
    shared.FORM,
)
def _bundle(options: argparse.Namespace, console: Console) -> None:
    console.result(api.bundle(**given(options), on_note=console.remark), options)


@command(
    "explain",
    *_EXPLAIN("what"),
    argument("data", nargs="?", metavar="DATA", help="the records, when WHAT is a spec"),
    *_EXPLAIN("record", "references", "input_format", "dialect"),
    shared.FORM,
    judge_options,
)
def _explain(options: argparse.Namespace, console: Console) -> None:
    found = api.explain(**given(options), on_note=console.remark)
    console.findings(found.warnings)
    console.result(found, options)
