"""Programs of evaluations whose figures are made inside one method, around a grader that answers."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

from benchmarks.parity.code import Code
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
