"""Run EvalScope's own command with a benchmark that is scored by a spec: `python FILE SPEC ANSWERS ARGUMENTS…`.

The benchmark `rows` has a question and a target in each row; the model `answers` has its answer to each question in a
file of JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from evalscope.api.benchmark import BenchmarkMeta, DefaultDataAdapter
from evalscope.api.dataset import Sample
from evalscope.api.messages import ChatMessageUser
from evalscope.api.model import ModelOutput
from evalscope.api.registry import register_benchmark
from evalscope.cli.cli import run_cmd
from evalscope.models.mockllm import MockLLM

from scoring.extensions.hosts.modules.evalscope import AGGREGATION, spec_entry

ANSWERS: dict[str, str | None] = {}


class Rows(DefaultDataAdapter):  # type: ignore[misc]  # without the package it is Any
    """A benchmark whose rows are those of a local file."""

    def load_from_disk(self, **_: Any) -> Any:
        return super().load_from_disk(use_local_loader=True)

    def record_to_sample(self, record: dict[str, Any]) -> Any:
        return Sample(input=[ChatMessageUser(content=record["question"])], target=record["answer"] or "")


def generate(self: Any, input: list[Any], tools: Any, tool_choice: Any, config: Any) -> Any:
    """Answer from the file."""
    return ModelOutput.from_content(model="answers", content=ANSWERS[input[-1].text] or "")


def main() -> None:
    spec, answers = sys.argv.pop(1), sys.argv.pop(1)
    ANSWERS.update(json.loads(Path(answers).read_text("utf-8")))
    MockLLM.generate = generate
    meta = BenchmarkMeta(
        name="rows",
        pretty_name="Rows",
        description="Rows of a file.",
        dataset_id="rows",
        metric_list=[spec_entry(spec, references_as="json")],
        aggregation=AGGREGATION,
        eval_split="test",
        prompt_template="{question}",
    )
    register_benchmark(meta)(Rows)
    run_cmd()


if __name__ == "__main__":
    main()
