"""MMESGBench's answers, beside the official `eval_score` in the same process.

    python benchmarks/mmesgbench.py [--official DIR] [--records 2000]

DIR is a checkout of Zhanglei1103/MMESGBench. Both sides score the same rows, of the five kinds of answer in the
shares that the benchmark has them, no two of which are equal; they take turns, and the best round of each counts, in
CPU time. What the official code prints is switched off, and what it raises counts 0, as in its drivers.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import scoring  # noqa: E402  # the path is set above
from benchmarks.in_one_process import alternated, official  # noqa: E402

Row = dict[str, Any]
SPEC = {
    "kind": "task",
    "name": "answers",
    "version": "1.0.0",
    "imports": {"bench": "mmesgbench-upstream@1"},
    "record": {"answer_format": "answer_format"},
    "score": "attempt(bench.answer)",
}
SHARES = {"Str": 299, "Int": 207, "Float": 148, "None": 148, "List": 131}
LETTERS = "aaabcdeeefghiiklmnoooprstuuv"


def rows(count: int, seed: int = 5) -> list[Row]:
    """Different questions and answers; about half of the answers are right or nearly so."""
    chance = random.Random(seed)
    words = ["".join(chance.choices(LETTERS, k=chance.randint(3, 10))).capitalize() for _ in range(3_000)]
    found = []
    for place in range(count):
        kind = chance.choices(list(SHARES), list(SHARES.values()))[0]
        reference, response = PAIRS[kind](chance, words, place)
        found.append({"id": place, "answer_format": kind, "response": response, "reference": reference})
    return found


def _text(chance: random.Random, words: list[str], place: int) -> tuple[str, str]:
    reference = " ".join(chance.choices(words, k=chance.randint(1, 5)))
    if chance.random() < 0.1:
        reference = f"{chance.randint(1900, 2050)}-{chance.randint(10, 12)}"
    return reference, chance.choice((
        f"{reference} ({place})", f"The answer is {reference}", " ".join(chance.choices(words, k=3)),
        reference.replace("a", "e") + f" {place}",
    ))  # fmt: skip


def _whole(chance: random.Random, words: list[str], place: int) -> tuple[str, str]:
    return str(place), chance.choice((str(place), f"{place}.0", str(chance.randint(0, 10**6)), f"about {place}"))


def _number(chance: random.Random, words: list[str], place: int) -> tuple[str, str]:
    value = chance.uniform(0, 1000) + place
    near = value * chance.uniform(0.98, 1.02)
    return f"{value:.3f}", chance.choice((f"{value:.3f}%", f"{near:.4f}", f"${value * 2:.2f}", f"{near:.3f} tons"))


def _nothing(chance: random.Random, words: list[str], place: int) -> tuple[str, str]:
    return "Not answerable", chance.choice((f"Not answerable ({place})", f"{chance.choice(words)} {place}"))


def _list(chance: random.Random, words: list[str], place: int) -> tuple[str, str]:
    items = [" ".join(chance.choices(words, k=chance.randint(1, 3))) for _ in range(chance.randint(2, 5))]
    answer = [item if chance.random() < 0.6 else f"{item[:-2]} {chance.choice(words)}" for item in items]
    chance.shuffle(answer)
    return repr(items), repr(answer)


PAIRS: dict[str, Callable[[random.Random, list[str], int], tuple[str, str]]] = {
    "Str": _text, "Int": _whole, "Float": _number, "None": _nothing, "List": _list,
}  # fmt: skip


def official_scores() -> Callable[[list[Row]], list[float]]:
    """The released function over rows."""
    import eval_score  # type: ignore[import-not-found]  # the official code

    eval_score.print = lambda *_: None

    def score(row: Row) -> float:
        try:
            found: float = eval_score.eval_score(row["reference"], row["response"], row["answer_format"])
        except Exception:
            return 0.0
        return found

    return lambda held: list(map(score, held))


def main() -> None:
    """Print one line for all kinds together, and one for each."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--official", metavar="DIR", help="a checkout of Zhanglei1103/MMESGBench")
    options.add_argument("--records", type=int, default=2_000)
    given = options.parse_args()
    peer = None
    if official(given.official, "src/eval", "https://github.com/Zhanglei1103/MMESGBench") is not None:
        peer = official_scores()
    task = scoring.load(SPEC)
    every = rows(given.records)
    for kind in ("all", *SHARES):
        held = [row for row in every if kind in ("all", row["answer_format"])]
        works: dict[str, Callable[[], Any]] = {
            "single": lambda held=held: [task.score(row) for row in held],  # type: ignore[misc]  # bound per kind
            "batch": lambda held=held: task.score_batch(held),  # type: ignore[misc]
        }
        different = ""
        if peer is not None:
            works["official"] = lambda held=held: peer(held)  # type: ignore[misc]
            pairs = zip(task.score_batch(held), peer(held), strict=True)
            different = f"  {sum(a.score is None or abs(a.score - b) > 1e-9 for a, b in pairs)} differ"
        show(kind, len(held), alternated(works), different)


def show(name: str, size: int, seconds: dict[str, float], more: str) -> None:
    """One line: microseconds a row, and how many times faster than the official code."""
    cells = [f"{key} {taken / size * 1e6:8.2f} µs" for key, taken in seconds.items()]
    peer = seconds.get("official")
    ratios = [f"{key} {peer / taken:5.2f}×" for key, taken in seconds.items() if key != "official"] if peer else []
    print(f"{name:6} {size:6}  {'  '.join([*cells, *ratios])}{more}", flush=True)


if __name__ == "__main__":
    main()
