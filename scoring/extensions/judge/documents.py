"""The part of a run's document that tells what its judge was asked and what it cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scoring.diagnostics.words import counted
from scoring.report.document import Paragraph, Piece


def judge_paragraph(summary: Mapping[str, Any]) -> Iterator[Paragraph]:
    """Yield a line with the model of the judge of a run, its replies, tokens and cost.

    Examples:
        >>> used = {"model": "m", "replies": 1, "prompt_tokens": 40, "completion_tokens": 2, "cost": 0}
        >>> [line.text for paragraph in judge_paragraph({"judge": used}) for line in paragraph.lines]
        ['judge: m · 1 reply · 40 tokens read · 2 written']
    """
    judge = summary["judge"]
    parts = [f"judge: {judge['model']}", counted(judge["replies"], "reply", "replies")]
    parts += [f"{counted(judge['prompt_tokens'], 'token')} read", f"{judge['completion_tokens']} written"]
    parts += [f"cost {judge['cost']:g}"] if judge["cost"] else []
    yield Paragraph((Piece(" · ".join(parts), "dim"),))
