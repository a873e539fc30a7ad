"""Checks of a compiled task that need no types: cases that are never reached, values that no case takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from scoring.compiler.messages import Findings
from scoring.compiler.program import BoundStep, Program
from scoring.compiler.scope import Scope
from scoring.format.model import Pack, TaskSpec
from scoring.lang.tree import Call, Path, Pipeline, walk


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


def check_imports(spec: TaskSpec | Pack, scope: Scope, findings: Findings) -> None:
    """Find imports that no expression of a file names: they do nothing, and still stand in its signature."""
    written = [*_of_task(spec), *(one.pipeline for one in spec.definitions.values())]
    written += [
        param.pipeline for one in spec.definitions.values() for param in one.params if param.pipeline is not None
    ]
    used = {node.name.partition(".")[0] for tree in written for node in walk(tree) if isinstance(node, Call)}
    for entry in spec.imports:
        if entry.alias not in used and not scope.imports[entry.alias].broken:
            findings.diagnostics.warning(
                "unused-import",
                f"nothing uses the import `{entry.alias}`",
                entry.alias_span,
                help=f"use it, as in `{entry.alias}.name`, or take it out",
            )


def _of_task(spec: TaskSpec | Pack) -> list[Pipeline]:
    """The pipelines of a task outside its definitions."""
    if isinstance(spec, Pack):
        return []
    found = [spec.parse, spec.aggregate, *(field.pipeline for field in spec.fields), *spec.metrics]
    return [one for one in found if isinstance(one, Pipeline)]


def _check_node(node: BoundStep, values: Mapping[str, Sequence[str]], findings: Findings) -> None:
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


def _possible(node: BoundStep, values: Mapping[str, Sequence[str]]) -> Sequence[str] | None:
    """Every value that may choose, where that is known."""
    if "on" in node.static:
        return [str(node.static["on"])]
    path = node.dynamic.get("on")
    if isinstance(path, Path) and path.root == "record" and len(path.segments) == 1:
        return values.get(str(path.segments[0]))
    return None
