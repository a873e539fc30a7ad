"""Values that are nearly right: cuts, repetitions, swapped and foreign parts."""

from __future__ import annotations

from random import Random
from typing import Any

PIECES = (
    *"[]{}()<>|&*!%@`\"'#:,;-+=.?/\\$^_~ \t\n\r\x00\x0b\x1c\x85\x7f01", "\ufeff", "\u2028", "\u200b", "\u200d",
    "\u202e", "\u2066", "\u0301", "\u0307", "\ud800", "\udfff", "\U0010ffff", "\xa0", "\u3000", "\xad", "\xdf",
    "\u0130", "\u0131", "\ufb01", "\u0661", "\u07c1", "\uff11", "\xbd", "\u2167", "\u2212", "\u066b", "\u066c",
    "\u4e09", "\U0001d7d9", "\U0001f469\u200d\U0001f469", "\u3002", "\u2019", "\u201c", "null", "None", "true",
    "False", "NaN", "Infinity", "-inf", "1e999", "-0.0", "9007199254740993", "0x1F", "1_000", "1,000", "50%", "1/3",
    "1/0", "$5", "\\boxed{", "\\frac{1}{2}", "\\text{", "```json\n", "```", "<box>", "</box>", "<point>", "Answer:",
    "answer is ", "(A)", "{\"a\": 1}", "[1, 2]", "(1, 2)", "{1, 2}", "\\n", "\\u0000", "%s", "{0}", "record.x", " | ",
    ": ", "- ", "&a ", "*a", "<<: ", "!!python/object ", "\r\n", "***", "AND", "\\", "\\\\",
)  # fmt: skip
"""What is put into texts: signs that mean something somewhere, and those that look like others."""


def text(random: Random, original: str, pool: tuple[str, ...] = ("",)) -> str:
    """Return a text with a few cuts, insertions, repetitions, and parts of other texts."""
    found = original
    for _ in range(random.randrange(1, 4)):
        start = random.randrange(len(found) + 1)
        end = min(len(found), start + random.choice((0, 0, 1, 1, 2, 5, 12, 60)))
        put = random.randrange(8)
        if put < 3:
            new = random.choice(PIECES)
        elif put < 4:
            new = found[start : start + 40] * random.randrange(2, 5)
        elif put < 5:
            other = random.choice(pool)
            new = other[random.randrange(len(other) + 1) :][:60]
        elif put < 6:
            new = found[start:end].swapcase()
        elif put < 7:
            new = chr(random.choice((random.randrange(0x80), random.randrange(0x3000), random.randrange(0x110000))))
        else:
            new = ""
        found = found[:start] + new + found[end:]
    return found


def value(random: Random, original: Any, pool: tuple[str, ...] = ("",)) -> Any:
    """Return a value with one thing of it changed: a text, a number, an item left out, doubled or moved."""
    if isinstance(original, str):
        return text(random, original, pool)
    if isinstance(original, bool) or original is None:
        return random.choice((None, True, False, 0, 1, ""))
    if isinstance(original, int | float):
        return _number(random, original)
    if isinstance(original, list | tuple):
        return type(original)(_items(random, list(original), pool))
    if isinstance(original, dict):
        return _mapping(random, original, pool)
    return original


def _number(random: Random, original: float) -> Any:
    done = random.randrange(7)
    if abs(original) > 1e300:  # whole numbers beyond all floats are as good as any
        return -original if done < 4 else random.choice((0, 1.0, 1 << 63))
    if done == 0:
        return -original
    if done == 1:
        return original + random.choice((1, -1, 1e-9, 0.5))
    if done == 2:
        return str(original)
    if done == 3:
        return float(original)
    if done == 4:
        return original * random.choice((10, 100, 1e-3, 1 << 40))
    return random.choice((0, -0.0, 1e308, float("inf"), float("nan"), 1 << 63)) if done == 5 else original


def _items(random: Random, items: list[Any], pool: tuple[str, ...]) -> list[Any]:
    if not items:
        return [random.choice(("", 0, None, []))]
    place, done = random.randrange(len(items)), random.randrange(6)
    if done == 0:
        return items[:place] + items[place + 1 :]
    if done == 1:
        return items[: place + 1] + items[place:]
    if done == 2:
        return items[place:] + items[:place]
    if done == 3:
        return [*items[:place], [items[place]], *items[place + 1 :]]
    return [*items[:place], value(random, items[place], pool), *items[place + 1 :]]


def _mapping(random: Random, original: dict[Any, Any], pool: tuple[str, ...]) -> dict[Any, Any]:
    if not original:
        return {"": None}
    key = random.choice(list(original))
    rest = {name: item for name, item in original.items() if name != key}
    done = random.randrange(5)
    if done == 0:
        return rest
    if done == 1:
        return {**rest, text(random, key, pool) if isinstance(key, str) else key: original[key]}
    if done == 2:
        return {key: original[key], **rest, "": original}
    return {**original, key: value(random, original[key], pool)}
