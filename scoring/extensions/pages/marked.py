"""Mark what differs between a found text and the wanted one, and texts that a page shows folded and unfolds whole."""

from __future__ import annotations

from typing import Any

from scoring.lazy_pattern import lazy_pattern
from scoring.report.document import Line, Piece
from scoring.report.visible import clipped

MOST_TOKENS = 4_000
"""For longer texts than this only what they begin and end with alike is told from what differs."""
SHORT = 80
"""Texts of up to this many characters on one line stand as they are; others are folded."""
_TOKEN = lazy_pattern(r"\w+|\s+|[^\w\s]")


class Unfolding(Piece, frozen=True):
    """A short text that a page unfolds to `whole`, lines that may have many line breaks; elsewhere just the text."""

    whole: tuple[Line, ...] = ()


class TextRoom:
    """The room that a page has for whole texts, of which each takes its part until nothing is left.

    Args:
        total: The characters of all texts together.
        most: The characters of one text.
    """

    def __init__(self, total: int = 6_000_000, most: int = 20_000) -> None:
        self._left, self._most = total, most

    def take(self, text: str) -> str:
        """Return the text; if there is not enough room, cut off, with a note about its full length.

        Examples:
            >>> TextRoom(6, 4).take("abcdef")
            'abcd… (6 characters)'
        """
        found = clipped(text, min(self._most, max(self._left, SHORT)))
        self._left -= len(found)
        return found


def foldable_text(text: str, look: Any = "code") -> Piece:
    """Return a text as a piece; a long one, or one of several lines, is folded behind its beginning.

    Examples:
        >>> foldable_text("yes").text, foldable_text("a\\nb").text, len(foldable_text("a\\nb").whole)
        ('yes', 'a…', 1)
    """
    head = text.split("\n", 1)[0]
    if head == text and len(text) <= SHORT:
        return Piece(text, look)
    return Unfolding(f"{head[: SHORT - 1]}…", look, whole=(Piece(text, look),))


def compared(found: str, wanted: str) -> list[Line]:
    """Return two texts below one another, with what differs marked; long ones are folded behind their beginnings.

    Args:
        found: What was found, such as an answer.
        wanted: What was wanted, such as a reference.

    Examples:
        >>> [piece.look for piece in compared("a cat", "a dog")[0]]
        ['dim', 'code', 'removed']
    """
    sides = mark(found, wanted)
    lines: list[Line] = [
        (Piece(f"{name} ", "dim"), *pieces) for name, pieces in zip(("found", "wanted"), sides, strict=True)
    ]
    if all(len(text) <= SHORT and "\n" not in text for text in (found, wanted)):
        return lines
    heads = (text.split("\n", 1)[0][: SHORT // 2] for text in (found, wanted))
    head = " ≠ ".join(f"{head}…" if head != text else head for head, text in zip(heads, (found, wanted), strict=True))
    return [Unfolding(head, "code", whole=tuple(lines))]


def mark(found: str, wanted: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Return both texts in pieces: what is alike as code, the rest as ``removed`` from the first and ``added`` by the
    second.

    Examples:
        >>> [(piece.text, piece.look) for piece in mark("a cat sat", "a dog sat")[1]]
        [('a ', 'code'), ('dog', 'added'), (' sat', 'code')]
    """
    sides = _TOKEN.findall(found), _TOKEN.findall(wanted)
    if max(map(len, sides)) > MOST_TOKENS:
        return _ends_alike(found, wanted)
    from rapidfuzz.distance import Indel

    first: list[Piece] = []
    second: list[Piece] = []
    for step in Indel.opcodes(*sides):
        own, other = (
            "".join(sides[0][step.src_start : step.src_end]),
            "".join(sides[1][step.dest_start : step.dest_end]),
        )
        alike = step.tag == "equal"
        first += [Piece(own, "code" if alike else "removed")] if own else []
        second += [Piece(other, "code" if alike else "added")] if other else []
    return tuple(first), tuple(second)


def _ends_alike(found: str, wanted: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    most = min(len(found), len(wanted))
    start = next((at for at in range(most) if found[at] != wanted[at]), most)
    end = next((at for at in range(most - start) if found[-1 - at] != wanted[-1 - at]), most - start)

    def parts(text: str, look: Any) -> tuple[Piece, ...]:
        cut = len(text) - end
        pieces = (Piece(text[:start], "code"), Piece(text[start:cut], look), Piece(text[cut:], "code"))
        return tuple(piece for piece in pieces if piece.text)

    return parts(found, "removed"), parts(wanted, "added")
