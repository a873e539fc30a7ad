"""Evaluation of JMESPaths with a limited number of steps, since a path of 200 characters can double a value thirty
times.
"""

from __future__ import annotations

from typing import Any

from jmespath.visitor import TreeInterpreter

MOST_STEPS = 2_000_000
"""The most steps of one search: visits to parts of the path, and values that the path builds."""
_CHARACTERS = 32
# What gives more than was there: what it gives is weighed, as often as a part of it stands there.
_BUILDS = frozenset({"multi_select_list", "multi_select_dict", "flatten", "function_expression"})


class TooManySteps(ValueError):
    """The exception for a path whose evaluation takes more than `MOST_STEPS` steps."""


def search_path(path: Any, value: Any) -> Any:
    """Return the value that a compiled JMESPath selects from a value.

    Raises:
        TooManySteps: when the evaluation takes more than `MOST_STEPS` steps.
    """
    return _Counted().visit(path, value)


class _Counted(TreeInterpreter):
    """JMESPath's own interpreter, with a limit on the number of its steps."""

    def __init__(self) -> None:
        super().__init__()
        self._left = MOST_STEPS

    def visit(self, node: Any, *args: Any, **kwargs: Any) -> Any:
        self._spend(1)
        found = super().visit(node, *args, **kwargs)
        if node["type"] in _BUILDS:
            self._weigh(found)
        return found

    def visit_comparator(self, node: Any, value: Any) -> Any:
        sides = [self.visit(child, value) for child in node["children"]]
        self._weigh(sides[0])
        literals = [{"type": "literal", "value": side, "children": []} for side in sides]
        return super().visit_comparator(dict(node, children=literals), value)  # type: ignore[arg-type]

    def _spend(self, steps: int) -> None:
        self._left -= steps
        if self._left < 0:
            raise TooManySteps(f"a path takes more than {MOST_STEPS:,} steps")

    def _weigh(self, value: Any) -> None:
        pending = [value]
        while pending:
            one = pending.pop()
            kind = type(one)
            if kind is str:
                self._spend(len(one) // _CHARACTERS)
            elif kind is list or kind is dict:
                self._spend(len(one))
                pending.extend(one if kind is list else one.values())
