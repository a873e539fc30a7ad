"""`scoring score`: score the records of a data file, print the summary, write a run folder."""

from __future__ import annotations

import argparse
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from scoring.cli.console import Console, add_form
from scoring.cli.errors import CLEAN, FINDINGS, UsageError
from scoring.cli.numbers import from_zero

if TYPE_CHECKING:
    from scoring.cli.data import Data
    from scoring.compiler.task import CompiledTask
    from scoring.engine.road.run import Run
    from scoring.engine.runs.folder import RunFolder
    from scoring.judge.asking.members import OpenJudge


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    from scoring.cli.data import add_data
    from scoring.cli.findings import add_format
    from scoring.cli.judge import add_judge
    from scoring.cli.load import add_dialect, add_locked
    from scoring.cli.suite import add_suite

    parser.add_argument("spec", metavar="SPEC", help="a task (YAML, JSON, or of a foreign form), or a suite")
    add_data(parser)
    parser.add_argument("-o", "--output", metavar="FOLDER", help="write the run folder")
    parser.add_argument("--force", action="store_true", help="replace an older run in the folder")
    parser.add_argument("--scores", choices=("jsonl", "parquet"), default="jsonl", help="format of the scores file")
    parser.add_argument("--processes", type=int, default=1, metavar="N", help="score in N processes (default: 1)")
    parser.add_argument("--batch-size", type=int, metavar="N", help="records scored together; changes no number")
    parser.add_argument("--seed", type=from_zero, metavar="N", help="seed of the intervals (default: the spec's)")
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
    add_suite(parser)
    add_locked(parser)
    add_judge(parser)
    add_dialect(parser)
    add_format(parser)


def run(options: argparse.Namespace, console: Console) -> int:
    """Load the spec, score, print, write."""
    from scoring.cli.data import Data
    from scoring.cli.judge import judge_of
    from scoring.cli.load import load_task
    from scoring.cli.suite import is_suite, run_suite_command
    from scoring.data.rows.row import InputError
    from scoring.engine.runs.folder import RunFolder

    if options.processes < 1 or (options.batch_size is not None and options.batch_size < 1):
        raise UsageError("--processes and --batch-size must be at least 1")
    if options.html and not options.output:
        raise UsageError("--html needs a run folder: add --output FOLDER")
    _collect_rarely()
    if is_suite(options):
        return run_suite_command(options, console)
    task = load_task(options, console)
    if task is None:
        return FINDINGS
    if task.spec.records is not None:
        from scoring.cli.vision import score_data_set

        return score_data_set(task, options, console)
    data = Data.of(options)
    if options.dialects:
        from scoring.cli.dialects import show_dialects

        return show_dialects(task, data, options, console)
    folder = RunFolder(Path(options.output), options.force) if options.output else None
    with folder or nullcontext(), judge_of(options, console, needed=task.asks_judge) as judge:
        try:
            done = score_into(task, data, folder, options, console, judge)
        except OSError as error:
            raise InputError(f"can't write {options.output}: {error.strerror}") from error
    _show(done, options, console)
    return CLEAN


def _collect_rarely() -> None:
    """Results live to the end of the run; looking for garbage among them again and again costs a fifth of it."""
    import gc

    gc.set_threshold(200_000, 50, 100)


def score_into(
    task: CompiledTask,
    data: Data,
    folder: RunFolder | None,
    options: argparse.Namespace,
    console: Console,
    judge: OpenJudge | None = None,
) -> Run:
    """Score the data, and write the run folder if there is one."""
    from scoring.cli.judge import judge_settings, threads
    from scoring.cli.progress import Progress
    from scoring.data.rows.report import InputReport
    from scoring.engine.road.evaluate import BATCH_SIZE, Options
    from scoring.engine.road.run import run_items
    from scoring.engine.runs.folder import finish

    report = InputReport()
    how = Options(
        options.processes,
        options.batch_size or BATCH_SIZE,
        lines=folder is not None,
        keep_values=options.html,
        threads=threads(options, task.asks_judge),
    )
    progress = Progress(console.err)
    with folder.scores(options.scores) if folder else nullcontext() as writer:
        try:
            done = run_items(
                task,
                data.items(task, report),
                options=how,
                report=report,
                writer=writer,
                on_progress=lambda count: progress.update(count, data.fraction()),
            )
        finally:
            progress.close()
    if folder is not None:
        if options.html:
            from scoring.cli.page import PAGE, page, read_again

            folder.write_text(PAGE, page(done.summary, done.records, read_again(task, data, done.records)))
        settings = {
            "dialect": options.dialect,
            "by": options.by or [],
            "limit": options.limit,
            **judge_settings(options, judge),
        }
        finish(folder, "task", task, done.summary, data.described(options.spec), settings)
    return done


def _show(done: Run, options: argparse.Namespace, console: Console) -> None:
    if options.json:
        console.json(done.summary)
        return
    from scoring.report.of.summary import summary_document

    console.show(summary_document(done.summary), options.form)
    if options.output:
        console.print(console.style.dim(f"written to {options.output}"))
