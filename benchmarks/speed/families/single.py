"""Single calls of a scorer, as trainers make them, and one call for a column, beside the bare function."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.speed.row import Call, Peer, Row, batch, column, drawn, imported, misread, of_pairs, single, text
from benchmarks.speed.row import task as task_of

Function = Callable[[Any, Any], Any]


def texts(fewest: int, most: int) -> Callable[[random.Random, int], dict[str, str]]:
    """An answer of so many words and its reference: a third is right, a third nearly, a third wrong."""

    def draw(chance: random.Random, place: int) -> dict[str, str]:
        reference = f"{text(chance, fewest, most)} {place}"
        near = (reference, misread(chance, reference).title(), text(chance, fewest, most))[place % 3]
        return {"response": near, "reference": reference}

    return draw


def numbers(chance: random.Random, place: int) -> dict[str, str]:
    """A number as text, and one near it."""
    value = chance.uniform(1, 1000) + place
    return {"response": f"{value * chance.uniform(0.98, 1.02):.4f}", "reference": f"{value:.3f}"}


def bag_f1() -> Function:
    """F1 of the words of two texts, each as often as it stands there."""
    from collections import Counter

    def score(one: str, other: str) -> float:
        found, wanted = one.split(), other.split()
        shared = sum((Counter(found) & Counter(wanted)).values())
        return 2 * shared / (len(found) + len(wanted))

    return score


def word_errors() -> Function:
    """Edits of words for each word of the reference."""
    from rapidfuzz.distance import Levenshtein

    def score(one: str, other: str) -> float:
        wanted = other.split()
        return Levenshtein.distance(one.split(), wanted) / len(wanted)

    return score


def parts(*, apart: bool) -> Call:
    """Ours: a task that is given the parts of a record, in this process or in a worker."""

    def ready(folder: Path) -> Callable[[], Any]:
        import scoring

        task = scoring.load(task_of("near", score="lower | levenshtein"))
        pairs = list(zip(column(folder, "response"), column(folder, "reference"), strict=True))

        def work() -> list[Any]:
            return [task.score_parts(response, reference).score for response, reference in pairs]

        def in_worker() -> list[Any]:
            return [worker.score_parts(response, reference).score for response, reference in pairs]

        if not apart:
            return work
        worker = task.worker()
        worker.score_parts("a", "b")
        return in_worker

    return Call(ready)


def both(
    name: str, expression: str, bare: Callable[[], Function], draw: Callable[[random.Random, int], Any], size: int,
    needs: tuple[str, ...] = (), goals: tuple[float | None, float | None] = (None, None),
) -> list[Row]:  # fmt: skip
    """Two rows of a scorer: a call for each pair, and one call for all pairs."""
    rows = []
    for way, ours, goal in (("", single(expression), goals[0]), ("-batch", batch(expression), goals[1])):
        calls = "one call for all" if way else "a call each"
        peer = Peer("bare function", of_pairs(bare), goal, needs=needs, is_floor=True)
        rows.append(Row(f"single/{name}{way}", f"`{expression}`, {calls}", size, drawn(draw), ours, (peer,)))
    return rows


FUZZ, SIMILARITY = ("rapidfuzz",), imported("rapidfuzz.distance", "Levenshtein.normalized_similarity")
ROWS = [
    *both("equal", "equal", lambda: lambda one, other: 1.0 if one == other else 0.0, texts(2, 6), 20_000),
    *both(
        "lower-equal", "lower | equal", lambda: lambda one, other: 1.0 if one.lower() == other.lower() else 0.0,
        texts(2, 6), 20_000,
    ),
    *both("contains", "contains", lambda: lambda one, other: 1.0 if other in one else 0.0, texts(2, 6), 20_000),
    *both("levenshtein", "levenshtein", SIMILARITY, texts(2, 6), 20_000, FUZZ, (None, 0.5)),
    *both("levenshtein-200", "levenshtein", SIMILARITY, texts(200, 200), 500, FUZZ),
    *both(
        "within", "number | within(relative=0.01)",
        lambda: lambda one, other: 1.0 if abs(float(one) - float(other)) <= 0.01 * abs(float(other)) else 0.0,
        numbers, 10_000,
    ),
    *both("bag-f1", "words | bag_f1", bag_f1, texts(8, 16), 5_000),
    Row(
        "single/worker", "`score_parts` of a worker, a process of its own", 5_000, drawn(texts(2, 6)),
        parts(apart=True),
        (Peer("score_parts in this process", parts(apart=False)),), by_clock=True,
    ),
    *both("word-errors", "words | edit_rate", word_errors, texts(12, 12), 5_000, FUZZ, (None, 0.5)),
]  # fmt: skip
