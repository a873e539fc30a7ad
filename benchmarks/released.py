"""MEGA-Bench's released code from a checkout, for what compares it with ours: its metrics, its flow, golden vectors."""

from __future__ import annotations

import json
import sys
import types
from pathlib import Path
from typing import Any

from tests.support.golden import decode, require_golden

WAITING = (
    "program_judge", "general_single_numerical_match", "boxed_single_numerical_match", "latex_expr_equality",
    "text_with_latex_expr_equality", "geo_proximity_location_dict", "nli_entailment",
)  # fmt: skip
# The second argument of these is the row's context.
BY_CONTEXT = ("constrained_generation", "symbolic_planning_test", "xml_norm_point_in_bbox")
Row = dict[str, Any]


def vectors() -> dict[str, list[Row]]:
    """The golden rows of every metric that is timed, each pair once."""
    found: dict[str, dict[str, Row]] = {}
    for line in require_golden("megabench/metrics.jsonl").read_text(encoding="utf-8").splitlines():
        row = decode(json.loads(line))
        if not row.get("slow") and row["metric"] not in WAITING:
            pair = repr((row["response"], row["reference"], row.get("context")))
            found.setdefault(row["metric"], {}).setdefault(pair, row)
    return {metric: list(rows.values())[:200] for metric, rows in sorted(found.items())}


class OfficialTask:
    """What the released processor does with the queries of one task, without its logs and files."""

    def __init__(self, peer: Any, info: Row) -> None:
        from metrics.parsing.common.utils import evaluate_as_string  # type: ignore[import-not-found]  # official

        self._evaluate = evaluate_as_string
        self._metrics = {
            field: peer.MetricType.from_string(name) for field, name in info["field_score_function"].items()
        }
        self._auxiliary = {
            field: peer.MetricType.from_string(name) for field, name in (info.get("global_aux_metrics") or {}).items()
        }
        self._parser = peer.ResponseParseType.from_string(info.get("response_parse_function"))
        self._is_json = self._parser == peer.ResponseParseType.JSON
        self._mean = peer.AggregationType.from_string(info["aggregation"]["function"])
        self._weights = info["aggregation"].get("field_weights") or {}

    def score(self, row: Row) -> float:
        """The query's score; raises where the released run stops."""
        reference, context = row["reference"], row.get("context")
        answer = self._parsed(row["response"], reference)
        scores = {
            field: self._match(self._metrics[field], answer, field, self._evaluate(wanted), context)
            for field, wanted in reference.items()
        }
        for field, metric in self._auxiliary.items():
            scores[field] = self._match(metric, {field: answer}, field, reference, context)
        found: float = self._mean.aggregate(scores, self._weights)
        return found

    def _parsed(self, response: Any, reference: Row) -> Any:
        if self._parser.is_single_field_parser():
            key = next(field for field in reference if not field.startswith("##"))
            return self._parser.parse(response, key, is_single_line_ans="\n" not in reference[key])
        answer = self._parser.parse(response)
        if self._is_json and (not isinstance(answer, dict) or not answer):
            return dict.fromkeys(reference, response)
        return answer

    def _match(self, metric: Any, answer: Any, field: str, wanted: Any, context: Any) -> Any:
        if metric.value == "constrained_generation":
            return metric.match(answer, context)[0]
        if metric.value not in BY_CONTEXT:
            return metric.match(answer.get(field), wanted)
        found = metric.match(answer.get(field), context, {"task_name": "task"})
        return found[0] if isinstance(found, tuple) else found


def load_official(folder: str | None) -> Any:
    """The official package of metrics from a checkout; None, said in one line, where there is none."""
    inside = Path(folder or "", "megabench")
    if folder is None or not inside.is_dir():
        print("no official code beside ours: check out https://github.com/TIGER-AI-Lab/MEGA-Bench, and give its folder")
        return None
    sys.path.insert(0, str(inside))
    # It is imported for downloads alone.
    sys.modules.setdefault("datasets", types.ModuleType("datasets")).load_dataset = None  # type: ignore[attr-defined]
    import metrics

    return metrics
