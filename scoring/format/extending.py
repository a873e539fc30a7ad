"""Merge a task with the task that it extends: what its own file states replaces what the other file states."""

from __future__ import annotations

from dataclasses import replace

from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.words import shown
from scoring.format.definitions import SpecFile
from scoring.format.model import TaskSpec
from scoring.format.nodes import SpecNode
from scoring.format.sections import Import, is_path
from scoring.registry.editions import OLDEST

# Keys whose mappings are whole expressions, so that no part of them is kept.
_EXPRESSIONS = ("score", "parse", "aggregate", "pass")
# Keys that each file states for itself; examples are records as their own file reads them.
_OWN = ("kind", "name", "version", "examples")


def extended(node: SpecNode, base: SpecNode, spec: SpecFile, entry: Import, *, is_elsewhere: bool) -> SpecNode:
    """Return the root node of a task together with what it takes over from the task that it extends.

    Mappings, such as `record` and `fields`, are merged name by name; every other value replaces the inherited one. With
    a `score`, no fields are taken over, and with `fields` no score.

    Args:
        node: The root node of the task.
        base: The root node of the other file.
        spec: The model of the other file.
        entry: The name or path by which the task states it.
        is_elsewhere: Whether the other file is in another folder, so that paths in it lead elsewhere.

    Raises:
        SpecError: when the other file is no task, has another edition, or imports by a path of another folder.
    """
    if not isinstance(spec, TaskSpec):
        raise SpecError.of("extends", f"{shown(entry.target)} is no task", entry.span, help="name a task")
    _check_edition(node, base)
    stated = node["imports"].entries if "imports" in node else {}
    for one in spec.imports if is_elsewhere else ():
        if one.alias not in stated and is_path(one.target):
            raise SpecError.of(
                "extends",
                f"the extended task imports {shown(one.target)} by a path of its own folder",
                entry.span,
                help=f"state the path from here: `imports: {{{one.alias}: …}}`",
            )
    return replace(node, value=_merged(base.entries, node.entries))


def _check_edition(node: SpecNode, base: SpecNode) -> None:
    """Raise an error for a task of another edition than that which it extends, whose expressions would change."""
    theirs = base["edition"].value if "edition" in base else OLDEST
    own = node.get("edition")
    if own is not None and own.value != theirs:
        message = f"this task has the edition {own.value}, the one that it extends {theirs}"
        raise SpecError.of("extends", message, own.span, help=f"write `edition: {theirs}`, or leave it out")


def _merged(base: dict[str, SpecNode], own: dict[str, SpecNode]) -> dict[str, SpecNode]:
    left_out = {*_OWN, *(("fields", "aggregate") if "score" in own else ("score",) if "fields" in own else ())}
    found = {key: one for key, one in base.items() if key not in left_out}
    for key, one in own.items():
        inherited = found.get(key)
        is_both = inherited is not None and inherited.is_mapping and one.is_mapping and key not in _EXPRESSIONS
        found[key] = replace(one, value={**inherited.entries, **one.entries}) if is_both and inherited else one
    return found
