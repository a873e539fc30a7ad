"""megabench-upstream@1 gives every golden row of its second part the score of the released code."""

from __future__ import annotations

import math
from functools import cache, partial
from typing import Any

import pytest

import scoring
from scoring.result import Outcome
from tests.support.golden import decode, read_jsonl, require_golden

PACK = "megabench-upstream@1"
# Rows of each metric, and how many of them are left out for the reason given in LEFT_OUT.
METRICS = {
    "angle_seq_float_rmse": 216,
    "bleu": 201,
    "boxed_single_numerical_match": 246,
    "constrained_generation": 515,
    "general_single_numerical_match": 330,
    "geo_proximity_location_dict": 141,
    "gleu_cn": 184,
    "latex_expr_equality": 259,
    "multi_ref_phrase": 305,
    "normalized_rmse": 251,
    "program_judge": 154,
    "sequence_coords_similarity": 219,
    "symbolic_planning_test": 224,
    "text_with_latex_expr_equality": 195,
    "xml_nbbox_iou_single": 222,
    "xml_norm_point_distance": 219,
    "xml_norm_point_in_bbox": 224,
}
EXTRAS = {
    "bleu": (), "gleu_cn": ("jieba",), "geo_proximity_location_dict": ("geographiclib",),
    "constrained_generation": ("pronouncing", "punkt"),
    "latex_expr_equality": ("sympy", "antlr4"), "text_with_latex_expr_equality": ("sympy", "antlr4"),
    "general_single_numerical_match": ("sympy", "antlr4"), "boxed_single_numerical_match": ("sympy", "antlr4"),
}  # fmt: skip


@cache
def _rows() -> dict[str, list[dict[str, Any]]]:
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in read_jsonl(require_golden("megabench/metrics.jsonl")):
        if row["metric"] in METRICS:
            rows.setdefault(row["metric"], []).append({name: decode(value) for name, value in row.items()})
    return rows


_scorer = cache(scoring.scorer)


def _scored(metric: str, row: dict[str, Any]) -> Outcome:
    build = partial(scoring.scorer, geocoder=row["geocoder"]) if "geocoder" in row else _scorer
    scorer = build(f"{PACK}:{metric}")
    return scorer.score(row["response"], row["reference"], context=row.get("context"))


def _same(found: Outcome, wanted: Any) -> bool:
    if found.status != "scored":
        return False
    return math.isnan(found.value) if wanted != wanted else abs(found.value - wanted) <= 1e-9


@pytest.mark.parametrize("metric", METRICS)
def test_every_vector_of_a_metric_has_the_released_score(metric: str) -> None:
    for module in EXTRAS.get(metric, ()):
        pytest.importorskip(module, reason="the extra of this metric is not installed")
    rows = _rows()[metric]
    assert len(rows) == METRICS[metric]
    wrong = []
    for row in rows:
        found = _scored(metric, row)
        if not _same(found, row["score"]):
            wrong.append((row["note"], row["response"], row["reference"], row["score"], found))
    assert not wrong, f"{len(wrong)} of {len(rows)}: {wrong[:5]}"
