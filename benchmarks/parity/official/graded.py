"""Programs of evaluations whose figures are made inside one method, around a grader that answers."""

from __future__ import annotations

import io
import sys
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from benchmarks.parity.code import Code, unchanged
from benchmarks.parity.vectors import Answer, Row, official

SIMPLE_EVALS = "openai/simple-evals"


class _Grader:
    """A model that gives its replies in their order."""

    def __init__(self, replies: list[str]) -> None:
        self.replies = iter(replies)

    def _pack_message(self, **message: str) -> dict[str, str]:
        return message

    def __call__(self, _: Any) -> SimpleNamespace:
        return SimpleNamespace(response_text=next(self.replies), actual_queried_message_list=[])


@official("simpleqa")
def simpleqa(code: Code) -> Answer:
    """Run the grades and the figures; what the method worked out is read where it hands on its results."""
    page = SimpleNamespace(from_string=lambda _: SimpleNamespace(render=lambda **_: ""))
    common = SimpleNamespace(
        jinja_env=page,
        HTML_JINJA="",
        map_with_progress=lambda function, examples: [function(one) for one in examples],
        aggregate_results=lambda _: dict(sys._getframe(1).f_locals),
    )
    given = {"common": common, "SingleEvalResult": SimpleNamespace, "print": lambda *_: None}
    grade = code.method(SIMPLE_EVALS, "simpleqa_eval.py", "SimpleQAEval.grade_sample", **given)
    evaluate = code.method(SIMPLE_EVALS, "simpleqa_eval.py", "SimpleQAEval.__call__", **given)

    def figures(records: list[Row]) -> Row:
        task = SimpleNamespace(
            examples=[{"problem": one["problem"], "answer": one["reference"]} for one in records],
            grader_model=_Grader([one["replies"][0] for one in records]),
        )
        task.grade_sample = lambda *texts: grade(task, *texts)
        found = evaluate(task, _Grader([one["response"] for one in records]))
        shares, ratios = found["aggregate_metrics"], found["output_d"]
        return {
            **{name: shares[f"is_{name}"] for name in ("correct", "incorrect", "not_attempted")},
            "accuracy_given_attempted": ratios["accuracy_given_attempted"],
            "f1": ratios["f1"],
        }

    return figures


@official("omnidocbench-edit")
def edits(code: Code) -> Answer:
    """Run the edit distances of pages, samples and all; the file that it writes beside goes nowhere."""
    given = {
        "pd": import_module("pandas"),
        "Levenshtein": import_module("rapidfuzz.distance.Levenshtein"),
        "METRIC_REGISTRY": SimpleNamespace(register=unchanged),
        "open": lambda *_, **__: io.StringIO(),
    }
    names = code.names("pichiu/OmniDocBench", "metrics/cal_metric.py", **given)

    def figures(records: list[Row]) -> Row:
        samples = [{"img_id": one["img_id"], "gt": one["reference"], "pred": one["response"]} for one in records]
        _, found = names.call_Edit_dist(samples).evaluate()
        return {name: float(value) for name, value in found["Edit_dist"].items()}

    return figures


@official("omnidocbench-teds")
def tables(code: Code) -> Answer:
    """Run the similarity of two tables as trees, with their texts and without; what raises counts 0."""
    apted, distance = import_module("apted"), import_module("rapidfuzz.distance.Levenshtein")
    given = {
        "APTED": apted.APTED,
        "Config": apted.Config,
        "Tree": import_module("apted.helpers").Tree,
        "Levenshtein": distance,
        "distance": distance,
    }
    names = code.names("pichiu/OmniDocBench", "metrics/table_metric.py", **given)

    def similarity(record: Row, structure: bool) -> float:
        try:
            return float(names.TEDS(structure_only=structure).evaluate(record["response"], record["reference"]))
        except Exception:  # as the official caller has it
            return 0.0

    return lambda record: {
        "fields": {"teds": similarity(record, structure=False), "structure": similarity(record, structure=True)}
    }
