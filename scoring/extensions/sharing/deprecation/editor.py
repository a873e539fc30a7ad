"""Fixes that replace a call in a file, and change nothing else in it."""

from __future__ import annotations

import json

from scoring.diagnostics.diagnostic import Fix
from scoring.diagnostics.source import Source, Span
from scoring.extensions.authoring.edits import changes_alone, start_of, text_to_write
from scoring.extensions.sharing.deprecation.replacing import Unwritable, replaced
from scoring.format.build import Building
from scoring.format.front_ends import front_end_of
from scoring.format.nodes import SpecNode
from scoring.format.read import read_text
from scoring.lang.printer import print_pipeline
from scoring.lang.tree import Call, Pipeline

# Characters of files that are read for changes of one of them.
MOST_READ = 2_000_000


class FixEditor:
    """A maker of fixes (edits of a file that a user may apply), which replace calls in expressions of spec files.

    A file is parsed again for each fix, so the total length that is parsed is limited.
    """

    def __init__(self) -> None:
        self._buildings: dict[str, Building] = {}
        self._left = MOST_READ

    def fix(self, call: Call, by: Pipeline, *, is_safe: bool) -> Fix:
        """Return the edit of a spec file that replaces one call in it by an expression.

        Args:
            call: The call, with its location in the file.
            by: The expression that replaces it.
            is_safe: Whether the edit changes no score, and may therefore be applied without asking.

        Raises:
            Unwritable: when the file can't be changed there without changing anything else.
        """
        span = call.span
        assert span is not None, "a call of a file has its place"
        source = span.source
        for place, tree in self._building(source).expressions:
            new = replaced(tree, call, by) if isinstance(tree, Pipeline) else None
            if new is None:
                continue
            self._count(source)
            part = _within(place, span)
            if part is not None:
                text = _written_within(place, span, print_pipeline(by), f"{part[0]}{print_pipeline(by)}{part[1]}")
                if text is not None:
                    return Fix(span, text, is_safe)
            start, end = start_of(place), place.span.end
            text = text_to_write(source, start, end, print_pipeline(new))
            if text is not None and "#" not in source.text[start:end]:  # a comment inside would be lost
                return Fix(Span(source, start, end), text, is_safe)
        raise Unwritable("it can't be written there without changing more of the file")

    def _building(self, source: Source) -> Building:
        if source.name not in self._buildings:
            self._count(source)
            node = read_text(source.text, source.name)
            if front_end_of(node) is not None:
                raise Unwritable("this is a file of another tool")
            building = self._buildings[source.name] = Building(node)
            building.spec()
        return self._buildings[source.name]

    def _count(self, source: Source) -> None:
        self._left -= len(source.text)
        if self._left < 0:
            raise Unwritable("there are too many in so large a file; others come first")


def _within(place: SpecNode, span: Span) -> tuple[str, str] | None:
    """Return the text of a string value before and after a part of it; None if the part does not begin in the value.

    Args:
        place: The string value in a spec file.
        span: The location of the part in the file.
    """
    text, starts = place.value, place.fragment().starts
    if not isinstance(text, str) or starts is None or span.start not in starts:
        return None
    first = starts.index(span.start)
    last = next((at for at in range(first, len(starts)) if starts[at] >= span.end), len(starts))
    return text[:first], text[last:]


def _written_within(place: SpecNode, part: Span, value: str, whole: str) -> str | None:
    """Return the text to write in place of a part of a string value in a spec file, escaped for the quotes around the
    value; None if it can't be written there without changing anything else.

    Args:
        place: The string value.
        part: The part to replace.
        value: The new part, not escaped yet.
        whole: The whole value after the change.

    Returns:
        None if it can't be written there, for example because of the quotes around it.
    """
    within = {"single": value.replace("'", "''"), "double": json.dumps(value, ensure_ascii=False)[1:-1]}
    text = within.get("double" if place.style == "json" else place.style, value)
    return text if changes_alone(place.span.source, part.start, part.end, text, whole) else None
