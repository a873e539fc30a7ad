"""What scores a task: rules alone, or a judge model, too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from scoring.compiler.task import CompiledTask

# MEGA-Bench's metrics that ask a model.
JUDGE_METRICS = ("gpt_4o_as_judge", "ascii_art_gpt4o_judge")


def eval_type(task: CompiledTask, foreign: Mapping[str, Any] | None = None) -> Literal["rule", "llm"]:
    """``llm`` when a judge model scores some field of the task, else ``rule``; MEGA-Bench's own words.

    Args:
        task: The compiled task.
        foreign: The MEGA-Bench configuration that it was made from.
    """
    names = (foreign or {}).get("field_score_function")
    if isinstance(names, Mapping) and any(str(name).lower() in JUDGE_METRICS for name in names.values()):
        return "llm"
    return "llm" if task.asks_judge else "rule"
