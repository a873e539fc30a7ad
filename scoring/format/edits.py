"""Changes of a spec file that leave everything else of it as it is: comments, layout, the quotes of the author."""

from __future__ import annotations

import json

from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Source, Span
from scoring.format.nodes import SpecNode
from scoring.format.read import read_text
from scoring.format.yaml_advice import single_quoted
from scoring.late import pattern

_BELOW = pattern(r"\s*:[ \t]*\r?\n\s*")


def start_of(place: SpecNode) -> int:
    """Where the text of a value begins that is to be replaced: a list below its key moves up to the key's line."""
    key, text = place.key_span, place.span.source.text
    if key is not None and _BELOW.fullmatch(text[key.end : place.span.start]):
        return key.end + text[key.end :].index(":") + 1
    return place.span.start


def written(source: Source, start: int, end: int, value: str) -> str | None:
    """How a text is written in a file in the place of a value, bare where it is read as it is, else in quotes.

    Returns:
        None where the file would then say anything else than before, but for that value.
    """
    space = " " if source.text[start - 1 : start] == ":" else ""
    forms = (value, single_quoted(value), json.dumps(value, ensure_ascii=False))
    return next((text for form in forms if changes_alone(source, start, end, text := space + form, value)), None)


def written_within(place: SpecNode, part: Span, value: str, whole: str) -> str | None:
    """How a text is written in the place of a part of a value that is a text.

    Args:
        place: The value.
        part: The part of it that goes.
        value: What comes in its place.
        whole: The value as it is then.

    Returns:
        None where it can't be written there: in another kind of quotes than those around it, for example.
    """
    within = {"single": value.replace("'", "''"), "double": json.dumps(value, ensure_ascii=False)[1:-1]}
    text = within.get("double" if place.style == "json" else place.style, value)
    return text if changes_alone(place.span.source, part.start, part.end, text, whole) else None


def changes_alone(source: Source, start: int, end: int, text: str, value: str) -> bool:
    """Whether a file with a new text in the place of a part differs in one value, which is then this one."""
    try:
        old = read_text(source.text, source.name)
        new = read_text(source.text[:start] + text + source.text[end:], source.name)
    except SpecError:
        return False
    return set(map(str, _differences(old, new))) == {value}


def _differences(old: SpecNode, new: SpecNode) -> list[object]:
    """The new values that stand where the two files differ."""
    if old.is_mapping and new.is_mapping and list(old.entries) == list(new.entries):
        pairs = list(zip(old.entries.values(), new.entries.values(), strict=True))
    elif old.is_list and new.is_list and len(old.items) == len(new.items):
        pairs = list(zip(old.items, new.items, strict=True))
    else:
        return [] if old.plain() == new.plain() else [new.plain()]
    return [found for before, after in pairs for found in _differences(before, after)]
