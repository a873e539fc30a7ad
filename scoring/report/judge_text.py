"""What the judge took, and what the steps of the fields noted, as lines of a summary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.diagnostics.words import counted
from scoring.report.style import Style
from scoring.report.visible import shorten, visible

_MAX_NOTES = 10
_WIDTH = 60


def judge_text(summary: Mapping[str, Any], style: Style) -> str:
    """The lines about the judge; nothing for a run without one.

    Examples:
        >>> judge = {"model": "m", "replies": 2, "prompt_tokens": 90, "completion_tokens": 8, "cost": 0.0}
        >>> fields = [{"field": "answer", "notes": {"decided_by": {"rule": 3, "unsure": 2}}}]
        >>> print(judge_text({"judge": judge, "fields": fields}, Style()))
        judge: m · 2 replies · 90 tokens read · 8 written
        answer: decided_by rule 3 · unsure 2
    """
    lines = [_account(summary["judge"])] if "judge" in summary else []
    for field in summary.get("fields", ()):
        for name, counts in field.get("notes", {}).items():
            told = [f"{visible(shorten(value, _WIDTH))} {count}" for value, count in counts.items()]
            more = " · …" if len(told) > _MAX_NOTES else ""
            lines.append(f"{visible(field['field'])}: {visible(name)} {' · '.join(told[:_MAX_NOTES])}{more}")
    return style.dim("\n".join(lines)) if lines else ""


def _account(judge: Mapping[str, Any]) -> str:
    replies = f"{judge['replies']} replies" if judge["replies"] != 1 else "1 reply"
    parts = [f"judge: {visible(judge['model'])}", replies, f"{counted(judge['prompt_tokens'], 'token')} read"]
    parts.append(f"{judge['completion_tokens']} written")
    if judge["cost"]:
        parts.append(f"cost {judge['cost']:g}")
    return " · ".join(parts)
