"""What scores a task: rules alone, or a judge model, too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from scoring.compiler.compile import programs_of
from scoring.compiler.task import CompiledTask

# MEGA-Bench's metrics that ask a model.
JUDGE_METRICS = ("gpt_4o_as_judge", "ascii_art_gpt4o_judge")
JUDGE_FAMILY = "judge"


def eval_type(task: CompiledTask, foreign: Mapping[str, Any] | None = None) -> Literal["rule", "llm"]:
    """``llm`` when a judge model scores some field of the task, else ``rule``; MEGA-Bench's own words.

    Args:
        task: The compiled task.
        foreign: The MEGA-Bench configuration that it was made from.
    """
    names = (foreign or {}).get("field_score_function")
    if isinstance(names, Mapping) and any(str(name).lower() in JUDGE_METRICS for name in names.values()):
        return "llm"
    nodes = (node for program in programs_of(task) for node in program.all_nodes())
    return "llm" if any(node.primitive.family == JUDGE_FAMILY for node in nodes) else "rule"
