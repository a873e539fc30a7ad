"""The meaning of a task, all of it that can change a score, as plain data in one form for all spellings of a program.

Its digest appears in signatures, locks and manifests. Two spellings of one program have the same form: names are
resolved, definitions inlined, arguments bound to their parameters, defaults left out, numbers normalised. Two different
programs never have the same form: it contains whatever can change a score or a figure, and keeps every order that may
matter. It does not contain names that only label (of files, imports, definitions), documentation, examples, or the
paths of the inputs in a record, since the same program can score data of any layout (`compiler/records/reads.py`). For
each key of a file, `format/keys.py` declares whether it can change a result (`moves=`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

from scoring.compiler.programs.program import FORMULA, BoundStep, Computed, ComputedPath, Program
from scoring.compiler.records.reads import computing, parts_read, resolved
from scoring.format.definitions import SpecFile
from scoring.format.keys import FileKind, moving, paths_in
from scoring.format.model import FieldSpec, TaskSpec, file_kind_of
from scoring.format.sections import Intervals
from scoring.lang.formula import Formula
from scoring.lang.parser import parse_formula
from scoring.lang.tree import Constant, Path
from scoring.registry.model import Primitive
from scoring.statistics.breakdown import attributes_of
from scoring.values import ANY, Type

# Beyond it a float is no longer every integer, and two numbers must not become one.
_FORMULAS = get_args(Formula)
_EXACT = 2**53
_TURNED = {">": "<", ">=": "<="}


def task_meaning(
    spec: TaskSpec,
    programs: Mapping[str, Program],
    formulas: Mapping[str, Formula],
    metrics: Sequence[Any],
    value_meanings: Mapping[str, Mapping[str, Any]],
    values: Sequence[Computed],
    attributes: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the meaning of a task, the canonical content of its spec that can change a score, from its compiled parts
    by name.

    ``metrics`` has the meanings of its metrics, the headline first. ``value_meanings`` has, by field, the meanings of
    the computed values that fields compare, ``attributes`` those of the attributes that are computed values; ``values``
    are all computed values that anything reads.
    """
    kind = file_kind_of(spec)
    # A formula reads fields by their names, in its own order; an aggregator may go by theirs.
    in_order = sorted(spec.fields, key=lambda one: one.name) if "aggregate" in formulas else spec.fields
    meaning = {
        "parse": [program_meaning(programs[name]) for name in ("parse", "parse reference") if name in programs],
        "fields": [
            {"name": field.name, **moving(field, kind), **_field(field, programs, formulas, value_meanings)}
            for field in in_order
            if f"field {field.name}" in programs or f"field {field.name}" in formulas
        ],
        "aggregate": _either("aggregate", programs, formulas),
        "pass": _either("pass", {}, formulas),
        "metrics": list(metrics),
        "keys": keys_meaning(spec, spec.intervals, kind, attributes, spec.record),
        # A file that could not be read is told where the data are; here it must only not look like another list.
        "labels": {"file": spec.labels} if isinstance(spec.labels, str) else spec.labels,
    }
    computed = _computed(meaning, values)
    meaning |= {"computed": computed} if computed else {}
    return {**meaning, "record": computing(parts_read(spec.parts, meaning))}


def _field(
    field: FieldSpec,
    programs: Mapping[str, Program],
    formulas: Mapping[str, Formula],
    value_meanings: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:
    """Return the content of a field that can change its score, as plain data: its formula, or its scorer and the
    sources of the two values that it compares; ``programs`` and ``formulas`` are those of the task."""
    if field.formula is not None:
        return {"formula": formula_meaning(formulas[f"field {field.name}"])}
    return {**value_meanings[field.name], "score": program_meaning(programs[f"field {field.name}"])}


def keys_meaning(
    spec: SpecFile, intervals: Intervals, kind: FileKind, attributes: Mapping[str, Any], declared: Mapping[str, str]
) -> dict[str, Any]:
    """Return, by key, the settings of a spec that can change results, and the attributes used for resampling.

    Args:
        spec: The model of the file.
        intervals: Its settings of intervals.
        kind: The kind of its file.
        attributes: The meanings of the attributes that are computed values, by name.
        declared: The paths of the declared parts of a record, by name.
    """
    found: dict[str, Any] = _unordered(moving(spec, kind))
    paths = paths_in(intervals, kind)
    drawn = {name: resolved(attributes_of(path), attributes, declared) for name, path in paths.items()}
    return {**found, "intervals": {**found.get("intervals", {}), **drawn}} if drawn else found


def _either(name: str, programs: Mapping[str, Program], formulas: Mapping[str, Formula]) -> Any:
    """Return the canonical form of the formula or pipeline ``name`` of a task, as plain data; None if there is none."""
    if name in formulas:
        return formula_meaning(formulas[name])
    return program_meaning(programs[name]) if name in programs else None


def _computed(meaning: Mapping[str, Any], values: Sequence[Computed]) -> dict[str, Any]:
    """Return, by digest, the meanings of the computed values whose digests occur in ``meaning``, and of the values that
    these read."""
    known = {value.digest: computed_meaning(value.head, value.program) for value in values}
    found: dict[str, Any] = {}
    waiting = [meaning_text(meaning)] if known else []
    while waiting:
        text = waiting.pop()
        new = [digest for digest in known if digest not in found and f'"computed": "{digest}"' in text]
        found.update((digest, known[digest]) for digest in new)
        waiting += [meaning_text(known[digest]) for digest in new]
    return found


def program_meaning(program: Program) -> dict[str, Any]:
    """Return the meaning of a compiled pipeline, which is equal for all spellings of it, as plain data."""
    parts = {"prediction": program.prediction, "reference": program.reference, "then": program.rescorers}
    data: dict[str, Any] = {name: chain_meaning(chain) for name, chain in parts.items() if chain}
    return data if program.join is None else {**data, "join": _step(program.join)}


def chain_meaning(nodes: Iterable[BoundStep]) -> list[Any]:
    """Return the meaning of consecutive steps, as a list with the meaning of each step."""
    return [_step(node) for node in nodes]


def path_meaning(path: Path) -> dict[str, Any]:
    """Return the canonical form of a path as plain data; for a computed value, its computation instead of its name."""
    rest: tuple[str | int, ...] = ()
    while isinstance(path, ComputedPath):
        rest = (*path.segments[1:], *rest)
        if not path.value.program.changes_nothing:
            return {"computed": path.value.digest, "path": [*rest]}
        path = path.value.head
    return {"path": [path.root, *path.segments, *rest]}


def computed_meaning(head: Path, program: Program) -> dict[str, Any]:
    """Return the meaning of a computed value: the path where it begins (``head``), and all steps from there.

    If it begins with another computed value, the steps of that value are included. A formula is its tree.
    """
    if program.formula is not None:
        return {"formula": formula_meaning(program.formula.node)}
    steps = chain_meaning(program.prediction)
    while isinstance(head, ComputedPath) and len(head.segments) == 1 and head.value.program.formula is None:
        steps = [*chain_meaning(head.value.program.prediction), *steps]
        head = head.value.head
    return {"from": path_meaning(head), "steps": steps}


def formula_meaning(formula: Formula) -> list[Any]:
    """Return the meaning of a formula: its syntax tree without positions, with operands in canonical order."""
    if isinstance(formula, Constant):
        return ["number", canonical_form(formula.value)]
    if isinstance(formula, ComputedPath):
        return ["path", path_meaning(formula)]
    operands = formula.compared().values()
    return _ordered([type(formula).__name__.lower(), *(_operand(value) for value in operands)])


def _ordered(parts: list[Any]) -> list[Any]:
    """Return a formula's meaning with operands sorted where their order changes neither bits nor failures, and without
    `+ 0` and `* 1`.

    Examples:
        >>> _ordered(["binary", "*", ["field", "b"], ["field", "a"]])
        ['binary', '*', ['field', 'a'], ['field', 'b']]
        >>> _ordered(["binary", "+", ["field", "a"], ["number", 0]])
        ['field', 'a']
    """
    match parts:
        # No score is the other zero, -0.0: outcomes bring it to 0.0.
        case ["binary", "+", one, ["number", 0]] | ["binary", "+", ["number", 0], one] if is_pure(one):
            return list(one)
        case ["binary", "*", one, ["number", 1]] | ["binary", "*", ["number", 1], one] if is_pure(one):
            return list(one)
        case ["function", "max" | "min" as name, arguments] if all(map(is_pure, arguments)):
            return ["function", name, sorted(arguments, key=meaning_text)]
        case ["binary", "+" | "*" as op, one, other] if is_pure(one) and is_pure(other):
            return ["binary", op, *sorted((one, other), key=meaning_text)]
        case ["binary", "-", one, other] if is_pure(one) and is_pure(other):
            return _ordered(["binary", "+", one, ["unary", "-", other]])
        case ["compare", "==" | "!=" as op, one, other] if is_pure(one) and is_pure(other):
            return ["compare", op, *sorted((one, other), key=meaning_text)]
        case ["compare", ">" | ">=" as op, one, other] if is_pure(one) and is_pure(other):
            return ["compare", _TURNED[op], other, one]  # `0.8 <= score` is `score >= 0.8`
    return parts


def is_pure(node: Any) -> bool:
    """Tell whether a part of a formula's meaning has a value whenever the fields in it do, so that the order of
    evaluation does not matter."""
    match node:
        case ["number", _] | ["field", _] | ["scoreref"]:
            return True
        case ["unary", "-", one]:
            return is_pure(one)
        case ["binary", "+" | "-" | "*", one, other]:
            return is_pure(one) and is_pure(other)
        case ["function", "max" | "min", [_, _, *_] as arguments]:
            return all(map(is_pure, arguments))
    return False


def describe_primitives(primitives: Iterable[Primitive]) -> list[dict[str, Any]]:
    """Return the name, the revision and the release of each primitive, for manifests."""
    return [
        {"name": found.name, "kind": found.kind, "revision": found.revision, "distribution": str(found.release)}
        for found in primitives
    ]


def canonical_form(value: Any, *, exact: bool = False) -> Any:
    """Return a value in canonical form: ``1.0`` becomes ``1``, unless ``exact`` keeps the types of numbers apart.

    The entries of a map keep their order, since a step may depend on it.

    Examples:
        >>> canonical_form(1.0), canonical_form(0.80), canonical_form(True), canonical_form(1.0, exact=True)
        (1, 0.8, True, 1.0)
    """
    if isinstance(value, Mapping):
        return {"map": [[str(key), canonical_form(item, exact=exact)] for key, item in value.items()]}
    if isinstance(value, (list, tuple)):
        return [canonical_form(item, exact=exact) for item in value]
    if exact or not isinstance(value, float) or not value.is_integer() or abs(value) >= _EXACT:
        return value
    return value if value == 0 and math.copysign(1, value) < 0 else int(value)


def _operand(value: Any) -> Any:
    """Return an attribute of a formula's syntax node in canonical form: a formula, several, or a word like an
    operator."""
    if isinstance(value, tuple):
        return [_operand(item) for item in value]
    return formula_meaning(value) if isinstance(value, _FORMULAS) else value


def _step(node: BoundStep) -> list[Any]:
    """Return the meaning of a step: its primitive, the revision, and the settings that differ from their defaults.

    So a new parameter in a later release changes no meaning; a changed default comes with a new revision.
    """
    primitive = node.primitive
    settings: dict[str, Any] = {}
    for name, value in node.static.items():
        param = primitive.param(name)
        param = None if param is None or param.variadic else param
        exact = param is None or _takes_anything(param.type)
        written = canonical_form(value, exact=exact)
        if name == FORMULA and FORMULA in primitive.traits:  # it is its tree, however it is spaced
            written = formula_meaning(parse_formula(written))
        if param is None or meaning_text(written) != meaning_text(canonical_form(param.default, exact=exact)):
            settings[name] = written
    for name, path in node.dynamic.items():
        settings[name] = path_meaning(path)
    for name, programs in node.nested.items():
        settings[name] = _pipelines(programs)
    if FORMULA in primitive.traits and list(node.nested) != sorted(node.nested):
        settings[""] = list(node.nested)  # of two pipelines that fail the first one says how
    # What tells a primitive from all others: for ours its revision, for those of others their release, too.
    release = [] if primitive.is_own else [str(primitive.release)]
    return [primitive.name, primitive.revision, *release, settings]


def _takes_anything(kind: Type) -> bool:
    """Tell whether a type allows values of any kind, so that a step may distinguish 1 from 1.0."""
    return kind == ANY or kind.variable or any(map(_takes_anything, kind.args))


def _pipelines(programs: Program | tuple[Program, ...] | Mapping[str, Program]) -> Any:
    if isinstance(programs, Program):
        return program_meaning(programs)
    if isinstance(programs, tuple):
        return [program_meaning(program) for program in programs]
    return {"map": [[name, program_meaning(program)] for name, program in programs.items()]}


def meaning_text(value: Any) -> str:
    """Return a meaning, or a part of one, as JSON text, which can be compared."""
    return json.dumps(value, default=repr)


def _unordered(value: Any) -> Any:
    """Return plain data in canonical form, with maps whose order does not matter."""
    if isinstance(value, Mapping):
        return {str(key): _unordered(item) for key, item in value.items()}
    return [_unordered(item) for item in value] if isinstance(value, (list, tuple)) else canonical_form(value)
