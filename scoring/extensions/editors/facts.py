"""Read what editors know of primitives from a generated file: types, parameters and summaries, without an import.

Importing all primitives takes more than a second, and an editor waits for its first answer. Those of other packages are
not in the file; they are asked of the registry, once it has imported them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, cast

from msgspec import Struct

from scoring.registry import registry
from scoring.registry.annotations import PipelineType
from scoring.registry.editions import OLDEST
from scoring.registry.model import REQUIRED, Param, Primitive, PrimitiveKind, shown_param
from scoring.values import Type

FACTS = Path(__file__).with_name("facts.json")
"""The generated file."""


class StepFact(Struct, frozen=True):
    """What is known of a primitive: as its declaration says, without its function."""

    name: str
    kind: PrimitiveKind
    inputs: tuple[Type, ...]
    output: Type
    params: tuple[Param, ...]
    summary: str
    aka: tuple[str, ...] = ()
    traits: tuple[str, ...] = ()
    since: int = OLDEST

    @property
    def signature(self) -> str:
        """The inputs, output and parameters in one line, as in the documentation."""
        inputs, params = ", ".join(map(str, self.inputs)), ", ".join(map(shown_param, self.params))
        called = f"{self.name}({params})" if params else self.name
        return f"{called}: {inputs} -> {self.output}"

    def param(self, name: str) -> Param | None:
        """Return the parameter with a name, None if there is none."""
        return next((one for one in self.params if one.name == name), None)

    def slot(self, index: int, name: str) -> Param | None:
        """Return the parameter that an argument goes to: by its name, or by its position if it has none."""
        if name:
            keyword = next((one for one in self.params if one.variadic == "keyword"), None)
            found = self.param(name)
            return found if found is not None and not found.variadic else keyword
        rest = next((one for one in self.params if one.variadic == "positional"), None)
        slots = [one for one in self.params if not one.variadic]
        return rest if rest is not None else slots[index] if index < len(slots) else None


def fact_of(primitive: Primitive) -> StepFact:
    """Return what is known of an imported primitive."""
    return StepFact(
        primitive.name,
        primitive.kind,
        primitive.inputs,
        primitive.output,
        primitive.params,
        primitive.doc.summary,
        primitive.aka,
        primitive.traits,
        primitive.since,
    )


@cache
def step_facts() -> Mapping[str, StepFact]:
    """Return the facts of all our own steps (primitives except metrics) by name."""
    return _read("steps")


@cache
def metric_facts() -> Mapping[str, StepFact]:
    """Return the facts of all our own metrics over data by name."""
    return _read("metrics")


def step_fact(name: str) -> StepFact | None:
    """Return the facts of a step, ours or another package's; None if there is none."""
    found = step_facts().get(name)
    if found is None and "/" in name and (other := registry.get(name)) is not None:
        found = fact_of(other)
    return found


def metric_fact(name: str) -> StepFact | None:
    """Return the facts of a metric, ours or another package's; None if there is none."""
    found = metric_facts().get(name)
    if found is None and "/" in name and (other := registry.metric(name)) is not None:
        found = fact_of(other)
    return found


# ---- the file


def facts_text(primitives: Iterable[Primitive]) -> str:
    """Return the text of the generated file: one line for each primitive of ours."""
    own = [one for one in primitives if one.is_own]
    groups = {
        "steps": [one for one in own if one.kind != "metric"],
        "metrics": [one for one in own if one.kind == "metric"],
    }
    parts = []
    for title, found in groups.items():
        lines = (json.dumps(_written(one), separators=(",", ":"), ensure_ascii=False) for one in found)
        parts.append(f'"{title}":[\n' + ",\n".join(lines) + "\n]")
    return "{" + ",\n".join(parts) + "}\n"


@cache
def _content() -> Mapping[str, list[list[Any]]]:
    found: Mapping[str, list[list[Any]]] = json.loads(FACTS.read_text("utf-8"))
    return found


def _read(title: str) -> Mapping[str, StepFact]:
    try:
        return {one[0]: _fact(one) for one in _content()[title]}
    except FileNotFoundError:  # while it is generated for the first time
        return {}


def _written(one: Primitive) -> list[Any]:
    kinds = [_type_text(kind) for kind in (*one.inputs, one.output)]
    params = [_param_written(param) for param in one.params]
    return [one.name, one.kind, kinds, params, one.doc.summary, list(one.aka), list(one.traits), one.since]


def _fact(line: list[Any]) -> StepFact:
    name, kind, kinds, params, summary, aka, traits, since = line
    *inputs, output = (_type_of(text) for text in kinds)
    read = tuple(map(_param, params))
    return StepFact(
        name, cast(PrimitiveKind, kind), tuple(inputs), output, read, summary, tuple(aka), tuple(traits), since
    )


_MARKS = ("is_path", "of_score", "compared", "is_whole", "of_item", "is_folder")


def _param_written(param: Param) -> dict[str, Any]:
    found: dict[str, Any] = {"n": param.name, "t": _type_text(param.type), "d": param.doc}
    if param.default is not REQUIRED:
        plain = list(param.default) if isinstance(param.default, tuple | frozenset | set) else param.default
        found["v"] = plain if plain is None or isinstance(plain, bool | int | float | str | list | dict) else None
    if param.choices:
        found["c"] = list(param.choices)
    if param.low is not None:
        found["low"] = param.low
    if param.high is not None:
        found["high"] = param.high
    if param.variadic:
        found["var"] = param.variadic
    if marks := [mark for mark in _MARKS if getattr(param, mark)]:
        found["is"] = marks
    if (pipe := param.pipeline) is not None:
        sides = [_type_text(kind) for kind in (pipe.source, pipe.target, pipe.reference)]
        found["p"] = [pipe.form, *sides, pipe.mapping, pipe.of_item]
    return found


def _param(found: dict[str, Any]) -> Param:
    pipeline = None
    if "p" in found:
        form, source, target, reference, mapping, of_item = found["p"]
        pipeline = PipelineType(form, _type_of(source), _type_of(target), _type_of(reference), mapping, of_item)
    return Param(
        found["n"],
        _type_of(found["t"]),
        found["d"],
        found.get("v", REQUIRED),
        tuple(found.get("c", ())),
        found.get("low"),
        found.get("high"),
        pipeline,
        found.get("var", ""),
        **dict.fromkeys(found.get("is", ()), True),
    )


def _type_text(kind: Type) -> str:
    """Return a type as text: `~A` is a variable, and unions are written like other types with arguments."""
    if kind.variable:
        return f"~{kind.name}"
    return kind.name if not kind.args else f"{kind.name}[{','.join(map(_type_text, kind.args))}]"


@lru_cache(maxsize=1000)
def _type_of(text: str) -> Type:
    """Return the type that `_type_text` wrote."""
    if text.startswith("~"):
        return Type(text[1:], variable=True)
    name, bracket, rest = text.partition("[")
    if not bracket:
        return Type(text)
    args, depth, start = [], 0, 0
    inner = rest[:-1]
    for place, sign in enumerate(inner):
        depth += (sign == "[") - (sign == "]")
        if sign == "," and depth == 0:
            args.append(inner[start:place])
            start = place + 1
    return Type(name, tuple(map(_type_of, (*args, inner[start:]))))
