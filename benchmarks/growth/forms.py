"""Forms of texts and values of any length, as hostile as a response can be."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

_PUDDING = "the quick brown fox jumps over the lazy dog and runs away from 12 angry bears "


def texts(size: int) -> Iterator[tuple[str, str]]:
    """Texts of about so many characters by the name of their form."""
    draw = random.Random(7)
    words = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(size // 7)]
    # Those of formulas come first: what another process works out is given no more than the first ones.
    yield "formula", "$" + "x+" * (size // 2 - 2) + "x$"
    yield "slashes", "1/" * (size // 2)
    yield "signs", "+-" * (size // 2)
    yield "exponent", "1e" + "9" * (size - 2)
    yield "one letter", "a" * size
    yield "words", " ".join(words)
    yield "the same word", "ab " * (size // 3)
    yield "letters", "".join(draw.choices("abcdefgh", k=size))
    yield "sentences", ". ".join([_PUDDING.capitalize()] * (size // len(_PUDDING)))
    yield "lines", "\n".join(words)
    yield "digits", "7" * size
    yield "numbers", "1.5, " * (size // 5)
    yield "spaces", " " * size
    yield "newlines", "\n" * size
    yield "commas", "," * size
    yield "dots", "." * size
    yield "minus", "-" * size
    yield "quotes", "\"'" * (size // 2)
    yield "backslashes", "\\" * size
    yield "open", "[" * size
    yield "objects opened", '{"' * (size // 2)
    yield "nested", "[" * (size // 2) + "]" * (size // 2)
    yield "round", "(" * (size // 2) + ")" * (size // 2)
    yield "braces", "{}" * (size // 2)
    yield "list", json.dumps([word[:3] for word in words])[:size]
    yield "list in full", json.dumps(words[: size // 10])
    yield "object", json.dumps({word: word for word in words[: size // 22]})
    yield "list of lists", json.dumps([[0, 0, 1, place % 7] for place in range(size // 14)])
    yield "pairs", str([(draw.random(), draw.random()) for _ in range(size // 44)])
    yield "marks", "a" + "\u0315\u0300\u05ae" * (size // 3)
    yield "ligatures", "\ufdfa" * (size // 3)
    yield "han", "中文分词测试" * (size // 6)
    yield "one han", "中" * size
    yield "rare han", "龘" * size
    yield "boxed", "\\boxed{" * (size // 7)
    yield "fences", "```\n" * (size // 4)
    yield "tags", "<svg>" * (size // 5)
    yield "attributes", "<table " + " ".join(f"a{at}=1" for at in range(size // 8)) + "><tr><td>a"
    yield "cells", "<table><tr>" + "<td>a" * (size // 5)
    yield "table", "| a | b |\n" * (size // 10)
    yield "choices", "A. b\n" * (size // 5)
    yield "answers", "the answer is " * (size // 14)
    yield "plan", "(a b)" * (size // 5)
    yield "dollars", "$" * size


def values(size: int) -> Iterator[tuple[str, Any]]:
    """Values of about so many characters, as a parser would make them of a response."""
    draw = random.Random(11)
    words = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(size // 10)]
    points = [[draw.random() * 1000, draw.random() * 1000] for _ in range(size // 14)]
    yield "empty texts", [""] * (size // 4)
    yield "words listed", words
    yield "numbers listed", list(range(size // 7))
    yield "words in a set", set(words)
    yield "words by word", dict.fromkeys(words, "b")
    yield "lists of words", [words[at : at + 10] for at in range(0, len(words), 10)]
    yield "boxes", [[x, y, x + 5, y + 5] for x, y in points[: len(points) // 2]]
    yield "points", points
    yield "a long number", 10 ** (size - 1)
    yield "points as a polygon", {"type": "polygon", "points": points}
    yield "numbers as a polygon", [number for point in points for number in point]
    yield "a long text in a list", ["a" * size]
    yield "a few long texts", ["ab" * (size // 16)] * 8


@cache
def cases(size: int) -> dict[str, tuple[Any, Any]]:
    """What a primitive is given: the same form on both sides, shifted a little so that nothing is equal."""
    return {name: (one, other) for name, one, other in _cases(size)}


def _cases(size: int) -> Iterator[tuple[str, Any, Any]]:
    for name, text in texts(size):
        yield name, text, text[3:] + "b" + text[:1]
        yield f"{name}, short reference", text, "the answer"
    for name, value in values(size):
        other: Any = value
        if isinstance(value, list):
            other = [*value[1:], value[0]]
        elif isinstance(value, int):
            other = value + 1
        elif isinstance(value, dict):
            other = dict(reversed(value.items()))
        yield name, value, other
