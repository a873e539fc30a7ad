"""Which part of the version of a task or a suite must be raised: its numbers are compared with those of others."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from scoring.compiler.compile import compile_task
from scoring.compiler.record import DEFAULTS
from scoring.compiler.task import CompiledTask
from scoring.depth import in_full_depth
from scoring.engine.suite.compile import compile_suite
from scoring.format.load import digest_of
from scoring.format.model import SuiteSpec, TaskSpec
from scoring.late import pattern
from scoring.sharing.release.editions import Edition
from scoring.sharing.release.equal import canonical, canonical_formula
from scoring.sharing.release.judgement import Basis, Counterexample, Reason
from scoring.sharing.release.records import RecordHunt

_PARTS = {
    "parse": "how responses are parsed",
    "aggregate": "how field scores are joined",
    "pass": "what passes",
    "weighted": "whether records have weights",
    "intervals": "how intervals are made",
    "data": "how the data are compared",
    "computed": "what its values are computed from",
    "tasks": "its tasks",
    "groups": "the groups of its tasks",
    "attributes": "the attributes of its tasks",
}
_POLICIES = ("on_unparsed", "on_error", "on_missing", "on_null")
_OF_RECORDS = ("parse", "aggregate", "pass", "computed", *_POLICIES)
_MOST = 6
_WORD = pattern(r"\w+")


def task_reasons(
    old: Edition, new: Edition, tries: int, records: Sequence[Mapping[str, Any]]
) -> tuple[list[Reason], list[str]]:
    """What is said of a task, and what could not be tried.

    Raises:
        SpecError: when one of them does not compile.
    """
    before, after = (compile_task(one.loaded, one.loader)[0] for one in (old, new))
    reasons = [
        *_reading(before, after),
        *_breakdowns(before.spec.by, after.spec.by, after.spec),
        *_figures(before.metrics, after.metrics, after.spec),
    ]
    moved = list(_meaning(_of_task(before), _of_task(after), after.spec))
    of_records = [one for one in moved if one.part == "major"]
    of_records = [one for one in of_records if one.name in _OF_RECORDS or one.name.startswith("fields")]
    if not of_records:
        return [*reasons, *moved], []
    hunt = RecordHunt(before, after, records)
    if told := hunt.hindrance:
        return [*reasons, *moved], [f"records were not tried: {told}"]
    found = in_full_depth(hunt.search, tries)
    told_moves = [_with(one, found, hunt.tried) if one is of_records[0] else one for one in moved]
    return [*reasons, *told_moves], []


def _with(reason: Reason, found: Counterexample | None, tries: int) -> Reason:
    """The first reason with the record that shows it, or how many records do not."""
    basis: Basis = "unproved" if found is None else "counterexample"
    text = f"{reason.text}; no record was found that moves in {tries:,} tries" if found is None else reason.text
    return Reason(reason.part, reason.name, text, basis, found, tries, span=reason.span)


def suite_reasons(old: Edition, new: Edition) -> tuple[list[Reason], list[str]]:
    """What is said of a suite; its tasks are compared by what they mean.

    Raises:
        SpecError: when one of them, or a task of it, does not compile.
        InputError: when a file that it names can't be read.
    """
    before, after = (compile_suite(one.loaded, dialect=one.loader.dialect) for one in (old, new))
    reasons = [
        *_breakdowns(before.spec.by, after.spec.by, after.spec),
        *_figures(before.metrics, after.metrics, after.spec),
    ]
    if before.spec.rows != after.spec.rows:
        reasons.append(Reason("major", "data", "tasks find their rows elsewhere", "surface", span=after.spec.span))
    tasks = {one.name: one.compiled for one in before.tasks}
    for task in after.tasks:
        for one in _reading(tasks[task.name], task.compiled) if task.name in tasks else ():
            reasons.append(replace(one, name=f"{task.name}.{one.name}", span=after.spec.span))
    return [*reasons, *_meaning(before.recipe.meaning, after.recipe.meaning, after.spec)], []


def _of_task(task: CompiledTask) -> dict[str, Any]:
    """The meaning of a task in the form that equal programs share."""
    meaning = dict(task.parts.recipe.meaning)
    fields = [_field(one) for one in meaning["fields"]]
    aggregate, passes = meaning["aggregate"], meaning["pass"]
    return {
        **meaning,
        "parse": [canonical(one) for one in meaning["parse"]],
        "fields": fields,
        "aggregate": canonical(aggregate) if isinstance(aggregate, Mapping) else canonical_formula(aggregate),
        "pass": canonical_formula(passes),
    }


def _field(field: Mapping[str, Any]) -> dict[str, Any]:
    if "formula" in field:
        return {**field, "formula": canonical_formula(field["formula"])}
    return {**field, "score": canonical(field["score"])}


def _reading(old: CompiledTask, new: CompiledTask) -> Iterator[Reason]:
    """Where a record keeps what is read of it, and what groups it: no part of the meaning, but others have data.

    What is not declared is found under its own name, so names that are read already may not go elsewhere.
    """
    yield from _attributes(old, new)
    read = _words([*old.spec.by, old.parts.recipe.meaning])
    before, after = ({**DEFAULTS, **one.spec.record} for one in (old, new))
    span = new.spec.span
    for name in sorted(before.keys() | after.keys()):
        if name not in after:
            yield Reason("major", f"record.{name}", "is no longer read", "surface", span=span)
        elif name not in before and (name not in read or after[name] == name):
            yield Reason("minor", f"record.{name}", "is read, too", "surface", span=span)
        elif before.get(name, name) != after[name]:
            text = f"is read at `{after[name]}`, and was at `{before.get(name, name)}`"
            yield Reason("major", f"record.{name}", text, "surface", span=span)


def _attributes(old: CompiledTask, new: CompiledTask) -> Iterator[Reason]:
    """The values that breakdowns and clusters go by: their names alone are part of the meaning."""
    before, after = ({one.name: one.digest for one in task.parts.values} for task in (old, new))
    for name in sorted(_grouping(old.spec) & _grouping(new.spec)):
        if before.get(name) != after.get(name):
            text = "what breakdowns or clusters go by is another value"
            yield Reason("major", f"values.{name}", text, "meaning", span=new.spec.span)


def _grouping(spec: TaskSpec) -> set[str]:
    return _words([*spec.by, spec.intervals.cluster])


def _figures(old: Sequence[Any], new: Sequence[Any], spec: TaskSpec | SuiteSpec) -> Iterator[Reason]:
    """The names of figures, by which others read them; what they mean is compared elsewhere."""
    names = [metric.text for metric in new]
    for metric in old:
        if metric.text not in names:
            yield Reason("major", "metrics", f"no figure is called `{metric.text}`", "surface", span=spec.span)


def _words(held: Any) -> set[str]:
    return set(_WORD.findall(json.dumps(held, default=repr, ensure_ascii=False)))


def _same(one: Any, other: Any) -> bool:
    """Whether two meanings have one digest; 1, 1.0 and true are equal to Python, and not to every step."""
    return digest_of([one]) == digest_of([other])


def _breakdowns(old: Sequence[str], new: Sequence[str], spec: TaskSpec | SuiteSpec) -> Iterator[Reason]:
    for name in old:
        if name not in new:
            yield Reason("major", "by", f"the breakdown by `{name}` is gone", "surface", span=spec.span)
    for name in new:
        if name not in old:
            yield Reason("minor", "by", f"a new breakdown by `{name}`", "surface", span=spec.span)


def _meaning(old: Mapping[str, Any], new: Mapping[str, Any], spec: TaskSpec | SuiteSpec) -> Iterator[Reason]:
    for name in dict.fromkeys([*old, *new]):
        before, after = old.get(name), new.get(name)
        if _same(before, after):
            continue
        if name == "metrics":
            yield from _metrics(before or [], after or [], spec)
        elif name == "fields":
            yield from _fields(before or [], after or [], spec)
        elif name == "pass" and before is None:
            yield Reason("minor", name, "what passes is said, and was not", "surface", span=spec.span)
        elif name == "policies":
            yield from _policies(before or [], after or [], spec)
        elif name == "tasks" and isinstance(before, Mapping) and isinstance(after, Mapping):
            yield from _tasks(before, after, spec)
        else:
            yield Reason("major", name, f"{_PARTS.get(name, 'what it means')} changed", "meaning", span=spec.span)


def _policies(old: Sequence[str], new: Sequence[str], spec: TaskSpec | SuiteSpec) -> Iterator[Reason]:
    for place, name in enumerate(_POLICIES):
        one, other = ("".join(held[place : place + 1]) for held in (old, new))
        if one != other:
            text = f"`{one or 'value'}` → `{other or 'value'}`"
            yield Reason("major", name, text, "meaning", span=spec.spans.get(name, spec.span))


def _metrics(old: Sequence[Any], new: Sequence[Any], spec: TaskSpec | SuiteSpec) -> Iterator[Reason]:
    if _same(new[: len(old)], old):
        count = len(new) - len(old)
        yield Reason("minor", "metrics", f"{count} more, behind those that there were", "surface", span=spec.span)
    elif old and new and not _same(old[0], new[0]):
        yield Reason("major", "metrics", "the headline is another one", "meaning", span=spec.span)
    else:
        yield Reason("major", "metrics", "a figure moved, changed or is gone", "meaning", span=spec.span)


def _fields(old: Sequence[Any], new: Sequence[Any], spec: TaskSpec | SuiteSpec) -> Iterator[Reason]:
    before, after = ({one["name"]: one for one in fields} for fields in (old, new))
    spans = {field.name: field.span for field in spec.fields} if isinstance(spec, TaskSpec) else {}
    for name in dict.fromkeys([*before, *after]):
        place = f"fields.{name}"
        if name not in after:
            yield Reason("major", place, "the field is gone", "surface", span=spec.span)
        elif name not in before:
            yield Reason("major", place, "a new field, which counts in the score", "surface", span=spans.get(name))
        elif not _same(before[name], after[name]):
            keys = [key for key in dict.fromkeys([*before[name], *after[name]]) if _of(before, name, key, after)]
            yield Reason("major", place, f"its {' and '.join(keys)} changed", "meaning", span=spans.get(name))
    if list(before) != list(after) and _same(before, after):
        yield Reason("major", "fields", "they stand in another order", "meaning", span=spec.span)


def _of(old: Mapping[str, Any], name: str, key: str, new: Mapping[str, Any]) -> bool:
    return not _same(old[name].get(key), new[name].get(key))


def _tasks(old: Mapping[str, Any], new: Mapping[str, Any], spec: TaskSpec | SuiteSpec) -> Iterator[Reason]:
    told: Iterable[tuple[str, Callable[[str], bool]]] = (
        ("gone", lambda name: name not in new),
        ("new, and count in its figures", lambda name: name not in old),
        ("changed in what they mean", lambda name: name in old and name in new and not _same(old[name], new[name])),
    )
    for words, is_so in told:
        names = [name for name in dict.fromkeys([*old, *new]) if is_so(name)]
        if names:
            more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
            listed = ", ".join(f"`{name}`" for name in names[:_MOST])
            yield Reason("major", "tasks", f"{listed}{more}: {words}", "meaning", span=spec.span)
