"""Judgement of which part of the version of a task or suite must be raised, so that numbers stay comparable."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from msgspec.structs import replace

from scoring.compiler.records.reads import path_form
from scoring.compiler.records.record_reader import DEFAULTS
from scoring.compiler.tasks.compile import compile_task
from scoring.compiler.tasks.task import CompiledTask
from scoring.depth import in_full_depth
from scoring.diagnostics.words import shown
from scoring.extensions.sharing.release.equal import canonical_program
from scoring.extensions.sharing.release.judgement import Basis, Reason, VersionPart
from scoring.extensions.sharing.release.records import RecordSearch
from scoring.extensions.sharing.release.versions import Edition
from scoring.extensions.suites.compile import compile_suite
from scoring.extensions.suites.model import Suite
from scoring.extensions.suites.spec import SuiteSpec
from scoring.format.load import digest_of
from scoring.format.model import TaskSpec
from scoring.lazy_pattern import lazy_pattern

_PARTS = {
    "parse": "how responses are parsed",
    "aggregate": "how field scores are joined",
    "pass": "what passes",
    "labels": "the list of labels",
    "paths": "where rows name their task",
    "computed": "what its values are computed from",
    "tasks": "its tasks",
    "groups": "the groups of its tasks",
    "attributes": "the attributes of its tasks",
}
_OF_FIGURES = ("metrics", "intervals", "tasks", "groups", "attributes", "paths")
"""Keys that change figures but no record's score."""
_MOST = 6
_WORD = lazy_pattern(r"\w+")
_Said: TypeAlias = tuple[VersionPart, str, str, Basis]
"""A reason without its location: the part, the name of what it concerns, the text, and the basis."""


def task_reasons(
    old: Edition, new: Edition, tries: int, records: Sequence[Mapping[str, Any]]
) -> tuple[list[Reason], list[str]]:
    """Return the reasons to raise the version of a task, and a line for each check that could not be made here.

    Args:
        old: The released version.
        new: The version to release.
        tries: The number of records to draw if a record's score may change.
        records: Further records to try.

    Raises:
        SpecError: when one of them does not compile.
    """
    before, after = (compile_task(one.loaded, one.loader)[0] for one in (old, new))
    surface = [*_reading(before, after), *_breakdowns_and_figures(before, after)]
    said = [*surface, *_meaning(_of_task(before), _of_task(after))]
    reasons = [_reason(one, after.spec) for one in said]
    of_records = (
        place
        for place, (part, name, _, _) in enumerate(said)
        if place >= len(surface) and part == "major" and name.partition(".")[0] not in _OF_FIGURES
    )
    first = next(of_records, None)
    if first is None:
        return reasons, []
    search = RecordSearch(before, after, records)
    if why_not := search.hindrance:
        return reasons, [f"records were not tried: {why_not}"]
    found = in_full_depth(search.search, tries)
    shown = replace(reasons[first], counterexample=found, tries=search.smallest.tried)
    if found is None:
        text = f"{shown.text}; no record was found that moves in {search.smallest.tried:,} tries"
        reasons[first] = replace(shown, text=text, basis="unproved")
    else:
        reasons[first] = replace(shown, basis="counterexample")
    return reasons, []


def suite_reasons(old: Edition, new: Edition) -> list[Reason]:
    """Return the reasons to raise the version of a suite; its tasks are compared by their meaning, without running
    them.

    Args:
        old: The released version.
        new: The version to release.

    Raises:
        SpecError: when one of them, or a task of it, does not compile.
        InputError: when a file that it names can't be read.
    """
    before, after = (compile_suite(one.loaded, dialect=one.loader.dialect) for one in (old, new))
    said = list(_breakdowns_and_figures(before, after))
    if before.spec.rows != after.spec.rows:
        said.append(("major", "data", "tasks find their rows elsewhere", "surface"))
    tasks = {one.name: one.compiled for one in before.tasks}
    for task in after.tasks:
        found = _reading(tasks[task.name], task.compiled) if task.name in tasks else ()
        said += [(part, f"{task.name}.{name}", text, basis) for part, name, text, basis in found]
    said += _meaning(before.recipe.meaning, after.recipe.meaning)
    return [_reason(one, after.spec) for one in said]


def _reason(said: _Said, spec: TaskSpec | SuiteSpec) -> Reason:
    """Return a reason with the location of what it concerns in the new version.

    Args:
        said: The reason: the part of the version, the name of what it concerns, the text, and the kind of evidence.
        spec: The new version.
    """
    part, name, text, basis = said
    span = spec.spans.get(name, spec.span)
    fields = {f"fields.{field.name}": field.span for field in spec.fields} if isinstance(spec, TaskSpec) else {}
    return Reason(part, name, text, basis, span=fields.get(name, span))


def _of_task(task: CompiledTask) -> dict[str, Any]:
    """Return the meaning of a task (what of it can change a score), with its programs in canonical form."""
    meaning = dict(task.parts.recipe.meaning)
    aggregate = meaning["aggregate"]
    return {
        **meaning,
        "parse": [canonical_program(one) for one in meaning["parse"]],
        "fields": [_field(one) for one in meaning["fields"]],
        "aggregate": canonical_program(aggregate) if isinstance(aggregate, Mapping) else aggregate,
    }


def _field(field: Mapping[str, Any]) -> dict[str, Any]:
    return {**field, "score": canonical_program(field["score"])} if "score" in field else dict(field)


def _reading(old: CompiledTask, new: CompiledTask) -> Iterator[_Said]:
    """Yield reasons to raise a task's version because of the paths at which it reads records, and of the values by
    which records are grouped.

    These are not part of a task's meaning, but others have data in that layout. A part without a declared path is read
    under its own name, so declaring another path for a part that is read already is a major change.
    """
    # The meaning only contains the names of the values by which breakdowns, clusters and strata group records.
    before, after = ({one.name: one.digest for one in task.parts.values} for task in (old, new))
    one, other = (_words([*task.spec.by, *task.spec.intervals.attributes]) for task in (old, new))
    for name in sorted(one & other):
        if before.get(name) != after.get(name):
            yield "major", f"values.{name}", "the value for breakdowns, clusters or strata is another one", "surface"
    was, read = (_words([*task.spec.by, _without_paths(task)]) for task in (old, new))
    earlier, now = ({**DEFAULTS, **one.spec.record} for one in (old, new))
    computed = {name for task in (old, new) for name in task.parts.recipe.meaning["record"]}
    for name in sorted(earlier.keys() | now.keys()):
        # A path that chooses or computes a value changes its meaning for data of any layout.
        basis: Basis = "meaning" if name in computed else "surface"
        old_path, new_path = (f"`{one[name]}`" if name in one else "nothing" for one in (earlier, now))
        if name in computed and (name in earlier) != (name in now):
            yield "major", f"record.{name}", f"is {new_path}, and was {old_path}", basis
        elif name not in now:
            yield "major", f"record.{name}", "is no longer read", basis
        elif name not in earlier and (name not in was or now[name] == name):
            yield "minor", f"record.{name}", "is read, too", basis
        elif path_form(earlier.get(name, name)) != path_form(now[name]) and name in {*DEFAULTS, *was, *read, *computed}:
            # A plain path is not part of the meaning, but data in the old layout get other scores.
            text = f"is read at `{now[name]}`, and was at `{earlier.get(name, name)}`"
            yield "major", f"record.{name}", text, basis


def _without_paths(task: CompiledTask) -> dict[str, Any]:
    """Return the meaning of a task (what of it can change a score) without the paths in records at which it reads:
    tasks that differ in these alone have equal results."""
    return {name: part for name, part in task.parts.recipe.meaning.items() if name != "record"}


def _breakdowns_and_figures(old: CompiledTask | Suite, new: CompiledTask | Suite) -> Iterator[_Said]:
    """Yield reasons about breakdowns that are gone or new, and figures that are gone, compared by name; what they
    compute is compared elsewhere."""
    before, after = old.spec.by, new.spec.by
    yield from (
        ("major", "by", f"the breakdown by `{name}` is gone", "surface") for name in before if name not in after
    )
    yield from (("minor", "by", f"a new breakdown by `{name}`", "surface") for name in after if name not in before)
    figures = [metric.text for metric in new.metrics]
    for metric in old.metrics:
        if metric.text not in figures:
            yield "major", "metrics", f"no figure is called `{metric.text}`", "surface"


def _words(data: Any) -> set[str]:
    return set(_WORD.findall(json.dumps(data, default=repr, ensure_ascii=False)))


def _same(one: Any, other: Any) -> bool:
    """Return True if two parts of meanings have the same digest; 1, 1.0 and true are different, because some steps
    distinguish them."""
    return digest_of([one]) == digest_of([other])


def _meaning(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[_Said]:
    for name in dict.fromkeys([*old, *new]):
        before, after = old.get(name), new.get(name)
        if _same(before, after) or name == "record":  # `_reading` compares this key
            continue
        if name == "metrics":
            yield _metrics(before or [], after or [])
        elif name == "fields":
            yield from _fields(before or [], after or [])
        elif name == "pass" and before is None:
            yield "minor", name, "what passes is said, and was not", "surface"
        elif name == "keys":
            yield from _keys(before or {}, after or {})
        elif name == "tasks" and isinstance(before, Mapping) and isinstance(after, Mapping):
            yield from _tasks(before, after)
        else:
            yield "major", name, f"{_PARTS.get(name, 'what it means')} changed", "meaning"


def _keys(old: Mapping[str, Any], new: Mapping[str, Any], before: str = "") -> Iterator[_Said]:
    """Yield a reason for each key whose value differs between two mappings, with both values; a key that is missing has
    its default.

    Args:
        before: The path of the mappings, which precedes the keys.
    """
    for name in dict.fromkeys([*old, *new]):
        one, other = old.get(name), new.get(name)
        if _same(one, other):
            continue
        if all(value is None or isinstance(value, Mapping) for value in (one, other)):
            yield from _keys(one or {}, other or {}, f"{before}{name}.")
        else:
            words = (shown(str(value)) if value is not None else "its default" for value in (one, other))
            yield "major", f"{before}{name}", " → ".join(words), "meaning"


def _metrics(old: Sequence[Any], new: Sequence[Any]) -> _Said:
    if _same(new[: len(old)], old):
        return "minor", "metrics", f"{len(new) - len(old)} more, after the earlier ones", "surface"
    if old and new and not _same(old[0], new[0]):
        return "major", "metrics", "the headline is another one", "meaning"
    return "major", "metrics", "a figure moved, changed or is gone", "meaning"


def _fields(old: Sequence[Any], new: Sequence[Any]) -> Iterator[_Said]:
    before, after = ({one["name"]: one for one in fields} for fields in (old, new))
    for name in dict.fromkeys([*before, *after]):
        place, one, other = f"fields.{name}", before.get(name), after.get(name)
        if other is None:
            yield "major", place, "the field is gone", "surface"
        elif one is None:
            yield "major", place, "a new field, which counts in the score", "surface"
        elif not _same(one, other):
            keys = [key for key in dict.fromkeys([*one, *other]) if not _same(one.get(key), other.get(key))]
            yield "major", place, f"its {' and '.join(keys)} changed", "meaning"
    if list(before) != list(after) and _same(before, after):
        yield "major", "fields", "they are in another order", "meaning"


def _tasks(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[_Said]:
    both = [name for name in old if name in new]
    groups = {
        "gone": [name for name in old if name not in new],
        "new, and count in its figures": [name for name in new if name not in old],
        "changed in what they mean": [name for name in both if not _same(old[name], new[name])],
    }
    for words, names in groups.items():
        if names:
            more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
            listed = ", ".join(f"`{name}`" for name in names[:_MOST])
            yield "major", "tasks", f"{listed}{more}: {words}", "meaning"
