"""MMESGBench against the golden vectors, the document's own examples, and our own sample."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.extensions.answers.metrics import generalised_accuracy, generalised_f1
from scoring.packs.mmesgbench.metrics import (
    mmesgbench_hit,
    mmesgbench_ndcg,
    mmesgbench_precision,
    mmesgbench_recall,
    mmesgbench_retrieval_f1,
)
from scoring.statistics.rows import Rows
from tests.support.golden import REPOSITORY, read_jsonl, require_golden

SAMPLE = Path(__file__).parent / "data" / "mmesgbench.jsonl"
PACKS = {"documented": "mmesgbench@1", "upstream": "mmesgbench-upstream@1"}
FAILED = ("unparsed", "unscored")  # by whose fault the released code stops, it does not tell
BY_FORMAT = {"Int": "int", "Float": "float", "Str": "str", "None": "none"}


def wrong_score(outcome: Any, row: dict[str, Any], profile: str) -> bool:
    """Whether an outcome is not the row's; a row with `safe` is held to that."""
    expected = row.get("safe", row)
    if expected["error"]:
        return outcome.status not in FAILED
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
                assert outcome.status in FAILED, row
            else:
                assert outcome.value == pytest.approx(row[profile], abs=1e-9), row
    assert len(rows) >= 30


def run_command(*arguments: str) -> dict[str, Any]:
    """`scoring score … --json` as a user would run it."""
    done = subprocess.run(
        [sys.executable, "-m", "scoring", "score", *arguments, "--json"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    summary: dict[str, Any] = json.loads(done.stdout)
    return summary


def figure(table: list[dict[str, Any]], name: str) -> float:
    """The value of a metric by the start of its text."""
    return next(row["value"] for row in table if row["metric"].startswith(name)) or 0.0


def check_figures(summary: dict[str, Any], expected: dict[str, Any]) -> None:
    """Every figure of one profile; a group in which nothing was scored has no mean, which the benchmark prints as 0."""
    near = pytest.approx
    assert figure(summary["metrics"], "mean") == near(expected["overall_acc"], abs=1e-9)
    assert figure(summary["metrics"], "generalised_f1") == near(expected["overall_f1"], abs=1e-9)
    assert figure(summary["metrics"], "accuracy") == near(expected["fraction_score_ge_0.5"], abs=1e-9)
    assert summary["counts"]["records"] == expected["n"]
    for attribute, key in (("evidence_source", "by_evidence_source"), ("doc_type", "by_document_type")):
        groups = {row["group"]: row for row in summary["by"][attribute] if row["group"] is not None}
        assert groups.keys() == expected[key].keys()
        for name, figures in expected[key].items():
            assert figure(groups[name]["metrics"], "mean") == near(figures["acc"], abs=1e-9), name
            assert groups[name]["counts"]["records"] == figures["n"], name
    spans = {row["group"]: row for row in summary["by"]["evidence_span"]}
    for name in ("single_page", "cross_page", "unanswerable"):
        assert figure(spans[name]["metrics"], "mean") == near(expected[name]["acc"], abs=1e-9), name
        assert spans[name]["counts"]["records"] == expected[name]["n"], name


@pytest.mark.parametrize("profile", PACKS)
def test_the_command_gives_every_expected_figure(records: list[dict[str, Any]], profile: str, tmp_path: Path) -> None:
    expected = json.loads(require_golden("mmesgbench/run_expected.json").read_text(encoding="utf-8"))
    samples = json.loads(require_golden("mmesgbench/samples.json").read_text(encoding="utf-8"))
    references, predictions = tmp_path / "samples.jsonl", tmp_path / "first_500.jsonl"
    references.write_text("".join(json.dumps({**row, "index": i}) + "\n" for i, row in enumerate(samples)))
    keys = ("index", "pred", "pred_page")
    rows = [{key: record[key] for key in keys} for record in records]
    predictions.write_text("".join(json.dumps(row) + "\n" for row in rows[:500]))
    run = require_golden("mmesgbench/run.jsonl")
    spec = str(REPOSITORY / "specs" / PACKS[profile].partition("@")[0] / "task.yaml")

    summary = run_command(spec, str(run), "--references", str(references))
    check_figures(summary, expected["profiles"][profile])
    retrieval = expected["retrieval"]
    by_name = {
        "mmesgbench/hit(k=1)": "hit_at_1", "mmesgbench/hit(k=3)": "hit_at_3", "mmesgbench/hit(k=4)": "hit_at_4",
        "mmesgbench/precision": "precision", "mmesgbench/recall": "recall", "mmesgbench/retrieval_f1": "f1",
        "mmesgbench/ndcg": "ndcg_at_4",
    }  # fmt: skip
    for name, key in by_name.items():
        assert figure(summary["metrics"], name) == pytest.approx(retrieval[key], abs=1e-9), name
    units = next(row["units"] for row in summary["metrics"] if row["metric"].startswith("mmesgbench/hit"))
    assert units == retrieval["total"]

    partial = run_command(spec, str(predictions), "--references", str(references))
    check_figures(partial, expected["partial_first_500"][profile])
