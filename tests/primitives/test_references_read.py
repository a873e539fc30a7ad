"""What declares that it never looks at the reference, or at the value that flows, does not; what does not says so."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator

import pytest

from scoring.registry import registry
from scoring.registry.model import Primitive


def own(kind: str, inputs: int) -> Iterator[Primitive]:
    for name in registry.names():
        found = registry.get(name)
        if found is not None and found.is_own and found.kind == kind and len(found.inputs) == inputs:
            yield found


def looks_at(found: Primitive, place: int) -> bool:
    """Whether the body of a primitive names one of its values."""
    function = getattr(found.function, "__wrapped__", found.function)
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    assert isinstance(tree, ast.FunctionDef)
    value = tree.args.posonlyargs[place].arg
    return any(isinstance(node, ast.Name) and node.id == value for node in ast.walk(tree))


def test_comparators_that_never_look_at_the_reference_say_so() -> None:
    alone = {found.name for found in own("comparator", 2) if not looks_at(found, 1)}
    assert alone == {found.name for found in own("comparator", 2) if "response_alone" in found.traits}
    assert {"matches", "is_true"} <= alone


def test_transforms_that_never_look_at_their_value_say_so() -> None:
    blind = {found.name for found in own("transform", 1) if not looks_at(found, 0)}
    assert blind == {found.name for found in own("transform", 1) if "replaces" in found.traits} == {"value_of"}


@pytest.mark.parametrize("found", [*own("combinator", 2)], ids=lambda found: found.name)
def test_combinators_that_only_pass_the_reference_on_say_so(found: Primitive) -> None:
    """Those are the ones whose pipelines take the same reference as they do."""
    given = [param.pipeline for param in found.params if param.pipeline is not None]
    scorers = [one for one in given if one.form != "aggregate"]
    same = all(str(one.reference) == str(found.inputs[1]) for one in scorers) and found.name != "tree"
    assert ("response_alone" in found.traits) is (same and "upstream" not in found.name)
