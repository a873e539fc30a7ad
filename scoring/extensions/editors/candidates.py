"""Find every name that may come next at a place of an expression, before any ranking."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from scoring.extensions.editors.facts import StepFact, fact_of, metric_facts, step_facts
from scoring.extensions.editors.flowing import Follower, Stream, fits
from scoring.extensions.editors.model import CompletionKind
from scoring.extensions.editors.names import SpecNames
from scoring.extensions.editors.standing import one_line, param_detail, signature_of, step_detail
from scoring.lang.functions import FUNCTIONS
from scoring.lang.printer import value_text
from scoring.lang.tree import Call, Literal
from scoring.registry import plugins, registry
from scoring.registry.editions import OLDEST
from scoring.registry.model import Param
from scoring.registry.store import GROUP
from scoring.values import POISON, Type, assignable

if TYPE_CHECKING:
    from scoring.extensions.editors.situation import Situation

_MOST_DEFINITIONS = 2000


class NextName(Struct, frozen=True):
    """Something that may come next: its name, what it is, and what is told of it."""

    name: str
    kind: CompletionKind
    insert: str
    detail: str = ""
    documentation: str = ""
    aka: tuple[str, ...] = ()
    gives: str = ""


def step_candidates(found: Situation, stream: Stream) -> Iterator[NextName]:
    """Yield the steps that may come next, primitives and definitions, by the type of what flows."""
    names, follower = found.names, found.follower
    if names is None or follower is None:
        return
    edition = _edition(names)
    own = None if found.expected is None or found.expected.definition is None else found.expected.definition.name
    known = {*names.definitions} - {own}  # a definition may wrap the primitive of its name
    for fact in _facts(stream):
        if fact.name not in known and (edition or fact.since) >= fact.since and fits(stream, fact):
            yield _of_fact(fact)
    yield from _definitions(found, stream, follower, names)
    for name in follower.pipelines:
        yield NextName(name, "parameter", name, "pipeline", _param_doc(found, name))


def _facts(stream: Stream) -> Iterator[StepFact]:
    if stream.form == "metric" and not stream.is_joined:
        yield from metric_facts().values()
    else:
        yield from step_facts().values()
    if plugins.is_mentioned(GROUP):
        of_metrics = stream.form == "metric" and not stream.is_joined
        yield from (fact_of(one) for one in registry if not one.is_own and (one.kind == "metric") == of_metrics)


def _of_fact(fact: StepFact) -> NextName:
    kind: CompletionKind = "metric" if fact.kind == "metric" else "step"
    insert = f"{fact.name}(" if any(param.required for param in fact.params) else fact.name
    return NextName(fact.name, kind, insert, step_detail(fact), one_line(fact.summary), fact.aka, str(fact.output))


def _edition(names: SpecNames) -> int | None:
    stated = names.root.get("edition")
    return int(stated.text) if stated is not None and stated.text.isdecimal() and len(stated.text) < 9 else OLDEST


def _definitions(found: Situation, stream: Stream, follower: Follower, names: SpecNames) -> Iterator[NextName]:
    own = None if found.expected is None or found.expected.definition is None else found.expected.definition.name
    scopes = [("", names), *((f"{alias}.", pack) for alias, pack in names.imports.items())]
    left = _MOST_DEFINITIONS
    for prefix, scope in scopes:
        for name, definition in scope.definitions.items():
            left -= 1
            if left < 0 or (not prefix and name == own) or (prefix and name.startswith("_")):
                continue
            gives = _given_by(stream, definition.form, prefix + name, follower)
            if gives is not None:
                required = any(default is None for default in definition.params.values())
                insert = f"{prefix}{name}(" if required else f"{prefix}{name}"
                detail, doc = signature_of(definition), one_line(definition.doc)
                yield NextName(prefix + name, "definition", insert, detail, doc, gives=gives)


def _given_by(stream: Stream, form: str, name: str, follower: Follower) -> str | None:
    """Return the type of what a definition gives as the next step, None if its form or its steps do not fit there."""
    if (form == "metric") != (stream.form == "metric" and not stream.is_joined):
        return None
    if (form == "aggregate") != (stream.form == "aggregate" and not stream.is_joined):
        return None
    if form in ("metric", "aggregate"):
        return "Figure"
    if stream.is_joined or (stream.form in ("computed", "source") and not stream.is_begun):
        return None
    if form == "judge":
        return "Score" if stream.is_pair else "Any"
    after = Follower(follower.names, follower.params, follower.pipelines).step(stream, Call(name))
    if form == "scorer":
        return "Score" if stream.is_pair and after.type != POISON else None
    return None if POISON in (after.prediction, after.reference) else str(after.type)


# ---- values


def value_candidates(found: Situation, wanted: Type | None) -> Iterator[NextName]:
    """Yield the names of values that may begin an expression or be an argument, of a type if one is wanted."""
    names, follower = found.names, found.follower
    if names is None or follower is None:
        return
    for name in follower.params:
        if name not in follower.pipelines:
            default = follower.params[name]
            detail = "" if default is None else f"= {default}"
            yield NextName(name, "parameter", name, detail[:100], _param_doc(found, name))
    every = [*names.values, *(f"{alias}.{name}" for alias, pack in names.imports.items() for name in pack.values)]
    for name in every:
        kind = follower.value_type(name)
        if wanted is None or assignable(kind, wanted, {}):
            yield NextName(name, "value", name, str(kind))


def _param_doc(found: Situation, name: str) -> str:
    definition = None if found.expected is None else found.expected.definition
    return "" if definition is None else definition.param_docs.get(name, "")


def literal_candidates(param: Param) -> Iterator[NextName]:
    """Yield the plain values that a parameter may take: its choices, its default, true and false."""
    doc = one_line(param.doc)
    values: list[Any] = [*param.choices]
    if not param.choices and "Bool" in {one.name for one in (param.type, *param.type.args)}:
        values += [True, False]
    if not param.required and not param.variadic:
        plain = param.default is None or isinstance(param.default, str | int | float | bool)
        values += [param.default] if plain and param.default not in values else []
    for value in values:
        text = value_text(Literal(value))
        is_default = not param.required and value == param.default
        yield NextName(text, "constant", text, "the default" if is_default else "", doc)


def parameter_candidates(found: Situation) -> Iterator[NextName]:
    """Yield the parameters of the open call that are not given yet, as `name=`."""
    part = next((one for one in reversed(found.parts) if one.kind == "call"), None)
    if part is None or found.names is None or found.parts[-1] is not part or part.key or part.steps:
        return
    definition = found.names.definition(part.callee)
    if definition is not None:
        known = list(definition[0].params)
        for name in known[part.index :]:
            if name not in part.given:
                default = definition[0].params[name]
                doc = definition[0].param_docs.get(name, "")
                yield NextName(name, "parameter", f"{name}=", "" if default is None else f"= {default}"[:100], doc)
        return
    stream = Stream("metric") if found.expected is not None and found.expected.role == "metric" else Stream("scorer")
    fact = Follower.fact(stream, part.callee)
    if fact is None:
        return
    if "sides" in fact.traits:
        for side in ("prediction", "reference"):
            if side not in part.given:
                yield NextName(side, "parameter", f"{side}=", "Transform", f"steps for the {side} alone")
        return
    slots = [param for param in fact.params if not param.variadic]
    is_open = any(param.variadic == "positional" for param in fact.params)
    for index, param in enumerate(slots):
        if param.name not in part.given and (is_open or index >= part.index):
            yield NextName(param.name, "parameter", f"{param.name}=", param_detail(param), one_line(param.doc))


@lru_cache(maxsize=1)
def function_candidates() -> tuple[NextName, ...]:
    """Return the functions that formulas over a record can call."""
    known = {name: one.doc for name, one in FUNCTIONS.items()} | {"if": "one of two values, by a condition"}
    return tuple(NextName(name, "function", f"{name}(", "", doc) for name, doc in sorted(known.items()))


_ACCUMULATORS = {
    "sum": "the sum over the records",
    "mean": "the mean over the records",
    "count": "how many records there are, or for how many a condition holds",
    "min": "the least over the records",
    "max": "the greatest over the records",
    "majority": "the most frequent value over the records",
    "per": "a figure for each group of records",
}


FORMULA_CALLS = frozenset({*FUNCTIONS, "if", *_ACCUMULATORS})
"""The functions of formulas, over a record or over the data."""


@lru_cache(maxsize=1)
def accumulator_candidates() -> tuple[NextName, ...]:
    """Return the functions that formulas over the data can call."""
    return tuple(NextName(name, "function", f"{name}(", "", doc) for name, doc in _ACCUMULATORS.items())
