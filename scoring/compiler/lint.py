"""Checks of a compiled task that need no types: cases that are never reached, values that no case takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from scoring.compiler.messages import Findings
from scoring.compiler.program import Node, Program
from scoring.lang.tree import Path


def check_cases(programs: Iterable[Program], values: Mapping[str, Sequence[str]], findings: Findings) -> None:
    """Find cases, as of ``switch``, that no record can reach, and declared values that have no case.

    Args:
        programs: The programs of a task.
        values: The values that the spec's ``record`` declares, by name.
        findings: Where findings go.
    """
    for program in programs:
        for node in program.all_nodes():
            if "cases" in node.primitive.traits:
                _check_node(node, values, findings)


def _check_node(node: Node, values: Mapping[str, Sequence[str]], findings: Findings) -> None:
    possible = _possible(node, values)
    if possible is None:
        return
    cases = [name for name in node.nested if name != "default"]
    listed = ", ".join(f"`{value}`" for value in possible)
    for name in cases:
        if name not in possible:
            findings.diagnostics.warning(
                "unreachable-case",
                f"the case `{name}` is never reached",
                node.span,
                f"the value is one of {listed}",
                help="remove the case, or add its value where the record is declared",
            )
    missing = [value for value in possible if value not in cases]
    if missing and "default" not in node.nested:
        findings.error(
            "missing-case",
            f"no case takes the value `{missing[0]}`",
            node.span,
            f"the value is one of {listed}",
            help="add the case, or `default=…`",
        )


def _possible(node: Node, values: Mapping[str, Sequence[str]]) -> Sequence[str] | None:
    """Every value that may choose, where that is known."""
    if "on" in node.static:
        return [str(node.static["on"])]
    path = node.dynamic.get("on")
    if isinstance(path, Path) and path.root == "record" and len(path.segments) == 1:
        return values.get(str(path.segments[0]))
    return None
