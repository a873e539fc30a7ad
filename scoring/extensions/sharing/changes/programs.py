"""Comparison of two compiled programs as manifests store them, which needs no spec files.

The programs are turned back into expressions and merged like those of files. Compiled programs have no names of
definitions and parameters, so a change is reported by the primitive, its revision and the setting.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.extensions.sharing.changes.diff_data import change_data, side_by_side_rows
from scoring.extensions.sharing.changes.found import SpecChange, text_of_side
from scoring.extensions.sharing.changes.meanings import READS, split_meaning
from scoring.extensions.sharing.changes.merge import TreeMerger
from scoring.lang.tree import Call, ListValue, Literal, MapValue, Path, Pipeline, Value

_CHAINS = ("prediction", "reference", "then")


def programs_changed(*sides: tuple[Mapping[str, Any], Mapping[str, Any]]) -> dict[str, Any]:
    """Return the changes between two compiled programs as plain data: whether there are any, a list of them, and both
    versions of each expression side by side.

    Args:
        sides: The old and the new side: the meaning of the task that a manifest contains, and the path at which each
            part of a record is read.
    """
    merger = TreeMerger()
    before, after = (
        {str(name): _part(part) for name, part in split_meaning(program).items() if part not in (None, [], {})}
        | {f"{READS}{name}": [str(path)] for name, path in reads.items()}
        for program, reads in sides
    )
    merger.entries(before, after, (), dict)
    changes = [
        SpecChange(
            ".".join(edit.place),
            edit.kind,
            text_of_side(edit.old),
            text_of_side(edit.new),
            moves=True,
            parts=(edit.place[0],) if edit.place[0].startswith(READS) else (),
            group=place,
        )
        for place, edit in enumerate(merger.edits)
    ]
    return {
        "moves": bool(changes),
        "changes": [change_data(change) for change in changes],
        "sides": [side_by_side_rows(pair) for pair in merger.pairs],
        "is_exact": True,
        "words": None,
    }


def _part(part: Any) -> Any:
    """Return a part of a task's meaning with each stored program turned into an expression; an entry that is None is
    left out."""
    if _is_program(part):
        return _pipeline(part)
    if isinstance(part, Mapping):
        return {str(name): _part(item) for name, item in part.items() if item is not None}
    return [_part(item) for item in part] if isinstance(part, list) else part


def _is_program(part: Any) -> bool:
    return isinstance(part, Mapping) and bool(part) and part.keys() <= {*_CHAINS, "join"}


def _pipeline(program: Mapping[str, Any]) -> Pipeline:
    """Return a stored program as an expression: the steps for the prediction and for the reference, the step that
    compares them, and the steps after it."""
    sides = [[_call(step) for step in program.get(name) or ()] for name in ("prediction", "reference")]
    steps = sides[0]
    if sides[1] and sides[0] != sides[1]:
        chains = [(name, Pipeline(tuple(side))) for name, side in zip(_CHAINS, sides, strict=False) if side]
        steps = [Call("sides", (), tuple(chains))]
    join = [_call(program["join"])] if "join" in program else []
    then = [_call(step) for step in program.get("then") or ()]
    return Pipeline((*steps, *join, *then) or (Call("nothing"),))


def _call(step: Any) -> Call:
    """Return a stored step as a call, whose arguments are its settings, its revision if that is not 1, and the release
    of its plug-in if it has one.

    Args:
        step: A list of the name, the revision, perhaps the release, and the settings.
    """
    name, revision, *release, settings = step
    more = [("revision", Literal(revision))] if revision != 1 else []
    more += [("release", Literal(str(one))) for one in release]
    return Call(str(name), (), (*((str(key), _value(value)) for key, value in settings.items()), *more))


def _value(value: Any) -> Value:
    if _is_program(value):
        return _pipeline(value)
    if isinstance(value, Mapping):
        if "path" in value and isinstance(value["path"], list) and value["path"]:
            return Path("context", tuple(value["path"]))
        items = value["map"] if isinstance(value.get("map"), list) else list(value.items())
        return MapValue(tuple((str(key), _value(item)) for key, item in items))
    if isinstance(value, list):
        return ListValue(tuple(_value(item) for item in value))
    return Literal(value)
