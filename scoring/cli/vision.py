"""The vision side of `scoring score`: a whole data set of images or labelled data, its metrics and run folder."""

from __future__ import annotations

import argparse
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.cli.console import Console
from scoring.cli.errors import CLEAN, UsageError

if TYPE_CHECKING:
    from scoring.compiler.task import CompiledTask
    from scoring.data.file import InputFile

_OTHERS = {"dialects": "--dialects", "limit": "--limit"}


def score_data_set(task: CompiledTask, options: argparse.Namespace, console: Console) -> int:
    """Score the data set that the spec or the command names, print, write.

    Raises:
        UsageError: for options that such a task does not have.
        InputError: when its files can't be scored.
    """
    from scoring.engine.runs.folder import RunFolder
    from scoring.report.of.summary import summary_document

    for name, option in _OTHERS.items():
        if getattr(options, name):
            raise UsageError(f"{task.name} scores a whole data set; leave {option} out")
    folder = RunFolder(Path(options.output), options.force) if options.output else None
    with folder or nullcontext():
        summary = data_set_into(task, folder, options)
    if options.json:
        console.json(summary)
        return CLEAN
    console.show(summary_document(summary), options.form)
    if options.output:
        console.print(console.style.dim(f"written to {options.output}"))
    return CLEAN


def data_set_into(task: CompiledTask, folder: Any, options: argparse.Namespace) -> dict[str, Any]:
    """Score the data set, write the run folder if there is one, and give the summary."""
    from scoring.data.file import InputFile
    from scoring.data.rows.row import InputError
    from scoring.data.sets.faults import BrokenRecords
    from scoring.engine.data_set.from_spec import data_files, evaluate_spec
    from scoring.engine.runs.folder import finish

    home = Path(options.spec).parent
    _check_settings(task, home)
    given = {"ground_truth": _given(options.references), "predictions": _given(options.data, options.input_format)}
    try:
        files = data_files(task.spec, home, **given)
        sides = {"ground_truth": files["groundtruth"], "predictions": files.get("predictions")}
        found = evaluate_spec(task.spec, task.metrics, home, **sides)
    except BrokenRecords as error:
        raise InputError(f"can't score the data set: {error}") from error
    except OSError as error:
        raise InputError(f"can't read {error.filename}: {error.strerror}") from error
    summary = {
        "task": {"name": task.name, "version": task.version},
        "signature": task.signature,
        "seed": task.seed,
        **found.data,
    }
    if folder is not None:
        if getattr(options, "html", False):
            from scoring.cli.page import PAGE, page

            folder.write_text(PAGE, page(summary))
        for name, plot in found.plots.items():
            folder.write_text(f"plot_{name}", plot)
        named = {"spec": InputFile(options.spec, kind="spec"), **files}
        finish(
            folder, "task", task, summary, [_described(role, path) for role, path in named.items()], _settings(options)
        )
    return summary


def _check_settings(task: CompiledTask, folder: Path) -> None:
    """Refuse settings that make no sense before a file is read.

    Raises:
        InputError: with what is wrong.
    """
    from scoring.data.rows.row import InputError
    from scoring.engine.data_set.from_spec import vision_task

    try:
        vision_task(task.spec, folder)
    except (ValueError, TypeError, OSError) as error:
        raise InputError(f"can't score {task.name}: {error}") from error


def _given(name: str | None, kind: str | None = None) -> Path | InputFile | None:
    """A file or folder that the command was given, or what comes through a pipe.

    Raises:
        InputError: when it is not there, or a format is said of what has none.
    """
    import sys

    from scoring.data.file import InputFile
    from scoring.data.rows.row import InputError

    if name == "-":
        return InputFile(name, sys.stdin.buffer.read(), kind)
    if kind is not None and (name is None or Path(name).is_dir()):
        what = "the files that the spec names" if name is None else f"the folder {name}"
        raise InputError(f"--input-format is of a file that is given, not of {what}; leave it out")
    if name is not None and not Path(name).exists():
        raise InputError(f"can't read {name}: there is no such file")
    return None if name is None else Path(name) if Path(name).is_dir() else InputFile(name, kind=kind)


def _described(role: str, source: Path | InputFile) -> dict[str, Any]:
    from scoring.engine.runs.manifest import describe_folder, describe_input

    return describe_folder(role, source) if isinstance(source, Path) else describe_input(role, source)


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    return {name: getattr(options, name) for name in ("spec", "data", "references", "input_format", "by", "dialect")}
