"""Score a data set as a whole, such as one of images."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from scoring.api.opening import Opened
from scoring.api.paths import check_images
from scoring.api.run import Run, Stretched
from scoring.api.sources import GivenData, watch_source
from scoring.data.os_errors import input_errors
from scoring.data.watched import WatchedFolder
from scoring.engine.runs.record_line import record_lines
from scoring.errors import InputError
from scoring.registry.table_kind import table_kind

if TYPE_CHECKING:
    from scoring.engine.runs.folder import LineWriter
    from scoring.registry.table_kind import TableKind

InputsOf: TypeAlias = Callable[[Sequence[tuple[str, Any]]], tuple[Mapping[str, Any], ...]]


def run_over_data_set(
    opened: Opened, given: GivenData, processes: int, writer: LineWriter | None, inputs_of: InputsOf
) -> Run:
    """Score the data set of a task, write the results of its images if there is a writer, and return the run.

    `inputs_of` makes the manifest entries of files, given with their roles.
    """
    task = opened.task
    kind, settings, data, files = data_set(opened, given)
    inputs = inputs_of(list(files.items()))
    check_images(task.spec, kind.attributes(data))
    metrics = {metric.text: metric for metric in task.metrics}
    with input_errors():
        done = kind.evaluate(settings, metrics, data, task.intervals, task.seed, processes)
    if writer is not None:
        writer.write(record_lines(done.places, done.records))
    about = {"task": {"name": task.name, "version": task.version}, "signature": task.signature, "seed": task.seed}
    parts = (Stretched(None, done.places, done.records),)
    run = Run(task, "table", {**about, **done.data}, parts, inputs=inputs, pictures=done.pictures)
    return replace(run, files={f"plot_{name}": plot for name, plot in run.plots.items()})


def data_set(opened: Opened, given: GivenData) -> tuple[TableKind, Any, Any, Mapping[str, Any]]:
    """Return the kind, settings, content and files of the data set that a spec names, or that is given instead.

    Raises:
        InputError: when its settings are invalid, or its files can't be scored.
    """
    spec = opened.task.spec
    assert spec.records is not None, "a data set has a kind"
    kind = table_kind(spec.records)
    try:
        settings = kind.settings(spec, opened.folder)
    except (ValueError, TypeError, OSError) as error:  # what makes no sense is told before a file is read
        raise InputError(f"can't score {opened.target.name}: {error}") from error
    with input_errors():
        files = kind.sources(spec, opened.folder, given.references, given.data)
        files = {role: watch_source(source) for role, source in files.items()}
        read = {role: source.path if isinstance(source, WatchedFolder) else source for role, source in files.items()}
        return kind, settings, kind.read(settings, read["groundtruth"], read.get("predictions"), given.limit), files
