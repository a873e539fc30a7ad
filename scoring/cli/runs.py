"""The commands over data and runs: score, compare, verify, repeat, bundle, explain."""

from __future__ import annotations

import argparse
from dataclasses import replace

from scoring import api
from scoring.cli import arguments as shared
from scoring.cli.arguments import FROM_0, FROM_1, PROCESSES, argument, command, findings_as, given, judged, named
from scoring.cli.console import CLEAN, FINDINGS, GATED, UNCOVERED, Console, UsageError

COMMANDS = {
    "score": "score the records of a data file",
    "compare": "say whether runs differ, and which records changed; rank more than two",
    "verify": "score a finished run again and say whether it comes out the same",
    "repeat": "make a finished run once more, from what its manifest says",
    "bundle": "make one file of a finished run, from which anyone can score it again",
    "explain": "show a record's way through the stages, a primitive, a scorer or a finding",
}

_OPENING = ("spec", "dialect", "by", "seed", "locked", "frozen", "tasks", "attributes", "results")
_DATA = ("data", "references", "input_format", "limit")


@command(
    "score",
    argument("spec", metavar="SPEC", help="a task (YAML, JSON, or of a foreign form), or a suite"),
    *shared.DATA,
    shared.RUN_FOLDER,
    shared.REPLACE_RUN,
    argument("--scores", choices=("jsonl", "parquet"), default="jsonl", help="format of the scores file"),
    argument(
        "--state",
        choices=("exact", "sums"),
        default="exact",
        help="what figures keep: all different scores, or sums, whose memory is constant (default: exact)",
    ),
    argument(
        "--parts", type=named, metavar="FOLDER", help="keep the parts of the run; go on from those that are there"
    ),
    argument("--part", metavar="N/OF", help="DATA is this part of a run, such as 3/10; `merge` joins them"),
    argument("--engine", default="local", metavar="NAME", help="who scores: local processes, ray or spark"),
    argument("--processes", type=FROM_1, **PROCESSES),
    argument("--batch-size", type=FROM_1, metavar="N", help="records scored together; changes no number"),
    argument("--seed", type=FROM_0, metavar="N", help="seed of the intervals (default: the spec's)"),
    argument("--by", action="append", metavar="PATH", help="one more breakdown; can be given several times"),
    argument("--html", action="store_true", help="add report.html to the run folder"),
    shared.FORM,
    argument(
        "--dialects",
        nargs="?",
        const="@",
        metavar="NAMES",
        help="compare scorers on these answers instead: the packs and scorers named, else the dialects of one measure",
    ),
    *shared.SUITE,
    shared.LOCKED,
    shared.FROZEN,
    shared.MIN_COVERAGE,
    *shared.GATES,
    judged,
    shared.DIALECT,
    findings_as(),
)
def _score(options: argparse.Namespace, console: Console) -> int:
    """Open the spec, score, print, write."""
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
        console.result(api.compare_dialects(opened, names=options.dialects, **data), options)
        return CLEAN
    api.check_gates(gates, opened.target)
    try:
        done = api.run_opened(opened, api.GivenData(**data), how)
    finally:
        progress.close()
    return report_run(done, options, console)


def report_run(run: api.Run, options: argparse.Namespace, console: Console) -> int:
    """Print a run and return its exit code; one whose figures rest on few records is not clean, whatever they are."""
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
    argument("runs", nargs="+", metavar="RUN", help="run folders of the same task, two or more"),
    argument("--cluster", metavar="ATTRIBUTE", help="draw whole groups of this one (default: the spec's)"),
    argument("--strata", metavar="ATTRIBUTE", help="draw within its groups, which are fixed (default: the spec's)"),
    argument("--confidence", type=float, metavar="X", help="level of the interval (default: the spec's)"),
    argument("--resamples", type=FROM_1, default=10_000, metavar="N", help="draws (default: 10000)"),
    argument("--seed", type=FROM_0, default=0, metavar="N", help="seed of the draws (default: 0)"),
    argument("--flips", type=FROM_0, default=20, metavar="N", help="how many changed records to show"),
    argument("--metric", metavar="NAME", help="compare by this figure, or by `all` (default: the spec's first)"),
    argument(
        "--fail-if-worse",
        nargs="?",
        const="",
        metavar="NAME",
        help="exit with 4 where a run is surely worse than the first one, by its figure or by this one",
    ),
    argument("--force", action="store_true", help="compare although the runs measure different things"),
    shared.FORM,
)
def _compare(options: argparse.Namespace, console: Console) -> int:
    """Compare, unless the runs measure different things."""
    try:
        gate = options.fail_if_worse or None
        if gate is not None and options.metric is None:
            options.metric = gate
        found = api.compare(*options.runs, **given(options, "runs", "fail_if_worse"))
        if twice := next((run for run in options.runs if options.runs.count(run) > 1), None):
            console.remark(f"{twice} stands twice, and no run differs from itself; name another run's folder")
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
    *shared.PLACES,
    argument("--processes", type=FROM_1, **PROCESSES),
    argument(
        "--trust",
        type=named,
        metavar="FILE",
        help="exit 1 unless an author of this file signed it: TOML with `[trust]`, or OpenSSH's allowed signers",
    ),
    shared.FORM,
)
def _verify(options: argparse.Namespace, console: Console) -> int:
    """Check the inputs, score again, compare."""
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
    argument("run", metavar="RUN", help="a run folder, or a bundle"),
    argument("-o", "--output", type=shared.folder, metavar="FOLDER", required=True, help="write the new run folder"),
    *shared.PLACES,
    argument("--processes", type=FROM_1, **PROCESSES),
    shared.FORM,
)
def _repeat(options: argparse.Namespace, console: Console) -> int:
    """Check the inputs, score again, write, compare."""
    found = api.repeat(**given(options), on_note=console.remark)
    console.result(found, options)
    if not found.changed and not options.json:
        console.print(f"written to {options.output}", "dim")
    return CLEAN if found.same else FINDINGS


@command(
    "bundle",
    argument("run", metavar="RUN", help="a run folder"),
    argument("-o", "--output", type=named, metavar="FILE", help="the bundle (default: the run's name with .zip)"),
    argument(
        "--no-data", dest="with_data", action="store_false", help="leave out data and references; their digests stay"
    ),
    *shared.PLACES,
    shared.FORCE,
    shared.FORM,
)
def _bundle(options: argparse.Namespace, console: Console) -> None:
    console.result(api.bundle(**given(options), on_note=console.remark), options)


@command(
    "explain",
    argument("what", metavar="WHAT", help="a spec, a primitive, PACK:SCORER, or the id of a finding"),
    argument("data", nargs="?", metavar="DATA", help="the records, when WHAT is a spec"),
    argument("--record", metavar="ID", help="which record (default: the first)"),
    argument("--references", metavar="FILE", help="references, joined to DATA by id"),
    argument("--input-format", metavar="FORMAT", help="format of DATA, as `scoring score` takes it"),
    shared.FORM,
    judged,
    shared.DIALECT,
)
def _explain(options: argparse.Namespace, console: Console) -> None:
    found = api.explain(**given(options), on_note=console.remark)
    console.findings(found.warnings)
    console.result(found, options)
