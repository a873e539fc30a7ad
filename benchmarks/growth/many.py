"""Measure what many fields, definitions, records and data cost: specs and files that grow, where no text does."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import scoring
from benchmarks.growth.measure import Call, Cost, Growth, grown
from benchmarks.growth.subjects import listed
from benchmarks.speed.measure import measured, prepared, run
from benchmarks.speed.row import scored, task, write_lines
from benchmarks.speed.table import ROWS

FIELDS = (25, 50, 100, 200, 400)
DEFINITIONS = (500, 1_000, 2_000, 5_000)
# The least is what a start costs.
RECORDS = (100, 10_000, 100_000, 1_000_000, 10_000_000)
ITEMS = (100, 1_000, 10_000, 100_000)
IMAGES = (250, 1_000, 4_000)


class Most(NamedTuple):
    """The greatest size of everything but runs, that of runs, and the metrics that are measured already."""

    size: int
    records: int
    known: frozenset[str] = frozenset()

    def of(self, sizes: Sequence[int]) -> tuple[int, ...]:
        """Return the sizes that are not too great."""
        return tuple(size for size in sizes if size <= self.size) or tuple(sizes[:1])


STEPS = "strip | lower | levenshtein"
WORDS = ("red", "green", "blue", "a red one", "the blue one", "none of them")

NUMBERS = 'prediction="number", reference="right"'
METRICS = {
    "average_precision": 'confidence="sure"', "roc_auc": 'confidence="sure"', "brier": 'confidence="sure"',
    "ece": 'confidence="sure"', "best_of_k": 'k=2, question="question"', "mean_of_k": 'question="question"',
    "pass_at_k": 'k=2, question="question"', "bradley_terry": 'first="first", second="second"',
    "elo": 'first="first", second="second", order="place"', "cohen_kappa": 'first="response", second="reference"',
    "pearson": 'other="number"', "spearman": 'other="number"', "kendall": 'other="number"',
    "length_controlled_win_rate": 'length="number", other_length="right"',
    "rmse": NUMBERS, "mae": NUMBERS, "r_squared": NUMBERS,
    "hit_at_k": "k=3", "recall_at_k": "k=3", "precision_at_k": "k=3", "f1_at_k": "k=3", "ndcg": "k=3",
}  # fmt: skip
OF_SUITES = ("macro", "micro")
# Rows of `python -m benchmarks` whose data are images, or labels with their scores.
DATA_SETS = {"images/coco-boxes": IMAGES, "images/coco-masks": IMAGES[:2],
             "images/roc-auc": ITEMS, "images/report": ITEMS}  # fmt: skip


def fields(most: Most) -> Iterator[Growth]:
    """Yield what a spec of many fields costs: to check it, to load it, and to score a record, by each aggregator."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "task.json")

        def spec(count: int, aggregate: str = "mean") -> dict[str, Any]:
            names = [f"f{place}" for place in range(count)]
            return task("wide", parse="json", fields=dict.fromkeys(names, STEPS), aggregate=aggregate)

        def checked(count: int) -> Call:
            path.write_text(json.dumps(spec(count)))
            return partial(scoring.check, path)

        def chained(count: int) -> Call:
            formulas = {f"f{place + 1}": {"formula": f"f{place} + f{place}"} for place in range(count - 1)}
            return partial(scoring.load, task("wide", parse="json", fields={"f0": STEPS, **formulas}, aggregate="mean"))

        def scores(aggregate: str, count: int) -> Call:
            loaded = scoring.load(spec(count, aggregate))
            reference = {f"f{place}": f"word {place}" for place in range(count)}
            record = {"response": json.dumps({name: f"{text}s" for name, text in reference.items()})}
            return partial(loaded.score, {**record, "reference": reference})

        yield grown("`scoring.check` of a spec", "fields", most.of(FIELDS), checked)
        yield grown(
            "`scoring.load` of a spec", "fields", most.of(FIELDS), lambda count: partial(scoring.load, spec(count))
        )
        yield grown("`scoring.load`, each field a formula of the one before", "fields", most.of(FIELDS), chained)
        for one in listed("aggregator"):
            name = f"`task.score` of a record, `aggregate: {one['name']}`"
            yield grown(name, "fields", most.of(FIELDS), partial(scores, one["name"]))


def definitions(most: Most) -> Iterator[Growth]:
    """Yield what a pack of many definitions costs: to check it, and to load a task that uses one of them."""
    with tempfile.TemporaryDirectory() as folder:
        pack, used = Path(folder, "pack.yaml"), Path(folder, "task.yaml")
        used.write_text("kind: task\nname: t\nversion: 1.0.0\nimports: {p: ./pack.yaml}\nscore: p.d7\n")

        def written(count: int, uses: bool = False) -> None:
            lines = [f"  d{place}: {STEPS}" for place in range(count)]
            if uses:
                lines[10:] = [f"  d{place}: strip | lower | d{place % 10}" for place in range(10, count)]
            pack.write_text("\n".join(["kind: pack", "name: p", "version: 1.0.0", "scorers:", *lines, ""]))

        def check(uses: bool, count: int) -> Call:
            written(count, uses)
            return partial(scoring.check, pack)

        def load(count: int) -> Call:
            written(count)
            return partial(scoring.load, used)

        yield grown(
            "`scoring.check` of a pack, three steps each", "definitions", most.of(DEFINITIONS), partial(check, False)
        )
        yield grown("the same, each uses one of ten others", "definitions", most.of(DEFINITIONS), partial(check, True))
        yield grown("`scoring.load` of a task that uses one", "definitions", most.of(DEFINITIONS), load)


def records(most: Most) -> Iterator[Growth]:
    """Yield what `scoring score` costs from a file of many records to the figure, with and without a run folder."""
    for name, options in (("`scoring score`", ()), ("`scoring score -o`", ("-o", "{folder}/run"))):
        costs = []
        for size in (size for size in RECORDS if size <= most.records):
            with tempfile.TemporaryDirectory() as made:
                folder = Path(made)
                spec = task("many", parse="json", fields={"answer": STEPS, "label": "equal"}, aggregate="mean")
                (folder / "task.json").write_text(json.dumps(spec))
                write_lines(folder / "records.jsonl", islice(_answers(), size))
                command = scored(*options).arguments(folder)
                costs.append(Cost(size, run(command, None, folder).cpu))
        yield Growth(name, "records", tuple(costs))


def _answers() -> Iterator[dict[str, Any]]:
    draw, place = Random(7), 0
    while True:
        reference = {"answer": draw.choice(WORDS), "label": draw.choice("abc")}
        yield {"id": str(place), "response": {**reference, "answer": draw.choice(WORDS)}, "reference": reference}
        place += 1


def metrics(most: Most) -> Iterator[Growth]:
    """Yield what each metric of records costs with its interval, `task.evaluate` of records in memory."""
    made: dict[int, list[dict[str, Any]]] = {}

    def evaluated(expression: str, count: int) -> Call:
        loaded = scoring.load(task("figures", score="equal", metrics=[expression], **_passes(expression)))
        if count not in made:
            made[count] = list(islice(_rows(), count))
        return partial(loaded.evaluate, made[count])

    for one in listed("metric"):
        if one["type"].startswith("Rows") and one["name"] not in OF_SUITES:
            given = METRICS.get(one["name"])
            expression = f"{one['name']}({given})" if given else one["name"]
            if f"`{expression}`" not in most.known:
                yield grown(f"`{expression}`", "records", most.of(ITEMS), partial(evaluated, expression))


def _passes(expression: str) -> dict[str, str]:
    return {"pass": "score > 0.5"} if expression == "pass_rate" else {}


def _rows() -> Iterator[dict[str, Any]]:
    """Yield records with what metrics read: labels, numbers, sides of a battle, pages that were found."""
    draw, place = Random(11), 0
    while True:
        right, pages = draw.random(), draw.sample(range(50), 8)
        yield {
            "id": str(place), "place": place, "question": place // 4, "response": draw.choice(WORDS),
            "reference": draw.choice(WORDS), "sure": draw.random(), "right": right,
            "number": right + draw.gauss(0, 0.2),
            "first": draw.choice("abcdefgh"), "second": draw.choice("ijklmnop"), "retrieved": pages,
            "relevant": pages[4:6], "evidence_pages": pages[4:6], "pred_page": pages,
        }  # fmt: skip
        place += 1


def data_sets(most: Most) -> Iterator[Growth]:
    """Yield what data sets of images and of labels cost, the rows of `python -m benchmarks` with other sizes."""
    for name, sizes in DATA_SETS.items():
        costs = [Cost(size, _row(name, size)) for size in most.of(sizes)]
        yield Growth(ROWS[name].work.partition(" ")[2], "images" if "coco" in name else "data", tuple(costs))


def _row(name: str, size: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        prepared(replace(ROWS[name], size=size), Path(folder), 1)
        return measured(ROWS[name], -1, Path(folder), None).cpu


MANY: dict[str, Callable[[Most], Iterator[Growth]]] = {
    "fields": fields, "packs": definitions, "metrics": metrics, "data-sets": data_sets, "records": records,
}  # fmt: skip
