"""Explain how one record is scored, stage by stage; an extension explains what a name means."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct

from scoring.api.arguments import in_words, is_whole, verb
from scoring.api.data_sets import data_set
from scoring.api.judging import opened_judge
from scoring.api.opening import Opened, SpecSource, reopened
from scoring.api.result import Result
from scoring.api.running import lanes_of
from scoring.api.sources import GivenData
from scoring.compiler.tasks.task import CompiledTask
from scoring.data.rows.batch import Item, id_text, one_by_one
from scoring.data.rows.report import InputReport
from scoring.diagnostics import catalog
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.suggest import nearest
from scoring.diagnostics.words import counted
from scoring.errors import InputError
from scoring.extensions.examples.running import direct
from scoring.extensions.layouts.choosing import laid_out
from scoring.extensions.tracing.documents import trace_document
from scoring.extensions.tracing.limits import within_limits
from scoring.extensions.tracing.trace import show
from scoring.format.load import Loader
from scoring.format.model import TaskSpec
from scoring.registry import registry
from scoring.registry.effect import EffectOptions
from scoring.registry.extension import service

MAX_SEEN = 10_000
MAX_LEVELS = 1_000


class Explained(Result):
    """The explanation of a name, or the trace of one record."""


def _has_name(name: str) -> bool:
    """Return whether a name is that of a primitive, a metric or a kind of finding."""
    return bool(registry.get(name) or registry.metric(name) or catalog.page(name) or registry.called(name))


@verb
def explain(
    what: SpecSource | CompiledTask,
    data: Any = None,
    *,
    record: str | int | None = None,
    example: int | None = None,
    full: bool = False,
    depth: int | None = None,
    references: Any = None,
    input_format: str | None = None,
    reference_format: str | None = None,
    layout: str | None = None,
    dialect: str | None = None,
    judge: EffectOptions | None = None,
    on_note: Callable[[str], None] | None = None,
) -> Explained:
    """Return the trace of one record's scoring, stage by stage; or, without data, the explanation of a name.

    Args:
        what: A spec; without data, the name of a primitive, ``PACK:SCORER``, or the id of a finding.
        data: The records, if ``what`` is a spec: a path, an iterable of mappings, a data frame, or an Arrow table.
        record: The id of the record or image, by default the first one; in a suite ``TASK/ID``, or just the id.
        example: The number of an example that the spec states, from 1, in place of a record of data.
        full: Whether to show texts, lists and expressions whole, instead of their beginnings.
        depth: The number of levels of the tree to show, from 1; by default all of them.
        references: The references that are joined to the records by id.
        input_format: The format of ``data``, such as ``csv,delimiter=tab``.
        reference_format: The format of ``references``.
        layout: The layout of the files, one of those that the task names; None for the one that fits.
        dialect: The dialect that defines the names in a task file of another tool.
        judge: The judge's options; None keeps the judge that this process has.
        on_note: Called with each remark about the result, as a line of text.

    Raises:
        SpecError: when the spec is invalid.
        InputError: when there is no such name or record.

    Examples:
        >>> task = {"kind": "task", "name": "town", "score": "casefold | equal"}
        >>> explain(task, [{"id": "q1", "response": "Paris", "reference": "paris"}])
        <Explained: record q1 of town>
        >>> explain("specs/quickstart/invoices.yaml", example=2, depth=1)
        <Explained: example 2 of quickstart/invoices>
    """
    _check_view(depth, example, data, record)
    view = _View(full, depth, judge, on_note)
    if example is not None:
        return _explained_example(what, example, dialect, view)
    if data is None and isinstance(what, str | Path) and not _names_data_set(str(what), dialect):
        formats = {"--input-format": input_format, "--reference-format": reference_format, "--layout": layout}
        late = {"--record": record, "--references": references, **formats, "--full": full or None, "--depth": depth}
        return _explained_name(str(what), late, dialect)
    if isinstance(what, str) and not Path(what).exists() and _has_name(what):
        raise InputError(f"`{what}` is explained without data: `scoring explain {what}`; a record needs a spec")
    record = record if isinstance(record, str) else id_text(record)  # ids are compared as text
    opened = reopened(what, dialect=dialect)
    if data is None and opened.kind != "table":
        raise InputError("--record needs the records: scoring explain SPEC DATA --record ID")
    given = GivenData(data, references, input_format, reference_format=reference_format, layout=layout)
    return _of_data(opened, given, record, view)


def _of_data(opened: Opened, given: GivenData, record: str | None, view: _View) -> Explained:
    """Return the trace of a record, or the account of an image, of some data."""
    opened, given = laid_out(opened, given, view.on_note)
    given = given.opened()
    if opened.kind == "table":
        return replace(_image(opened, given, record, view), warnings=opened.warnings)
    compiled, item, about = _found(_items(opened, given), record)
    if item.problem is not None or item.record is None:
        raise InputError(f"this record can't be scored: {item.problem}")
    return _traced(compiled, item.record, about, opened, view)


class _View(Struct, frozen=True):
    """How a trace is made and shown: whole texts or not, how deep, and with which judge."""

    full: bool
    depth: int | None
    judge: EffectOptions | None
    on_note: Callable[[str], None] | None


def _traced(task: CompiledTask, record: Any, about: str, opened: Opened, view: _View, **more: Any) -> Explained:
    judge = view.judge.remembering() if view.judge is not None and task.asks_judge else view.judge
    with opened_judge(judge, needed=task.asks_judge, on_note=view.on_note), within_limits(view.full):
        story = task.explain(record) | more
    draw = partial(trace_document, full=view.full, depth=view.depth)
    return Explained(story, about, draw, warnings=opened.warnings)


def _check_view(depth: int | None, example: int | None, data: Any, record: Any) -> None:
    """Raise InputError for a depth below 1, and for an example beside data."""
    if depth is not None and not is_whole(depth, 1, MAX_LEVELS):
        raise InputError(f"--depth is a number of levels from 1 to {MAX_LEVELS}, not {in_words(depth)}")
    if example is not None and (data is not None or record is not None):
        raise InputError("--example shows an example of the spec itself: leave the data and --record out, or --example")


def _explained_example(what: SpecSource | CompiledTask, number: int, dialect: str | None, view: _View) -> Explained:
    """Return the trace of an example that a task states, with the score that it expects."""
    opened = reopened(what, dialect=dialect)
    if opened.kind != "rows":
        raise InputError(
            f"--example is for a task over rows, and this is a {opened.kind}; `scoring test` runs the rest"
        )
    examples = opened.task.spec.examples
    if not is_whole(number, 1, len(examples)):
        has = f"has {counted(len(examples), 'example')}" if examples else "states no examples"
        raise InputError(f"{opened.task.name} {has}: there is no example {in_words(number)}")
    example, task = examples[number - 1], direct(opened.task)
    record = {"id": f"example {number}", **example.data}
    return _traced(task, record, f"example {number} of {task.name}", opened, view, expected=show(example.expect))


def _explained_name(name: str, about_records: Mapping[str, Any], dialect: str | None) -> Explained:
    """Return the explanation of a primitive, a definition or a spec; raise InputError for an option about records."""
    for option in (option for option, given in about_records.items() if given is not None):
        raise InputError(f"{option} needs the records: scoring explain SPEC DATA --record ID")
    if dialect is not None:
        raise InputError(f"--dialect is for a task file of another tool, and `{name}` is none; leave it out")
    explained: Explained = service("explain-name", "`explain` of a name")(name)
    return explained


def _names_data_set(name: str, dialect: str | None) -> bool:
    """Return whether a name is the path of a task over a data set as a whole, which locates its data itself."""
    if not Path(name).is_file():
        return False
    try:
        spec = Loader(dialect=dialect).file(Path(name), name).spec
    except SpecError:  # told where the file is loaded in earnest
        return False
    return isinstance(spec, TaskSpec) and spec.records is not None


def _image(opened: Opened, given: GivenData, image: str | None, view: _View) -> Explained:
    if view.full or view.depth is not None:
        raise InputError("--full and --depth are for the trace of a record, and this is of an image: leave them out")
    kind, settings, data, _ = data_set(opened, given)
    metrics = {metric.text: metric for metric in opened.task.metrics}
    story = {"task": opened.task.name, **kind.story(settings, metrics, data, image)}
    return Explained(story, f"image {story['id']} of {opened.task.name}", kind.document)


def _items(opened: Opened, given: GivenData) -> Iterator[tuple[CompiledTask, str, Item]]:
    """Yield the task of every record, the prefix of its id (`TASK/` if the spec has several tasks), and the record."""
    for lane in lanes_of(opened, given, InputReport()):
        before = "" if lane.label is None else f"{lane.label}/"
        yield from ((lane.task, before, item) for item in one_by_one(lane.batches))


def _found(items: Iterator[tuple[CompiledTask, str, Item]], record: str | None) -> tuple[CompiledTask, Item, str]:
    """Return the task of a record, the record, and a description of it in words.

    The record is the one with the given id or position, by default the first.

    Raises:
        InputError: when there is no such record.
    """
    seen: list[str] = []
    for task, before, item in items:
        text = id_text(item.id)
        named = item.where if text is None else f"{before}{text}"
        if record is None or record in (text, named, item.where):
            return task, item, f"record {named} of {task.name}"
        if text is not None and len(seen) < MAX_SEEN:
            seen.append(named)
    if record is None:
        raise InputError("there is no record in the data")
    close = nearest(record, seen)
    some = ", ".join(f"`{one:.40}`" for one in seen[:3])
    hint = f"; did you mean `{close}`?" if close else f"; the first are {some}" if some else ""
    raise InputError(f"no record has the id `{record}`{hint}")
