"""Which part of the version of a task or a suite must be raised: its numbers are compared with those of others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from scoring.compiler.compile import compile_task
from scoring.compiler.record import DEFAULTS
from scoring.compiler.task import CompiledTask
from scoring.depth import in_full_depth
from scoring.engine.suite.compile import compile_suite
from scoring.format.model import SuiteSpec, TaskSpec
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


def task_reasons(
    old: Edition, new: Edition, tries: int, records: Sequence[Mapping[str, Any]]
) -> tuple[list[Reason], list[str]]:
    """What is said of a task, and what could not be tried.

    Args:
        old: The edition that others have.
        new: The edition that is to be released.
        tries: How many records are drawn where a record's score may move.
        records: Records to try, too.

    Raises:
        SpecError: when one of them does not compile.
    """
    before, after = (compile_task(one.loaded, one.loader)[0] for one in (old, new))
    reasons = [*_reading(before, after), *_breakdowns(before.spec.by, after.spec.by, after.spec)]
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
    reasons = list(_breakdowns(before.spec.by, after.spec.by, after.spec))
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
    """Where a record keeps what is read of it: no part of the meaning, but data of others lie there."""
    before, after = ({**DEFAULTS, **one.spec.record} for one in (old, new))
    span = new.spec.span
    for name in sorted(before.keys() | after.keys()):
        if name not in after:
            yield Reason("major", f"record.{name}", "is no longer read", "surface", span=span)
        elif name not in before:
            yield Reason("minor", f"record.{name}", "is read, too", "surface", span=span)
        elif before[name] != after[name]:
            text = f"is read at `{after[name]}`, and was at `{before[name]}`"
            yield Reason("major", f"record.{name}", text, "surface", span=span)


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
        if before == after:
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
    if list(new[: len(old)]) == list(old):
        count = len(new) - len(old)
        yield Reason("minor", "metrics", f"{count} more, behind those that there were", "surface", span=spec.span)
    elif old and new and old[0] != new[0]:
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
        elif before[name] != after[name]:
            keys = [key for key in dict.fromkeys([*before[name], *after[name]]) if _of(before, name, key, after)]
            yield Reason("major", place, f"its {' and '.join(keys)} changed", "meaning", span=spans.get(name))
    if list(before) != list(after) and before == after:
        yield Reason("major", "fields", "they stand in another order", "meaning", span=spec.span)


def _of(old: Mapping[str, Any], name: str, key: str, new: Mapping[str, Any]) -> bool:
    return bool(old[name].get(key) != new[name].get(key))


def _tasks(old: Mapping[str, Any], new: Mapping[str, Any], spec: TaskSpec | SuiteSpec) -> Iterator[Reason]:
    told: Iterable[tuple[str, Callable[[str], bool]]] = (
        ("gone", lambda name: name not in new),
        ("new, and count in its figures", lambda name: name not in old),
        ("changed in what they mean", lambda name: name in old and name in new and old[name] != new[name]),
    )
    for words, is_so in told:
        names = [name for name in dict.fromkeys([*old, *new]) if is_so(name)]
        if names:
            more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
            listed = ", ".join(f"`{name}`" for name in names[:_MOST])
            yield Reason("major", "tasks", f"{listed}{more}: {words}", "meaning", span=spec.span)
    if list(old) != list(new) and not (old.keys() ^ new.keys()) and dict(old) == dict(new):
        yield Reason("patch", "tasks", "they stand in another order", "proof", span=spec.span)
