"""A file against its JSON Schema: every mistake at its own key or value, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from scoring.diagnostics.diagnostic import Diagnostic, Diagnostics, diagnostic
from scoring.format.accepts import accepts
from scoring.format.nodes import Node
from scoring.format.violations import Violation, describe

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

_MOST = 50


def validate(node: Node, schema: Mapping[str, Any]) -> Diagnostics:
    """Check a file against a draft-07 schema.

    Args:
        node: The file as read.
        schema: The schema; its references stay inside it, nothing is ever fetched.

    Examples:
        >>> from scoring.format.read_yaml import read_yaml
        >>> schema = {"properties": {"weight": {"type": "number"}}, "additionalProperties": False}
        >>> for found in validate(read_yaml("weight: heavy\\nwieght: 1"), schema):
        ...     print(found)
        <yaml>:1:9: error[wrong-type]: expected a number, found the text `heavy`
        <yaml>:2:1: error[unknown-key]: unknown key `wieght`
    """
    data = node.plain()
    if accepts(data, schema):
        return Diagnostics()
    try:
        errors = list(islice(_errors(data, schema), _MOST))
        found = [_diagnostic for error in errors for _diagnostic in describe(error, node, schema)]
    except RecursionError:
        return Diagnostics([diagnostic("error", "too-deep", "the file is too deeply nested to check", node.span)])
    return Diagnostics(Diagnostics(_without_echoes(found)).sorted())


def _errors(data: Any, schema: Mapping[str, Any]) -> Iterator[Violation]:
    from jsonschema import Draft7Validator
    from referencing import Registry

    # An empty registry: a reference to anywhere else raises instead of fetching.
    validator = Draft7Validator(dict(schema), registry=Registry())
    for error in validator.iter_errors(data):
        yield from _flat(error)


def _flat(error: ValidationError) -> Iterator[Violation]:
    """The errors inside a choice, those of the branch that the author most likely meant."""
    if error.validator not in ("anyOf", "oneOf") or not error.context:
        yield _violation(error)
        return
    branches: dict[int, list[ValidationError]] = {}
    for inner in error.context:
        if inner.schema_path:  # a branch that is simply `false` has none
            branches.setdefault(int(inner.schema_path[0]), []).append(inner)
    if not branches:
        yield _violation(error)
        return
    fitting = [errors for errors in branches.values() if not any(_wrong_kind(inner, error) for inner in errors)]
    if not fitting:
        yield _kinds(error, branches.values())
        return
    for inner in min(fitting, key=_cost):
        yield from _flat(inner)


def _wrong_kind(inner: ValidationError, error: ValidationError) -> bool:
    """Whether a branch does not even want this kind of value."""
    return inner.validator == "type" and len(inner.absolute_path) == len(error.absolute_path)


def _cost(errors: list[ValidationError]) -> tuple[bool, int, int]:
    """Few and deep errors are near misses; a wrong constant tells that another branch was meant."""
    return (
        any(error.validator in ("const", "enum") for error in errors),
        len(errors),
        -max(len(error.absolute_path) for error in errors),
    )


def _kinds(error: ValidationError, branches: Iterable[list[ValidationError]]) -> Violation:
    """None of the branches takes this kind of value: name the kinds that they take."""
    names: list[str] = []
    for errors in branches:
        for inner in errors:
            if _wrong_kind(inner, error):
                value: Any = inner.validator_value
                names.extend([value] if isinstance(value, str) else value)
    violation = _violation(error)
    return Violation("type", list(dict.fromkeys(names)), violation.path, violation.schema, error.instance)


def _violation(error: ValidationError) -> Violation:
    return Violation(
        str(error.validator),
        error.validator_value,
        tuple(error.absolute_path),
        error.schema if isinstance(error.schema, Mapping) else {},
        error.instance,
        in_key="propertyNames" in error.absolute_schema_path,
    )


def _without_echoes(found: list[Diagnostic]) -> Iterator[Diagnostic]:
    """A misspelled key is one mistake, not also a missing key."""
    suggested = {
        (one.primary.text.removeprefix("did you mean `").removesuffix("`?")) for one in found if one.id == "unknown-key"
    }
    for one in found:
        if one.id == "missing-key" and any(one.message.startswith(f"the key `{name}` ") for name in suggested):
            continue
        yield one
