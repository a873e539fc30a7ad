"""What a file says about the confidence intervals of its figures."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from scoring.format.forms import PATH, number, one_of, plain
from scoring.format.keys import key
from scoring.late import dataclass

IntervalMethod: TypeAlias = Literal["auto", "wilson", "clopper_pearson", "percentile", "bca", "normal"]


@dataclass(frozen=True, slots=True)
class Intervals:
    """How the confidence intervals of a data set's figures are made."""

    method: IntervalMethod = key(
        one_of("auto", "bca", "percentile", "wilson", "clopper_pearson", "normal"),
        "The kind of interval; `auto` chooses by what the data are (docs/intervals.md).",
        default="auto",
    )
    confidence: float = key(
        number(exclusiveMinimum=0, exclusiveMaximum=1),
        "The share of intervals that would cover the true value.",
        default=0.95,
    )
    resamples: int = key(
        plain({"type": "integer", "minimum": 100, "maximum": 100_000}, lambda node: int(node.plain())),
        "How many times the bootstrap draws.",
        default=2000,
    )
    cluster: str | None = key(
        PATH, "The attribute whose records are drawn together, such as the document of a question.", default=None
    )

    def to_json(self) -> dict[str, Any]:
        """The settings as plain data."""
        return {
            "method": self.method,
            "confidence": self.confidence,
            "resamples": self.resamples,
            "cluster": self.cluster,
        }
