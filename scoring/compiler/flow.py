"""What flows between two steps while a pipeline is checked."""

from __future__ import annotations

from dataclasses import dataclass

from scoring.diagnostics.source import Span
from scoring.values import ANY, Type


@dataclass(frozen=True, slots=True)
class Flow:
    """The type of one value, and the step that produced it.

    Args:
        type: What is known of the value.
        step: The name of the step, "" where the value comes from the record.
        span: Where that step was written.
    """

    type: Type = ANY
    step: str = ""
    span: Span | None = None
