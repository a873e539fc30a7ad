"""The edition of the language, written into spec files that do not state it."""

from __future__ import annotations

from scoring.diagnostics.diagnostic import Fix, SpecError
from scoring.diagnostics.source import Source
from scoring.format.front_ends import front_end_of
from scoring.format.load import Loaded, Loader
from scoring.format.read import read_text
from scoring.registry.editions import EDITIONS

_BEFORE = ("version", "name", "kind")
"""The keys of which the last that a file has precedes the edition."""


def edition_fix(text: str, loaded: Loaded) -> Fix | None:
    """Return the change that states the edition of a spec file: the oldest in which the file loads.

    The result is None for a file that states its edition, one in another tool's format, and one that loads in no
    edition by itself.

    Args:
        text: The text of the file.
        loaded: The spec in it.
    """
    name = str(loaded.path)
    root = read_text(text, name)
    if loaded.path is None or "edition" in root or front_end_of(root) is not None:
        return None
    before = next(root[key] for key in _BEFORE if key in root)
    is_flow = root.span.text.startswith("{")
    end = before.span.end
    line_end = text.find("\n", end)
    at = end if is_flow else len(text) if line_end < 0 else line_end
    for edition in EDITIONS:
        written = f', "edition": {edition}' if is_flow else f"\nedition: {edition}"
        try:
            Loader().text(text[:at] + written + text[at:], loaded.path)
        except SpecError:
            continue
        return Fix(Source(name, text).span(at, at), written)
    return None
