"""The known mistakes: the tokens by which each is known, and the words to say about it."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from scoring.lang.scan import END, Token
from scoring.late import dataclass

Wanted = frozenset[str] | None


@dataclass(frozen=True)
class Place:
    """Where the parser stopped: the index of the first token that it refused, or of which it took a part (split)."""

    entry: str
    tokens: Sequence[Token]
    index: int
    split: bool = False

    def token(self, distance: int) -> Token:
        """The refused token (0), one before it (-1) or after it (1)."""
        index = self.index + distance
        return self.tokens[index] if 0 <= index < len(self.tokens) else END

    @property
    def inside(self) -> str:
        """The bracket that is open here."""
        return self.token(0).inside


@dataclass(frozen=True)
class Mistake:
    """A row of `mistakes.toml`, which explains them."""

    id: str
    message: str
    label: str
    examples: dict[str, str]
    help: str = ""
    note: str = ""
    entry: str | None = None
    before: Wanted = None
    found: Wanted = None
    after: Wanted = None
    inside: Wanted = None
    split: bool | None = None

    def fits(self, place: Place) -> bool:
        """Whether this is the mistake that was made."""
        around = ((self.before, -1), (self.found, 0), (self.after, 1))
        return (
            self.entry in (None, place.entry)
            and all(_fits(wanted, place.token(distance)) for wanted, distance in around)
            and (self.inside is None or place.inside in self.inside)
            and self.split in (None, place.split)
        )

    def say(self, words: str, place: Place) -> str:
        """Words of this row with the tokens of the place put in."""
        for name, distance in (("{before}", -1), ("{found}", 0), ("{after}", 1)):
            words = words.replace(name, short(place.token(distance).text))
        return words


@cache
def mistakes() -> tuple[Mistake, ...]:
    """The table, read when the first expression is refused.

    Examples:
        >>> mistakes()[0].id
        'syntax-number'
    """
    rows = tomllib.loads(Path(__file__).with_name("mistakes.toml").read_text("utf-8"))["mistakes"]
    return tuple(Mistake(**_cells(row)) for row in rows)


def find_mistake(place: Place) -> Mistake | None:
    """The first row of the table that fits the place."""
    return next((mistake for mistake in mistakes() if mistake.fits(place)), None)


def _cells(row: dict[str, Any]) -> dict[str, Any]:
    return {name: _tokens(cell) if isinstance(cell, list) else cell for name, cell in row.items()}


def _tokens(words: list[str]) -> frozenset[str]:
    return frozenset(token for word in words for token in _KINDS.get(word, (word,)))


_KINDS = {"value": ("word", "text", "number", "[", "{", "("), "whole": ("word", "text", "number", "close")}


def _fits(wanted: Wanted, token: Token) -> bool:
    return wanted is None or token.kind in wanted or (token.kind != "text" and token.text in wanted)


def short(text: str) -> str:
    """A token as messages show it."""
    return text if len(text) <= 40 else text[:39] + "…"
