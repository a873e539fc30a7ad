"""MEGA-Bench under the released dialect: calls per second of every metric, queries per second of the whole flow.

The golden vectors are the input; the figures of the official code are those of its notes (one process, two shared
cores). Tasks are compiled once; the flow is timed cold (first pass: libraries, workers and sandboxes start) and
warm. Vectors marked `slow` (time limits of the released code) are left out, as in the official figures.

Run: python benchmarks/megabench.py
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import scoring
from tests.support.golden import decode, require_golden

PACK = "megabench-upstream@1"
OFFICIAL_CALLS = {
    "exact_str_match": 1530e3, "exact_str_match_case_insensitive": 851e3, "simple_str_match": 726e3,
    "code_result_exact_str_match": 419e3, "normalized_similarity_damerau_levenshtein": 497e3, "near_str_match": 377e3,
    "str_set_equality_line_break": 326e3, "multi_ref_phrase": 93e3, "set_equality": 53e3,
    "set_equality_case_insensitive": 46e3, "jaccard_index": 48e3, "jaccard_index_case_insensitive": 37e3,
    "set_precision": 39e3, "str_set_equality_comma": 48e3, "chess_move_list_jaccard_index": 20e3,
    "sequence_equality": 36e3, "sequence_equality_case_insensitive": 37e3, "sequence_accuracy_case_insensitive": 34e3,
    "longest_common_list_prefix_ratio": 36e3, "angle_seq_float_rmse": 37e3, "sequence_coords_similarity": 10e3,
    "dict_equality": 9e3, "dict_precision": 9.1e3, "dict_exact_str_match_agg_recall": 8.9e3,
    "dict_set_equality_agg_jaccard": 6.6e3, "dict_jaccard_agg_jaccard": 2.7e3, "dict_nbbox_iou_tuple_agg_jaccard": 3e3,
    "nbbox_iou_tuple": 12e3, "nbbox_iou_single": 28e3, "nbbox_iou_sequence": 12e3, "xml_nbbox_iou_single": 101e3,
    "xml_norm_point_distance": 253e3, "xml_norm_point_in_bbox": 29e3, "geo_proximity_location_dict": 27e3,
    "number_rel_diff_ratio": 130e3, "normalized_rmse": 101e3, "positive_int_match": 98e3,
    "general_single_numerical_match": 22, "boxed_single_numerical_match": 18, "latex_expr_equality": 33,
    "text_with_latex_expr_equality": 37, "bleu": 7e3, "gleu_cn": 3.7e3, "program_judge": 30,
    "symbolic_planning_test": 1.4e3, "constrained_generation": 1.4e3,
}  # fmt: skip
OFFICIAL_FLOW = 210


def rows(name: str) -> list[dict[str, Any]]:
    """The golden rows of a file, decoded."""
    path: Path = require_golden(f"megabench/{name}")
    return [decode(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def calls_per_second(metric: str, vectors: list[dict[str, Any]]) -> tuple[float, float]:
    """The first pass over the vectors and, for what keeps answers, the passes after it."""
    options = {"geocoder": vectors[0]["geocoder"]} if "geocoder" in vectors[0] else {}
    scorer = scoring.scorer(f"{PACK}:{metric}", **options)
    scorer.score(vectors[0]["response"], vectors[0]["reference"], context=vectors[0].get("context"))

    def once() -> float:
        began = time.perf_counter()
        for row in vectors:
            scorer.score(row["response"], row["reference"], context=row.get("context"))
        return len(vectors) / (time.perf_counter() - began)

    first = once()
    passes = 1 if first < 100 else 3
    return first, max(once() for _ in range(passes))


def flow() -> tuple[int, float, float]:
    """Queries, seconds of the first pass, seconds of the second, over the end-to-end rows that run at all."""
    queries = []
    tasks: dict[str, Any] = {}
    for number, row in enumerate(rows("end_to_end.jsonl")):
        if row.get("error"):
            continue
        key = json.dumps(row["metrics"], sort_keys=True)
        if key not in tasks:
            tasks[key] = scoring.load(row["metrics"], dialect="megabench-upstream")
        record = {"id": number, "response": row["response"], "reference": row["reference"]}
        queries.append((tasks[key], record | ({"eval_context": row["eval_context"]} if "eval_context" in row else {})))
    seconds = []
    for _ in range(2):
        began = time.perf_counter()
        for task, record in queries:
            task.score(record)
        seconds.append(time.perf_counter() - began)
    return len(queries), seconds[0], seconds[1]


def main() -> None:
    """Print the table and the flow."""
    vectors: dict[str, list[dict[str, Any]]] = {}
    for row in rows("metrics.jsonl"):
        if not row.get("slow"):
            vectors.setdefault(row["metric"], []).append(row)
    size, cold, warm = flow()
    print(f"flow: {size} queries, cold {size / cold:,.0f}/s, warm {size / warm:,.0f}/s, official {OFFICIAL_FLOW}/s")
    print(f"{'metric':44} {'first pass/s':>13} {'again/s':>11} {'official/s':>11} {'ratio':>7}")
    for metric in sorted(vectors):
        first, again = calls_per_second(metric, vectors[metric])
        official = OFFICIAL_CALLS[metric]
        print(f"{metric:44} {first:13,.0f} {again:11,.0f} {official:11,.0f} {first / official:7.2f}")


if __name__ == "__main__":
    main()
