"""Merge a task with the task that it extends: what its own file states replaces what the other file states."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.words import shown
from scoring.extensions.names.named import spec_path
from scoring.format.import_paths import imported_path
from scoring.format.load import Loaded, Loader
from scoring.format.model import TaskSpec
from scoring.format.nodes import SpecNode
from scoring.format.sections import Import, is_path
from scoring.registry.editions import OLDEST

_MOST_IN_A_ROW = 20
# Keys whose mappings are whole expressions, so that no part of them is kept.
_EXPRESSIONS = ("score", "parse", "aggregate", "pass")
# Keys that each file states for itself; examples are records as their own file reads them.
_OWN = ("kind", "name", "version", "examples")


def base_of_task(loader: Loader, entry: Import, folder: Path | None) -> Loaded:
    """Return the spec that a task in `folder` extends; further calls return the same object.

    Args:
        loader: The loader that reads it.
        entry: The name of a task, such as `squad@2`, or a path.
        folder: The folder of the task; None for one that was given as data.

    Raises:
        SpecError: when it is missing or invalid, or tasks extend one another in a circle or too long a row.
    """
    place = folder, entry.target
    known = loader.bases.get(place)
    if known is not None:
        return known
    reading = sum(one is None for one in loader.bases.values())
    if place in loader.bases or reading >= _MOST_IN_A_ROW:
        is_circle = place in loader.bases
        why = "in a circle" if is_circle else f"one after another, and more than {_MOST_IN_A_ROW} do"
        raise SpecError.of("cannot-extend", f"these tasks extend one another {why}", entry.span, help="extend one task")
    loader.bases[place] = None
    try:
        path = imported_path(entry, folder) if is_path(entry.target) else spec_path(entry.target, entry.span)
        found = loader.bases[place] = loader.file(path, None if is_path(entry.target) else entry.target)
    finally:
        if loader.bases[place] is None:
            del loader.bases[place]
    return found


def extended_task(loader: Loader, node: SpecNode, folder: Path | None) -> SpecNode:
    """Return the root node of a task together with what it takes over from the task that it extends.

    Mappings, such as `record` and `fields`, are merged name by name; every other value replaces the inherited one. With
    a `score`, no fields are taken over, and with `fields` no score.

    Args:
        loader: The loader that reads the other file.
        node: The root node of the task.
        folder: The folder of the task; None for one that was given as data.

    Raises:
        SpecError: when the other file is missing or invalid, no task, has another edition, or imports by a path of
            another folder.
    """
    entry = Import("", str(node["extends"].value), node["extends"].span)
    loaded = loader.base(entry, folder)
    base, spec, is_elsewhere = loaded.node, loaded.spec, loaded.folder not in (None, folder)
    if not isinstance(spec, TaskSpec):
        raise SpecError.of("cannot-extend", f"{shown(entry.target)} is no task", entry.span, help="name a task")
    _check_edition(node, base)
    stated = node["imports"].entries if "imports" in node else {}
    for one in spec.imports if is_elsewhere else ():
        if one.alias not in stated and is_path(one.target):
            raise SpecError.of(
                "cannot-extend",
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
        raise SpecError.of("cannot-extend", message, own.span, help=f"write `edition: {theirs}`, or leave it out")


def _merged(base: dict[str, SpecNode], own: dict[str, SpecNode]) -> dict[str, SpecNode]:
    left_out = {*_OWN, *(("fields", "aggregate") if "score" in own else ("score",) if "fields" in own else ())}
    found = {key: one for key, one in base.items() if key not in left_out}
    for key, one in own.items():
        inherited = found.get(key)
        is_both = inherited is not None and inherited.is_mapping and one.is_mapping and key not in _EXPRESSIONS
        found[key] = replace(one, value={**inherited.entries, **one.entries}) if is_both and inherited else one
    return found
