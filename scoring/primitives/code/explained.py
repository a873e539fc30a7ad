"""A score that says why it is what it is."""

from __future__ import annotations


class ExplainedScore(float):
    """A score with a reason, for a record that is scored although something went wrong in it.

    Examples:
        >>> score = ExplainedScore(0.0, "case 1: it took too long")
        >>> score == 0, score.reason
        (True, 'case 1: it took too long')
    """

    reason: str

    def __new__(cls, value: float, reason: str) -> ExplainedScore:
        """The number with its reason."""
        made = super().__new__(cls, value)
        made.reason = reason
        return made

    def __reduce__(self) -> tuple[type[ExplainedScore], tuple[float, str]]:
        """As a plain number and its reason, between processes."""
        return ExplainedScore, (float(self), self.reason)
