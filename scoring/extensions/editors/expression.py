"""Take a half-written expression apart: the brackets that are open at its end, and the steps before in each of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, TypeAlias

from msgspec import Struct

from scoring.lang import limits
from scoring.lang.parser import accepted_after, parsed_or_none
from scoring.lang.scan import TOKEN
from scoring.lang.tree import FIXED_ROOTS, SOFT_ROOTS, Pipeline
from scoring.lazy_pattern import lazy_pattern

OpenKind: TypeAlias = Literal["whole", "call", "group", "list", "map", "index"]
_WORD_AT_END = lazy_pattern(r"(?:[^\W\d]\w*(?:[./](?=[^\W\d]|$)[^\W\d]?\w*)*)?$")
_WORD_BEHIND = lazy_pattern(r"\w*(?:[./]\w+)*")
_FORMULA = frozenset({"+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!=", "===", "!=="})
_WORDS = frozenset({"and", "or", "not", "in"})


@dataclass(slots=True)
class OpenPart:
    """An open bracket, or the whole expression: what stands in it before the end, up to its last comma.

    Attributes:
        kind: What is open; a call has the name ``callee``.
        steps: The steps before the last `|`, as texts with their offsets.
        key: The name of the argument or entry that is being written.
        index: How many arguments came before it without a name.
        given: The names of arguments that are already there.
        is_formula: Whether an operator of formulas stands before.
        begin: The offset behind the last `|`, comma or `=`.
        pieces: How many values, such as numbers, texts and brackets, came before.
        last_word: The last name or text in quotes.
        arguments: How many arguments came before it, with or without a name.
    """

    kind: OpenKind
    callee: str = ""
    steps: list[tuple[str, int, int]] = field(default_factory=list)
    key: str = ""
    index: int = 0
    given: list[str] = field(default_factory=list)
    is_formula: bool = False
    begin: int = 0
    pieces: int = 0
    last_word: str = ""
    arguments: int = 0


class HalfWritten(Struct, frozen=True):
    """An expression up to an offset.

    Attributes:
        parts: What is open there, outermost first.
        word: The name at the offset that is being written, as far as it goes; with its dots and slashes.
        start: The offset at which the word begins.
        quote: The quote that is open there; "" outside of texts in quotes.
        accepts: The tokens that the parser would take next, by their names in the grammar.
    """

    parts: tuple[OpenPart, ...]
    word: str
    start: int
    quote: str
    accepts: frozenset[str]


def half_written(text: str, entry: str = "scorer") -> HalfWritten:
    """Return what is open at the end of an expression, and the steps before.

    Args:
        text: The expression up to the place of interest.
        entry: The kind of expression, a rule of the grammar: `scorer`, `computed` or `formula`.

    Examples:
        >>> found = half_written("lower | map(words | len")
        >>> [(part.callee, [step[0] for step in part.steps]) for part in found.parts], found.word
        ([('', ['lower']), ('map', ['words'])], 'len')
    """
    text = text[-limits.LENGTH :]
    quote, begin = _open_quote(text)
    if quote:
        parts = _parts(text[:begin])
        return HalfWritten(parts, text[begin + 1 :], begin + 1, quote, _accepts(parts, entry, text[:begin]))
    word = _WORD_AT_END.search(text)
    start = len(text) if word is None else word.start()
    parts = _parts(text[:start])
    return HalfWritten(parts, text[start:], start, "", _accepts(parts, entry, text[:start]))


def rest_of_word(after: str) -> int:
    """Return how many characters behind an offset belong to the name that stands there."""
    found = _WORD_BEHIND.match(after)
    return 0 if found is None else found.end()


@lru_cache(maxsize=2000)
def step_tree(text: str) -> Pipeline | None:
    """Return the tree of the steps in a text, None if it is not a pipeline or a value."""
    found: Pipeline | None = parsed_or_none("computed", text)
    return found


def _open_quote(text: str) -> tuple[str, int]:
    """Return the quote that is not closed in a text, and its offset."""
    place = 0
    for found in TOKEN.finditer(text):
        if found.lastgroup == "other" and found[0] in "\"'":
            place = found.start()
            line = text.rfind("\n")
            if place > line:
                return found[0], place
    return "", place


def _parts(text: str) -> tuple[OpenPart, ...]:
    """Return what is open at the end of a text, outermost first."""
    opened = [OpenPart("whole")]
    previous = ""
    for found in TOKEN.finditer(text):
        kind, sign, top = found.lastgroup, found[0], opened[-1]
        if kind == "space":
            continue
        if kind == "open":
            if len(opened) > limits.DEPTH:
                break
            is_call = sign == "(" and previous in ("word", "joint") and top.last_word not in _WORDS
            opened.append(_opened(sign, is_call, top.last_word, found.end()))
        elif kind == "close":
            if len(opened) > 1:
                opened.pop()
                opened[-1].pieces += 1
        elif sign in ("|", "||", "&&"):
            step = text[top.begin : found.start()].strip()
            if step:
                top.steps.append((step, top.begin, found.start()))
            top.begin, top.last_word, top.is_formula = found.end(), "", False
        elif sign in (",", "=") or (sign == ":" and top.kind == "map"):
            _next_argument(top, sign, found.end())
        elif sign == "/" and previous == "word" and _is_joint(text, found.start()):
            top.last_word += "/"
            previous = "joint"
            continue
        elif sign in _FORMULA or (kind == "word" and sign in _WORDS):
            top.is_formula = True
            top.last_word = sign
        elif kind == "word":
            joined = top.last_word[-1:] in (".", "/") and previous == "joint"
            top.last_word = top.last_word + sign if joined else sign
        elif sign == ".":
            top.last_word += "."
            previous = "joint"
            continue
        else:
            top.pieces += 1
            if kind == "text":
                top.last_word = sign.strip("r\"'")
        previous = kind or ""
    return tuple(opened)


def _is_joint(text: str, place: int) -> bool:
    """Return whether the `/` at an offset joins the name of a package and that of a step, without space around it."""
    return not text[place - 1].isspace() and text[place + 1 : place + 2].isidentifier()


def _opened(sign: str, is_call: bool, callee: str, begin: int) -> OpenPart:
    if is_call:
        return OpenPart("call", callee, begin=begin)
    kinds: dict[str, OpenKind] = {"(": "group", "{": "map"}
    return OpenPart(kinds.get(sign, "list"), begin=begin)


def _next_argument(part: OpenPart, sign: str, begin: int) -> None:
    if sign == ",":
        part.arguments += 1
        part.index += not part.key
        part.key, part.is_formula = "", False
    else:
        part.key = part.last_word
        part.given.append(part.last_word)
    part.steps, part.begin, part.last_word = [], begin, ""


def _accepts(parts: tuple[OpenPart, ...], entry: str, text: str) -> frozenset[str]:
    """Return what the parser takes next: at the end of the text, or if it has a mistake, of what is kept of it."""
    found = accepted_after(entry, text)
    return found if found is not None else accepted_after(entry, _kept(parts)) or frozenset()


def _kept(parts: tuple[OpenPart, ...]) -> str:
    """Return an expression with what is open in a text and with valid steps before, without its mistakes."""
    written = []
    for part in parts:
        if part.kind == "call":
            written.append(f"{part.callee}(")
        elif part.kind != "whole":
            written.append({"group": "(", "map": "{", "list": "["}.get(part.kind, "["))
        if part.key:
            written.append(f"{part.key}=")
        written.append("lower | " * bool(part.steps))
    return "".join(written)


def is_root(word: str) -> bool:
    """Return whether a word begins a path into the record."""
    return word in FIXED_ROOTS or word in SOFT_ROOTS
