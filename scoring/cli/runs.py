"""The commands over data and runs: score, merge, compare, diff, verify, repeat, bundle, audit, explain, judge."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace

from scoring import api
from scoring.cli import arguments as shared
from scoring.cli.arguments import FROM_0, FROM_1, PROCESSES, argument, command, findings_as, given, judged, named
from scoring.cli.console import CLEAN, FAILED, FINDINGS, GATED, REPORTS, UNCOVERED, Console, UsageError
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.words import counted

_FOLDER = argument("-o", "--output", type=shared.folder, metavar="FOLDER", help="write the run folder")
_REPLACE = argument("--force", action="store_true", help="replace an older run in the folder")
_OPENING = ("spec", "dialect", "by", "seed", "locked", "frozen", "tasks", "attributes", "results")
_DATA = ("data", "references", "input_format", "limit")


@command(
    "score",
    argument("spec", metavar="SPEC", help="a task (YAML, JSON, or of a foreign form), or a suite"),
    *shared.DATA,
    _FOLDER,
    _REPLACE,
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
    return _scored(done, options, console)


def _scored(run: api.Run, options: argparse.Namespace, console: Console) -> int:
    """A run, and its exit code; one whose figures rest on few records is not clean, whatever they are."""
    share, least = run.coverage, options.min_coverage
    gates, figures = api.gates_of(options.min, options.max), run.metrics
    api.check_gates(gates, run.task)
    told = {"gates": api.passed(gates, figures)} if gates else {}
    console.result(replace(run, summary={**run.summary, **told}), options)
    if options.output and not options.json:
        console.print(f"written to {api.shown(options.output)}", "dim")
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
    "merge",
    argument("parts", nargs="+", metavar="FOLDER", help="what `scoring score --parts FOLDER` has written"),
    _FOLDER,
    _REPLACE,
    argument("--scores", choices=("jsonl", "parquet"), help="format of the scores (default: the parts')"),
    shared.MIN_COVERAGE,
    *shared.GATES,
    shared.FORM,
)
def _merge(options: argparse.Namespace, console: Console) -> int:
    return _scored(api.merge(**given(options), on_note=console.remark), options, console)


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


_SIDES = "a file, NAME@VERSION, an address, REV:PATH of this git repository, or a run"


@command(
    "diff",
    argument("old", metavar="OLD", type=named, help=_SIDES),
    argument("new", metavar="NEW", type=named, help="likewise"),
    argument("--data", metavar="FILE", type=named, help="records to score with both"),
    *shared.ABOUT_DATA,
    argument("--worst", type=FROM_0, default=20, metavar="N", help="how many records to show (default: 20)"),
    argument(
        "--scorings",
        type=FROM_1,
        default=18,
        metavar="N",
        help="how often the data may be scored to tell which change does what (default: 18; 2: not)",
    ),
    argument(
        "--all", dest="everything", action="store_true", help="show also what is for people alone: docs, examples"
    ),
    argument("--processes", type=FROM_1, **PROCESSES),
    shared.FORM,
    judged,
    shared.DIALECT,
)
def _diff(options: argparse.Namespace, console: Console) -> int:
    """Compare; whether something moves is the exit code, and where a side is not in order nobody knows."""
    try:
        found = api.diff(**given(options))
    except SpecError as error:
        console.findings(error.diagnostics)
        return FAILED
    console.result(found, options)
    return FINDINGS if found.moves else CLEAN


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


_CHANGES = ("question", "newline", "whitespace", "case", "numbers", "marks", "order", "keys", "swapped")


@command(
    "audit",
    argument("spec", metavar="SPEC", help="a task, or a pack with examples"),
    *shared.DATA,
    argument(
        "--invariant",
        action="append",
        choices=_CHANGES,
        default=[],
        metavar="CHANGE",
        help=f"what must hold, whatever the spec excepts: {', '.join(_CHANGES)}; can be given several times",
    ),
    argument("--strict", action="store_true", help="advice counts, too: laws that sound scorers may break"),
    argument(
        "--seed",
        type=FROM_0,
        default=0,
        metavar="N",
        help="the seed by which 200 of more records are drawn (default: 0)",
    ),
    shared.FORM,
    judged,
    shared.DIALECT,
    findings_as(*REPORTS),
)
def _audit(options: argparse.Namespace, console: Console) -> int:
    """Try the laws, show what holds, and fail where one that must hold does not."""
    found = api.audit(**given(options))
    if options.format in REPORTS:
        console.check_report(options)
        console.findings(found.diagnostics(options.spec), options.format, cases=found.cases)
    else:
        console.findings(found.warnings, options.format)
        console.result(found, options)
    return CLEAN if found.passed else FINDINGS


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


def _judge_kinds(parser: argparse.ArgumentParser) -> None:
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
    calibrate = kinds.add_parser("calibrate", help="propose a pass threshold from labels that people gave")
    calibrate.add_argument("run", metavar="RUN", help="a run folder")
    labels = "labels of people: an attribute or a column of the data"
    calibrate.add_argument("--labels", required=True, metavar="COLUMN", help=labels)
    calibrate.add_argument(
        "--aim", choices=("kappa", "accuracy", "f1"), default="kappa", help="what is to be best (default: kappa)"
    )
    agree = kinds.add_parser("agreement", help="how far judges agree, with one another and with people")
    agree.add_argument("runs", nargs="+", metavar="RUN", help="run folders of the same records")
    agree.add_argument("--labels", metavar="COLUMN", help=labels)
    agree.add_argument("--pass-at", type=float, default=0.5, metavar="X", help="scores from here on pass (0.5)")
    for kind in (calibrate, agree):
        kind.add_argument("--field", metavar="NAME", help="a field's score instead of the record's")
        shared.FORM(kind)


@command("judge", _judge_kinds)
def _judge(options: argparse.Namespace, console: Console) -> None:
    """Read the runs, measure, print."""
    if options.kind == "calibrate":
        found = api.calibrate(**given(options, "kind"))
    else:
        found = api.agreement(*options.runs, **given(options, "kind", "runs"))
    console.result(found, options)


@command(
    "judge-cache",
    argument("action", choices=("list", "prune", "export", "import"), help="what to do with the cache"),
    argument("cache", metavar="CACHE", help="the file that `--judge-cache` named"),
    argument("file", nargs="?", metavar="FILE", help="export to, or import from, here; else stdout or stdin"),
    argument("--model", metavar="NAME", help="prune: calls of this model"),
    argument("--prompt", metavar="DIGEST", help="prune: calls whose prompt's digest starts like this"),
    argument("--older-than", type=float, metavar="DAYS", help="prune: calls that were made longer ago"),
    shared.FORM,
)
def _judge_cache(options: argparse.Namespace, console: Console) -> None:
    """Do with the cache what was asked."""
    cache = options.cache
    if options.action == "list":
        console.result(api.list_calls(cache), options)
    elif options.action == "prune":
        older = options.older_than
        dropped = api.prune_calls(cache, model=options.model, prompt=options.prompt, older_than_days=older)
        console.print(f"{counted(dropped, 'call')} dropped from {cache}")
    elif options.action == "export":
        count = api.export_calls(cache, options.file or console.out)
        if options.file is not None:
            console.print(f"{counted(count, 'call')} written to {options.file}")
    else:
        new = api.import_calls(cache, options.file or sys.stdin)
        console.print(f"{counted(new, 'new call')} in {cache}")
