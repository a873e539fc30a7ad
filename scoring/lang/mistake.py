"""What a known mistake is: the tokens by which it is known, and the words to say about it."""

from __future__ import annotations

from collections.abc import Sequence

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


def one_of(*words: str) -> frozenset[str]:
    """Tokens by their text, or by their kind: word, text, number, open, close, operator, other, end."""
    return frozenset(words)


@dataclass(frozen=True)
class Mistake:
    """A row of the table; what is None may be anything.

    Args:
        id: The diagnostic's id.
        message: What is wrong. In message, label and help `{before}`, `{found}`, `{after}` are the tokens.
        examples: Malformed inputs, each with what the author may have meant.
        entry: Where it happens, `pipeline` or `formula`.
        before: The token before the refused one.
        found: The refused token.
        after: The token after it.
        inside: The bracket that is open there, "" for none.
        split: Whether the parser took the beginning of the refused token.
    """

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


def _fits(wanted: Wanted, token: Token) -> bool:
    return wanted is None or token.kind in wanted or (token.kind != "text" and token.text in wanted)


def short(text: str) -> str:
    """A token as messages show it."""
    return text if len(text) <= 40 else text[:39] + "…"
