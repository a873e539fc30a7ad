"""ANLS* beside the official package: nested answers, short texts, and the bare loop under them."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from benchmarks.speed.row import Call, Peer, Row, batch, drawn, misread, of_pairs, single, text

STAR = "anls@1:anls_star"
Draw = Callable[[random.Random, int], dict[str, Any]]


def official() -> Callable[[Any, Any], float]:
    """The package's function, whose arguments are the other way round."""
    import warnings

    from anls_star import anls_score

    warnings.simplefilter("ignore")
    return lambda response, reference: anls_score(reference, response)


def shuffled(chance: random.Random, value: Any) -> Any:
    """The value with its texts misread and its lists in another order."""
    if isinstance(value, dict):
        return {key: shuffled(chance, one) for key, one in value.items()}
    if isinstance(value, list):
        return chance.sample(changed := [shuffled(chance, one) for one in value], len(changed))
    return misread(chance, value)


def answered(make: Callable[[random.Random], Any]) -> Draw:
    """A value, and what a model made of it."""

    def draw(chance: random.Random, place: int) -> dict[str, Any]:
        gold = make(chance)
        return {"response": shuffled(chance, gold), "reference": gold}

    return draw


def invoice(chance: random.Random) -> dict[str, Any]:
    """An invoice of thirty lines with six keys."""
    keys = ("sku", "description", "quantity", "price", "tax", "total")
    lines = [
        {key: text(chance, 2) if key == "description" else str(chance.randint(1, 99_999)) for key in keys}
        for _ in range(30)
    ]
    return {"number": f"A-{chance.randint(1, 99)}", "lines": lines}


def nested(depth: int) -> Callable[[random.Random], Any]:
    """Lists of three in lists of three."""
    return lambda chance: text(chance, 1) if depth == 0 else [nested(depth - 1)(chance) for _ in range(3)]


def listed(count: int) -> Callable[[random.Random], list[str]]:
    """One list of texts."""
    return lambda chance: [text(chance, 3) for _ in range(count)]


def small(chance: random.Random) -> dict[str, Any]:
    """Two texts and a list of two."""
    return {"vendor": text(chance, 2), "town": text(chance, 1), "tags": [text(chance, 1) for _ in range(2)]}


def keys(chance: random.Random) -> dict[str, str]:
    """Forty keys with a text each."""
    return {f"key_{number}": text(chance, 2) for number in range(40)}


def short(chance: random.Random) -> str:
    """Two words."""
    return text(chance, 2)


def loop() -> Callable[[Any, Any], float]:
    """The bare function: both texts cleaned, one edit distance, a threshold."""
    from rapidfuzz.distance import Levenshtein

    similarity = Levenshtein.normalized_similarity

    def score(response: str, reference: str) -> float:
        value = similarity(" ".join(response.lower().split()), " ".join(reference.lower().split()))
        return value if value >= 0.5 else 0.0

    return score


def loop_over_small() -> Callable[[Any, Any], float]:
    """The same over two texts and a list of two, which is paired in the better of both orders."""
    near = loop()

    def score(response: Any, reference: Any) -> float:
        (one, other), (first, second) = response["tags"], reference["tags"]
        tags = max(near(one, first) + near(other, second), near(one, second) + near(other, first))
        texts = near(response["vendor"], reference["vendor"]) + near(response["town"], reference["town"])
        return (texts + tags) / 4

    return score


def loop_over_keys() -> Callable[[Any, Any], float]:
    """The same over the texts of a dict."""
    near = loop()
    return lambda response, reference: sum(near(response[key], reference[key]) for key in reference) / len(reference)


def floor(bare: Callable[[], Callable[[Any, Any], float]], goal: float | None = 0.5) -> Peer:
    """The bare function under a row."""
    return Peer("rapidfuzz in a loop", of_pairs(bare), goal, needs=("rapidfuzz",), is_floor=True)


def beside(
    name: str, work: str, size: int, make: Callable[[random.Random], Any], ours: Call, goal: float, *floors: Peer
) -> Row:
    """A row beside the official package."""
    peer = Peer("anls_star", of_pairs(official), goal, needs=("anls_star",))
    return Row(f"anls/{name}", work, size, drawn(answered(make)), ours, (peer, *floors))


ROWS = [
    beside("invoice", "an invoice of 30 lines with 6 keys", 1, invoice, single(STAR), 100),
    beside("nested", "lists of 3 in lists of 3, 81 texts", 1, nested(4), single(STAR), 100),
    beside("list-100", "a list of 100 texts", 1, listed(100), single(STAR), 50),
    beside("small", "300 small dicts with a list of two, a call each", 300, small, single(STAR), 40,
           floor(loop_over_small, None)),
    beside("small-batch", "300 small dicts with a list of two, one call", 300, small, batch(STAR), 40,
           floor(loop_over_small)),
    beside("keys-batch", "200 dicts of 40 keys, one call", 200, keys, batch(STAR), 40, floor(loop_over_keys)),
    beside("short", "5,000 short texts, a call each", 5_000, short, single(STAR), 10, floor(loop, None)),
    beside("short-batch", "5,000 short texts, one call", 5_000, short, batch(STAR), 30, floor(loop)),
    Row(
        "anls/leaf-batch", "10,000 short texts, `anls_star_leaf`, one call", 10_000, drawn(answered(short)),
        batch("anls@1:anls_star_leaf"), (floor(loop),),
    ),
]  # fmt: skip
