"""`scoring verify`: score a finished run again and say whether everything comes out the same."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from scoring.cli.console import Console, add_form
from scoring.cli.errors import CLEAN, FINDINGS, UsageError
from scoring.cli.numbers import from_one

if TYPE_CHECKING:
    from scoring.engine.runs.read import StoredRun


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("run", metavar="RUN", help="a run folder; its files are looked for under their recorded names")
    parser.add_argument("--processes", type=from_one, default=1, metavar="N", help="score in N processes (default: 1)")
    add_form(parser)


def run(options: argparse.Namespace, console: Console) -> int:
    """Check the inputs, score again, compare."""
    import tempfile

    from scoring.engine.runs.read import read_run
    from scoring.engine.runs.verification import changed_inputs, verify

    stored = read_run(options.run)
    changed = changed_inputs(stored)
    if changed:
        for line in changed:
            console.note(line)
        console.note("without these files the run can't be scored again")
        return FINDINGS
    with tempfile.TemporaryDirectory() as folder:
        if not _way(stored)(stored, Path(folder) / "run", options, console):
            return FINDINGS
        found = verify(stored, read_run(str(Path(folder) / "run")))
    if options.json:
        import dataclasses

        console.json({"same": found.same, **dataclasses.asdict(found)})
    else:
        from scoring.report.of.runs import verification_document

        console.show(verification_document(found), options.form)
    return CLEAN if found.same else FINDINGS


def _way(stored: StoredRun) -> Callable[[StoredRun, Path, argparse.Namespace, Console], bool]:
    """How a run is scored again: as a suite, as a whole data set, or record by record."""
    if "suite" in stored.manifest:
        return _suite_again
    is_data_set = any(entry["role"] == "groundtruth" for entry in stored.manifest["inputs"])
    return _data_set_again if is_data_set else _again


def _again(stored: StoredRun, folder: Path, options: argparse.Namespace, console: Console) -> bool:
    """Score the run again into a folder; False when its spec no longer compiles."""
    from scoring.cli.commands.score_ import score_into
    from scoring.cli.data import Data
    from scoring.cli.judge import judge_again, judge_of
    from scoring.cli.load import load_task
    from scoring.data.file import format_again
    from scoring.engine.runs.folder import RunFolder

    files = {entry["role"]: entry for entry in stored.manifest["inputs"]}
    data = files.get("records") or files.get("predictions")
    settings = stored.manifest["settings"]
    if "spec" not in files or data is None or not {"limit", "by", "dialect"} <= settings.keys():
        raise UsageError(f"{stored.name} is no run of a task that `scoring score` wrote")
    how = argparse.Namespace(
        spec=files["spec"]["name"],
        data=data["name"],
        input_format=format_again(data),
        references=files["references"]["name"] if "references" in files else None,
        limit=settings["limit"],
        by=settings["by"],
        dialect=settings["dialect"],
        seed=stored.manifest["seed"],
        processes=options.processes,
        batch_size=None,
        scores=_layout(stored),
        html=False,
        **judge_again(settings),
    )
    task = load_task(how, console)
    if task is None:
        return False
    with RunFolder(folder) as written, judge_of(how, console, needed=task.asks_judge) as judge:
        score_into(task, Data.of(how), written, how, console, judge)
    return True


def _layout(stored: StoredRun) -> str:
    """Parquet holds ids as text and every column in every row: only the same layout compares."""
    return "parquet" if (Path(stored.name) / "scores.parquet").is_file() else "jsonl"


def _suite_again(stored: StoredRun, folder: Path, options: argparse.Namespace, console: Console) -> bool:
    """Run the suite again into a folder; False when it no longer compiles."""
    from scoring.cli.suite import run_suite_again

    return run_suite_again(stored.manifest, folder, options.processes, _layout(stored), console)


def _data_set_again(stored: StoredRun, folder: Path, options: argparse.Namespace, console: Console) -> bool:
    """Score the data set again into a folder; False when its spec no longer compiles."""
    from scoring.cli.load import load_task
    from scoring.cli.vision import data_set_into
    from scoring.engine.runs.folder import RunFolder

    how = argparse.Namespace(
        **{"limit": None, "input_format": None, **stored.manifest["settings"]},
        seed=stored.manifest["seed"],
        processes=options.processes,
        scores=_layout(stored),
        html=False,
    )
    task = load_task(how, console)
    if task is None:
        return False
    with RunFolder(folder) as written:
        data_set_into(task, written, how)
    return True
