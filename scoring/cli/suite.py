"""The suite side of `scoring score`: many tasks in one run, or the suite's figures from task results alone."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.cli.console import Console
from scoring.cli.errors import CLEAN, FINDINGS, UsageError

if TYPE_CHECKING:
    from scoring.data.file import InputFile
    from scoring.engine.runs.folder import RunFolder
    from scoring.engine.suite.model import Suite
    from scoring.engine.suite.run import SuiteRun
    from scoring.format.load import Loaded
    from scoring.judge.asking.members import OpenJudge

_FILES = ("tasks", "attributes", "results")
# What a run is repeated from; how it is drawn and where it is written changes nothing.
_SETTINGS = ("spec", "data", "references", "input_format", "limit", "by", "dialect", *_FILES)


def add_suite(parser: argparse.ArgumentParser) -> None:
    """The options that only suites have."""
    parser.add_argument(
        "--tasks", metavar="PATH", help="the tasks of a suite: a folder, or a file whose rows are tasks"
    )
    parser.add_argument("--attributes", metavar="FILE", help="attributes of a suite's tasks, by task name")
    parser.add_argument("--results", metavar="FILE", help="compute a suite from these task results instead of DATA")


def is_suite(options: argparse.Namespace) -> bool:
    """Whether the command was given a suite: a suite's file or name, a folder of tasks, or a file of them."""
    if any(getattr(options, name, None) for name in _FILES):
        return True
    from scoring.data.file_formats import holds_rows

    path = Path(options.spec)
    if path.is_dir() or holds_rows(options.spec) or _shipped(options.spec) is not None:
        return True
    from scoring.diagnostics.diagnostic import SpecError
    from scoring.format.read import read_file

    if not path.is_file():
        return False
    try:
        node = read_file(path, options.spec)
    except SpecError:
        return False  # whoever loads it as a task shows what is wrong with it
    kind = node.get("kind") if node.is_mapping else None
    return kind is not None and kind.value == "suite"


def run_suite_command(options: argparse.Namespace, console: Console) -> int:
    """Compile the suite, score or recompute, print, write."""
    from scoring.cli.findings import show
    from scoring.diagnostics.diagnostic import SpecError
    from scoring.engine.runs.folder import RunFolder

    _check(options)
    try:
        suite = _suite(options)
    except SpecError as error:
        return show(error.diagnostics, console, options.format)
    if suite.warnings:
        show(suite.warnings, console, options.format)
    if suite.results is None and options.data is None:
        raise UsageError("a suite needs DATA to score, or --results to be computed from")
    folder = RunFolder(Path(options.output), options.force) if options.output else None
    with folder or nullcontext():
        done = _run(suite, folder, options, console)
    _show(done, options, console)
    return CLEAN if done.summary["counts"]["scored"] else FINDINGS


def run_suite_again(manifest: Mapping[str, Any], folder: Path, processes: int, layout: str, console: Console) -> bool:
    """Run a finished suite once more into a folder, for `scoring verify`; False when it no longer compiles.

    Args:
        manifest: The manifest of the finished run.
        folder: Where the new run goes.
        processes: How many processes score.
        layout: The format of the scores, which must be that of the finished run.
        console: Where findings are shown.
    """
    from scoring.cli.findings import show
    from scoring.cli.judge import judge_again
    from scoring.diagnostics.diagnostic import SpecError
    from scoring.engine.runs.folder import RunFolder

    settings = dict(manifest["settings"])
    if not set(_SETTINGS) <= settings.keys():
        raise UsageError("this run was not made by `scoring score`: it does not say how to repeat it")
    settings |= judge_again(settings)
    options = argparse.Namespace(**settings, seed=manifest["seed"], processes=processes, batch_size=None, scores=layout)
    try:
        suite = _suite(options)
    except SpecError as error:
        show(error.diagnostics, console)
        return False
    with RunFolder(folder) as written:
        _run(suite, written, options, console)
    return True


def _run(suite: Suite, folder: RunFolder | None, options: argparse.Namespace, console: Console) -> SuiteRun:
    from scoring.cli.judge import judge_of

    if suite.results is not None:
        return _recomputed(suite, folder, options)
    with judge_of(options, console, needed=suite.asks_judge) as judge:
        return _scored(suite, folder, options, console, judge)


def _check(options: argparse.Namespace) -> None:
    if options.results and options.data is not None:
        raise UsageError("give DATA to score or --results to compute from, not both")


def _suite(options: argparse.Namespace) -> Suite:
    from scoring.data.file_formats import holds_rows
    from scoring.engine.suite.compile import compile_suite, suite_of
    from scoring.format.load import Loader
    from scoring.format.model import SuiteSpec

    given: dict[str, Path | None] = {name: _path(getattr(options, name)) for name in _FILES}
    spec = Path(options.spec)
    if spec.is_dir() or holds_rows(options.spec):
        loaded = suite_of(spec, dialect=options.dialect)
        given["tasks"] = given["tasks"] or spec
    else:
        loaded = Loader(dialect=options.dialect).file(_shipped(options.spec) or spec, options.spec)
    if not isinstance(loaded.spec, SuiteSpec):
        raise UsageError(f"{options.spec} is no suite; --tasks, --attributes and --results are for suites")
    more = tuple(options.by or ())
    loaded = replace(loaded, spec=replace(loaded.spec, by=tuple(dict.fromkeys((*loaded.spec.by, *more)))))
    suite = compile_suite(loaded, **given, dialect=options.dialect)
    if getattr(options, "locked", False):
        _check_lock(loaded, spec, suite)
    return suite if options.seed is None else suite.seeded(options.seed)


def _check_lock(loaded: Loaded, spec: Path, suite: Suite) -> None:
    """Refuse a suite that is not as its lock pins it.

    Raises:
        SpecError: when it is not.
    """
    from scoring.compiler.lock import Lock, lock_findings, read_lock
    from scoring.diagnostics.diagnostic import SpecError
    from scoring.format.load import Loader

    found = list(lock_findings(loaded, Loader(), read_lock(spec, loaded.spec.span), Lock.of(suite.recipe)))
    if found:
        raise SpecError(found)


def _path(name: str | None) -> Path | None:
    return Path(name) if name else None


def _shipped(name: str) -> Path | None:
    """The shipped suite of that name, such as `house-suite`."""
    from scoring.format.locate import data_folder

    path = data_folder("specs") / name / "suite.yaml"
    return path if name.replace("-", "").isalnum() and not Path(name).exists() and path.is_file() else None


def _recomputed(suite: Suite, folder: RunFolder | None, options: argparse.Namespace) -> SuiteRun:
    from scoring.data.file import InputFile
    from scoring.engine.suite.oddities import SuiteReport
    from scoring.engine.suite.results import read_results
    from scoring.engine.suite.run import finish_suite, recompute

    assert suite.results is not None
    report = SuiteReport()
    done = recompute(suite, read_results(suite.results, report), report)
    if folder is not None:
        _write_page(folder, done, (), options)
        used = [("task results", InputFile(str(suite.results)))]
        finish_suite(folder, done, _described(suite, used, options), _settings(options))
    return done


def _scored(
    suite: Suite, folder: RunFolder | None, options: argparse.Namespace, console: Console, judge: OpenJudge | None
) -> SuiteRun:
    from scoring.cli.judge import judge_settings, threads
    from scoring.cli.progress import Progress
    from scoring.data.rows.row import InputError
    from scoring.engine.road.evaluate import BATCH_SIZE, Options
    from scoring.engine.suite.items import total
    from scoring.engine.suite.oddities import SuiteReport
    from scoring.engine.suite.run import finish_suite, run_suite

    report = SuiteReport()
    tasks, files = _items(suite, options, report)
    count = total(tasks)
    if not count:
        raise InputError("the data holds no record of any task of the suite")
    how = Options(
        options.processes,
        options.batch_size or BATCH_SIZE,
        lines=folder is not None,
        keep_values=getattr(options, "html", False),
        threads=threads(options, suite.asks_judge),
    )
    progress = Progress(console.err)
    try:
        with folder.scores(options.scores) if folder else nullcontext() as writer:
            done = run_suite(
                suite,
                tasks,
                options=how,
                report=report,
                writer=writer,
                on_progress=lambda number: progress.update(number, number / count),
            )
    finally:
        progress.close()
    if folder is not None:
        _write_page(folder, done, tasks, options)
        settings = {**_settings(options), **judge_settings(options, judge)}
        finish_suite(folder, done, _described(suite, files, options), settings)
    return done


def _write_page(folder: RunFolder, done: SuiteRun, parts: Sequence[Any], options: argparse.Namespace) -> None:
    """Add the page, where one is asked for; a run that is repeated has none."""
    if getattr(options, "html", False):
        from scoring.cli.page import PAGE, suite_page

        folder.write_text(PAGE, suite_page(done, parts))


def _items(suite: Suite, options: argparse.Namespace, report: Any) -> tuple[list[Any], list[tuple[str, InputFile]]]:
    import sys

    from scoring.engine.suite.items import read_items
    from scoring.engine.suite.layout import open_source

    piped = sys.stdin.buffer.read() if options.data == "-" else None
    data = open_source(options.data, piped, options.input_format)
    references = open_source(options.references) if options.references else None
    tasks, files = read_items(suite, data, references, report)
    if options.limit is not None:
        tasks = [replace(task, items=task.items[: options.limit]) for task in tasks]
    return tasks, files


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    return {name: getattr(options, name) for name in _SETTINGS}


def _described(suite: Suite, files: list[tuple[str, InputFile]], options: argparse.Namespace) -> list[dict[str, Any]]:
    """Every file that was read, as the manifest names it; a shipped suite is known by its digest alone."""
    from scoring.data.file import InputFile
    from scoring.data.file_formats import holds_rows
    from scoring.engine.runs.manifest import describe_input

    path = Path(options.spec)
    spec = [("spec", InputFile(options.spec, kind="spec"))] if path.is_file() and not holds_rows(options.spec) else []
    own = [(role, InputFile(str(path))) for role, path in suite.files]
    return [describe_input(role, file) for role, file in [*spec, *own, *files]]


def _show(done: SuiteRun, options: argparse.Namespace, console: Console) -> None:
    if options.json:
        console.json(done.summary)
        return
    from scoring.report.of.summary import summary_document

    console.show(summary_document(done.summary), options.form)
    if options.output:
        console.print(console.style.dim(f"written to {options.output}"))
