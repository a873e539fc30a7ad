"""Findings for unknown keys: names from other tools, and our own keys at a wrong place of the file."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from scoring.diagnostics.diagnostic import Diagnostic, diagnostic
from scoring.diagnostics.suggest import nearest
from scoring.diagnostics.words import plain_name, shown
from scoring.format.keys import FileKind
from scoring.format.nodes import SpecNode
from scoring.format.table import places_for

_LONGEST = 60


def key_of_others(kind: FileKind, path: Iterable[str | int], name: str, node: SpecNode) -> Diagnostic | None:
    """Return the finding for a key from another tool, or for one of ours at a wrong place; else None.

    Args:
        kind: The kind of the file.
        path: The path to the mapping that contains the key.
        name: The key.
        node: Its value.
    """
    steps = tuple(step for step in path if isinstance(step, str))
    here = keys_below(kind, steps)
    line = _line_for(kind, steps, name)
    if line is not None and line.partition(":")[0] not in here:
        line = None
    if line is None:
        if nearest(name, here) is not None:
            return None
        line = _inside(kind, steps, name)
    if line is None:
        return None
    line = line.replace("[{value}]", "{value}") if node.is_list else line
    written = line.replace("{value}", _value(node))
    ours = written.partition(":")[0]
    label = f"did you mean `{ours}`?" if line == f"{ours}: {{value}}" else f"here it is part of `{ours}`"
    span = node.key_span or node.span
    where = f" in {shown(steps[-1])}" if steps else ""
    return diagnostic(
        "error", "unknown-key", f"unknown key {shown(name)}{where}", span, label, help=f"write `{written}`"
    )


def _line_for(kind: FileKind, steps: tuple[str, ...], name: str) -> str | None:
    if not steps or steps[-1:] == ("intervals",):
        return _table().get("intervals" if steps else "<top>", {}).get(plain_name(name))
    if len(steps) != 2:
        return None
    found = _table().get(f"{steps[0]}.*", {}).get(plain_name(name))
    top = _table()["<top>"].get(plain_name(name), "") if steps[0] == "fields" else ""
    if found or top in ("score: {value}", "doc: {value}"):
        return found or top
    places = (one for one in places_for(kind) if one.path[:2] == (steps[0], "*") and len(one.path) == 3)
    word = next((one.path[2] for one in places if one.key.name == "pipeline" and steps[0] != "fields"), "")
    line = _table()["definitions"].get(plain_name(name)) if word else None
    return line.replace("{word}", word) if line else None


def _inside(kind: FileKind, steps: tuple[str, ...], name: str) -> str | None:
    """Return the line to write for a key that belongs one level deeper than in the mapping at the path ``steps``.

    The result is None unless there is exactly one place for it.
    """
    ways = {
        place.path
        for place in places_for(kind)
        if kind in place.kinds
        and len(place.path) == len(steps) + 2
        and place.path[: len(steps)] == steps
        and "*" not in place.path
        and plain_name(place.path[-1]) == plain_name(name)
        and place.key.name != "doc"
    }
    if len(ways) != 1:
        return None
    *_, outer, inner = ways.pop()
    return f"{outer}: {{{inner}: {{value}}}}"


def keys_below(kind: FileKind, steps: tuple[str, ...]) -> set[str]:
    """Return the keys that a mapping in a file of a kind may have, given the keys that lead to it.

    Examples:
        >>> sorted(keys_below("rows", ("imports", "text"))), "weight" in keys_below("rows", ("fields", "a"))
        ([], True)
    """
    fitting = (place for place in places_for(kind) if kind in place.kinds and len(place.path) == len(steps) + 1)
    return {
        place.path[-1]
        for place in fitting
        if all(one in ("*", step) for one, step in zip(place.path, steps, strict=False))
    }


def _value(node: SpecNode) -> str:
    text = node.span.text.strip()
    return text if text and "\n" not in text and len(text) <= _LONGEST else "…"


@cache
def _table() -> dict[str, dict[str, str]]:
    rows = tomllib.loads(Path(__file__).with_name("keys.toml").read_text("utf-8"))
    return {place: {plain_name(name): line for name, line in lines.items()} for place, lines in rows.items()}
