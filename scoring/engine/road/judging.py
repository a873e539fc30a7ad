"""What the judge took during a run, for the summary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scoring.judge.asking.ledger import Ledger


class JudgeAccount:
    """The judge's account of one run; make it before the first record is scored.

    It counts the replies that were used, whether they were paid for now or come from the cache, so that a run that
    was killed and went on, and a replay, tell the same as a run that nothing disturbed.

    Args:
        asks: Whether the run asks a judge at all.
    """

    def __init__(self, asks: bool) -> None:
        found = _current() if asks else None
        self._name, self._ledger = found or ("", None)
        self._before: Mapping[str, Any] = self._ledger.replies() if self._ledger is not None else {}

    def summary(self) -> dict[str, Any]:
        """The part of the summary, empty where no judge was there to be asked."""
        if self._ledger is None:
            return {}
        after: Mapping[str, Any] = self._ledger.replies()
        used = {name: round(value - self._before[name], 6) for name, value in after.items()}
        return {"judge": {"model": self._name, **used}}


def _current() -> tuple[str, Ledger | None] | None:
    from scoring.judge.protocol import JudgeError, current_judge

    try:
        judge = current_judge()
    except JudgeError:
        return None
    return judge.name, getattr(judge, "ledger", None)
