"""`scoring compare`: say whether two runs differ, and which records changed."""

from __future__ import annotations

import argparse

from scoring.cli.console import Console, add_form
from scoring.cli.errors import CLEAN, FINDINGS, UsageError
from scoring.cli.numbers import from_zero


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("first", metavar="RUN_A", help="a run folder")
    parser.add_argument("second", metavar="RUN_B", help="another run folder of the same task")
    parser.add_argument("--cluster", metavar="ATTRIBUTE", help="draw whole groups of this one (default: the spec's)")
    parser.add_argument("--confidence", type=float, metavar="X", help="level of the interval (default: the spec's)")
    parser.add_argument("--resamples", type=int, default=10_000, metavar="N", help="draws (default: 10000)")
    parser.add_argument("--seed", type=from_zero, default=0, metavar="N", help="seed of the draws (default: 0)")
    parser.add_argument("--flips", type=from_zero, default=20, metavar="N", help="how many changed records to show")
    parser.add_argument("--force", action="store_true", help="compare although the runs measure different things")
    add_form(parser)


def run(options: argparse.Namespace, console: Console) -> int:
    """Compare, unless the two runs measure different things."""
    from scoring.engine.data_set.comparison import compare_data_sets, is_data_set
    from scoring.engine.runs.comparison import compare_runs, differences
    from scoring.engine.runs.read import read_run
    from scoring.report.of.runs import comparison_document

    if options.confidence is not None and not 0 < options.confidence < 1:
        raise UsageError("--confidence lies between 0 and 1")
    if not 100 <= options.resamples <= 1_000_000:
        raise UsageError("--resamples lies between 100 and 1000000")
    first, second = read_run(options.first), read_run(options.second)
    for run_ in (first, second):
        if not run_.records:
            raise UsageError(f"{run_.name} holds no scores of records, so there is nothing to compare pair by pair")
    odd = differences(first, second)
    if odd and not options.force:
        console.note("these runs can't be compared; they were scored differently:")
        for line in odd:
            console.note(f"  {line}")
        console.note("score both with one spec, or add --force")
        return FINDINGS
    both = [is_data_set(run_) for run_ in (first, second)]
    if any(both) and not all(both):
        raise UsageError("one run scored records, the other a whole data set; there is nothing to pair")
    way = compare_data_sets if all(both) else compare_runs
    data = way(
        first,
        second,
        seed=options.seed,
        cluster=options.cluster,
        confidence=options.confidence,
        resamples=options.resamples,
    )
    if options.json:
        console.json(data)
    else:
        console.show(comparison_document(data, options.flips), options.form)
    return CLEAN
