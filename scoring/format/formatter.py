"""Writes the expressions of a spec file in their canonical text and touches nothing else of the file."""

from __future__ import annotations

import json
from pathlib import Path

from scoring.diagnostics.diagnostic import SpecError
from scoring.format.build import Building, Expression
from scoring.format.front_ends import front_end_of
from scoring.format.nodes import SpecNode
from scoring.format.read import read_source, read_text
from scoring.format.yaml_advice import single_quoted
from scoring.lang.printer import print_formula, print_pipeline
from scoring.lang.tree import Pipeline
from scoring.late import pattern

_BELOW = pattern(r"\s*:[ \t]*\r?\n\s*")


def format_text(text: str, name: str) -> str:
    """The text of a spec file with every expression in canonical form.

    Args:
        text: The content of the file.
        name: The file's name; it says whether the file is YAML or JSON.

    Raises:
        SpecError: when the file can't be read.
    """
    node = read_text(text, name)
    if front_end_of(node) is not None:
        return text
    building = Building(node)
    building.spec()
    edits = {  # one that a YAML alias repeats has one place
        (_start(place), place.span.end, canonical)
        for place, tree in building.expressions
        if not _is_canonical(place, canonical := show(tree))
    }
    for start, end, canonical in sorted(edits, reverse=True):
        text = _replaced(text, start, end, canonical, name)
    return text


def _start(place: SpecNode) -> int:
    """Where the text to replace begins: a list below its key moves up to the key's line."""
    key, text = place.key_span, place.span.source.text
    if key is not None and _BELOW.fullmatch(text[key.end : place.span.start]):
        return key.end + text[key.end :].index(":") + 1
    return place.span.start


def show(tree: Expression) -> str:
    """The canonical text of an expression."""
    return print_pipeline(tree) if isinstance(tree, Pipeline) else print_formula(tree)


def _is_canonical(place: SpecNode, canonical: str) -> bool:
    if not isinstance(place.value, str):
        return False
    if place.value == canonical:
        return True
    # An expression that the author laid out as a block keeps its lines: in one line nobody could read it.
    if place.style in ("literal", "folded") and "\n" in place.value:
        return True
    return "\n" in place.span.text and "".join(place.value.split()) == "".join(canonical.split())


def _replaced(text: str, start: int, end: int, canonical: str, name: str) -> str:
    """The text with one expression replaced: bare where YAML reads it as it is, else in single or double quotes."""
    old = read_text(text, name)
    space = " " if text[start - 1] == ":" else ""
    for written in (canonical, single_quoted(canonical), json.dumps(canonical, ensure_ascii=False)):
        changed = text[:start] + space + written + text[end:]
        try:
            new = read_text(changed, name)
        except SpecError:
            continue
        if set(map(str, _differences(old, new))) == {canonical}:
            return changed
    return text


def _differences(old: SpecNode, new: SpecNode) -> list[object]:
    """The new values that stand where the two files differ."""
    if old.is_mapping and new.is_mapping and list(old.entries) == list(new.entries):
        pairs = list(zip(old.entries.values(), new.entries.values(), strict=True))
    elif old.is_list and new.is_list and len(old.items) == len(new.items):
        pairs = list(zip(old.items, new.items, strict=True))
    else:
        return [] if old.plain() == new.plain() else [new.plain()]
    return [found for before, after in pairs for found in _differences(before, after)]


def format_file(path: Path) -> tuple[str, str]:
    """The text of a file before and after.

    Raises:
        SpecError: when it can't be read.
    """
    before = read_source(path).text
    return before, format_text(before, str(path))
