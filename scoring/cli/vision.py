"""The vision side of `scoring score`: a whole data set of images or labelled data, its metrics and run folder."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.cli.console import Console
from scoring.cli.errors import CLEAN, UsageError

if TYPE_CHECKING:
    from scoring.compiler.task import CompiledTask
    from scoring.data.file import InputFile
    from scoring.data.sets.task import VisionTask
    from scoring.engine.audit.laws import Audit
    from scoring.engine.data_set.evaluate import How
    from scoring.engine.data_set.read import DataSet
    from scoring.engine.runs.folder import RunFolder


def score_data_set(task: CompiledTask, options: argparse.Namespace, console: Console) -> int:
    """Score the data set that the spec or the command names, print, write.

    Raises:
        UsageError: for options that such a task does not have.
        InputError: when its files can't be scored.
    """
    from scoring.engine.features import refusal
    from scoring.engine.runs.folder import RunFolder
    from scoring.report.of.summary import summary_document

    if options.dialects:
        raise UsageError(f"--dialects: {refusal('--dialects', 'images')}")
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


def data_set_into(task: CompiledTask, folder: RunFolder | None, options: argparse.Namespace) -> dict[str, Any]:
    """Score the data set, write the run folder if there is one, and give the summary."""
    from scoring.data.file import InputFile
    from scoring.engine.data_set.from_spec import data_files, evaluate_spec
    from scoring.engine.runs.folder import finish
    from scoring.engine.runs.record_line import record_lines

    home = Path(options.spec).parent
    _check_settings(task, home)
    truth, found = _given(options.references), _given(options.data, options.input_format)
    with input_errors():
        files = data_files(task.spec, home, ground_truth=truth, predictions=found)
        sides = {"ground_truth": files["groundtruth"], "predictions": files.get("predictions")}
        done = evaluate_spec(task.spec, task.metrics, home, **sides, how=_how(task, options))
    summary = {
        "task": {"name": task.name, "version": task.version},
        "signature": task.signature,
        "seed": task.seed,
        **done.data,
    }
    if folder is not None:
        with folder.scores(options.scores) as writer:
            writer.write(record_lines(done.places, done.records))
        if options.html:
            from scoring.cli.page import PAGE, page

            folder.write_text(PAGE, page(summary, done.records))
        for name, plot in done.plots.items():
            folder.write_text(f"plot_{name}", plot)
        named = {"spec": InputFile(options.spec, kind="spec"), **files}
        finish(
            folder, "task", task, summary, [_described(role, path) for role, path in named.items()], _settings(options)
        )
    return summary


def _read(task: CompiledTask, options: argparse.Namespace, limit: int | None = None) -> tuple[VisionTask, DataSet]:
    """The settings and the tables of the data set that the spec or the command names.

    Raises:
        InputError: when its files can't be scored.
    """
    from scoring.engine.data_set.from_spec import data_files, vision_task
    from scoring.engine.data_set.read import read_data_set

    home = Path(options.spec).parent
    _check_settings(task, home)
    truth, found = _given(options.references), _given(options.data, options.input_format)
    with input_errors():
        files = data_files(task.spec, home, ground_truth=truth, predictions=found)
        described = vision_task(task.spec, home)
        return described, read_data_set(described, files["groundtruth"], files.get("predictions"), limit)


def audit_data_set(task: CompiledTask, options: argparse.Namespace, images: int) -> list[Audit]:
    """Attack the metrics of a data set on its first images."""
    from scoring.engine.data_set.audit import audit_images

    _, data = _read(task, options, images)
    return audit_images({metric.text: metric for metric in task.metrics}, data.keyed)


def names_data_set(name: str, dialect: str | None) -> bool:
    """Whether a name is that of a file with a task over a data set of images."""
    from scoring.diagnostics.diagnostic import SpecError
    from scoring.format.load import Loader
    from scoring.format.model import TaskSpec

    if not Path(name).is_file():
        return False
    try:
        spec = Loader(dialect=dialect).file(Path(name), name).spec
    except SpecError:  # told where the file is loaded in earnest
        return False
    return isinstance(spec, TaskSpec) and spec.records is not None


def explain_in_data_set(task: CompiledTask, options: argparse.Namespace, console: Console) -> int:
    """Tell what happened to one image."""
    from scoring.engine.data_set.explain import explain_image
    from scoring.report.of.image import image_document

    described, data = _read(task, options)
    metrics = {metric.text: metric for metric in task.metrics}
    story = {"task": task.name, **explain_image(described, metrics, data.keyed, options.record)}
    if options.json:
        console.json(story)
    else:
        console.show(image_document(story), options.form)
    return CLEAN


def _how(task: CompiledTask, options: argparse.Namespace) -> How:
    from scoring.engine.data_set.evaluate import How

    return How(task.intervals, task.seed, options.processes, options.limit)


@contextmanager
def input_errors() -> Iterator[None]:
    """Files that can't be scored as the command line tells of them.

    Raises:
        InputError: with every fault and its place.
    """
    from scoring.data.rows.row import InputError
    from scoring.data.sets.faults import BrokenRecords

    try:
        yield
    except BrokenRecords as error:
        raise InputError(f"can't score the data set: {error}") from error
    except OSError as error:
        raise InputError(f"can't read {error.filename}: {error.strerror}") from error


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
    names = ("spec", "data", "references", "input_format", "by", "dialect", "limit")
    return {name: getattr(options, name) for name in names}
