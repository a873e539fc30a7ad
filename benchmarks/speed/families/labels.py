"""Labels, groups and formulas over columns, beside scikit-learn, pandas and polars, which get their columns ready."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable
from itertools import compress
from operator import eq, itemgetter
from pathlib import Path
from typing import Any

from benchmarks.speed.row import Call, Peer, Row, by_hand, column, drawn, evaluated, records, task

LABELS = [f"c{number}" for number in range(10)]
SKLEARN, PANDAS, POLARS = ("scikit-learn",), ("pandas",), ("polars",)
GROUPED = "mean(per(record.group, min(score)))"


def labelled(chance: random.Random, place: int) -> dict[str, Any]:
    """A label, mostly right; eight records are one group, and a confidence stands beside."""
    gold = chance.choice(LABELS)
    answer = gold if chance.random() < 0.6 else chance.choice(LABELS)
    sure = chance.betavariate(3, 2) if answer == gold else chance.betavariate(2, 3)
    return {
        "id": str(place), "response": answer, "reference": gold, "group": f"g{place // 8}", "sure": sure,
        "kind": LABELS[place % 10],
    }  # fmt: skip


def of(name: str, metric: str, **more: Any) -> Call:
    """Ours: one metric over labels that are compared as they are, its interval included."""
    return evaluated(task("labels", score="equal", metrics=[{name: metric}], **more))


def sklearn(score: Callable[[Any], Callable[[Any, Any], float]]) -> Call:
    """A function of scikit-learn over two arrays."""

    def ready(folder: Path) -> Callable[[], Any]:
        import numpy as np
        from sklearn import metrics

        function = score(metrics)
        golds, answers = np.array(column(folder, "reference")), np.array(column(folder, "response"))
        return lambda: function(golds, answers)

    return Call(ready, lambda value: [float(value)])


def sklearn_area() -> Call:
    """The area under the ROC curve of a confidence."""

    def ready(folder: Path) -> Callable[[], Any]:
        import numpy as np
        from sklearn.metrics import roc_auc_score

        rows = records(folder)
        right = np.array([row["response"] == row["reference"] for row in rows])
        sure = np.array([row["sure"] for row in rows])
        return lambda: roc_auc_score(right, sure)

    return Call(ready, lambda value: [float(value)])


def pandas(work: Callable[[Any], Any]) -> Call:
    """Work on a data frame."""

    def ready(folder: Path) -> Callable[[], Any]:
        import pandas

        frame = pandas.DataFrame(records(folder))
        return lambda: work(frame)

    return Call(ready, lambda value: [float(value)])


def polars(work: Callable[[Any], Any]) -> Call:
    """The same on a frame of polars."""

    def ready(folder: Path) -> Callable[[], Any]:
        import polars

        frame = polars.DataFrame(records(folder))
        return lambda: work(frame)

    return Call(ready, lambda value: [float(value)])


def right_of(rows: list[dict[str, Any]]) -> list[bool]:
    """Whether each answer is right."""
    return list(map(eq, map(itemgetter("response"), rows), map(itemgetter("reference"), rows)))


def counted(rows: list[dict[str, Any]]) -> tuple[Counter[tuple[str, str]], Counter[str], Counter[str]]:
    """How often each pair of labels, each answer and each reference occur."""
    pairs = Counter(zip(map(itemgetter("response"), rows), map(itemgetter("reference"), rows), strict=True))
    answers, golds = Counter[str](), Counter[str]()
    for (answer, gold), count in pairs.items():
        answers[answer] += count
        golds[gold] += count
    return pairs, answers, golds


def f1_by_hand(rows: list[dict[str, Any]]) -> list[float]:
    """The mean F1 of all labels."""
    pairs, answers, golds = counted(rows)
    labels = {*answers, *golds}
    return [sum(2 * pairs[label, label] / (answers[label] + golds[label]) for label in labels) / len(labels)]


def kappa_by_hand(rows: list[dict[str, Any]]) -> list[float]:
    """Cohen's kappa."""
    pairs, answers, golds = counted(rows)
    right = sum(pairs[label, label] for label in golds) / len(rows)
    chance = sum(answers[label] * golds[label] for label in golds) / len(rows) ** 2
    return [(right - chance) / (1 - chance)]


def matthews_by_hand(rows: list[dict[str, Any]]) -> list[float]:
    """Matthews' correlation of many labels."""
    pairs, answers, golds = counted(rows)
    size, right = len(rows) ** 2, sum(pairs[label, label] for label in golds)
    both = right * len(rows) - sum(answers[label] * golds[label] for label in golds)
    spread = [size - sum(count * count for count in side.values()) for side in (answers, golds)]
    return [both / math.sqrt(spread[0] * spread[1])]


def area_by_hand() -> Callable[[list[dict[str, Any]]], list[float]]:
    """The area under the ROC curve, of confidences that all differ: the mean rank of what is right."""
    import numpy as np

    def area(rows: list[dict[str, Any]]) -> list[float]:
        right = np.array(right_of(rows))
        order = np.fromiter(map(itemgetter("sure"), rows), float, len(rows)).argsort()
        ranks, hits = np.flatnonzero(right[order]), int(right.sum())
        return [float((ranks.sum() - hits * (hits - 1) / 2) / hits / (len(rows) - hits))]

    return area


def groups_by_hand(rows: list[dict[str, Any]]) -> list[float]:
    """The share of groups in which all are right."""
    found: dict[str, bool] = {}
    for group, is_right in zip(map(itemgetter("group"), rows), right_of(rows), strict=True):
        found[group] = found.get(group, True) and is_right
    return [sum(found.values()) / len(found)]


def kinds_by_hand(rows: list[dict[str, Any]]) -> list[float]:
    """The mean of each kind; the figure is that of all."""
    right = right_of(rows)
    totals, hits = Counter(map(itemgetter("kind"), rows)), Counter(compress(map(itemgetter("kind"), rows), right))
    means = {kind: hits[kind] / total for kind, total in totals.items()}
    return [sum(right) / len(right) if means else 0.0]


def grouped_pandas(frame: Any) -> float:
    """The share of groups in which all are right."""
    right = frame["response"] == frame["reference"]
    value: float = right.groupby(frame["group"]).min().mean()
    return value


def grouped_polars(frame: Any) -> float:
    """The same."""
    import polars

    found = frame.group_by("group").agg((polars.col("response") == polars.col("reference")).min().alias("right"))
    value: float = found["right"].mean()
    return value


def by_pandas(frame: Any) -> float:
    """The mean of each kind; the figure is that of all."""
    right = frame["response"] == frame["reference"]
    right.groupby(frame["kind"]).mean()
    return float(right.mean())


def by_polars(frame: Any) -> float:
    """The same."""
    import polars

    right = (polars.col("response") == polars.col("reference")).mean().alias("right")
    frame.group_by("kind").agg(right)
    value: float = frame.select(right)["right"][0]
    return value


def beside_sklearn(name: str, ours: Call, peer: Call, *floors: Peer) -> Row:
    """A figure of 100,000 labels."""
    return Row(
        f"labels/{name}", f"{name} of 100,000 labels, `task.evaluate`", 100_000, drawn(labelled), ours,
        (Peer("scikit-learn", peer, 0.5, needs=SKLEARN), *floors),
    )  # fmt: skip


def beside_frames(
    name: str, work: str, ours: Call, floor: Peer, one: Callable[[Any], Any], other: Callable[[Any], Any]
) -> Row:
    """Groups of 100,000 records."""
    return Row(
        f"labels/{name}", work, 100_000, drawn(labelled), ours,
        (Peer("pandas", pandas(one), 0.5, needs=PANDAS), Peer("polars", polars(other), 0.5, needs=POLARS), floor),
    )  # fmt: skip


ROWS = [
    beside_sklearn(
        "macro-f1", of("f1", "f1"), sklearn(lambda m: lambda a, b: m.f1_score(a, b, average="macro")),
        by_hand(lambda: f1_by_hand),
    ),
    beside_sklearn(
        "kappa", of("kappa", 'cohen_kappa(first="response", second="reference")'),
        sklearn(lambda m: m.cohen_kappa_score), by_hand(lambda: kappa_by_hand),
    ),
    beside_sklearn(
        "matthews", of("matthews", "matthews"), sklearn(lambda m: m.matthews_corrcoef),
        by_hand(lambda: matthews_by_hand),
    ),
    beside_sklearn(
        "roc-auc", of("area", 'roc_auc(confidence="sure")'), sklearn_area(), by_hand(area_by_hand, None, "numpy")
    ),
    beside_frames(
        "groups", "all right in groups of 8, 100,000 records, `task.evaluate`", of("all", GROUPED),
        by_hand(lambda: groups_by_hand), grouped_pandas, grouped_polars,
    ),
    beside_frames(
        "by", "mean by 10 kinds, 100,000 records, `task.evaluate`", of("mean", "mean", by=["kind"]),
        by_hand(lambda: kinds_by_hand), by_pandas, by_polars,
    ),
]  # fmt: skip
