"""Single calls, as trainers make them: microseconds of CPU a call, beside bare Python that computes the same.

    python benchmarks/single.py [calls]

The same file runs with an older release of the package, for figures of before; what it lacks is left out. Answers
differ from call to call, so nothing is remembered that a trainer's answers would not repeat.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from itertools import cycle
from typing import Any

from rapidfuzz.distance import Levenshtein

import scoring

Call = Callable[[Any, Any], object]


def texts(count: int, seed: int = 1) -> list[tuple[str, str]]:
    """Answers with their references: a third is right, a third nearly, a third wrong."""
    draw = random.Random(seed)
    words = ["".join(draw.choices("abcdefghijklmnop", k=draw.randint(2, 9))) for _ in range(2_000)]
    pairs = []
    for number in range(count):
        reference = " ".join(draw.choices(words, k=draw.randint(2, 6)))
        answer = (reference, reference.title() + "s", " ".join(draw.choices(words, k=3)))[number % 3]
        pairs.append((f" {answer}", reference))
    return pairs


def records(pairs: list[tuple[str, str]]) -> list[tuple[str, dict[str, str]]]:
    """Answers of five fields, as JSON."""
    found = []
    for place in range(0, len(pairs) - 4, 5):
        part = dict(zip("abcde", pairs[place : place + 5], strict=True))
        found.append(
            (json.dumps({key: one for key, (one, _) in part.items()}), {key: other for key, (_, other) in part.items()})
        )
    return found


def bare_pair(answer: str, reference: str) -> float:
    """The similarity of two texts, with nothing around it."""
    return Levenshtein.normalized_similarity(answer.lower().strip(), reference.lower().strip())


def bare_record(answer: str, reference: dict[str, str]) -> float:
    """The mean of five similarities."""
    parsed = json.loads(answer)
    return sum(bare_pair(parsed[key], reference[key]) for key in "abcde") / 5


def microseconds(call: Call, pairs: list[Any], calls: int) -> float:
    """CPU time of a call, the best of five rounds."""
    best = float("inf")
    for _ in range(5):
        source = cycle(pairs)
        work = [next(source) for _ in range(calls)]
        began = time.process_time()
        for answer, reference in work:
            call(answer, reference)
        best = min(best, time.process_time() - began)
    return best / calls * 1e6


def main(calls: int) -> None:
    """Print the table."""
    expression = "lower | strip | levenshtein"
    scorer = scoring.scorer(expression)
    one = scoring.load({"kind": "task", "name": "one", "score": expression})
    five = scoring.load(
        {"kind": "task", "name": "five", "parse": "json", "fields": {key: {"score": expression} for key in "abcde"}}
    )
    pairs = texts(20_000)
    wide = records(pairs)
    rows: list[tuple[str, Call, list[Any], Call]] = [
        ("scorer.score, a pair", scorer.score, pairs, bare_pair),
        ("task.score, a record", lambda a, b: one.score({"response": a, "reference": b}), pairs, bare_pair),
        ("task.score, five fields", lambda a, b: five.score({"response": a, "reference": b}), wide, bare_record),
    ]
    if hasattr(one, "score_parts"):
        rows.insert(2, ("task.score_parts, an answer", one.score_parts, pairs, bare_pair))
        rows.append(("task.score_parts, five fields", five.score_parts, wide, bare_record))
    print(f"{'':32} {'µs a call':>10} {'bare':>8} {'times':>7}")
    for name, call, given, bare in rows:
        taken, floor = microseconds(call, given, calls), microseconds(bare, given, calls)
        print(f"{name:32} {taken:10.2f} {floor:8.2f} {taken / floor:7.1f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
