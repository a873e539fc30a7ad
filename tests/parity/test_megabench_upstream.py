"""megabench-upstream@1 gives every golden row of its part the score of the released code."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache
from typing import Any

import pytest

import scoring
from scoring.result import Outcome
from tests.support.golden import decode, read_jsonl, require_golden

PACK = "megabench-upstream@1"
METRICS = {
    "chess_move_list_jaccard_index": 222,
    "code_result_exact_str_match": 208,
    "dict_equality": 222,
    "dict_exact_str_match_agg_recall": 223,
    "dict_jaccard_agg_jaccard": 220,
    "dict_nbbox_iou_tuple_agg_jaccard": 224,
    "dict_precision": 224,
    "dict_set_equality_agg_jaccard": 224,
    "exact_str_match": 318,
    "exact_str_match_case_insensitive": 248,
    "jaccard_index": 214,
    "jaccard_index_case_insensitive": 266,
    "longest_common_list_prefix_ratio": 212,
    "nbbox_iou_sequence": 224,
    "nbbox_iou_single": 219,
    "nbbox_iou_tuple": 223,
    "near_str_match": 195,
    "normalized_similarity_damerau_levenshtein": 206,
    "number_rel_diff_ratio": 208,
    "positive_int_match": 213,
    "sequence_accuracy_case_insensitive": 253,
    "sequence_equality": 253,
    "sequence_equality_case_insensitive": 218,
    "set_equality": 293,
    "set_equality_case_insensitive": 217,
    "set_precision": 221,
    "simple_str_match": 319,
    "str_set_equality_comma": 266,
    "str_set_equality_line_break": 213,
}
PARSERS = {"json": 308, "answer_string": 264, "ascii_answer_string": 78, "verbatim_answer_string": 147, "dummy": 15}


@cache
def _rows(file: str, key: str) -> dict[str, list[dict[str, Any]]]:
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in read_jsonl(require_golden(f"megabench/{file}")):
        values = {name: decode(row[name]) for name in ("response", "reference", "score", "parsed") if name in row}
        rows.setdefault(row[key], []).append({**row, **values})
    return rows


def _same(found: Outcome, wanted: Any) -> bool:
    if found.status not in ("scored", "not_applicable") or isinstance(found.value, complex) != isinstance(
        wanted, complex
    ):
        return False
    if wanted != wanted:
        return math.isnan(found.value)
    return bool(abs(found.value - wanted) <= 1e-9)


@pytest.mark.parametrize("metric", METRICS)
def test_every_vector_of_a_metric_has_the_released_score(metric: str) -> None:
    rows = _rows("metrics.jsonl", "metric")[metric]
    scorer = scoring.scorer(f"{PACK}:{metric}")
    wrong = [
        (row["response"], row["reference"], row["score"], outcome)
        for row in rows
        if not _same(outcome := scorer.score(row["response"], row["reference"]), row["score"])
    ]
    assert len(rows) >= METRICS[metric]
    assert not wrong, f"{len(wrong)} of {len(rows)}, e.g. {wrong[:3]}"


@pytest.mark.parametrize("metric", METRICS)
def test_columns_score_like_single_pairs(metric: str) -> None:
    rows = _rows("metrics.jsonl", "metric")[metric]
    scorer = scoring.scorer(f"{PACK}:{metric}")
    outcomes = scorer.score_many([row["response"] for row in rows], [row["reference"] for row in rows])
    wrong = [row["score"] for row, outcome in zip(rows, outcomes, strict=True) if not _same(outcome, row["score"])]
    assert not wrong


def _parsed(parser: str, row: dict[str, Any]) -> Any:
    args = row["args"]
    try:
        return scoring.parser(f"{PACK}:{parser}", **args).parse(row["response"])
    except Exception as error:  # the golden rows name the class of every exception
        return type(error)


@pytest.mark.parametrize("parser", PARSERS)
def test_every_vector_of_a_parser_has_the_released_value(parser: str) -> None:
    rows = _rows("parsers.jsonl", "parser")[parser]
    wrong = []
    for row in rows:
        found = _parsed(parser, row)
        failed = isinstance(found, type)
        if failed != bool(row.get("error")) or (not failed and not same_value(found, row["parsed"])):
            wrong.append((row["response"], row["parsed"], found))
    assert len(rows) >= PARSERS[parser]
    assert not wrong, f"{len(wrong)} of {len(rows)}, e.g. {wrong[:3]}"


def same_value(found: Any, wanted: Any) -> bool:
    """Equality that tells 1 from True and 1.0, and finds NaN equal to itself."""
    if isinstance(wanted, float) and math.isnan(wanted):
        return isinstance(found, float) and math.isnan(found)
    if type(found) is not type(wanted):
        return False
    if isinstance(wanted, dict):
        return list(found) == list(wanted) and all(same_value(found[key], wanted[key]) for key in wanted)
    if isinstance(wanted, (list, tuple)):
        return len(found) == len(wanted) and all(map(same_value, found, wanted))
    return bool(found == wanted)


def test_no_metric_of_this_part_is_left_out() -> None:
    counts = Counter({metric: len(rows) for metric, rows in _rows("metrics.jsonl", "metric").items()})
    assert all(counts[metric] for metric in METRICS)
