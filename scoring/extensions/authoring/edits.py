"""Edit a spec file without changing anything else in it: comments, layout, the author's quotes."""

from __future__ import annotations

import json

from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Source
from scoring.format.nodes import SpecNode
from scoring.format.read import read_text
from scoring.format.yaml_advice import single_quoted
from scoring.lazy_pattern import lazy_pattern

_BELOW = lazy_pattern(r"\s*:[ \t]*\r?\n\s*")


def start_of(place: SpecNode) -> int:
    """Return the offset in a file from which a value is replaced: the start of its text.

    If the value begins on a line below its key, it is the position after the key's colon.
    """
    key, text = place.key_span, place.span.source.text
    if key is not None and _BELOW.fullmatch(text[key.end : place.span.start]):
        return key.end + text[key.end :].index(":") + 1
    return place.span.start


def text_to_write(source: Source, start: int, end: int, value: str) -> str | None:
    """Return the text to write between two offsets of a YAML file so that the value there becomes ``value``.

    It is bare if YAML reads it unchanged, else in quotes.

    Returns:
        None if no form of the text changes only this value of the file.
    """
    space = " " if source.text[start - 1 : start] == ":" else ""
    forms = (value, single_quoted(value), json.dumps(value, ensure_ascii=False))
    return next((text for form in forms if changes_alone(source, start, end, text := space + form, value)), None)


def changes_alone(source: Source, start: int, end: int, text: str, value: str) -> bool:
    """Return whether writing ``text`` between two offsets of a file changes exactly one of its values, to ``value``.

    The result is False, too, if the changed file can't be read.
    """
    try:
        old = read_text(source.text, source.name)
        new = read_text(source.text[:start] + text + source.text[end:], source.name)
    except SpecError:
        return False
    return set(map(str, _differences(old, new))) == {value}


def _differences(old: SpecNode, new: SpecNode) -> list[object]:
    """Return the new values at all positions where the contents of two files, given as nodes, differ."""
    if old.is_mapping and new.is_mapping and list(old.entries) == list(new.entries):
        pairs = list(zip(old.entries.values(), new.entries.values(), strict=True))
    elif old.is_list and new.is_list and len(old.items) == len(new.items):
        pairs = list(zip(old.items, new.items, strict=True))
    else:
        return [] if old.plain() == new.plain() else [new.plain()]
    return [found for before, after in pairs for found in _differences(before, after)]
