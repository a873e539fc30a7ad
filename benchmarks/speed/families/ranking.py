"""Rankings, tags, preferences and bootstraps beside the libraries that are used for them."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.speed.row import Call, Peer, Row, by_hand, column, drawn, evaluated, records, task

FIGURES = ("ndcg", "mrr", "map", "recall", "precision")
SIDES = [f"m{number}" for number in range(50)]
Runs = tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]


def retrieved(chance: random.Random, place: int) -> dict[str, Any]:
    """A hundred documents in order, five to fifteen of which are relevant."""
    found = [f"d{number}" for number in chance.sample(range(1_000), 100)]
    wanted = [*chance.sample(found, chance.randint(3, 8)), *(f"e{number}" for number in range(chance.randint(2, 7)))]
    return {"id": f"q{place}", "retrieved": found, "relevant": {one: chance.randint(1, 3) for one in wanted}}


def runs(folder: Path) -> Runs:
    """What is relevant and what was found, as the peers take them."""
    rows = records(folder)
    found = {row["id"]: {one: 1.0 - place / 200 for place, one in enumerate(row["retrieved"])} for row in rows}
    return {row["id"]: row["relevant"] for row in rows}, found


def pytrec_eval() -> Call:
    """One call of trec_eval for all figures."""

    def ready(folder: Path) -> Callable[[], Any]:
        import pytrec_eval

        names = ("ndcg_cut_10", "recip_rank", "map", "recall_10", "P_10")
        wanted, found = runs(folder)

        def work() -> list[float]:
            each = pytrec_eval.RelevanceEvaluator(wanted, set(names)).evaluate(found).values()
            return [sum(one[name] for one in each) / len(each) for name in names]

        return work

    return Call(ready)


def ir_measures() -> Call:
    """Its measures over both mappings."""

    def ready(folder: Path) -> Callable[[], Any]:
        from ir_measures import AP, RR, P, R, calc_aggregate, nDCG

        names = (nDCG @ 10, RR, AP, R @ 10, P @ 10)
        wanted, found = runs(folder)

        def work() -> list[float]:
            figures = calc_aggregate(names, wanted, found)
            return [figures[name] for name in names]

        return work

    return Call(ready)


def ranx() -> Call:
    """Its figures, the conversion of mappings included; compiled before."""

    def ready(folder: Path) -> Callable[[], Any]:
        from ranx import Qrels, Run, evaluate

        names = ["ndcg@10", "mrr", "map", "recall@10", "precision@10"]
        wanted, found = runs(folder)

        def work() -> list[float]:
            figures = evaluate(Qrels(wanted), Run(found), names)
            return [float(figures[name]) for name in names]

        return work

    return Call(ready)


def tagged(chance: random.Random, place: int) -> dict[str, Any]:
    """A sentence of 25 tags, some wrong."""
    gold: list[str] = []
    while len(gold) < 25:
        kind = chance.choice(("PER", "LOC", "ORG", "MISC"))
        gold += ["O"] * chance.randint(1, 5) + [f"B-{kind}"] + [f"I-{kind}"] * chance.randint(0, 2)
    answer = [tag if chance.random() < 0.93 else chance.choice(("O", "B-PER", "B-LOC")) for tag in gold]
    return {"id": str(place), "tokens": ["x"] * len(gold), "response": answer, "reference": gold}


def seqeval() -> Call:
    """Its F1, precision and recall, as a user calls them."""

    def ready(folder: Path) -> Callable[[], Any]:
        from seqeval.metrics import f1_score, precision_score, recall_score

        answers, golds = column(folder, "response"), column(folder, "reference")
        return lambda: [score(golds, answers) for score in (f1_score, precision_score, recall_score)]

    return Call(ready, lambda figures: [float(one) for one in figures])


def battle(chance: random.Random, place: int) -> dict[str, Any]:
    """Two sides, the stronger of which wins more often; the first battles make a ring, so that all are connected."""
    one, other = chance.sample(range(len(SIDES)), 2)
    wins = chance.random() < 1 / (1 + 10 ** ((other - one) / 25))
    if place < len(SIDES):
        one, other, wins = place, (place + 1) % len(SIDES), True
    return {
        "id": place, "model_a": SIDES[one], "model_b": SIDES[other], "winner": "model_a" if wins else "model_b",
        "turn": "",
    }  # fmt: skip


ARENA = task(
    "arena", score='if(record.winner == "model_a", 1, 0)',
    metrics=['bradley_terry(first="model_a", second="model_b")'],
)  # fmt: skip


def choix() -> Call:
    """Ratings alone, without intervals, on the scale of Elo."""

    def ready(folder: Path) -> Callable[[], Any]:
        from math import log

        import choix

        place = {side: number for number, side in enumerate(SIDES)}
        pairs = [
            (place[a], place[b]) if row["winner"] == "model_a" else (place[b], place[a])
            for row in records(folder)
            for a, b in [(row["model_a"], row["model_b"])]
        ]

        def work() -> list[float]:
            ratings = choix.ilsr_pairwise(len(SIDES), pairs, alpha=0.0, max_iter=10_000)
            return [float(ratings.max() - ratings.min()) * 400 / log(10)]

        return work

    return Call(ready)


def number(chance: random.Random, place: int) -> dict[str, Any]:
    """A score from 0 to 1."""
    return {"id": str(place), "response": "", "reference": "", "value": chance.betavariate(2, 1)}


def bootstrap(method: str) -> Call:
    """Ours: 2,000 draws of the mean."""
    return evaluated(task("draws", score="record.value", metrics=["mean"], intervals={"method": method}))


def scipy(method: str) -> Call:
    """The same with scipy."""

    def ready(folder: Path) -> Callable[[], Any]:
        import numpy as np
        from scipy.stats import bootstrap as draws

        sample = np.array(column(folder, "value"))

        def work() -> list[float]:
            found = draws((sample,), np.mean, n_resamples=2_000, method=method, batch=100, rng=1)
            assert found.confidence_interval.low < sample.mean()
            return [float(sample.mean())]

        return work

    return Call(ready)


def retrieval_by_hand() -> Callable[[list[dict[str, Any]]], list[float]]:
    """The five figures, a question at a time."""
    from math import log2

    discounts = [1 / log2(place + 2) for place in range(10)]

    def means(rows: list[dict[str, Any]]) -> list[float]:
        ndcg = reciprocal = precise = recall = precision = 0.0
        for row in rows:
            wanted = row["relevant"]
            places = [place for place, one in enumerate(row["retrieved"]) if one in wanted]
            best = sorted(wanted.values(), reverse=True)[:10]
            early = [place for place in places if place < 10]
            gained = sum([wanted[row["retrieved"][place]] * discounts[place] for place in early])
            ndcg += gained / sum([gain * discount for gain, discount in zip(best, discounts, strict=False)])
            reciprocal += 1 / (places[0] + 1)
            precise += sum([count / (place + 1) for count, place in enumerate(places, start=1)]) / len(wanted)
            recall += len(early) / len(wanted)
            precision += len(early) / 10
        return [figure / len(rows) for figure in (ndcg, reciprocal, precise, recall, precision)]

    return means


def draws_by_hand(*, corrected: bool) -> Callable[[], Callable[[list[dict[str, Any]]], list[float]]]:
    """The mean and the limits that 2,000 draws of all records give it, corrected for bias and skewness or not."""

    def ready() -> Callable[[list[dict[str, Any]]], list[float]]:
        import numpy as np
        from scipy.special import ndtr, ndtri

        def limits(rows: list[dict[str, Any]]) -> list[float]:
            sample = np.array([row["value"] for row in rows])
            size, mean, means = len(sample), sample.mean(), []
            generator = np.random.Generator(np.random.SFC64(1))
            for _ in range(20):
                places = generator.integers(0, size, (100, size), np.uint16)
                means.append(sample[places].mean(axis=1))
            found, levels = np.concatenate(means), np.array([0.025, 0.975])
            if corrected:
                off = mean - sample  # a mean without one record lies as far off, but for a factor
                skew = (off**3).sum() / 6 / (off**2).sum() ** 1.5
                bias = ndtri((found < mean).mean())
                both = bias + ndtri(levels)
                levels = ndtr(bias + both / (1 - skew * both))
            low, high = np.quantile(found, levels)
            assert low < mean < high
            return [float(mean)]

        return limits

    return ready


def drawn_again(name: str, ours: str, theirs: str) -> Row:
    """A bootstrap; limits depend on the draws, so the mean alone is compared."""
    return Row(
        f"ranking/{name}", f"mean of 5,000 with 2,000 draws, `{ours}`", 5_000, drawn(number), bootstrap(ours),
        (
            Peer("scipy", scipy(theirs), 1, needs=("scipy",)),
            by_hand(draws_by_hand(corrected=name == "bca"), None, "numpy"),
        ),
    )  # fmt: skip


ROWS = [
    Row(
        "ranking/retrieval", "cookbook/retrieval, 1,000 questions, 100 documents each", 1_000, drawn(retrieved),
        evaluated("cookbook/retrieval.yaml", *FIGURES),
        (
            Peer("pytrec_eval", pytrec_eval(), None, needs=("pytrec_eval-terrier",)),
            Peer("ir_measures", ir_measures(), 1, needs=("ir_measures",)),
            Peer("ranx", ranx(), 1, needs=("ranx",), compares=False),
            by_hand(retrieval_by_hand),
        ),
        tolerance=1e-6,
    ),
    Row(
        "ranking/tags", "cookbook/conll, 2,000 sentences of 25 tags", 2_000, drawn(tagged),
        evaluated("cookbook/conll.yaml"), (Peer("seqeval", seqeval(), 1, needs=("seqeval",)),),
    ),
    Row(
        "ranking/bradley-terry", "50,000 battles of 50 sides, ratings with intervals", 50_000, drawn(battle),
        evaluated(ARENA), (Peer("choix without intervals", choix(), None, needs=("choix",)),), tolerance=1e-4,
        few=2_000,
    ),
    drawn_again("percentile", "percentile", "percentile"),
    drawn_again("bca", "bca", "BCa"),
]  # fmt: skip
