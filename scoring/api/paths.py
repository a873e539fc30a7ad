"""Check the first records before scoring for paths that no record has."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, TypeAlias

from scoring.compiler.programs.program import show_path
from scoring.compiler.records.record_reader import DEFAULTS
from scoring.compiler.tasks.task import CompiledTask
from scoring.data.rows.batch import LOOKED_AT
from scoring.diagnostics.diagnostic import Diagnostics
from scoring.diagnostics.source import Span
from scoring.diagnostics.words import shown
from scoring.engine.road.figures import paths_of
from scoring.format.model import TaskSpec
from scoring.lang.places import PARSED
from scoring.lang.tree import Path
from scoring.lazy_pattern import lazy_pattern
from scoring.statistics.breakdown import attributes_of

Keyed: TypeAlias = Mapping[str, Any]
Mention: TypeAlias = tuple[str, str, Span | None]
"""A path, the place in the spec that uses it, and its position."""

# The names that a path begins with; behind a bracket it finds what it finds.
_DOTTED = lazy_pattern(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(?:\[.*)?", re.ASCII | re.DOTALL)


def check_paths(task: CompiledTask, records: Sequence[Keyed], whole: Callable[[], Iterable[Keyed]] = tuple) -> None:
    """Check that each path that the spec or an option names occurs in at least one of the first records.

    Args:
        task: The task that will score the records.
        records: The first records.
        whole: Returns a record with all its keys, for the error message, if only some columns were read.

    Raises:
        SpecError: when no record has a path; the message lists the keys that records have.
    """
    spec, declared = task.spec, task.spec.parts.paths()
    known = {**DEFAULTS, **declared}
    mentions = [
        # A part under its own name may be left out of all records, as it may where the spec says nothing.
        *(
            (path, f"where `record:` says that the {name} is", spec.spans.get(path, spec.span))
            for name, path in declared.items()
            if path != name
        ),
        *(
            one
            for one in _broken_down(spec)
            if not (_begins_with(one[0], declared) or one[0] in task.parts.reader.computed)
        ),
        *(
            (path.removeprefix("record."), f"which the metric `{metric.text}` reads", pipeline.span)
            for metric, pipeline in zip(task.metrics, spec.metrics, strict=False)
            for path in paths_of(metric)
            if not (_begins_with(path, {PARSED}) or _begins_with(path.removeprefix("record."), known))
        ),
        *(
            (str(path.segments[0]), f"which the formula of {where} reads", path.span)
            for where, compiled in task.parts.compiled_formulas.items()
            for path in sorted(compiled.paths, key=show_path)
            if path.root == "record" and path.segments[:1] and path.segments[0] not in known
        ),
        *_read_by_steps(task, known),
    ]
    # A part that is nowhere is one whose place is not said, where other keys are there or a name is almost its own.
    paths = [*declared.values(), *(one[0] for one in mentions)]
    read = {*known, *(re.split(r"[.\[ ]", path, maxsplit=1)[0] for path in paths)}
    has_more = any(key not in read for one in records[:1] for key in one)
    needed = (*(["response"] if task.needs_response else []), *(["reference"] if task.needs_reference else []))
    unsaid = [name for name in needed if name not in declared]
    if unsaid and not has_more:
        from scoring.compiler.programs.suggestions import is_word_for
        from scoring.diagnostics.suggest import nearest

        others = [one for one in declared if one not in DEFAULTS]
        unsaid = [name for name in unsaid if nearest(name, others) or any(is_word_for(name, one) for one in others)]
    mentions += [(name, f"where a {name} is read unless `record:` says otherwise", spec.span) for name in unsaid]
    values = [value.name for value in task.parts.values if value.is_declared]
    _refuse(mentions, "record", records, whole, values, declared)


def _read_by_steps(task: CompiledTask, known: Collection[str]) -> Iterator[Mention]:
    """Yield each path that computed values and scorers read in records, except those whose first name is in `known`."""
    values = (
        (f"the value {shown(one.name)}", {one.head, *one.program.own_paths()})
        for one in task.parts.values
        if one.is_declared
    )
    scorers = ((f"the scorer of {shown(one.name)}", {*one.scorer.program.own_paths()}) for one in task.parts.fields)
    for what, paths in (*values, *scorers):
        for path in sorted(paths, key=show_path):
            if path.root == "record" and (segments := _names(path)) and segments[0] not in known:
                yield ".".join(segments), f"which {what} reads", path.span


def check_images(spec: TaskSpec, attributes: Sequence[Keyed]) -> None:
    """Check that each attribute that breakdowns, clusters or strata name occurs in at least one image.

    It is not called for tasks of suites, whose attributes may be in a separate file.

    Raises:
        SpecError: when no image has an attribute; the message lists the attributes that images have.
    """
    _refuse(list(_broken_down(spec)), "image", attributes)


def _names(path: Path) -> list[str]:
    """Return the plain names at the beginning of a path, up to the first other segment."""
    names = takewhile(lambda one: isinstance(one, str) and one.isidentifier() and one.isascii(), path.segments)
    return list(map(str, names))


def _broken_down(spec: TaskSpec) -> Iterator[Mention]:
    drawn = {getattr(spec.intervals, key): key for key in ("strata", "cluster")}
    for name in dict.fromkeys((*spec.by, *spec.intervals.attributes)):
        key = drawn.get(name, "by")
        paths = (path.removeprefix("record.") for path in attributes_of(name))
        yield from ((path, f"which `{key}` names", spec.spans.get(name)) for path in paths)


def _begins_with(path: str, names: Collection[str]) -> bool:
    """Return whether the first name of a path is one of the given names."""
    return re.split(r"[.\[ ]", path, maxsplit=1)[0] in names


def _refuse(
    mentions: Iterable[Mention],
    noun: str,
    things: Sequence[Keyed],
    whole: Callable[[], Iterable[Keyed]] = tuple,
    values: Sequence[str] = (),
    declared: Mapping[str, str] | None = None,
) -> None:
    found, mentions = Diagnostics(), list(mentions)
    for mention in mentions if things else ():
        plain = _DOTTED.fullmatch(mention[0])
        names = plain[1].split(".") if plain else []
        within: list[Any] = list(things)
        while names and (inner := [one[names[0]] for one in within if isinstance(one, Mapping) and names[0] in one]):
            within, names = inner, names[1:]
        # What is null or a list may hold more elsewhere; other expressions than plain names find what they find.
        if plain is None or not names or not all(isinstance(one, Mapping | str | float | int) for one in within):
            continue
        from scoring.api.path_advice import add_missing

        inside = ".".join(plain[1].split(".")[: -len(names)])
        mappings = [one if isinstance(one, Mapping) else {} for one in within]
        keys = list(dict.fromkeys(key for one in (*mappings, *(() if inside else whole())) for key in one))
        place = inside, names, keys
        add_missing(found, mention, noun, place, [*values], mentions, declared or {}, is_early=len(things) >= LOOKED_AT)
    found.raise_errors()
