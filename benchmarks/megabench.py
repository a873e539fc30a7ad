"""MEGA-Bench's metrics and a task of five fields, beside the official classes in the same process.

    python benchmarks/megabench.py [--official DIR] [--metric NAME …]

DIR is a checkout of TIGER-AI-Lab/MEGA-Bench with the libraries that its rules need. Both sides score the same rows,
no two of which are equal, and take turns; the best round of each counts, in CPU time. "single" is one call a row,
"batch" all rows at once. What the official code prints and logs is switched off. Vectors marked `slow` (time limits)
and metrics that wait for other processes, a network or a model are left out.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import logging
import random
import sys
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import scoring  # noqa: E402  # the path is set above
from benchmarks.in_one_process import alternated, official  # noqa: E402
from tests.support.golden import decode, require_golden  # noqa: E402

PACK = "megabench-upstream@1"
WAITING = (
    "program_judge", "general_single_numerical_match", "boxed_single_numerical_match", "latex_expr_equality",
    "text_with_latex_expr_equality", "geo_proximity_location_dict", "nli_entailment",
)  # fmt: skip
# The second argument of these is the row's context.
BY_CONTEXT = ("constrained_generation", "symbolic_planning_test", "xml_norm_point_in_bbox")
FIELDS = {
    "choice": "exact_str_match",
    "name": "simple_str_match",
    "members": "set_equality",
    "motto": "normalized_similarity_damerau_levenshtein",
    "share": "number_rel_diff_ratio",
}
METRICS: dict[str, Any] = {
    "field_score_function": FIELDS,
    "aggregation": {"function": "mean", "field_weights": dict.fromkeys(FIELDS, 1)},
    "response_parse_function": "json",
}
Row = dict[str, Any]
Works = dict[str, Callable[[], Any]]


def vectors() -> dict[str, list[Row]]:
    """The golden rows of every metric that is timed, each pair once."""
    found: dict[str, dict[str, Row]] = {}
    for line in require_golden("megabench/metrics.jsonl").read_text(encoding="utf-8").splitlines():
        row = decode(json.loads(line))
        if not row.get("slow") and row["metric"] not in WAITING:
            pair = repr((row["response"], row["reference"], row.get("context")))
            found.setdefault(row["metric"], {}).setdefault(pair, row)
    return {metric: list(rows.values())[:200] for metric, rows in sorted(found.items())}


def of_metric(name: str, rows: list[Row], peer: Any) -> Works:
    """Ours in single calls and at once, and the official class, over the rows of one metric."""
    scorer = scoring.scorer(f"{PACK}:{name}")
    responses, references = [row["response"] for row in rows], [row["reference"] for row in rows]
    contexts = [row.get("context") for row in rows]
    triples = list(zip(responses, references, contexts, strict=True))
    works: Works = {
        "single": lambda: (
            [scorer.score(r, t, context=c) for r, t, c in triples]
            if name in BY_CONTEXT
            else list(map(scorer.score, responses, references))
        ),
        "batch": lambda: scorer.score_many(responses, references, contexts=contexts),
    }
    if peer is not None:
        metric = peer.MetricType.from_string(name)
        with contextlib.suppress(ImportError):
            _ = metric.class_impl
            seconds = contexts if name in BY_CONTEXT else references
            # The third argument names the task in logs; one metric can't do without it.
            third = [[{"task_name": "task"}] * len(rows)] if name == "symbolic_planning_test" else []
            works["official"] = lambda: list(map(metric.match, responses, seconds, *third))
    return works


def five_fields(count: int = 2_000, seed: int = 3) -> list[Row]:
    """Different records of five fields, written as models write them; a third of the answers is wrong somewhere."""
    chance = random.Random(seed)
    words = ["".join(chance.choices("abcdefghilmnoprstu", k=chance.randint(3, 9))) for _ in range(4_000)]
    rows = []
    for place in range(count):
        reference = {
            "choice": chance.choice("ABCD"),
            "name": " ".join(chance.choices(words, k=2)) + f" {place}",
            "members": repr(chance.sample(words, chance.randint(2, 5))),
            "motto": " ".join(chance.choices(words, k=chance.randint(4, 9))),
            "share": f"{chance.random() * 100:.3f}",
        }
        answer = dict(reference)
        for field in FIELDS:
            if chance.random() < 0.3:
                answer[field] = five_wrong(field, chance, words)
        text = json.dumps(answer)
        response = chance.choice((text, f"Answer: {text}", f"I looked twice.\n```json\n{text}\n```"))
        rows.append({"id": place, "response": response, "reference": reference})
    return rows


def five_wrong(field: str, chance: random.Random, words: list[str]) -> str:
    """An answer to one field that is not the reference's."""
    return {
        "choice": f"{chance.choice('ABCD')}. {chance.choice(words)}",
        "name": " ".join(chance.choices(words, k=2)),
        "members": repr(chance.sample(words, 3)),
        "motto": " ".join(chance.choices(words, k=6)),
        "share": f"{chance.random() * 100:.2f}",
    }[field]


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
    """The official package of metrics; None where it is not there."""
    if official(folder, "megabench", "https://github.com/TIGER-AI-Lab/MEGA-Bench") is None:
        return None
    # It is imported for downloads alone.
    sys.modules.setdefault("datasets", types.ModuleType("datasets")).load_dataset = None  # type: ignore[attr-defined]
    import metrics

    return metrics


def show(name: str, rows: int, seconds: dict[str, float], more: str = "") -> None:
    """One line: microseconds a row, and how many times faster than the official code."""
    cells = [f"{key} {taken / rows * 1e6:9.2f} µs" for key, taken in seconds.items()]
    peer = seconds.get("official")
    ratios = [f"{key} {peer / taken:6.2f}×" for key, taken in seconds.items() if key != "official"] if peer else []
    print(f"{name:44} {rows:5}  {'  '.join([*cells, *ratios])}{more}", flush=True)


def main() -> None:
    """Print one line for the task, and one for each metric."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--official", metavar="DIR", help="a checkout of TIGER-AI-Lab/MEGA-Bench")
    options.add_argument("--metric", action="append", help="only this metric; may be given again")
    given = options.parse_args()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    peer = load_official(given.official)
    if not given.metric:
        rows = five_fields()
        task = scoring.load(METRICS, dialect="megabench-upstream")
        works: Works = {"single": lambda: [task.score(row) for row in rows], "batch": lambda: task.score_batch(rows)}
        different = ""
        if peer is not None:
            query = OfficialTask(peer, METRICS).score
            works["official"] = lambda: list(map(query, rows))
            pairs = zip(task.score_batch(rows), map(query, rows), strict=True)
            different = f"  {sum(a.score is None or abs(a.score - b) > 1e-9 for a, b in pairs)} differ"
        show("five fields", len(rows), alternated(works, 5), different)
    for name, held in vectors().items():
        if not given.metric or name in given.metric:
            with contextlib.redirect_stdout(io.StringIO()):
                seconds = alternated(of_metric(name, held, peer), 25)
            show(name, len(held), seconds)


if __name__ == "__main__":
    main()
