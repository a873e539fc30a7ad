"""Validation of values against JSON Schema by the package `jsonschema`, with a limit on its work.

Nothing is fetched: a reference must lead to a part of the schema itself or to a draft of the standard. Patterns are
those of `scoring.primitives.patterns`: one that could take too long is refused. Every check of a keyword, every
character that a message would repeat and every step of a pattern is counted before it is done.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from scoring.depth import DEEPEST, in_full_depth
from scoring.extensions.structure.amount_of_work import keywords_looking_once, locations_and_size
from scoring.extensions.structure.pattern_format import can_be_compiled, compiling_steps
from scoring.primitives.patterns.prepared import ReadyPattern, longest_run, prepare
from scoring.primitives.patterns.syntax import PatternError
from scoring.result import Unscored, cause_of
from scoring.values import key_of

MOST_STEPS = 30_000_000
"""The limit on steps to validate one value: a few seconds. A check of a keyword counts as 200 steps."""
MOST_NODES = 10_000
"""The limit on lists and mappings of a schema: validating each against its draft takes a quarter of a millisecond."""
_CHECK = 200
# If the rough bound on a search is at most this many steps, it is not computed more precisely.
_SHORT = 1_000
_DRAFTS = {
    "draft-03": "Draft3Validator",
    "draft-04": "Draft4Validator",
    "draft-06": "Draft6Validator",
    "draft-07": "Draft7Validator",
    "2019-09": "Draft201909Validator",
    "2020-12": "Draft202012Validator",
}
# Formats that the package checks without further packages: a score must not depend on which others are installed.
# `regex` is checked here; of times the package knows those of draft 3 alone, so they are left.
_FORMATS = ("date", "email", "idn-email", "ipv4", "ipv6", "uuid")
# The values of these keywords are data, not schemas.
_DATA = ("const", "enum", "default", "examples")
# The values of these keywords are mappings from names to schemas.
_BY_NAME = ("properties", "patternProperties", "definitions", "$defs", "dependentSchemas", "dependencies")
Keyword: TypeAlias = Callable[[Any, Any, Any, Any], Iterator[Any] | None]


class SchemaFault(NamedTuple):
    """A violation of a schema at one location in a value.

    Args:
        path: The keys and indices that lead to the location.
        keyword: The keyword of the schema that is violated; `false` if the schema is simply `false`.
        message: A description of the violation.
        missing: The required key that is missing, if any.
        surplus: The keys that are not allowed.
    """

    path: tuple[Any, ...]
    keyword: str
    message: str
    missing: str | None
    surplus: tuple[str, ...]


class NoSchema(ValueError):
    """The error that a value is not a JSON Schema, or one that is not supported here, with the reason."""


@dataclass(slots=True)
class _Work:
    """A counter of the steps that validating one value has taken so far, with what is needed to count them.

    Args:
        schema_size: The size of the schema's text in characters.
        sizes: The size of each list and mapping in value and schema, by its `id`.
        spent: The number of steps so far.
        patterns: The compiled regular expressions, by their text.
        searches: Upper bounds on the steps of a search, by regular expression and length of text.
    """

    schema_size: int
    sizes: Mapping[int, int]
    spent: int = 0
    patterns: dict[str, ReadyPattern] = field(default_factory=dict)
    searches: dict[tuple[str, int], float] = field(default_factory=dict)

    def spend(self, steps: float) -> None:
        self.spent += int(min(steps, MOST_STEPS + 1))
        if self.spent > MOST_STEPS:
            raise Unscored(f"holding the value to its schema takes more than {MOST_STEPS:,} steps")

    def size(self, value: Any) -> int:
        if isinstance(value, str):
            return len(value) + 1
        return self.sizes.get(id(value), 1)

    def search(self, pattern: str, text: str) -> bool:
        ready = self.patterns.get(pattern)
        if ready is None:
            ready = self.patterns[pattern] = _ready(pattern)
        steps = self.searches.get((pattern, len(text)))
        if steps is None:  # an upper bound for any text of this length
            steps = ready.steps(len(text), len(text) + 1, lambda chars: len(text))
            self.searches[pattern, len(text)] = steps
        if steps > _SHORT:
            steps = ready.steps(len(text), ready.starts(text), lambda chars: longest_run(chars, text))
        self.spend(_CHECK + steps)
        return next(ready.matches(text), None) is not None


_WORK: ContextVar[_Work] = ContextVar("_WORK")


class ReadySchema:
    """A schema that is ready to validate values: it was checked, its draft chosen, and its keywords made to count their
    steps.
    """

    def __init__(self, text: str, draft: str, formats: bool) -> None:
        import jsonschema as package
        from jsonschema_specifications import REGISTRY

        whole = json.loads(text)
        chosen = getattr(package, _DRAFTS[draft if draft != "declared" else _declared(whole)])
        checker = _checker(package) if formats else None
        nodes = len(_sizes(whole))
        if nodes > MOST_NODES:
            raise NoSchema(f"it has {nodes:,} lists and mappings; at most {MOST_NODES:,} are read")
        token = _WORK.set(_Work(len(text), {}))
        try:
            chosen.check_schema(whole, format_checker=checker)
        except package.SchemaError as error:
            at = "".join(f"[{part!r}]" for part in error.absolute_path) or "its top"
            raise NoSchema(f"{error.message[:200]}, at {at}") from None
        finally:
            _WORK.reset(token)
        schema = _of_one_draft(whole)
        self._size, self._sizes = len(text), _sizes(schema)
        # If given the drafts of the standard, the package does not fall back on fetching unknown references.
        counted = package.validators.extend(chosen, _counted(chosen))
        self._validator = counted(schema, format_checker=checker, registry=REGISTRY)
        self._keywords = keywords_looking_once(schema, chosen.VALIDATORS)
        self._uncounted = package.validators.extend(chosen, _OWN)(schema, format_checker=checker, registry=REGISTRY)

    def is_valid(self, value: Any) -> bool | None:
        """Return True if a value satisfies the schema, False if not, or None if deciding this could take too many
        steps; then call `faults`, which counts its steps.
        """
        found = None if self._keywords is None else locations_and_size(value)
        if found is None or self._keywords is None:
            return None
        locations, size = found
        if self._keywords * locations * (_CHECK + 3 * (size + self._size)) > MOST_STEPS:
            return None
        try:
            return bool(in_full_depth(self._uncounted.is_valid, value))
        except Exception:  # whatever it is, the counted validation says it
            return None

    def faults(self, value: Any, most: int | None = None) -> list[SchemaFault]:
        """Return the violations of the schema by a value, in the order of the schema; the first ``most`` of them, all
        if None.

        Raises:
            Unscored: when validation takes too many steps or nests too deeply.
            NoSchema: when the schema is not supported, such as one whose reference leads nowhere.
        """
        if is_too_deep(value):
            raise Unscored("the value is nested too deep to be held to a schema")
        try:
            return in_full_depth(self._faults, value, most)
        except RecursionError:
            raise Unscored("the schema leads round in circles, or too deep") from None
        except (Unscored, NoSchema):
            raise
        except Exception as error:  # the package's own errors, where a reference leads nowhere
            raise NoSchema(_said(error)) from None

    def _faults(self, value: Any, most: int | None) -> list[SchemaFault]:
        value = _as_json(value)
        token = _WORK.set(_Work(self._size, {**self._sizes, **_sizes(value)}))
        try:
            return [*map(_fault, islice(self._validator.iter_errors(value), most))]
        finally:
            _WORK.reset(token)


@lru_cache(maxsize=64)
def _cached_schema(text: str, draft: str, formats: bool) -> ReadySchema | str:
    try:
        return ReadySchema(text, draft, formats)
    except (NoSchema, PatternError) as error:
        return str(error)


def ready_schema(schema: Any, draft: str = "declared", formats: bool = False) -> ReadySchema:
    """Return a schema that is ready to validate values, given as a JSON value or as JSON text.

    Args:
        schema: The schema.
        draft: The draft of the standard; "declared" means the one that its `$schema` names.
        formats: Whether `format` is checked.

    Raises:
        NoSchema: when the value is not a valid schema.
    """
    if isinstance(schema, str):
        text = schema
    elif isinstance(schema, dict | bool):
        if is_too_deep(schema):
            raise NoSchema("it is nested too deep")
        try:
            text = in_full_depth(json.dumps, schema)
        except (TypeError, ValueError):
            raise NoSchema("it holds what is no JSON") from None
    else:
        raise NoSchema("it is neither a mapping, true or false, nor a JSON text")
    try:
        found = in_full_depth(_cached_schema, text, draft, formats)
    except (ValueError, RecursionError) as error:
        raise NoSchema(cause_of(error) if isinstance(error, RecursionError) else "its text is no JSON") from None
    if isinstance(found, str):
        raise NoSchema(found)
    return found


def _checker(package: Any) -> Any:
    (checker := package.FormatChecker(formats=_FORMATS)).checks("regex")(_is_pattern)
    return checker


def _is_pattern(value: Any) -> bool:
    if not isinstance(value, str):
        return True
    _WORK.get().spend(compiling_steps(value))  # if nobody counts, the LookupError sends `is_valid` to who does
    return can_be_compiled(value)


def _declared(schema: Any) -> str:
    declared = schema.get("$schema") if isinstance(schema, dict) else None
    return next((draft for draft in _DRAFTS if isinstance(declared, str) and f"/{draft}/" in declared), "2020-12")


def _of_one_draft(schema: Any, names: bool = False) -> Any:
    """Return a schema without its `$schema` keys, which would make `jsonschema` use validators that count no steps.

    Args:
        schema: A schema, a list of schemas or, if `names` is true, a mapping from names to schemas.
        names: Whether its keys are names, not keywords.
    """
    if isinstance(schema, list):
        return [_of_one_draft(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {}
    for key, value in schema.items():
        if names or key not in ("$schema", *_DATA):
            found[key] = _of_one_draft(value, not names and key in _BY_NAME)
        elif key != "$schema":
            found[key] = value
    return found


def _as_json(value: Any) -> Any:
    """Return a value with its tuples, which come from Python literals, replaced by lists."""
    if isinstance(value, dict):
        return {key: _as_json(part) for key, part in value.items()}
    return [_as_json(part) for part in value] if isinstance(value, list | tuple) else value


def _sizes(value: Any) -> dict[int, int]:
    """Return the size of each list and mapping in a value, by its `id`: the number of characters and items in it,
    including everything nested in it.
    """
    order, waiting = [], [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict | list):
            order.append(one)
            waiting.extend(one.values() if isinstance(one, dict) else one)
    sizes: dict[int, int] = {}
    for one in reversed(order):
        size = 1 + (sum(map(len, map(str, one))) if isinstance(one, dict) else 0)
        for part in one.values() if isinstance(one, dict) else one:
            size += len(part) + 1 if isinstance(part, str) else sizes.get(id(part), 8)
        sizes[id(one)] = size
    return sizes


def _fault(error: Any) -> SchemaFault:
    keyword = "false" if error.validator is None else str(error.validator)
    missing, surplus = getattr(error, "missing", None), getattr(error, "surplus", ())
    return SchemaFault(tuple(error.absolute_path), keyword, error.message, missing, surplus)


def _said(error: Exception) -> str:
    if type(error).__module__.startswith(("referencing", "jsonschema")):
        return f"a reference leads nowhere (nothing is fetched): {str(error)[:200]}"
    return cause_of(error)


# ---- the keywords, counted


def _counted(chosen: Any) -> dict[str, Any]:
    return {name: _counting(name, _OWN.get(name, plain)) for name, plain in chosen.VALIDATORS.items()}


def _counting(name: str, plain: Keyword) -> Keyword:
    def keyword(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
        work = _WORK.get()
        work.spend(_CHECK + _length(value) + _length(instance) + _extra(name, value, instance, schema, work))
        for error in plain(validator, value, instance, schema) or ():
            # The message of an error repeats the value and the keyword's content.
            work.spend(work.size(instance) + work.size(value))
            yield error

    return keyword


def _length(value: Any) -> int:
    return len(value) if isinstance(value, dict | list | str) else 1


def _extra(name: str, value: Any, instance: Any, schema: Any, work: _Work) -> int:
    """Return the number of steps to count for a keyword in addition to the lengths of its value and of the instance.

    Args:
        name: The keyword.
        value: The keyword's value in the schema.
        instance: The value that is validated.
        schema: The schema that contains the keyword.
        work: The steps counted so far.
    """
    if name in ("enum", "const"):
        return min(work.size(instance) * _length(value), work.size(value))
    if name == "uniqueItems":
        return work.size(instance)
    if name in ("$ref", "$dynamicRef", "$recursiveRef"):
        return 2 * _CHECK if isinstance(value, str) and value.startswith("#/") else 2 * _CHECK + work.schema_size
    if name in ("unevaluatedProperties", "unevaluatedItems"):
        for pattern in _patterns_of(schema):
            for key in instance if isinstance(instance, dict) else ():
                work.search(pattern, str(key))
        return work.schema_size
    return 0


def _patterns_of(schema: Any) -> Iterator[str]:
    """Yield the patterns of every `patternProperties` in a schema, with which `jsonschema` searches keys of the value
    when it evaluates `unevaluatedProperties`."""
    waiting = [schema]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            found = one.get("patternProperties")
            yield from map(str, found) if isinstance(found, dict) else ()
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)


def _ready(pattern: str) -> ReadyPattern:
    try:
        return prepare(pattern)
    except PatternError as error:
        raise NoSchema(f"its pattern {pattern[:80]!r} is refused: {error}") from None


def _error(message: str) -> Any:
    from jsonschema import ValidationError

    return ValidationError(message)


def _pattern(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if isinstance(instance, str) and not _WORK.get().search(value, instance):
        yield _error(f"{instance[:80]!r} does not match {value!r}")


def _pattern_properties(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if isinstance(instance, dict):
        for pattern, inner in value.items():
            for key in instance:
                if _WORK.get().search(pattern, key):
                    yield from validator.descend(instance[key], inner, path=key, schema_path=pattern)


def _additional_properties(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if not isinstance(instance, dict):
        return
    known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    surplus = [key for key in instance if key not in known]
    if patterns:
        search = _WORK.get().search
        surplus = [key for key in surplus if not any(search(each, key) for each in patterns)]
    if isinstance(value, dict):
        for key in surplus:
            yield from validator.descend(instance[key], value, path=key)
    elif not value and surplus:
        error = _error(f"not allowed here: {', '.join(surplus)[:200]}")
        error.surplus = tuple(surplus)
        yield error


def _unique_items(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if value and isinstance(instance, list) and len(set(map(key_of, instance))) < len(instance):
        yield _error("items are equal that should differ")


def _required(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if isinstance(instance, dict):
        for key in value:
            if key not in instance:
                error = _error(f"`{key}` is missing")
                error.missing = key
                yield error


_OWN: dict[str, Keyword] = {
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "uniqueItems": _unique_items,
    "required": _required,
}


def is_too_deep(value: Any) -> bool:
    """Return whether a value is nested deeper than `DEEPEST`, which a value that contains itself always is.

    Examples:
        >>> is_too_deep([[], {"a": []}])
        False
    """
    level: list[Any] = [value]
    for _ in range(DEEPEST + 1):
        # A container that occurs several times is visited once per level, so no level is larger than the value.
        holders = {id(one): one for one in level if isinstance(one, _NESTED)}
        if not holders:
            return False
        level = [item for one in holders.values() for item in (one.values() if isinstance(one, dict) else one)]
    return True


_NESTED = (dict, list, tuple, set, frozenset)
