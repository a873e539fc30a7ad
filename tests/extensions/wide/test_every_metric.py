"""Every metric adds up in parts, clusters included: the same bits as over the whole, and what travels is plain data."""

from __future__ import annotations

import json
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import scoring
from scoring.cli.main import main
from scoring.data.file import InputFile
from scoring.data.rows.report import InputReport
from scoring.engine.road.evaluate import Options
from scoring.engine.road.summary import RunState
from scoring.errors import InputError
from scoring.extensions.wide.cutting import cut
from scoring.extensions.wide.part import PartDone, PartScorer
from scoring.registry import registry
from scoring.registry.model import REQUIRED
from scoring.result import Unscored
from tests.support.missing_extras import skip_without

OF_SUITES = {"macro", "micro"}  # the mean and the weighted mean, where records are tasks
# What metrics ask for that have no default, and the columns that they then find something in.
GIVEN = {
    "confidence": "record.p",
    "other": "record.p",
    "first": "record.one",
    "second": "record.two",
    "order": "record.n",
    "length": "record.n",
    "other_length": "record.m",
    "k": "2",
    "language": '"java"',
}
OF_LABELS = {
    "f1", "precision", "recall", "matthews", "cider", "corpus_bleu", "corpus_chrf", "corpus_codebleu", "corpus_ter",
}  # fmt: skip
OF_NUMBERS = {"mae", "rmse", "r_squared"}
FORMULAS = [
    "spread: max(score) - min(score)",
    "ratio: sum(score) / sum(record.n)",
    "by_kind: mean(per(record.one, mean(score)))",
    "least: mean(per(record.one, min(score)))",
    "most: max(per(record.one, sum(score)))",
    "gap: mean(per(record.one, min(score))) - mean(per(record.two, max(score)))",
    "named: of_two + 2 * of_one",
    "items: items(record.parts, sum(item.x) / count()) + mean(score)",
    "macro_of_items: items(record.parts, mean(per(item.kind, mean(item.x))))",
    "pairs: pairs(record.one, mean(order(score) == order(record.n)))",
    "pairs_by_kind: mean(per(record.one, pairs(sum(order(record.p) * order(record.n)) / count())))",
    "pairs_of_all: pairs(mean(order(score, 0.1) == order(record.p)))",
    "items_by_kind: mean(per(record.one, items(record.parts, mean(per(item.kind, sum(item.x))))))",
]
# What `named` names: a record without a score counts in the first alone.
NAMED = [{"of_two": "mean(per(record.one, mean(length(record.two))))"}, {"of_one": "mean(per(record.one, min(score)))"}]


def metrics() -> dict[str, str]:
    """Every metric of rows, as a spec calls it."""
    found = {}
    for metric in registry:
        if metric.kind != "metric" or metric.inputs[0].name != "Rows" or metric.name in OF_SUITES:
            continue
        given = {one.name: GIVEN[one.name] for one in metric.params if one.default is REQUIRED}
        sides = "number" if metric.name in OF_NUMBERS else "text" if metric.name in OF_LABELS else None
        if sides is not None:
            given |= {"prediction": f"record.{sides}_given", "reference": f"record.{sides}_right"}
        if {"retrieved", "relevant"} <= {one.name for one in metric.params}:
            given |= {"retrieved": "record.found", "relevant": "record.wanted"}
        settings = ", ".join(f"{name}={value}" for name, value in given.items())
        found[metric.name] = f"{metric.name}({settings})" if settings else metric.name
    return found


METRICS = metrics()
RECORDS = [
    {
        "id": n % 30,
        "response": ["Paris", "paris", "Rome", None][n % 4],
        "reference": ["Paris", "Rome"][n % 2],
        "document": [f"d{n // 4}", None][n % 11 == 0],
        "weight": 1 + n % 3,
        "p": (n * 7 % 10) / 10,
        "n": n + 1,
        "m": n * 5 % 11 + 1,
        "one": "abc"[n % 3],
        "two": "bca"[n * n % 3],
        "text_given": ["a dog runs", "two cats sleep", "a cat"][n % 3],
        "text_right": ["a dog sleeps", "two cats sleep", "a cat runs", "birds"][n % 4],
        "number_given": n % 5,
        "number_right": n % 7 / 2,
        "found": ["x", "y", "z"][n % 3 :],
        "wanted": ["y", "z"][n % 2 :],
        "parts": [{"kind": "uvw"[k], "x": (n + 1) * 0.1 / (k + 1)} for k in range(n % 4)],
    }
    for n in range(44)
]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rows") / "data.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in RECORDS))
    return path


def task_of(metric: str, intervals: dict[str, Any]) -> scoring.Task:
    name, colon, formula = metric.partition(": ")
    spec = {"kind": "task", "name": "t", "record": {"weight": "weight"}, "score": "equal", "pass": "score == 1"}
    how: dict[str, Any] = {
        "intervals": {"resamples": 100, **intervals},
        "metrics": [{name: formula} if colon else metric],
    }
    how["metrics"] += NAMED if name == "named" else []
    return scoring.load({**spec, **how})


@pytest.mark.parametrize(
    "metric", [*METRICS.values(), *FORMULAS], ids=[*METRICS, *(one.split(":")[0] for one in FORMULAS)]
)
@pytest.mark.parametrize(
    "intervals",
    [{}, {"cluster": "document"}, {"strata": "one"}, {"strata": "one", "cluster": "id"}],
    ids=["records", "clusters", "strata", "clusters-within-strata"],
)
def test_parts_are_the_whole(metric: str, intervals: dict[str, Any], data: Path) -> None:
    task = task_of(metric, intervals)
    try:
        whole = task.evaluate(data).to_json()
    except (InputError, Unscored) as error:
        skip_without(error)
        raise
    figure = whole["metrics"][0]
    assert figure["value"] is not None, "a metric that finds nothing here proves nothing"
    assert figure["units"] > 1
    scorer = PartScorer(task.to_bytes(), Options())
    for size in (300, 1500):
        parts = [scorer(part) for part in cut(InputFile(str(data)), size)]
        assert len(parts) > 2
        stored = [replace(part, state=json.loads(json.dumps(part.state))) for part in parts]
        for order in (stored, stored[::-1]):
            done: PartDone = reduce(scorer.merge, order)
            assert RunState.unpack(task, done.state).summary(task, InputReport())["metrics"] == whole["metrics"]


def test_two_processes_and_clusters_give_the_figures_of_one(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = tmp_path / "spec.json"
    metrics = [METRICS[name] for name in ("f1", "roc_auc", "average_precision", "kendall", "cohen_kappa", "cider")]
    how = {"intervals": {"resamples": 100, "cluster": "document"}, "metrics": metrics}
    spec.write_text(json.dumps({"kind": "task", "name": "t", "score": "equal", **how}))
    # More than one process only reads for itself what is worth it.
    data = tmp_path / "more.jsonl"
    data.write_text("".join(json.dumps({**RECORDS[n % 44], "id": n}) + "\n" for n in range(5000)))
    told = []
    for ways in ([], ["--processes", "2"], ["--parts", str(tmp_path / "parts")]):
        assert main(["score", str(spec), str(data), "--json", *ways]) in (0, 3)
        told.append(json.loads(capsys.readouterr().out)["metrics"])
    assert told[0] == told[1] == told[2]
