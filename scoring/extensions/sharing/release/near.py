"""Nearly equal values: strings, numbers and lists that some metrics distinguish and others do not."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import Any

SHORT = (
    "a", "b", "A", "1", "2", "aa", "ab", "ba", "aA", "a b", "b a", "a a", "a.", "a,b", "10", "0", "B", "aaa", "abc",
    "-", ".", "ａ", "①", "ﬁ",
)  # fmt: skip
"""The simplest strings; a difference that shows on these is shown by them."""
WORDS = (
    "cat", "Paris", "the cat", "a dog", "North Quay", "café", "Straße", "İstanbul", "ΟΔΟΣ", "naïve", "ﬁnd", "e\u0301te",
    "o'clock", "well-known", "U.S.A.", "3.14", "1,000", "42", "50%", "$5", "-1", "one", "1/2", "yes", "Yes.", "true",
    "A", "(B)", "中文", "two  spaces", "é", "a b c", "b a c", "don't know", "not answerable", "", " ", "x\u00a0y",
    "it’s", "“hi”", "a–b", "５", "²", "ı", "Å", "ñ", "ς", "ŉ", "x,y", "run", "running", "cats",
    "\u00adsoft", "tab\tbed", "none",
)  # fmt: skip
"""Words that can be written in several ways, or look like something else."""


def _without_marks(text: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFD", text) if unicodedata.category(sign) != "Mn")


CHANGES: tuple[Callable[[str], str], ...] = (
    str.lower, str.upper, str.title, str.casefold, str.swapcase, _without_marks, str.strip,
    lambda text: unicodedata.normalize("NFC", text), lambda text: unicodedata.normalize("NFD", text),
    lambda text: unicodedata.normalize("NFKC", text), lambda text: unicodedata.normalize("NFKD", text),
    lambda text: f" {text}", lambda text: f"{text} ", lambda text: f"{text}\n", lambda text: f"\t{text}",
    lambda text: text.replace(" ", "  "), lambda text: text.replace(" ", ""), lambda text: text.replace(" ", "\u00a0"),
    lambda text: f"{text}.", lambda text: f"{text},", lambda text: f"{text}!", lambda text: f"the {text}",
    lambda text: f"a {text}", lambda text: f"an {text}", lambda text: f'"{text}"', lambda text: f"'{text}'",
    lambda text: f"({text})", lambda text: f"[{text}]", lambda text: f"**{text}**", lambda text: f"{text}s",
    lambda text: text.replace("-", " "), lambda text: text.replace(",", ""), lambda text: text.replace(".", ""),
    lambda text: text[1:], lambda text: text[:-1], lambda text: f"{text}{text[-1:]}", lambda text: text[::-1],
    lambda text: " ".join(reversed(text.split(" "))), lambda text: f"{text} {text}", lambda text: f"{text}, {text}",
    lambda text: f"Answer: {text}", lambda text: f"The answer is {text}.", lambda text: f"not {text}",
    lambda text: f"{text}\u200b", lambda text: f"\ufeff{text}", lambda text: f"{text}0", lambda text: f"0{text}",
    lambda text: f"{text}.0", lambda text: f"-{text}", lambda text: f"{text}%", lambda text: f"${text}",
    lambda text: f"\\boxed{{{text}}}", lambda text: f"```\n{text}\n```", lambda text: f'{{"answer": "{text}"}}',
    lambda text: f"x {text} y", lambda text: f"{text}\n{text}", lambda text: text.replace("'", "’"),
)  # fmt: skip
"""Changes that people and models make to a text, and that may or may not matter to a metric."""


def graded(most: int = 40) -> Iterator[tuple[str, str]]:
    """Yield pairs of strings in which k of n characters, or of n words, are replaced or left out, for all k and n.

    For any threshold of a similarity, some of these pairs are just above it and some just below it.

    Args:
        most: The largest length of a string, in characters or words.

    Examples:
        >>> pairs = list(graded(4))
        >>> ("aa", "ab") in pairs, ("aaa", "a") in pairs, ("a b", "a x1") in pairs
        (True, True, True)
    """
    for size in range(1, most + 1):
        words = [chr(ord("a") + place % 26) * (place // 26 + 1) for place in range(size)]
        for changed in range(size + 1):
            kept = size - changed
            yield "a" * size, "a" * kept + "b" * changed
            yield "a" * size, "a" * kept
            if size <= most // 2:
                others = [f"x{place}" for place in range(kept, size)]
                yield " ".join(words), " ".join([*words[:kept], *others])
                yield " ".join(words[:kept]), " ".join(words)


STEPS = (0.0, 1e-12, 1e-9, 1e-6, 1e-4, 0.001, 0.01, 0.1, 1.0)
BASES = (0, 1, -1, 2, 3, 10, 100, 1000, 0.1, 0.5, 1 / 3, 2.5)


def numbers_near(constant: float) -> Iterator[float]:
    """Yield a constant, the two floats next to it, and numbers at growing distances on both sides of it.

    Examples:
        >>> list(numbers_near(0.5))[:3]
        [0.5, 0.5000000000000001, 0.49999999999999994]
    """
    yield constant
    if math.isfinite(constant) and abs(constant) < 1e300:
        yield math.nextafter(constant, math.inf)
        yield math.nextafter(constant, -math.inf)
        for step in STEPS[1:]:
            yield constant + step
            yield constant - step


def number_pairs(constant: float) -> Iterator[tuple[float, float]]:
    """Yield pairs of numbers whose difference or relative difference is equal to a constant, or just below or above
    it."""
    for base in BASES:
        for near in numbers_near(constant):
            yield base + near, base
            yield base, base + near
            yield base * near, base
            yield base * (1 + near), base
            yield base, base * (1 + near)
            yield base * (1 - near), base


LISTS: tuple[list[Any], ...] = (
    [], ["a"], ["a", "a"], ["a", "b"], ["b", "a"], ["a", "b", "c"], ["a", "b", "b"], ["a", "a", "b"], ["c", "b", "a"],
    ["A", "b"], ["a "], ["a", ""], [1, 2, 3], [1, 2], [3, 2, 1], [1.0, 2.0], ["1", "2"], [1, "1"], [True, 1], [None],
    [["a"], ["b"]], [["a", "b"], ["c"]], [0.1, 0.2, 0.3], ["a b", "c"], ["x", "a", "b", "c", "d"], ["d", "c", "b", "a"],
)  # fmt: skip
"""Lists that differ in order, in how often an item occurs, and in the types of their items."""


def list_texts(items: list[Any]) -> Iterator[str]:
    """Yield a list written in several ways as one string: as Python prints it, and with its items joined by several
    separators."""
    yield repr(items)
    texts = [str(item) for item in items]
    for joint in (", ", ",", "; ", " ", "\n", " and ", "|"):
        yield joint.join(texts)


def near_pairs(numbers: Sequence[float]) -> list[tuple[Any, Any]]:
    """Return many pairs of nearly equal values, on which versions of a metric are likely to differ, including some on
    both sides of every usual threshold.

    Args:
        numbers: Numbers at which the results of a metric may change.
    """
    words = [(change(word), word) for word in (*SHORT, *WORDS) for change in CHANGES]
    found: list[tuple[Any, Any]] = [*words, *((right, left) for left, right in words), *graded()]
    found += [(left, right) for left in LISTS for right in LISTS]
    found += [(text, items) for items in LISTS for text in list_texts(items)]
    for number in numbers[:_MOST_NUMBERS]:
        pairs = [*number_pairs(number), *((near, near) for near in numbers_near(number))]
        found += [*pairs, *((str(left), str(right)) for left, right in pairs)]
    return found


_MOST_NUMBERS = 4
