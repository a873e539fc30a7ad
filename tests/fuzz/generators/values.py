"""Values of the language's types, biased to edges. All of it draws from `random` alone, so a seed names a value."""

from __future__ import annotations

import json
import math
from random import Random
from typing import Any

from scoring.values import Type
from tests.fuzz.generators import corpus, mutate

NUMBERS: tuple[Any, ...] = (
    0, 1, -1, 2, 3, 10, 100, 0.0, -0.0, 0.1, 0.5, 1.0, 0.1 + 0.2, 1 / 3, 1e-9, 1e-12, 5e-324, -5e-324, 1e16, 1e22,
    1e70, 1.1e70, -1e71, 1e300, 1.7976931348623157e308, 2**31, 2**53, 2**53 + 1, 2**63 - 1, 2**63, -(2**63) - 1, 2**64,
    10**30, 10**309, -(10**400), 10**4400, math.inf, -math.inf, math.nan, math.pi, 0.9999999999999999,
    1.0000000000000002,
)  # fmt: skip
TEXTS = (
    "", " ", "\n", "\t ", "\x00", "a\x00b", "\ud800", "a\udfffb", "\ufeff", "\u202eabc\u202c", "e\u0301", "\xe9",
    "\u0130", "\xdf", "\u1e9e", "\ufb01", "o\u0308" * 40, "\u0301" * 60, "\u0661\u0662\u0663", "\uff11\uff12", "\xb2",
    "\xbd", "\u2167", "\u4e09\u5341", "1\u066b5", "\u22125", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "NaN",
    "nan", "inf", "-Infinity", "None", "null", "true", "True", "yes", "1e999", "-0", "0x10", "0b1", "1_000", "1,000",
    "1.000,5", "1e5", "+1", ".5", "5.", "--1", "1/0", "1/3", "2^63", "9" * 40, "9" * 400, "0." + "0" * 400 + "1",
    "1e-400", "50%", "$1,234.50", "3 1/2", "[]", "{}", "()", "[[]]", "[,]", "[1, 2", "{'a': 1",
    '{"a": {"b": [1, null, NaN]}}', "[1, 'a', None, True]", "(1, 2)", "{1, 2}", "[(0, 0), (1, 1)]", "[0, 0, 1, 1]",
    "[[0, 0, 1, 1], [1, 1, 0, 0]]", "<box>0, 0, 1, 1</box>", "<point>1, 2</point>", "\\boxed{\\frac{1}{2}}",
    "$x^2 + 1$", "\\(\\sqrt{2}\\)", "\\[ \\int_0^1 x dx \\]", "x^{x^{x}}", "\\left( \\right)", "$$", "\\", "\\\\",
    "```json\n{}\n```", "Answer: (B)", "The answer is **C**.", "A", "a", "a b c", "SELECT 1; --",
    "<script>alert(1)</script>", "{{7*7}}", "%n%s", "../../etc/passwd", "__import__('os')", "lambda: 0",
)  # fmt: skip
UNITS = (
    "a", "ab", "a ", " ", "\n", "9", "1,", "[", "]", "{", "(", '["', "{\"a\":", "\\", "\\boxed{", "$", "e\u0301",
    "\ud800", "the cat ", "a.", "Answer: ", "<box>", "0.1 ", "x^", "\\frac{", "-", "/", "(and ", "\u4e2d",
)  # fmt: skip
NUMERIC = ("0", "1", "-1", "3.14", "1e3", "1/2", "50%", "1,000", "-.5", "2^10", "12 km", "$7", "0.30000000000000004")
LONG = 20_000


def chance(random: Random, one_in: int) -> bool:
    """True once in so many times."""
    return random.randrange(one_in) == 0


def number(random: Random) -> Any:
    """Return a number: an edge, a small one, or any."""
    kind = random.randrange(6)
    if kind < 2:
        return random.choice(NUMBERS)
    if kind == 2:
        return random.randrange(-4, 12)
    if kind == 3:
        return round(random.uniform(-10, 10), random.randrange(4))
    return random.uniform(-1, 1) * 10.0 ** random.randrange(-20, 21) if kind == 4 else random.random()


def text(random: Random, pool: tuple[str, ...] = ()) -> str:
    """Return a text: of the corpus, one that is nearly of it, an edge, a few signs, data written out, or a very long
    one."""
    kind, pool = random.randrange(40), pool or corpus.texts()
    if kind < 10:
        return random.choice(pool)
    if kind < 20:
        return mutate.text(random, random.choice(pool), pool)
    if kind < 26:
        return random.choice(TEXTS)
    if kind < 30:
        return "".join(random.choice(mutate.PIECES) for _ in range(random.randrange(1, 6)))
    if kind < 33:
        return written(random, anything(random, 3, pool))
    if kind < 36:
        return random.choice(NUMERIC)
    if kind < 38:
        return " ".join(random.choice(("the", "cat", "sat", "on", "mat", ".", "3", "Paris", "a")) for _ in range(9))
    # One unit again and again, sometimes with an end of its own; one in thirty of them is very long.
    unit, most = random.choice(UNITS), LONG if chance(random, 30) else 400
    return (unit * random.randrange(1, most))[:most] + random.choice(("", "", "b", "]", "}", "1"))


def written(random: Random, value: Any) -> str:
    """Return a value as JSON or as a Python literal."""
    try:
        line = json.dumps(value)
        return line if random.randrange(2) else repr(value)
    except (TypeError, ValueError, RecursionError):  # sets, which have no order; endless whole numbers; what is deep
        return "[1, [2, [3]]]"


def anything(random: Random, depth: int = 4, pool: tuple[str, ...] = ()) -> Any:
    """Return a value of any type: mostly what JSON has."""
    kind = random.randrange(20)
    if depth == 0 or kind < 6:
        return random.choice(TEXTS) if random.randrange(2) else random.choice(pool or corpus.texts())
    if kind < 9:
        return number(random)
    if kind < 11:
        return random.choice((None, True, False))
    if kind < 15:
        return [anything(random, depth - 1, pool) for _ in range(random.randrange(5))]
    if kind < 18:
        return {key(random): anything(random, depth - 1, pool) for _ in range(random.randrange(4))}
    return _odd(random, depth, pool)


def _odd(random: Random, depth: int, pool: tuple[str, ...]) -> Any:
    """Return what Python has and JSON has not, and what is nested deeply."""
    kind = random.randrange(12)
    if kind < 3:
        return tuple(anything(random, depth - 1, pool) for _ in range(random.randrange(4)))
    if kind < 5:
        return {text(random, pool)[:40] for _ in range(random.randrange(4))}
    if kind < 6:
        return {number(random): 1, None: text(random, pool)[:40]}
    if kind < 7:
        return b"\xff\x00a"
    if kind < 8:
        return deep(random)
    return [text(random, pool)[:40], number(random), None, [], {}]


def deep(random: Random) -> Any:
    """Lists or mappings in one another."""
    found: Any = random.choice((1, "a", None))
    wrap = random.choice((lambda held: [held], lambda held: {"a": held}, lambda held: [[], held, "b"]))
    for _ in range(random.choice((5, 20, 60, 200, 340, 700))):
        found = wrap(found)
    return found


def key(random: Random) -> str:
    """Return a name in a mapping: mostly one of a few, so that two mappings share some."""
    return random.choice("abcd") if random.randrange(4) else random.choice(TEXTS)


def of_type(random: Random, kind: Type, pool: tuple[str, ...] = ()) -> Any:
    """Return a value of a type of the language; once in sixteen times one of another type."""
    return anything(random, pool=pool) if chance(random, 16) else _of_type(random, kind, pool)


def _of_type(random: Random, kind: Type, pool: tuple[str, ...]) -> Any:
    name = kind.name
    if name == "Union":
        return _of_type(random, random.choice(kind.args), pool)
    if name in ("List", "Set"):
        items = [_of_type(random, kind.args[0], pool) for _ in range(random.choice((0, 1, 2, 2, 3, 5, 8)))]
        if name == "List":
            return tuple(items) if chance(random, 12) else items
        return {item for item in items if isinstance(item, str | int | float | tuple | None) and _is_hashable(item)}
    if name == "Dict":
        return {key(random): _of_type(random, kind.args[1], pool) for _ in range(random.randrange(4))}
    if name == "Text":
        return text(random, pool)
    drawn = _SIMPLE.get(name)
    if drawn is not None and not kind.variable:
        return drawn(random)
    # Where anything may come: a text or a value, each half of the times.
    return text(random, pool) if random.randrange(2) else anything(random, pool=pool)


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _point(random: Random) -> list[Any]:
    return [number(random) if chance(random, 3) else round(random.uniform(0, 9), 1) for _ in range(2)]


def _box(random: Random) -> list[Any]:
    found = [*_point(random), *_point(random)]
    return sorted(found) if random.randrange(3) else found


_SIMPLE: dict[str, Any] = {
    "Number": number,
    "Score": lambda random: random.random() if random.randrange(2) else number(random),
    "Bool": lambda random: random.randrange(2) == 0,
    "None": lambda random: None,
    "Point": _point,
    "Box": _box,
    "Polygon": lambda random: [_point(random) for _ in range(random.choice((0, 1, 2, 3, 4, 4, 12)))],
}
