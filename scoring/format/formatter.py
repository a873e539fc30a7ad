"""Edit a spec file without changing anything else in it: comments, layout, the author's quotes."""

from __future__ import annotations

import json
import re

from scoring.diagnostics.diagnostic import Diagnostic, SpecError, diagnostic
from scoring.diagnostics.source import Source
from scoring.format.build import Building, Expression
from scoring.format.front_ends import front_end_of
from scoring.format.keys import search_sections
from scoring.format.nodes import SpecNode
from scoring.format.read import read_text
from scoring.format.yaml_advice import single_quoted
from scoring.lang.printer import print_formula, print_pipeline
from scoring.lang.tree import Pipeline

_BELOW = re.compile(r"\s*:[ \t]*\r?\n\s*")


def start_of(place: SpecNode) -> int:
    """Return the start of a value's text for replacing it: for a value below its key, the end of the key's line."""
    key, text = place.key_span, place.span.source.text
    if key is not None and _BELOW.fullmatch(text[key.end : place.span.start]):
        return key.end + text[key.end :].index(":") + 1
    return place.span.start


def text_to_write(source: Source, start: int, end: int, value: str) -> str | None:
    """Return the text to write into a file in place of a value: bare if YAML reads it unchanged, else in quotes.

    Returns:
        None if no form of the text changes only this value of the file.
    """
    space = " " if source.text[start - 1 : start] == ":" else ""
    forms = (value, single_quoted(value), json.dumps(value, ensure_ascii=False))
    return next((text for form in forms if changes_alone(source, start, end, text := space + form, value)), None)


def changes_alone(source: Source, start: int, end: int, text: str, value: str) -> bool:
    """Return whether replacing a part of a file changes exactly one of its values, to the given value."""
    try:
        old = read_text(source.text, source.name)
        new = read_text(source.text[:start] + text + source.text[end:], source.name)
    except SpecError:
        return False
    return set(map(str, _differences(old, new))) == {value}


def _differences(old: SpecNode, new: SpecNode) -> list[object]:
    """Return the new values at all positions where the two files differ."""
    if old.is_mapping and new.is_mapping and list(old.entries) == list(new.entries):
        pairs = list(zip(old.entries.values(), new.entries.values(), strict=True))
    elif old.is_list and new.is_list and len(old.items) == len(new.items):
        pairs = list(zip(old.items, new.items, strict=True))
    else:
        return [] if old.plain() == new.plain() else [new.plain()]
    return [found for before, after in pairs for found in _differences(before, after)]


def format_text(text: str, name: str) -> str:
    """Return the text of a spec file with every expression in canonical form.

    Raises:
        SpecError: when the file can't be read.
    """
    node = read_text(text, name)
    if front_end_of(node) is not None:
        return text
    search_sections()
    building = Building(node)
    building.spec()
    edits = {  # an expression that a YAML alias repeats has only one position
        (start_of(place), place.span.end, canonical)
        for place, tree in building.expressions
        if not _is_canonical(place, canonical := _show(tree))
    }
    for start, end, canonical in sorted(edits, reverse=True):
        text = _replaced(text, start, end, canonical, name)
    return text


def not_formatted(before: str, after: str, name: str) -> Diagnostic:
    """Return the finding that a file is not formatted, at the first line that differs."""
    lines, others = (text.splitlines(keepends=True) for text in (before, after))
    same = next((at for at, pair in enumerate(zip(lines, others, strict=False)) if pair[0] != pair[1]), len(lines))
    start = sum(map(len, lines[:same]))
    span = Source(name, before).span(start, start + len("".join(lines[same : same + 1]).rstrip()))
    message, told = "an expression is not in its canonical form", f"`scoring fmt {name}` writes it"
    return diagnostic("error", "not-formatted", message, span, help=told)


def _show(tree: Expression) -> str:
    """Return the canonical text of an expression."""
    return print_pipeline(tree) if isinstance(tree, Pipeline) else print_formula(tree)


def _is_canonical(place: SpecNode, canonical: str) -> bool:
    if not isinstance(place.value, str):
        return False
    if place.value == canonical:
        return True
    # An expression that the author wrote as a block keeps its lines, since it would be unreadable in one line.
    if place.style in ("literal", "folded") and "\n" in place.value:
        return True
    return "\n" in place.span.text and "".join(place.value.split()) == "".join(canonical.split())


def _replaced(text: str, start: int, end: int, canonical: str, name: str) -> str:
    """Return the text with one expression replaced; unchanged if that would change anything else."""
    found = text_to_write(Source(name, text), start, end, canonical)
    return text if found is None else text[:start] + found + text[end:]
