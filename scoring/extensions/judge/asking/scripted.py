"""A judge that answers from a script: for tests, for examples, and to replay a published transcript."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from scoring.extensions.judge.calls import JudgeError, Question, Reply


class ScriptedJudge:
    """A judge that gives the supplied replies, in order, and records the questions it was asked.

    Examples:
        >>> from scoring.extensions.judge.calls import Message
        >>> judge = ScriptedJudge(["yes"])
        >>> judge.ask(Question((Message("user", ("Is it so?",)),))).text
        'yes'
        >>> judge.questions[0].messages[0].text
        'Is it so?'
    """

    def __init__(self, replies: Iterable[str] | Callable[[Question], str], name: str = "scripted") -> None:
        self._answer = replies if callable(replies) else _in_order(replies)
        self.name = name
        self.parameters: Mapping[str, Any] = {}
        self.questions: list[Question] = []

    def ask(self, question: Question) -> Reply:
        """Return the next of the supplied replies, and record the question."""
        self.questions.append(question)
        return Reply(self._answer(question), model=self.name)


def _in_order(replies: Iterable[str]) -> Callable[[Question], str]:
    waiting = iter(replies)

    def answer(_question: Question) -> str:
        try:
            return next(waiting)
        except StopIteration:
            raise JudgeError("the script has no reply left") from None

    return answer
