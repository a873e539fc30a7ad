"""Writes the expressions of a spec file in their canonical text and touches nothing else of the file."""

from __future__ import annotations

from scoring.diagnostics.diagnostic import Diagnostic, diagnostic
from scoring.diagnostics.source import Source
from scoring.format.build import Building, Expression
from scoring.format.edits import start_of, written
from scoring.format.front_ends import front_end_of
from scoring.format.nodes import SpecNode
from scoring.format.read import read_text
from scoring.lang.printer import print_formula, print_pipeline
from scoring.lang.tree import Pipeline


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
        (start_of(place), place.span.end, canonical)
        for place, tree in building.expressions
        if not _is_canonical(place, canonical := show(tree))
    }
    for start, end, canonical in sorted(edits, reverse=True):
        text = _replaced(text, start, end, canonical, name)
    return text


def not_formatted(before: str, after: str, name: str) -> Diagnostic:
    """That a file is not as it would be written, at the first line that differs."""
    lines, others = (text.splitlines(keepends=True) for text in (before, after))
    same = next((at for at, pair in enumerate(zip(lines, others, strict=False)) if pair[0] != pair[1]), len(lines))
    start = sum(map(len, lines[:same]))
    span = Source(name, before).span(start, start + len("".join(lines[same : same + 1]).rstrip()))
    message, told = "an expression is not in its canonical form", f"`scoring fmt {name}` writes it"
    return diagnostic("error", "not-formatted", message, span, help=told)


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
    """The text with one expression replaced, where it can be without changing anything else."""
    found = written(Source(name, text), start, end, canonical)
    return text if found is None else text[:start] + found + text[end:]
