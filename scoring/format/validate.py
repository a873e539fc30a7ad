"""Validate a file against its JSON Schema, with a finding in words at the key or value of each mistake."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from scoring.data.json_schema import Violation, violations
from scoring.depth import in_full_depth
from scoring.diagnostics.diagnostic import Diagnostic, Diagnostics, diagnostic
from scoring.format.nodes import SpecNode

if TYPE_CHECKING:
    from scoring.format.violations import Elsewhere

_MOST = 50


def validate(
    node: SpecNode,
    schema: Mapping[str, Any],
    others: Mapping[str, Mapping[str, Any]] | None = None,
    elsewhere: Elsewhere | None = None,
) -> Diagnostics:
    """Check a file against a draft-07 JSON Schema, and return the findings.

    Args:
        node: The file as read.
        schema: The schema; its references point into itself or into the documents in `others`; nothing is fetched.
        others: Further documents by the file name with which references begin.
        elsewhere: A function that returns a special finding for an unknown key, or None.

    Examples:
        >>> from scoring.format.read_yaml import read_yaml
        >>> schema = {"properties": {"weight": {"type": "number"}}, "additionalProperties": False}
        >>> for found in validate(read_yaml("weight: heavy\\nwieght: 1"), schema):
        ...     print(found)
        <yaml>:1:9: error[wrong-type]: expected a number, found the text `heavy`
        <yaml>:2:1: error[unknown-key]: unknown key `wieght`
    """
    data = node.plain()
    try:
        wrong = in_full_depth(_wrong, data, schema, others)
        if not wrong:
            return Diagnostics()
        from scoring.format.violations import describe_violation

        documents = (schema, *(others or {}).values())
        found = [one for each in wrong for one in describe_violation(each, node, documents, elsewhere)]
    except RecursionError:
        return Diagnostics([diagnostic("error", "too-deep", "the file is too deeply nested to check", node.span)])
    return Diagnostics(Diagnostics(_without_echoes(found)).sorted())


def _wrong(data: Any, schema: Mapping[str, Any], others: Mapping[str, Mapping[str, Any]] | None) -> list[Violation]:
    return list(islice((inner for each in violations(data, schema, others) for inner in _flat(each)), _MOST))


def _flat(violation: Violation) -> Iterator[Violation]:
    """Yield the violations of a choice's most likely alternative; yield a violation of another kind unchanged."""
    branches = [branch for branch in violation.branches if not any(inner.keyword == "false" for inner in branch)]
    if not branches or not all(violation.branches):  # two alternatives of `oneOf` that both fit have no errors
        yield violation
        return
    fitting = [branch for branch in branches if not any(_wrong_kind(inner, violation) for inner in branch)]
    if not fitting:
        yield _kinds(violation, branches)
        return
    for inner in min(fitting, key=_cost):
        yield from _flat(inner)


def _wrong_kind(inner: Violation, outer: Violation) -> bool:
    """Return whether `inner`, a violation inside the choice `outer`, is a wrong type of the value itself."""
    return inner.keyword == "type" and len(inner.path) == len(outer.path)


def _cost(branch: Iterable[Violation]) -> tuple[bool, int, int]:
    """Return a sort key of an alternative by its violations: whether a constant is wrong, their number, and their
    depth."""
    found = list(branch)
    deepest = max((len(inner.path) for inner in found), default=0)
    return any(inner.keyword in ("const", "enum") for inner in found), len(found), -deepest


def _kinds(violation: Violation, branches: Iterable[Iterable[Violation]]) -> Violation:
    """Return `violation`, of a choice, as a type error that expects the types which the alternatives `branches`
    accept."""
    names: list[str] = []
    for inner in (inner for branch in branches for inner in branch if _wrong_kind(inner, violation)):
        names.extend([inner.wanted] if isinstance(inner.wanted, str) else inner.wanted)
    return violation._replace(keyword="type", wanted=list(dict.fromkeys(names)), branches=())


def _without_echoes(found: list[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield the findings without those for missing keys that are explained by a misspelled key."""
    suggested = {
        (one.primary.text.removeprefix("did you mean `").removesuffix("`?")) for one in found if one.id == "unknown-key"
    }
    for one in found:
        if one.id == "missing-key" and any(one.message.startswith(f"the key `{name}` ") for name in suggested):
            continue
        yield one
