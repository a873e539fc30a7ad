"""ANLS* side by side with the official package, in one run: times, ratios, and how time grows with size.

    python benchmarks/anls.py            # everything, about a minute
    python benchmarks/anls.py --quick    # without the slowest official cases

Both sides score the same data, and every score is compared. The time is CPU time, the best of some repeats.
"""

from __future__ import annotations

import argparse
import random
import time
import warnings
from collections.abc import Callable
from typing import Any

import scoring

WORDS = ("amber", "harbour", "meadow", "glacier", "turbine", "offset", "carbon", "ledger", "anchor", "copper")


def text(source: random.Random, words: int = 3) -> str:
    """A short text."""
    return " ".join(source.choice(WORDS) for _ in range(words))


def misread(source: random.Random, value: str) -> str:
    """The text with a character or two misread."""
    letters = list(value)
    for _ in range(source.randint(0, 2)):
        letters[source.randrange(len(letters))] = source.choice("abcdefghij")
    return "".join(letters)


def pairs(count: int) -> list[tuple[Any, Any]]:
    """Short pairs of texts."""
    source = random.Random(1)
    golds = [text(source, 2) for _ in range(count)]
    return [(misread(source, gold), gold) for gold in golds]


def invoice(rows: int) -> list[tuple[Any, Any]]:
    """One invoice with six keys in each line, lines shuffled."""
    source = random.Random(2)
    keys = ("sku", "description", "quantity", "price", "tax", "total")
    gold = [
        {key: text(source, 2) if key == "description" else f"{source.randint(1, 99999)}" for key in keys}
        for _ in range(rows)
    ]
    found = [{key: misread(source, value) for key, value in line.items()} for line in gold]
    source.shuffle(found)
    return [({"number": "A-17", "lines": found}, {"number": "A-17", "lines": gold})]


def wide(keys: int) -> list[tuple[Any, Any]]:
    """Twenty flat records of so many keys."""
    source = random.Random(6)
    golds = [{f"key_{number}": text(source, 2) for number in range(keys)} for _ in range(20)]
    return [({key: misread(source, value) for key, value in gold.items()}, gold) for gold in golds]


def nested(fan_out: int, depth: int) -> list[tuple[Any, Any]]:
    """Lists within lists."""
    source = random.Random(3)

    def make(level: int) -> Any:
        return text(source, 1) if level == 0 else [make(level - 1) for _ in range(fan_out)]

    def change(value: Any) -> Any:
        if isinstance(value, str):
            return misread(source, value)
        changed = [change(item) for item in value]
        source.shuffle(changed)
        return changed

    gold = make(depth)
    return [(change(gold), gold)]


def flat(count: int) -> list[tuple[Any, Any]]:
    """One list of texts, shuffled."""
    source = random.Random(4)
    gold = [text(source) for _ in range(count)]
    found = [misread(source, value) for value in gold]
    source.shuffle(found)
    return [(found, gold)]


def best_time(work: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """The least CPU time, and the result."""
    result, least = None, float("inf")
    for _ in range(repeats):
        start = time.process_time()
        result = work()
        least = min(least, time.process_time() - start)
    return least, result


def side_by_side(name: str, data: list[tuple[Any, Any]], target: float, *, in_batch: bool = False) -> None:
    """Time both on the same data and compare their scores."""
    from anls_star import anls_score

    star = scoring.scorer("anls@1:anls_star")
    if in_batch:
        predictions, references = [one for one, _ in data], [other for _, other in data]
        ours, found = best_time(lambda: [one.value for one in star.score_many(predictions, references)], 15)
    else:
        ours, found = best_time(lambda: [star.score(prediction, reference).value for prediction, reference in data], 5)
    theirs, expected = best_time(lambda: [anls_score(reference, prediction) for prediction, reference in data], 1)
    worst = max(abs(a - b) for a, b in zip(found, expected, strict=True))
    verdict = "ok" if theirs / ours >= target and worst < 1e-9 else "MISSED"
    times = f"{theirs * 1e3:10.1f} {ours * 1e3:10.2f} {theirs / ours:8.0f}x"
    print(f"{name:34} {times} {target:6.0f}x  {worst:.0e}  {verdict}")


def growth() -> None:
    """Our time as sizes double, and as depth grows."""
    star = scoring.scorer("anls@1:anls_star")

    def took(data: list[tuple[Any, Any]]) -> str:
        return f"{best_time(lambda: star.score(*data[0]), 3)[0] * 1e3:.2f}"

    print("\nhow our time grows (ms)")
    for size_name, make, sizes in (
        ("list of n texts", flat, (50, 100, 200, 400, 800)),
        ("invoice of n lines", invoice, (15, 30, 60, 120, 240)),
    ):
        print(f"  {size_name:28}", "  ".join(f"{size}: {took(make(size))}" for size in sizes))
    for fan_out, depths in ((3, (1, 2, 3, 4, 5, 6)), (2, (1, 2, 4, 6, 8))):
        cells = [f"{fan_out**depth} leaves: {took(nested(fan_out, depth))}" for depth in depths]
        print(f"  {f'lists in lists, fan-out {fan_out}':28}", "  ".join(cells))


def letters(count: int, length: int) -> tuple[list[str], list[str]]:
    """Predictions and references of so many characters, no two alike."""
    source = random.Random(5)
    golds = ["".join(source.choice("abcdefghij Klmno") for _ in range(length)) for _ in range(count)]
    return [misread(source, gold) for gold in golds], golds


def plain(value: str) -> str:
    """Lower case, single spaces."""
    return " ".join(value.lower().split())


def bare_loop(count: int, length: int) -> None:
    """Texts in batch against a bare loop over rapidfuzz that does the same normalisation; by turns, the best of 15."""
    from rapidfuzz.distance import Levenshtein

    similarity = Levenshtein.normalized_similarity
    predictions, references = letters(count, length)
    star, raw = scoring.scorer("anls@1:anls_star_leaf"), scoring.scorer("levenshtein")

    def normalised() -> list[float]:
        found = (similarity(plain(p), plain(r)) for p, r in zip(predictions, references, strict=True))
        return [score if score >= 0.5 else 0.0 for score in found]

    def untouched() -> list[float]:
        return [similarity(p, r) for p, r in zip(predictions, references, strict=True)]

    title = f"{count} pairs of {length} characters in batch"
    print(f"\n{title:47} {'scoring':>10} {'bare loop':>10} {'ratio':>8} {'target':>8}")
    for name, compare, loop in (
        ("anls@1:anls_star_leaf", star, normalised), ("levenshtein, nothing normalised", raw, untouched),
    ):  # fmt: skip
        ours = theirs = float("inf")
        for _ in range(15):
            taken, found = best_time(lambda compare=compare: compare.score_many(predictions, references), 1)
            ours = min(ours, taken)
            taken, expected = best_time(loop, 1)
            theirs = min(theirs, taken)
        same = [outcome.value for outcome in found] == expected
        verdict = "ok" if same and ours <= 2 * theirs else "MISSED"
        print(f"{name:47} {ours * 1e3:7.1f} ms {theirs * 1e3:7.1f} ms {ours / theirs:7.2f}x {2:7}x  {verdict}")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="leave out the slowest official cases")
    quick = parser.parse_args().quick
    warnings.simplefilter("ignore")
    side_by_side_cases = [
        ("10,000 short texts, one by one", pairs(10_000), 10),
        ("invoice of 30 lines, 6 keys", invoice(30), 100),
        ("lists in lists, fan-out 3, depth 3", nested(3, 3), 1),
        ("list of 100 texts", flat(100), 50),
    ]
    if not quick:
        side_by_side_cases += [
            ("lists in lists, fan-out 3, depth 4", nested(3, 4), 100),
            ("list of 200 texts", flat(200), 50),
        ]
    scoring.scorer("anls@1:anls_star").score(["a", "b"] * 50, ["b", "a"] * 50)  # imports and caches
    print(f"{'':34} {'anls_star':>10} {'scoring':>10} {'ratio':>9} {'target':>7}  worst difference")
    for name, data, target in side_by_side_cases:
        side_by_side(name, data, target)
    side_by_side("20 records of 40 keys in batch", wide(40), 40, in_batch=True)
    side_by_side("10,000 short texts in batch", pairs(10_000), 30, in_batch=True)
    bare_loop(10_000, 17)
    growth()


if __name__ == "__main__":
    main()
