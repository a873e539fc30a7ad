"""Decision whether a value is valid under a JSON Schema of common keywords, by one function per keyword, made once.

The package `jsonschema` makes a validator for every location and a message for every fault, and `json_schema_match`
counts its work. To decide only whether a small value is valid, neither is needed: the schema is compiled to functions
from a value to true or false, with an upper bound on the steps that would be counted. Where a schema has other
keywords, or a value may reach the limit on steps, the answer is None, and the caller asks the package.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from scoring.depth import DEEPEST
from scoring.primitives.patterns.prepared import ReadyPattern
from scoring.values import key_of

IsValid: TypeAlias = Callable[[Any], bool]
"""Whether a value is valid under a schema, or under one keyword of it."""


class NotPlainSchema(Exception):
    """The schema, or a value, has something that only the package can decide."""


class PlainRules(NamedTuple):
    """What the compilation of a schema needs from its surroundings.

    Args:
        keywords: The keywords of the schema's draft with the package's functions; all others are ignored.
        validator: A validator of the package, for keywords that look at nothing but the value.
        pattern: Returns a pattern of the schema ready to search; it raises an exception if the pattern is refused.
        siblings_count: Whether keywords beside `$ref` count, as since draft 2019-09.
        check: The steps that the check of one keyword counts as.
        size: Returns the size of a part of the schema.
    """

    keywords: Mapping[str, Callable[..., Any]]
    validator: Any
    pattern: Callable[[str], ReadyPattern]
    siblings_count: bool
    check: int
    size: Callable[[Any], int]


@dataclass(slots=True)
class _Part:
    """A compiled part of a schema with bounds on the package's counted work, for each location that it applies to.

    ``steps`` are those that don't depend on the value's size, ``checks`` are looks at the whole value at that location.
    It finds at most ``faults`` at each location, and the message of each is made on up to ``levels`` levels. ``inside``
    counts messages of faults in alternatives that look inside of the value; ``descends`` says that the part does.
    """

    is_valid: IsValid
    steps: int = 0
    checks: int = 0
    faults: int = 1
    levels: int = 0
    inside: int = 0
    descends: bool = False


MOST_PARTS = 2_000
"""The limit on parts of a schema, those that `$ref` repeats included."""
# A search that may take more steps is counted precisely, by the caller.
_MOST_SEARCH = 1_000
_CLASSES: dict[str, set[type]] = {
    "string": {str},
    "number": {int, float},
    "integer": {int},
    "boolean": {bool},
    "null": {type(None)},
    "object": {dict},
    "array": {list},
}
# The package's own functions decide these: they look at the value alone.
_BY_PACKAGE = ("enum", "const", "multipleOf", "format", "dependentRequired")
_SAME_PLACE = ("allOf", "anyOf", "oneOf")


class PlainSchema:
    """A schema of common keywords, compiled to functions.

    Raises:
        NotPlainSchema: when it has other keywords, or references that lead round in circles.
    """

    def __init__(self, schema: Any, rules: PlainRules, most_steps: int) -> None:
        self._root, self._rules, self._most_steps = schema, rules, most_steps
        self._parts, self._size = 0, rules.size(schema)
        self._whole = self._compiled(schema, ())

    def is_valid(self, value: Any) -> bool | None:
        """Return whether a value is valid; None if it is not plain data, or large enough to reach the limit."""
        try:
            locations, characters, depth = _measured(value, self._most_steps)
            if self._bound(locations, characters, depth) > self._most_steps:
                return None
            return self._whole.is_valid(value)
        except Exception:  # whatever it is, the package decides, or says why it can't
            return None

    def _bound(self, locations: int, characters: int, depth: int) -> int:
        """Return an upper bound on the steps that the package's validation of a value would count.

        Each check looks at most twice at what it is applied to. All faults are found only in alternatives, elsewhere
        the first suffices; a message repeats the value and the schema.
        """
        whole = self._whole
        messages = whole.inside * depth * locations + whole.levels
        looks = 2 * whole.checks * depth * characters
        return whole.steps * locations + looks + messages * (characters + self._size)

    def _compiled(self, schema: Any, open_references: tuple[str, ...]) -> _Part:
        self._parts += 1
        if self._parts > MOST_PARTS:
            raise NotPlainSchema
        if not isinstance(schema, dict):
            return _Part(_anything if schema else _nothing)
        keywords = [name for name in schema if name in self._rules.keywords]
        if "$ref" in keywords and len(keywords) > 1 and not self._rules.siblings_count:
            raise NotPlainSchema
        parts = [self._keyword(name, schema, open_references) for name in keywords]
        own = sum(self._rules.check + 2 * self._rules.size(schema[name]) for name in keywords)
        whole = _sum(_all([part.is_valid for part in parts]), parts)
        whole.steps, whole.checks, whole.levels = whole.steps + own, whole.checks + len(parts), whole.levels + 1
        return whole

    def _keyword(self, name: str, schema: dict[str, Any], references: tuple[str, ...]) -> _Part:
        wanted = schema[name]
        if name in _LIMITS:
            return _Part(_LIMITS[name](wanted))
        if name == "required":
            return _Part(_required(wanted), faults=len(wanted))
        if name == "$ref":
            return self._reference(wanted, references)
        if name == "pattern":
            return _Part(_pattern(self._rules.pattern(wanted)), steps=self._rules.check + _MOST_SEARCH)
        if name == "properties":
            found = {key: self._compiled(one, references) for key, one in wanted.items()}
            return _dearest(_properties({key: one.is_valid for key, one in found.items()}), [*found.values()])
        if name in ("additionalProperties", "items") and isinstance(wanted, dict | bool):
            inner = self._compiled(wanted, references)
            of_keys = _surplus(inner.is_valid, frozenset(schema.get("properties", ())))
            return _dearest(of_keys if name == "additionalProperties" else _items(inner.is_valid), [inner])
        if name in _SAME_PLACE:
            several = [self._compiled(one, references) for one in wanted]
            together = _sum(_several(name, [one.is_valid for one in several]), several)
            return together if name == "allOf" else self._with_messages(together)
        if name in ("not", "if"):
            others = [schema[key] for key in ("then", "else") if name == "if" and key in schema]
            several = [self._compiled(one, references) for one in (wanted, *others)]
            return self._with_messages(_sum(_condition(name, schema, [one.is_valid for one in several]), several))
        if name in _BY_PACKAGE:
            return _Part(self._by_package(name, wanted, schema))
        raise NotPlainSchema

    def _reference(self, pointer: Any, references: tuple[str, ...]) -> _Part:
        if not isinstance(pointer, str) or not pointer.startswith("#/") or pointer in references:
            raise NotPlainSchema
        if set(pointer) & set("%~"):
            raise NotPlainSchema
        target = self._root
        for step in pointer.split("/")[1:]:
            if not isinstance(target, dict) or step not in target or "$id" in target:
                raise NotPlainSchema
            target = target[step]
        found = self._compiled(target, (*references, pointer))
        found.steps += 2 * self._rules.check
        return found

    def _with_messages(self, part: _Part) -> _Part:
        """Return a part with the work for the faults of its alternatives, whether or not the value is valid."""
        messages = part.faults * part.levels
        if part.descends:
            part.inside += messages
        else:
            part.steps, part.checks = part.steps + messages * self._size, part.checks + messages
        return part

    def _by_package(self, name: str, wanted: Any, schema: dict[str, Any]) -> IsValid:
        texts = wanted if name == "enum" else [wanted] if name == "const" else [None]
        if set(map(type, texts)) == {str}:
            known = frozenset(texts)
            return lambda value: type(value) is str and value in known
        function, validator = self._rules.keywords[name], self._rules.validator
        return lambda value: next(iter(function(validator, wanted, value, schema) or ()), None) is None


def _sum(is_valid: IsValid, parts: list[_Part]) -> _Part:
    """Return a part that applies several parts to the same location."""
    return _Part(
        is_valid,
        sum(part.steps for part in parts),
        sum(part.checks for part in parts),
        sum(part.faults for part in parts) + 1,
        max((part.levels for part in parts), default=0),
        sum(part.inside for part in parts),
        any(part.descends for part in parts),
    )


def _dearest(is_valid: IsValid, parts: list[_Part]) -> _Part:
    """Return a part that applies each of several parts to other locations, so that the dearest one bounds them all."""
    return _Part(
        is_valid,
        max((part.steps for part in parts), default=0),
        max((part.checks for part in parts), default=0),
        max((part.faults for part in parts), default=0) + 1,
        max((part.levels for part in parts), default=0),
        max((part.inside for part in parts), default=0),
        descends=True,
    )


def _measured(value: Any, most: int) -> tuple[int, int, int]:
    """Return the number of locations in plain data, a bound on its characters and items, and its depth.

    Raises:
        NotPlainSchema: when it has other types than JSON's, is too deep, or has more than ``most`` locations.
    """
    locations = characters = depth = 0
    level = [value]
    while level:
        depth += 1
        locations += len(level)
        below: list[Any] = []
        for one in level:
            kind = type(one)
            if kind is str:
                characters += len(one) + 1
            elif kind is dict:
                characters += 1 + len("".join(one))  # which a key that is no text refuses
                below += one.values()
            elif kind is list:
                characters += 1
                below += one
            elif kind in _SCALARS:
                characters += 8
            else:
                raise NotPlainSchema
            if len(below) > most:
                raise NotPlainSchema
        if depth > DEEPEST or locations > most:
            raise NotPlainSchema
        level = below
    return locations, characters, depth


_SCALARS = {int, float, bool, type(None)}


# ---- the keywords: each function returns whether the value fulfils it, which a value of another type always does


def _anything(value: Any) -> bool:
    return True


def _nothing(value: Any) -> bool:
    return False


def _condition(name: str, schema: dict[str, Any], checks: list[IsValid]) -> IsValid:
    first, *rest = checks
    if name == "not":
        return lambda value: not first(value)
    named = dict(zip([key for key in ("then", "else") if key in schema], rest, strict=True))
    then, otherwise = named.get("then", _anything), named.get("else", _anything)
    return lambda value: then(value) if first(value) else otherwise(value)


def _all(checks: list[IsValid]) -> IsValid:
    if len(checks) == 1:
        return checks[0]

    return lambda value: all(check(value) for check in checks)


def _several(name: str, checks: list[IsValid]) -> IsValid:
    if name == "allOf":
        return _all(checks)
    if name == "anyOf":
        return lambda value: any(check(value) for check in checks)
    return lambda value: sum(check(value) for check in checks) == 1


def _type(wanted: str | list[str]) -> IsValid:
    names = [wanted] if isinstance(wanted, str) else wanted
    classes = set().union(*(_CLASSES[name] for name in names))
    if "integer" not in names or float in classes:
        return lambda value: type(value) in classes
    return lambda value: type(value) in classes or (type(value) is float and value.is_integer())


def _required(names: list[str]) -> IsValid:
    return lambda value: type(value) is not dict or all(name in value for name in names)


def _properties(checks: dict[str, IsValid]) -> IsValid:
    pairs = [*checks.items()]

    def every(value: Any) -> bool:
        if type(value) is dict:
            for key, check in pairs:
                if key in value and not check(value[key]):
                    return False
        return True

    return every


def _surplus(check: IsValid, known: frozenset[str]) -> IsValid:
    return lambda value: type(value) is not dict or all(key in known or check(value[key]) for key in value)


def _items(check: IsValid) -> IsValid:
    return lambda value: type(value) is not list or all(map(check, value))


def _pattern(ready: ReadyPattern) -> IsValid:
    def is_long(length: int) -> bool:
        return ready.steps(length, length + 1, lambda chars: length) > _MOST_SEARCH

    shortest_long = bisect_left(range(_MOST_SEARCH), True, key=is_long)

    def search(value: Any) -> bool:
        if type(value) is not str:
            return True
        if len(value) >= shortest_long:
            raise NotPlainSchema
        return ready.first(value) is not None

    return search


def _of_numbers(holds: Callable[[Any, Any], bool]) -> Callable[[Any], IsValid]:
    return lambda limit: lambda value: type(value) not in _CLASSES["number"] or holds(value, limit)


def _of_length(kind: type[Any], holds: Callable[[int, Any], bool]) -> Callable[[Any], IsValid]:
    return lambda limit: lambda value: not isinstance(value, kind) or holds(len(value), limit)


def _unique(wanted: bool) -> IsValid:
    if not wanted:
        return _anything
    return lambda value: type(value) is not list or len(set(map(key_of, value))) == len(value)


# Written so that a NaN fulfils what the package says it does: it is less than nothing.
_LIMITS: dict[str, Callable[[Any], IsValid]] = {
    "type": _type,
    "minimum": _of_numbers(lambda value, limit: not value < limit),
    "maximum": _of_numbers(lambda value, limit: not value > limit),
    "exclusiveMinimum": _of_numbers(lambda value, limit: not value <= limit),
    "exclusiveMaximum": _of_numbers(lambda value, limit: not value >= limit),
    "minLength": _of_length(str, lambda size, limit: not size < limit),
    "maxLength": _of_length(str, lambda size, limit: not size > limit),
    "minItems": _of_length(list, lambda size, limit: not size < limit),
    "maxItems": _of_length(list, lambda size, limit: not size > limit),
    "minProperties": _of_length(dict, lambda size, limit: not size < limit),
    "maxProperties": _of_length(dict, lambda size, limit: not size > limit),
    "uniqueItems": _unique,
}
