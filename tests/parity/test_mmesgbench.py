"""MMESGBench against the golden vectors, the document's own examples, and our own sample."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.metrics.answerable import generalised_accuracy, generalised_f1
from scoring.metrics.mmesgbench import (
    mmesgbench_hit,
    mmesgbench_ndcg,
    mmesgbench_precision,
    mmesgbench_recall,
    mmesgbench_retrieval_f1,
)
from scoring.metrics.rows import Rows
from tests.support.golden import read_jsonl, require_golden

SAMPLE = Path(__file__).parent / "data" / "mmesgbench.jsonl"
PACKS = {"documented": "mmesgbench@1", "upstream": "mmesgbench-upstream@1"}
BY_FORMAT = {"Int": "int", "Float": "float", "Str": "str", "None": "none"}


def wrong_score(outcome: Any, row: dict[str, Any], profile: str) -> bool:
    """Whether an outcome is not the row's; a row with `safe` is held to that."""
    expected = row.get("safe", row)
    if expected["error"]:
        return bool(outcome.status != "unscored")
    return outcome.value is None or abs(outcome.value - expected[profile]) > 1e-9


@pytest.mark.parametrize("profile", PACKS)
def test_every_answer(profile: str) -> None:
    switch = scoring.scorer(f"{PACKS[profile]}:answer")
    single = {name: scoring.scorer(f"{PACKS[profile]}:{name}") for name in ("int", "float", "str", "list", "none")}
    checked, wrong = 0, []
    for row in read_jsonl(require_golden("mmesgbench/answers.jsonl")):
        prediction, reference, kind = row["prediction"], row["reference"], row["answer_type"]
        outcomes = [
            switch.score(prediction, reference, record={"answer_format": kind}),
            single[BY_FORMAT.get(kind, "list")].score(prediction, reference),
        ]
        checked += 1
        wrong += [(row["id"], outcome, row) for outcome in outcomes if wrong_score(outcome, row, profile)]
    assert not wrong[:5]
    assert checked == 2452


def test_the_documents_own_examples_as_computed() -> None:
    examples = json.loads(require_golden("mmesgbench/document_examples.json").read_text(encoding="utf-8"))["examples"]
    for row in examples:
        for profile, pack in PACKS.items():
            scorer = scoring.scorer(f"{pack}:answer")
            found = scorer.score(row["prediction"], row["reference"], record={"answer_format": row["answer_type"]})
            assert found.value == pytest.approx(row["computed"][profile], abs=1e-9), row["id"]
    assert len(examples) == 13


@pytest.fixture(scope="module")
def records() -> list[dict[str, Any]]:
    samples = json.loads(require_golden("mmesgbench/samples.json").read_text(encoding="utf-8"))
    run = list(read_jsonl(require_golden("mmesgbench/run.jsonl")))
    return [{**sample, **row} for sample, row in zip(samples, run, strict=True)]


@pytest.mark.parametrize("profile", PACKS)
def test_every_figure_of_the_run_from_its_scores(records: list[dict[str, Any]], profile: str) -> None:
    expected = json.loads(require_golden("mmesgbench/run_expected.json").read_text(encoding="utf-8"))
    for part, size in (("profiles", 933), ("partial_first_500", 500)):
        rows = _rows(records[:size], profile)
        figures = expected[part][profile]
        assert generalised_accuracy(rows).value() == pytest.approx(figures["overall_acc"], abs=1e-9)
        found = generalised_f1(rows, prediction="pred", reference="answer").value()
        assert found == pytest.approx(figures["overall_f1"], abs=1e-9)


def test_the_retrieval_figures(records: list[dict[str, Any]]) -> None:
    expected = json.loads(require_golden("mmesgbench/run_expected.json").read_text(encoding="utf-8"))["retrieval"]
    rows = _rows(records, "documented")
    assert mmesgbench_hit(rows).count == expected["total"]
    figures = {f"hit_at_{k}": mmesgbench_hit(rows, k=k) for k in (1, 3, 4)} | {
        "precision": mmesgbench_precision(rows),
        "recall": mmesgbench_recall(rows),
        "f1": mmesgbench_retrieval_f1(rows),
        "ndcg_at_4": mmesgbench_ndcg(rows),
    }
    for name, statistic in figures.items():
        assert statistic.value() == pytest.approx(expected[name], abs=1e-9), name


def _rows(records: list[dict[str, Any]], profile: str) -> Rows:
    count = len(records)
    scores = [record[profile] for record in records]
    return Rows(list(range(count)), scores, ["scored"] * count, [1.0] * count, [None] * count, records=records)


def test_our_own_sample() -> None:
    rows = [json.loads(line) for line in SAMPLE.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        for profile, pack in PACKS.items():
            found = scoring.scorer(f"{pack}:answer")
            outcome = found.score(row["prediction"], row["reference"], record={"answer_format": row["answer_format"]})
            if row[profile] is None:
                assert outcome.status == "unscored", row
            else:
                assert outcome.value == pytest.approx(row[profile], abs=1e-9), row
    assert len(rows) >= 30
