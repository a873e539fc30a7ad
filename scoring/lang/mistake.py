"""Error messages for refused expressions: the known mistake, if there is a match, else what was expected."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from msgspec import Struct

from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.meant import Meant
from scoring.diagnostics.source import Fragment
from scoring.lang.scan import END, Token
from scoring.lang.shapes import captured, part_around
from scoring.lazy_pattern import lazy_pattern

Wanted = frozenset[str] | None


class Place(Struct, frozen=True, dict=True):
    """The place where the parser stopped in an expression: the index of the token that it refused.

    `entry` is the kind of the expression, such as "formula"; `split` means that a part of the token was read.
    """

    entry: str
    tokens: Sequence[Token]
    index: int
    split: bool = False
    text: str = ""

    def token(self, distance: int) -> Token:
        """Return the token at a distance from the refused one, which has the distance 0; -1 is the token before it."""
        index = self.index + distance
        return self.tokens[index] if 0 <= index < len(self.tokens) else END

    @property
    def inside(self) -> str:
        """The innermost bracket that is open at this position, such as `(`; "" if there is none."""
        return self.token(0).inside

    @cached_property
    def part(self) -> tuple[int, int]:
        """The range of tokens between the brackets or commas around the refused one, which many rows ask for."""
        return part_around(self.tokens, self.index)


class Mistake(Struct, frozen=True):
    """A known mistake in expressions: a row of `mistakes.toml` or `other_languages.toml`, which explain the columns.

    `message`, `label`, `help` and `note` are parts of the error. `write` is the correction, written over the tokens
    `over`. The other fields are conditions on the expression, the refused token (`found`) and the tokens around it.
    """

    id: str
    message: str
    label: str
    examples: dict[str, str]
    help: str = ""
    note: str = ""
    write: str = ""
    over: str = "found"
    shape: str = ""
    like: str = ""
    entry: str | None = None
    behind: Wanted = None
    before: Wanted = None
    found: Wanted = None
    after: Wanted = None
    inside: Wanted = None
    split: bool | None = None

    def fits(self, place: Place) -> bool:
        """Return whether the mistake at a position is the one that this row describes."""
        around = ((self.behind, -2), (self.before, -1), (self.found, 0), (self.after, 1))
        return (
            self.entry in (None, place.entry)
            and all(_fits(wanted, place.token(distance)) for wanted, distance in around)
            and (self.inside is None or place.inside in self.inside)
            and self.split in (None, place.split)
            and (not self.shape or self._captured(place) is not None)
            and (not self.like or re.search(self.like, place.text) is not None)
        )

    def _captured(self, place: Place) -> dict[str, str] | None:
        """Return the text of each placeholder of the row's shape, None if the text at `place` lacks that shape."""
        start, end = place.part
        return captured(self.shape, place.text, place.tokens[start:end])

    def rewritten(self, text: str, place: Place) -> str:
        """Return the expression `text` with this mistake corrected by the row's `write`; "" if the row has none."""
        if not self.write:
            return ""
        if self.like:
            return _filled(self.write, {"whole": text})
        if self.shape:
            (start, end), captured_texts = place.part, self._captured(place) or {}
            words = _filled(self.write, captured_texts)
        else:
            over = [_DISTANCES[name] for name in self.over.split()]
            start, end = place.index + over[0], place.index + over[-1] + 1
            words = _filled(self.write, _around(place))
        last = place.tokens[min(end, len(place.tokens)) - 1]
        begins = place.tokens[start].start if start < len(place.tokens) else last.end
        return f"{text[:begins]}{words}{text[max(last.end, begins) :]}"

    def fill(self, words: str, place: Place) -> str:
        """Return `words`, a text of this row, with its placeholders replaced by tokens of the expression."""
        texts = {**_around(place), **((self._captured(place) if self.shape else None) or {})}
        return _filled(words, {name: _short(text) for name, text in texts.items()})


@cache
def mistakes() -> tuple[Mistake, ...]:
    """Return the known mistakes in expressions, loaded from two tables when the first expression is refused.

    Examples:
        >>> mistakes()[0].id
        'syntax-value-as-step'
    """
    tables = (Path(__file__).with_name(name).read_text("utf-8") for name in ("other_languages.toml", "mistakes.toml"))
    return tuple(Mistake(**_cells(row)) for table in tables for row in tomllib.loads(table)["mistakes"])


def find_mistake(place: Place) -> Mistake | None:
    """Return the first known mistake that matches the position at which the parser stopped, None if none does."""
    return next((mistake for mistake in mistakes() if mistake.fits(place)), None)


def _cells(row: dict[str, Any]) -> dict[str, Any]:
    return {name: _tokens(cell) if isinstance(cell, list) else cell for name, cell in row.items()}


def _tokens(words: list[str]) -> frozenset[str]:
    return frozenset(token for word in words for token in _KINDS.get(word, (word,)))


_DISTANCES = {"before": -1, "found": 0, "after": 1}
_HOLES = lazy_pattern(r"\{(before|found|after|share|whole|[a-g])\}")


def _filled(words: str, texts: dict[str, str]) -> str:
    """Return `words` with its placeholders replaced by `texts`, in one pass, so that inserted text is left as it is."""
    return _HOLES.sub(lambda hole: texts.get(hole[1], hole[0]), words)


def _around(place: Place) -> dict[str, str]:
    """Return values of placeholders: `before`, `found` and `after` are tokens at `place`, `share` is `before` / 100."""
    around = {name: place.token(distance).text for name, distance in _DISTANCES.items()}
    return {**around, "share": _share(around["before"])}


def _share(percent: str) -> str:
    """Return the text of a percentage as a share of 1; a text that is not a number is unchanged.

    Examples:
        >>> _share("70"), _share("2.5")
        ('0.7', '0.025')
    """
    try:
        return f"{Decimal(percent) / 100:f}" if len(percent) < 20 else percent
    except InvalidOperation:
        return percent


_KINDS = {"value": ("word", "text", "number", "[", "{", "("), "whole": ("word", "text", "number", "close")}


def _fits(wanted: Wanted, token: Token) -> bool:
    return wanted is None or token.kind in wanted or (token.kind != "text" and token.text in wanted)


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"


# ---- error messages

_ENTRIES = {"pipeline": "a pipeline", "formula": "a formula", "path": "a path"}


def expression_error(
    place: Place, fragment: Fragment, expected: Callable[[], str], corrected: str = "", meant: str = ""
) -> SpecError:
    """Return the error to report for an expression that the parser refused.

    Args:
        place: The position at which it was refused.
        fragment: The expression.
        expected: A function that describes what was expected there; called only if no known mistake matches.
        corrected: The expression that was meant, if it is known, in its canonical form.
        meant: The same as near to the author's text as possible.
    """
    tokens, index = place.tokens, place.index
    if not tokens:
        message = f"{_ENTRIES[place.entry]} is missing here"
        return SpecError.of("syntax-empty", message, fragment.whole, "nothing but space")
    at_end = index == len(tokens)
    # There is no token at the end; the gap after the last token is where something is missing.
    start, end = (tokens[-1].end, tokens[-1].end) if at_end else (tokens[index].start, tokens[index].end)
    span = fragment.span(start, end)
    mistake = find_mistake(place)
    if mistake:
        message, label, help_ = (mistake.fill(words, place) for words in (mistake.message, mistake.label, mistake.help))
        step = _joined_step_name(place) if mistake.id == "syntax-missing-pipe" else ""
        if step:
            message, label = "the name of a step is one word", "a second word"
        help_ = f"write `{step or corrected}`" if step or corrected else help_
        instead = [Meant(fragment.whole, text) for text in (step or meant,) if text]
        return SpecError.of(mistake.id, message, span, label, help=help_, note=mistake.note, meant=instead)
    found = (
        f"{_ENTRIES[place.entry]} cannot end here" if at_end else f"`{_short(tokens[index].text)}` is not allowed here"
    )
    return SpecError.of("syntax-unexpected", found, span, f"expected {expected()}")


def _joined_step_name(place: Place) -> str:
    """Return the expression with the two words at `place`, such as `exact match`, as one step name; "" if unknown."""
    from scoring.registry import registry

    words = [place.token(-1).text, place.token(0).text]
    own = "_".join(words)
    step = own if registry.knows(own) else registry.other_names("steps").get(" ".join(words).lower(), "")
    start, end = (place.tokens[place.index + at] for at in (-1, 0))
    return f"{place.text[: start.start]}{step}{place.text[end.end :]}" if step else ""
