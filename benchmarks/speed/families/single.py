"""Single calls of a scorer, as trainers make them, and one call for a column, beside the bare function."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.speed.row import PEERS, Call, Peer, Row, batch, column, drawn, imported, misread, of_pairs, single, text
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


Calls = list[tuple[Any, float]]
"""What each call returned, with its seconds by the clock."""


def timed(function: Function, pairs: list[tuple[Any, Any]]) -> Calls:
    """One call after the other, and how long each took."""
    found = []
    for pair in pairs:
        start = time.perf_counter()
        score = function(*pair)
        found.append((score, time.perf_counter() - start))
    return found


async def awaited(function: Function, pairs: list[tuple[Any, Any]]) -> Calls:
    """The same for a function that is awaited."""
    found = []
    for pair in pairs:
        start = time.perf_counter()
        score = await function(*pair)
        found.append((score, time.perf_counter() - start))
    return found


Waiting = Callable[[], Callable[[list[tuple[Any, Any]]], Calls]]
"""What makes ready for calls, and returns what makes one for each pair."""


def waiting(calls: Waiting, share: float) -> Call:
    """Calls one after the other, of which that share took no longer than what is shown."""

    def ready(folder: Path) -> Callable[[], Calls]:
        call, pairs = calls(), list(zip(column(folder, "response"), column(folder, "reference"), strict=True))
        return lambda: call(pairs)

    def took(found: Calls) -> float:
        return sorted(seconds for _, seconds in found)[int(share * (len(found) - 1))]

    return Call(ready, lambda found: [score for score, _ in found], took)


def in_worker() -> Callable[[list[tuple[Any, Any]]], Calls]:
    """Ours: a worker that is kept, in a process of its own."""
    import scoring

    worker = scoring.load(task_of("near", score="lower | levenshtein")).worker()
    worker.score_parts("a", "b")
    return lambda pairs: timed(lambda response, reference: worker.score_parts(response, reference).score, pairs)


def in_bare_process() -> Callable[[list[tuple[Any, Any]]], Calls]:
    """The least: a process that reads a pair as JSON and writes the similarity."""
    command = [sys.executable, str(PEERS / "near.py")]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    to_it, from_it = process.stdin, process.stdout
    assert to_it is not None
    assert from_it is not None

    def ask(response: str, reference: str) -> float:
        to_it.write(json.dumps([response, reference]).encode() + b"\n")
        return float(from_it.readline())

    ask("a", "b")
    return lambda pairs: timed(ask, pairs)


def in_loop() -> Callable[[list[tuple[Any, Any]]], Calls]:
    """Ours: `ascore_parts` in an event loop."""
    import scoring

    task = scoring.load(task_of("near", score="lower | levenshtein"))

    async def ask(response: str, reference: str) -> Any:
        return (await task.ascore_parts(response, reference)).score

    return lambda pairs: asyncio.run(awaited(ask, pairs))


def in_bare_loop() -> Callable[[list[tuple[Any, Any]]], Calls]:
    """The least: the bare function in a thread of the event loop."""
    from rapidfuzz.distance import Levenshtein

    def near(response: str, reference: str) -> float:
        return Levenshtein.normalized_similarity(response.lower(), reference.lower())

    async def ask(response: str, reference: str) -> float:
        return await asyncio.to_thread(near, response, reference)

    return lambda pairs: asyncio.run(awaited(ask, pairs))


def latencies(name: str, work: str, ours: Waiting, peer: str, bare: Waiting) -> list[Row]:
    """Two rows: how long half of the calls take at most, and how long all but one in a hundred."""
    rows = []
    for label, share in (("p50", 0.5), ("p99", 0.99)):
        floor = Peer(peer, waiting(bare, share), needs=FUZZ, is_floor=True)
        title, draw, call = f"{work}, {label} of 3,000 calls", drawn(texts(2, 6)), waiting(ours, share)
        rows.append(Row(f"single/{name}-{label}", title, 3_000, draw, call, (floor,), by_clock=True))
    return rows


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
    *both("levenshtein-200", "levenshtein", SIMILARITY, texts(200, 200), 500, FUZZ, (None, 0.5)),
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
    *latencies("worker", "`score_parts` of a worker", in_worker, "a process and its pipes", in_bare_process),
    *latencies("ascore", "`await ascore_parts`", in_loop, "asyncio.to_thread", in_bare_loop),
    *both("word-errors", "words | edit_rate", word_errors, texts(12, 12), 5_000, FUZZ, (None, 0.5)),
]  # fmt: skip
