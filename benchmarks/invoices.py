"""Invoices with distinct rows, their lines aligned: records per CPU second, beside a loop that is written by hand.

    python benchmarks/invoices.py                                     # beside the loop
    python benchmarks/invoices.py --before other/venv/bin/python      # and beside another installed version, by turns

The loop does what a careful author would: rapidfuzz for each pair of lines, SciPy for the assignment. All score the
same records, and every score is compared. The time is CPU time without start-up, the best of some turns.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import time
from collections.abc import Callable
from typing import Any

import scoring

WORDS = ("amber", "harbour", "meadow", "glacier", "turbine", "offset", "carbon", "ledger", "anchor", "copper")
TASK = {
    "kind": "task",
    "name": "invoices",
    "parse": "json",
    "fields": {
        "vendor": "casefold | levenshtein | cutoff(0.8)",
        "total": {"score": "number | within(relative=0.01)", "weight": 2},
        "lines": 'align(per_key(to_text | casefold | levenshtein | cutoff(0.5)), by="optimal")',
    },
}


def misread(source: random.Random, value: str) -> str:
    """The text with up to two characters misread."""
    letters = list(value)
    for _ in range(source.randint(0, 2)):
        letters[source.randrange(len(letters))] = source.choice("abcdefghij")
    return "".join(letters)


def invoice(source: random.Random) -> dict[str, Any]:
    """One record: an invoice of five to ten lines, and what a model read of it, lines shuffled."""

    def text(words: int) -> str:
        return " ".join(source.choice(WORDS) for _ in range(words))

    lines = [
        {"item": text(2), "quantity": str(source.randint(1, 99)), "price": f"{source.randint(100, 99999) / 100}"}
        for _ in range(source.randint(5, 10))
    ]
    found = [{key: misread(source, value) for key, value in line.items()} for line in lines]
    source.shuffle(found)
    gold = {"vendor": text(3), "total": source.randint(10, 100_000) / 10, "lines": lines}
    answer = {"vendor": misread(source, gold["vendor"]), "total": gold["total"], "lines": found}
    return {"response": json.dumps(answer), "reference": gold}


def by_hand(records: list[dict[str, Any]]) -> list[float]:
    """The same scores by a loop."""
    from rapidfuzz.distance import Levenshtein
    from scipy.optimize import linear_sum_assignment

    def close(one: Any, other: Any, threshold: float) -> float:
        score = Levenshtein.normalized_similarity(str(one).casefold(), str(other).casefold())
        return score if score >= threshold else 0.0

    def line(one: dict[str, Any], other: dict[str, Any]) -> float:
        keys = [*other, *(key for key in one if key not in other)]
        return sum(close(one[key], other[key], 0.5) if key in one and key in other else 0.0 for key in keys) / len(keys)

    scores = []
    for record in records:
        found, gold = json.loads(record["response"]), record["reference"]
        table = [[line(one, other) for other in gold["lines"]] for one in found["lines"]]
        rows, columns = linear_sum_assignment(table, maximize=True)
        pairs = zip(rows.tolist(), columns.tolist(), strict=True)
        lines = sum(table[row][column] for row, column in pairs) / max(len(found["lines"]), len(gold["lines"]))
        total = float(abs(found["total"] - gold["total"]) <= 0.01 * abs(gold["total"]))
        scores.append((close(found["vendor"], gold["vendor"], 0.8) + 2 * total + lines) / 4)
    return scores


def taken(work: Callable[[], Any]) -> tuple[float, Any]:
    """The CPU time of one turn, and the result."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def ours(count: int, turns: int) -> tuple[float, list[float]]:
    """The least CPU time of this installation for so many records, and their scores."""
    source = random.Random(7)
    records = [invoice(source) for _ in range(count)]
    task = scoring.load(TASK)
    task.score_batch(records[:200])
    least = float("inf")
    for _ in range(turns):
        seconds, results = taken(lambda: task.score_batch(records))
        least = min(least, seconds)
    return least, [result.score for result in results]


def before(python: str, count: int) -> tuple[float, list[float]]:
    """The same by another installation."""
    command = [python, __file__, "--alone", "--records", str(count)]
    seconds, scores = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return seconds, scores


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=3_000)
    parser.add_argument("--before", metavar="PYTHON", help="the Python of another installation")
    parser.add_argument("--alone", action="store_true", help="print only this installation's figures, as JSON")
    options = parser.parse_args()
    if options.alone:
        print(json.dumps(ours(options.records, 1)))
        return
    source = random.Random(7)
    records = [invoice(source) for _ in range(options.records)]
    peers: dict[str, Callable[[], tuple[float, list[float]]]] = {
        "a loop by hand": lambda: taken(lambda: by_hand(records))
    }
    if options.before:
        peers["before"] = lambda: before(options.before, options.records)
    best, scores = ours(options.records, 1)
    times = dict.fromkeys(peers, float("inf"))
    for _ in range(3):
        best = min(best, ours(options.records, 1)[0])
        for name, peer in peers.items():
            seconds, theirs = peer()
            times[name] = min(times[name], seconds)
            assert max(abs(one - other) for one, other in zip(scores, theirs, strict=True)) < 1e-12, name
    print(f"{'scoring':20} {options.records / best:10.0f} records per CPU second")
    for name, seconds in times.items():
        print(f"{name:20} {options.records / seconds:10.0f} records per CPU second  {seconds / best:6.1f}x")


if __name__ == "__main__":
    main()
