"""The canonical form of spec files: their expressions rewritten, and nothing else."""

from __future__ import annotations

from scoring.diagnostics.diagnostic import Diagnostic, diagnostic
from scoring.diagnostics.source import Source
from scoring.extensions.authoring.edits import start_of, text_to_write
from scoring.format.build import Building
from scoring.format.front_ends import front_end_of
from scoring.format.keys import search_sections
from scoring.format.nodes import SpecNode
from scoring.format.read import read_text
from scoring.lang.formula_printer import print_expression


def format_text(text: str, name: str) -> str:
    """Return the text of a spec file, called ``name`` in messages, with every expression in canonical form.

    A file in another tool's format is returned unchanged.

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
        if not _is_canonical(place, canonical := print_expression(tree))
    }
    for start, end, canonical in sorted(edits, reverse=True):
        text = _replaced(text, start, end, canonical, name)
    return text


def not_formatted(before: str, after: str, name: str) -> Diagnostic:
    """Return the finding that the file ``name`` is not formatted, at the first line that formatting changes.

    ``before`` is the text of the file, ``after`` its canonical form.
    """
    lines, others = (text.splitlines(keepends=True) for text in (before, after))
    same = next((at for at, pair in enumerate(zip(lines, others, strict=False)) if pair[0] != pair[1]), len(lines))
    start = sum(map(len, lines[:same]))
    span = Source(name, before).span(start, start + len("".join(lines[same : same + 1]).rstrip()))
    message, advice = "an expression is not in its canonical form", f"`scoring fmt {name}` writes it"
    return diagnostic("error", "not-formatted", message, span, help=advice)


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
    """Return the text of a file with the expression between two offsets replaced by its canonical form.

    The text is returned unchanged if the replacement would change another value, too.
    """
    found = text_to_write(Source(name, text), start, end, canonical)
    return text if found is None else text[:start] + found + text[end:]
