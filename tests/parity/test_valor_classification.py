"""Valor classification: every golden data set against valor@1 (seed text) and valor-lite@0.39."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import pytest

from scoring.extensions.vision.classification.confusion import confusion, outcomes_by_datum
from scoring.extensions.vision.classification.counts import count, precision_recall_f1
from scoring.extensions.vision.classification.detailed import KINDS, detailed_curve
from scoring.extensions.vision.classification.roc import roc_scores
from scoring.extensions.vision.classification.table import Classifications, Datum
from tests.support.golden import golden_dir, read_jsonl

TOLERANCE = 1e-9
CURVE = tuple(k / 100 for k in range(5, 100, 5))


def golden() -> Iterator[Any]:
    folder = golden_dir()
    if folder is not None:
        yield from read_jsonl(folder / "valor" / "classification.jsonl")


ROWS = list(golden())
pytestmark = pytest.mark.skipif(not ROWS, reason="no golden folder")
each = pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['id']}-{row['kind']}")


def table(row: Any, drop: frozenset[str] = frozenset()) -> Classifications:
    return Classifications.from_data(
        Datum(d["uid"], d["groundtruth"], d["predictions"], d["scores"]) for d in row["data"] if d["uid"] not in drop
    )


def lite_table(row: Any) -> Classifications:
    return table(row, frozenset(row["expected"]["valor_lite"].get("dropped_uids", ())))


def close(found: Any, wanted: Any) -> bool:
    if wanted is None or found is None:
        return wanted is found
    return bool(abs(found - wanted) <= TOLERANCE)


def canonical(value: Any) -> Any:
    """Lists of examples compare as sets."""
    if isinstance(value, dict):
        return {key: canonical(item) for key, item in value.items()}
    if isinstance(value, list):
        return sorted(json.dumps(item, sort_keys=True) for item in value)
    return value


def assert_close(found: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert set(found) == set(wanted)
    assert {key for key in wanted if not close(found[key], wanted[key])} == set()


@each
def test_lite_roc_auc(row: Any) -> None:
    wanted = row["expected"]["valor_lite"]
    scores = roc_scores(lite_table(row), unlisted="leave_out")
    assert list(scores.labels.names) == wanted["labels"]
    assert_close(scores.result()["per_label"], wanted["rocauc"])
    assert close(scores.result()["mean"], wanted["mean_rocauc"])


@each
def test_lite_precision_recall(row: Any) -> None:
    data = lite_table(row)
    for wanted in row["expected"]["valor_lite"]["precision_recall"]:
        counts = count(
            data, thresholds=[wanted["score_threshold"]], hard_max=wanted["hardmax"], counting="listed_pairs"
        )
        assert close(counts.accuracy(0), wanted["accuracy"])
        for label, values in wanted["labels"].items():
            assert_close(counts.at(0)[label], values)


@each
def test_lite_confusion_matrix(row: Any) -> None:
    data, expected = lite_table(row), row["expected"]["valor_lite"]
    for wanted in expected["confusion_matrix"]:
        found = confusion(
            data, threshold=wanted["score_threshold"], hard_max=wanted["hardmax"], ignore_zero=True
        ).result()
        cells = {
            true: {guess: cell["count"] for guess, cell in cells.items()}
            for true, cells in found["confusion_matrix"].items()
        }
        assert cells == wanted["confusion_matrix"]
        missed = {true: cell["count"] for true, cell in found["unmatched_ground_truths"].items()}
        assert missed == wanted["unmatched_ground_truths"]
    for wanted in expected.get("confusion_matrix_with_examples", ()):
        found = confusion(
            data, threshold=wanted["score_threshold"], hard_max=wanted["hardmax"], ignore_zero=True, max_examples=None
        ).result()
        assert canonical(found) == canonical({key: wanted[key] for key in found})


@each
def test_lite_examples(row: Any) -> None:
    for wanted in row["expected"]["valor_lite"].get("examples", ()):
        found = outcomes_by_datum(
            lite_table(row), threshold=wanted["score_threshold"], hard_max=wanted["hardmax"], ignore_zero=True
        )
        for one, other in zip(found, wanted["data"], strict=True):
            assert canonical(one) == canonical(other)


@each
def test_document_aggregates(row: Any) -> None:
    wanted, data = row["expected"]["seed_derived"], table(row)
    counts = count(data, thresholds=[-math.inf], hard_max=True, counting="one_vs_rest")
    assert close(counts.accuracy(0), wanted["accuracy"])
    for label, values in wanted["per_label"].items():
        assert_close(counts.at(0)[label], values)
    areas = roc_scores(data, unlisted="rank_last").result()
    assert_close(areas["per_label"], wanted["rocauc"])
    assert close(areas["mean"], wanted["rocauc_mean_over_defined"])
    matrix = confusion(data, threshold=-math.inf, hard_max=True, ignore_zero=False).result()
    cells = {
        true: {guess: cell["count"] for guess, cell in cells.items()}
        for true, cells in matrix["confusion_matrix"].items()
    }
    assert cells == wanted["confusion_matrix"]
    missed = sum(cell["count"] for cell in matrix["unmatched_ground_truths"].values())
    assert missed == wanted["n_without_prediction"]


@each
def test_document_curve(row: Any) -> None:
    wanted = row["expected"]["seed_derived"]["pr_curve"]
    counts = count(table(row), thresholds=CURVE, hard_max=False, counting="one_vs_rest")
    ratios = precision_recall_f1(counts.tp, counts.fp, counts.fn, -1.0)
    assert set(counts.labels.names) == set(wanted)
    for position, label in enumerate(counts.labels.names):
        for name in ("tp", "fp", "fn", "tn"):
            assert getattr(counts, name)[:, position].tolist() == wanted[label][name]
        for name, values in zip(("precision", "recall", "f1_score"), ratios, strict=True):
            assert values[:, position].tolist() == pytest.approx(wanted[label][name], abs=TOLERANCE, rel=0)
        accuracy = (counts.tp + counts.tn)[:, position] / counts.data
        assert accuracy.tolist() == pytest.approx(wanted[label]["accuracy"], abs=TOLERANCE, rel=0)


@each
def test_document_detailed_curve(row: Any) -> None:
    wanted = row["expected"]["seed_derived"]["detailed_pr_curve"]
    found = detailed_curve(table(row), thresholds=CURVE, max_examples=None).result()["labels"]
    assert set(found) == set(wanted)
    for label, values in wanted.items():
        for kind in KINDS:
            assert found[label][kind] == values[kind]
        for threshold, examples in values.get("example_datum_uids", {}).items():
            for kind in examples:
                assert sorted(found[label]["examples"][threshold][kind]) == sorted(examples[kind])


def reasons(row: Any) -> set[str]:
    """What in a data set makes valor-lite's AUC differ from the document's (docs/vision.md)."""
    found = set()
    labels = set(row["expected"]["seed_derived"]["labels"])
    if any(area is None for area in row["expected"]["seed_derived"]["rocauc"].values()):
        found.add("a label without positives or negatives")
    if any(set(d["predictions"]) != labels for d in row["data"]):
        found.add("a datum that does not list every label")
    if any(len(set(d["predictions"])) != len(d["predictions"]) for d in row["data"]):
        found.add("a label listed twice")
    if any(max(d["scores"], default=0) == 0 for d in row["data"]):
        found.add("a datum without a positive score")
    return found


def test_differences_between_sources() -> None:
    """The older service and today's library differ from the document only where a known reason is present."""
    for row in ROWS:
        seed, service = row["expected"]["seed_derived"], row["expected"]["valor_service"]
        lite = row["expected"]["valor_lite"]
        empty = seed["n_without_prediction"] > 0
        # The service leaves a datum without predictions out of its curves; the document counts a missed label.
        assert empty or service["pr_curve"] == seed["pr_curve"], row["id"]
        if not all(close(lite["rocauc"].get(label), area) for label, area in seed["rocauc"].items()):
            assert reasons(row), row["id"]
