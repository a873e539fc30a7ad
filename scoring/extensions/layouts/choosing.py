"""Choose the layout in which the files of a run are read: the task's own, or one of those that its ``layouts`` name.

A task in a layout is the task with the layout's paths in its ``record:``. So it is written to run folders and bundles,
and nothing needs to be chosen again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from msgspec.structs import replace

from scoring.api.opening import Opened
from scoring.api.sources import GivenData
from scoring.compiler.tasks.compile import compile_task
from scoring.compiler.tasks.task import CompiledTask
from scoring.data.rows.report import InputReport
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.suggest import nearest
from scoring.diagnostics.words import listed, shown
from scoring.errors import InputError
from scoring.extensions.layouts.logs import find_log, layouts_of_log, log_names
from scoring.extensions.layouts.section import FileLayout

_OTHER_KEYS = ("layouts", "extends", "examples")
"""Keys that a task in a layout does not have: what it extends is part of it, and examples are records as it has them
without a layout."""
_LOOKED_AT = 20


def laid_out(
    opened: Opened, given: GivenData, on_note: Callable[[str], None] | None = None
) -> tuple[Opened, GivenData]:
    """Return a task and its data as they are read in the layout that is named, or in the first that fits the files.

    A suite, and a task over a data set as a whole, are returned as they are.

    Without a name, the task's own `record:` is tried first, and nothing else is for data in memory, a pipe, or where a
    format is stated. A log of an evaluation host is a layout that every task has.

    Args:
        opened: The task.
        given: The data, not yet opened.
        on_note: Called with a line of text about the layout that was chosen.

    Raises:
        InputError: when there is no layout of that name, or none fits the files; the message says why not.
        SpecError: when the task has errors in that layout.
    """
    if opened.kind != "rows":
        if given.layout is not None:
            raise InputError(f"--layout is for the files of a task over records, and this is a {opened.kind}")
        return opened, given
    layouts: Mapping[str, FileLayout] = opened.task.spec.sections.get("layouts") or {}
    host = given.layout or given.log() or ""
    log = find_log(host) if host not in layouts else None  # the task's own layout of that name is meant
    if log is not None:
        standard, own_reference = layouts_of_log(log, given.input_format, given.data)
        layouts = {**layouts, log.name: standard}
        if opened.task.needs_reference and "reference" in opened.task.spec.record:
            as_standard = _in_layout(opened, given, log.name, standard)
            as_own = _in_layout(opened, given, log.name, own_reference)
            if _misfit(*as_standard) is not None and _misfit(*as_own) is None:
                layouts = {**layouts, log.name: own_reference}
    if given.layout is not None:
        return _named(opened, given, layouts)
    if not layouts or not (log or _is_open(given)):
        return opened, given
    replace(given, on_note=None).opened()  # a file that is not there fits nothing, and is told as that
    why = _misfit(opened, given)
    if why is None:
        if on_note is not None and log is not None and log.about is not None:
            on_note(f"{given.data} is {layouts[log.name].doc}")
        return opened, given
    tried = {"as the task itself says": why}
    for name, layout in layouts.items():
        why = _other_sides(given, layout)
        laid = _in_layout(opened, given, name, layout)
        why = why or _misfit(*laid)
        if why is None:
            if on_note is not None:
                on_note(f"{given.data} is read in the layout `{name}` of {opened.task.name}{_doc(layout)}")
            return laid
        tried[f"in the layout `{name}`{_doc(layout)}"] = why
    files = " and ".join(str(source) for _, source in given.sides() if source is not None)
    if len(set(tried.values())) == 1:  # the file itself is what does not fit
        raise InputError(f"no layout of {opened.task.name} fits {files}: {why}")
    reasons = "; ".join(f"{what}: {why}" for what, why in tried.items())
    raise InputError(f"no layout of {opened.task.name} fits {files}. Read {reasons}")


def _named(opened: Opened, given: GivenData, layouts: Mapping[str, FileLayout]) -> tuple[Opened, GivenData]:
    wanted = str(given.layout)
    if wanted not in layouts:
        similar = nearest(wanted, [*layouts, *log_names()])
        hint = f"did you mean `{similar}`? " if similar else ""
        known = f"it has {listed(layouts, 'and')}" if layouts else "it names none"
        known = f"{known}, and every task has those of logs: {listed(log_names(), 'and')}"
        raise InputError(f"{opened.task.name} has no layout {shown(wanted)}; {hint}{known}")
    layout = layouts[wanted]
    if given.reference_format or given.input_format not in (None, layout.data):
        option = "--input-format" if given.input_format else "--reference-format"
        raise InputError(f"the layout {shown(wanted)} states the formats of the files; leave out {option} or --layout")
    sides = _other_sides(given, layout)
    if sides is not None:
        raise InputError(f"the layout {shown(wanted)} {sides}")
    return _in_layout(opened, given, wanted, layout)


def _is_open(given: GivenData) -> bool:
    """Return whether the data are files that can be read more than once, and nobody has said in which format."""
    paths = [source for _, source in given.sides()]
    is_files = all(isinstance(one, str | Path) and str(one) != "-" for one in paths)
    return is_files and given.input_format is None and given.reference_format is None


def _other_sides(given: GivenData, layout: FileLayout) -> str | None:
    """Return how the given files are not those of a layout, as the end of a sentence about it; None if they are."""
    if layout.references is not None and given.references is None:
        return "has the references in a file of their own: add --references FILE"
    if layout.references is None and given.references is not None:
        return "has the references in the data; leave out --references"
    return None


def _doc(layout: FileLayout) -> str:
    return f" ({layout.doc.strip().rstrip('.')})" if layout.doc else ""


def _in_layout(opened: Opened, given: GivenData, name: str, layout: FileLayout) -> tuple[Opened, GivenData]:
    said = f"{opened.spec or opened.task.name} --layout {name}"
    laid = replace(opened, target=_compiled_in(opened.task, name, layout, said), spec=said)
    return laid, replace(given, input_format=layout.data, reference_format=layout.references, layout=None)


_compiled: WeakKeyDictionary[CompiledTask, dict[tuple[str, ...], CompiledTask]] = WeakKeyDictionary()
"""The tasks in layouts of each loaded task, by name and paths, so that many files of one are read quickly."""


def _compiled_in(task: CompiledTask, name: str, layout: FileLayout, said: str) -> CompiledTask:
    known = _compiled.setdefault(task, {})
    key = (said, *map(str, layout.record.paths().items()))
    if key in known:
        return known[key]
    loaded, loader = task.parts.loaded, task.parts.loader
    stated: dict[str, Any] = {key: value for key, value in loaded.node.plain().items() if key not in _OTHER_KEYS}
    if layout.record.paths():
        own = name in (task.spec.sections.get("layouts") or {})  # those are as they are written, with descriptions
        paths = loaded.node["layouts"][name]["record"].plain() if own else layout.record.paths()
        stated["record"] = {**(stated.get("record") or {}), **paths}
    again = loader.data(stated, said, loaded.folder)
    model: Any = again.spec
    target, _ = compile_task(replace(again, spec=replace(model, by=task.spec.by)), loader)
    return known.setdefault(key, target.seeded(task.seed))


def _misfit(opened: Opened, given: GivenData) -> str | None:
    """Return why the files can't be read as the task says; None if at least one of the first records has its parts."""
    task = opened.task
    try:
        first = next(replace(given, on_note=None).opened().batches(task, InputReport()), None)
    except (InputError, SpecError) as error:
        return (error.diagnostics[0].message if isinstance(error, SpecError) else str(error)).partition("\n")[0]
    records = [] if first is None else first.whole()[:_LOOKED_AT]
    if not records:
        return next(iter(first.problems.values()), "no records") if first is not None else "no records"
    needed = {"response": task.needs_response, "reference": task.needs_reference}
    for part in (part for part, is_needed in needed.items() if is_needed):
        read = task.reader_of(part)
        if all(read(record) is None for record in records):
            return f"the first records have no {part}"
    return None
