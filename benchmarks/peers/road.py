"""The floor of the general road: read with orjson, clean in columns, compare with rapidfuzz; prints the figures.

python benchmarks/peers/road.py {short,written,five,invoices,tree,suite} RECORDS
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

import orjson
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cpdist

similarity = Levenshtein.normalized_similarity


def rows(path: str) -> Iterator[Any]:
    """The records."""
    with open(path, "rb") as lines:
        yield from map(orjson.loads, lines)


def plain(value: str) -> str:
    """Lower case, single spaces."""
    return " ".join(value.lower().split())


def close(one: Any, other: Any, least: float) -> float:
    """The similarity of two texts, 0 where it is less than a limit."""
    score = similarity(str(one).casefold(), str(other).casefold())
    return score if score >= least else 0.0


def short(path: str) -> list[float]:
    """Exact match, and the similarity where the distance is less than a half."""
    answers, golds = [], []
    for row in rows(path):
        answers.append(plain(row["response"]))
        golds.append(plain(row["reference"]))
    near = cpdist(answers, golds, scorer=similarity, workers=1).tolist()
    exact = sum(one == other for one, other in zip(answers, golds, strict=True)) / len(golds)
    return [(exact + sum(score if score > 0.5 else 0.0 for score in near) / len(golds)) / 2, exact]


def written(path: str) -> list[float]:
    """The same, and a line with the scores of each record in a file beside it."""
    ids, answers, golds = [], [], []
    for row in rows(path):
        ids.append(row["id"])
        answers.append(plain(row["response"]))
        golds.append(plain(row["reference"]))
    near = cpdist(answers, golds, scorer=similarity, workers=1).tolist()
    exact = all_of_it = 0.0
    with open(f"{path}.scores", "wb") as file:
        for one, answer, gold, score in zip(ids, answers, golds, near, strict=True):
            fields = {"exact": float(answer == gold), "near": score if score > 0.5 else 0.0}
            exact += fields["exact"]
            all_of_it += (mean := sum(fields.values()) / 2)
            line = {"id": one, "score": mean, "fields": fields}
            file.write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
    return [all_of_it / len(golds), exact / len(golds)]


def five(path: str) -> list[float]:
    """The mean similarity of five texts."""
    answers, golds = [], []
    for row in rows(path):
        answer, gold = orjson.loads(row["response"]), row["reference"]
        for key in "abcde":
            answers.append(plain(answer[key]))
            golds.append(plain(gold[key]))
    return [sum(cpdist(answers, golds, scorer=similarity, workers=1).tolist()) / len(golds)]


def invoices(path: str) -> list[float]:
    """The mean of vendor, total (twice) and lines, which are paired as well as can be."""
    from scipy.optimize import linear_sum_assignment

    def line(one: dict[str, str], other: dict[str, str]) -> float:
        return sum(close(one[key], wanted, 0.5) for key, wanted in other.items()) / len(other)

    scores = []
    for row in rows(path):
        found, gold = orjson.loads(row["response"]), row["reference"]
        table = [[line(one, other) for other in gold["lines"]] for one in found["lines"]]
        pairs = zip(*(side.tolist() for side in linear_sum_assignment(table, maximize=True)), strict=True)
        lines = sum(table[one][other] for one, other in pairs) / max(len(found["lines"]), len(gold["lines"]))
        total = float(abs(found["total"] - gold["total"]) <= 0.01 * abs(gold["total"]))
        scores.append((close(found["vendor"], gold["vendor"], 0.8) + 2 * total + lines) / 4)
    return [sum(scores) / len(scores)]


def tree(path: str) -> list[float]:
    """The mean over a tree's texts; lists are paired in order, which is less work than ANLS* has."""

    def leaves(one: Any, other: Any) -> Iterator[float]:
        if isinstance(other, dict):
            for key, wanted in other.items():
                yield from leaves(one[key], wanted)
        elif isinstance(other, list):
            for found, wanted in zip(one, other, strict=True):
                yield from leaves(found, wanted)
        else:
            score = similarity(plain(one), plain(other))
            yield score if score >= 0.5 else 0.0

    scores = [list(leaves(orjson.loads(row["response"]), row["reference"])) for row in rows(path)]
    return [sum(sum(one) / len(one) for one in scores) / len(scores)]


def suite(path: str) -> list[float]:
    """The mean of the tasks' means, and that of all records."""
    tasks: dict[str, list[float]] = {}
    for row in rows(path):
        answer, gold = orjson.loads(row["response"]), row["reference"]
        score = sum(similarity(plain(answer[key]), plain(wanted)) for key, wanted in gold.items()) / len(gold)
        tasks.setdefault(row["task"], []).append(score)
    means, scores = [sum(one) / len(one) for one in tasks.values()], [score for one in tasks.values() for score in one]
    return [sum(means) / len(means), sum(scores) / len(scores)]


KINDS: dict[str, Callable[[str], list[float]]] = {
    "short": short, "written": written, "five": five, "invoices": invoices, "tree": tree, "suite": suite,
}  # fmt: skip

if __name__ == "__main__":
    print(json.dumps(KINDS[sys.argv[1]](sys.argv[2])))
