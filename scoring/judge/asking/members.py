"""Several judges as one: each is asked for its opinion where a metric joins opinions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from scoring.judge.asking.ledger import Ledger
from scoring.judge.calls import Judge, JudgeError, Question, Reply


class OpenJudge(Judge, Protocol):
    """A judge that holds connections or files, and keeps an account."""

    ledger: Ledger

    def close(self) -> None:
        """Give them back."""


class JudgePanel:
    """Judges whose opinions are joined by the metrics that can; judge programs can.

    Args:
        members: The judges, two or more.
    """

    def __init__(self, members: Sequence[OpenJudge]) -> None:
        self.members = tuple(members)
        self.name = ",".join(member.name for member in members)
        self.parameters = {f"{number}": dict(member.parameters) for number, member in enumerate(members)}
        self.restarts: int | None = getattr(members[0], "restarts", None)
        self.ledger: Ledger = JointLedger([member.ledger for member in members])

    def ask(self, question: Question) -> Reply:
        """A panel answers no single question.

        Raises:
            JudgeError: always; metrics that join opinions ask the members.
        """
        raise JudgeError("this metric asks a single judge, and several are configured")

    def close(self) -> None:
        """Close every member."""
        for member in self.members:
            member.close()


class JointLedger(Ledger):
    """The accounts of several judges, added up where they are read."""

    def __init__(self, parts: Sequence[Ledger]) -> None:
        super().__init__()
        self._parts = tuple(parts)

    def summary(self) -> dict[str, Any]:
        """What this process did and paid, all judges together."""
        return _sum([part.summary() for part in self._parts])

    def replies(self) -> dict[str, Any]:
        """What the replies took that were used, all judges together."""
        return _sum([part.replies() for part in self._parts])


def _sum(accounts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {name: round(sum(account[name] for account in accounts), 6) for name in accounts[0]}
