"""Questions to a judge: while somebody types they are shown, and none is sent; one record's are on a click."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from scoring.api.judging import opened_judge
from scoring.compiler.tasks.task import CompiledTask
from scoring.extensions.judge.calls import JudgeError, Message, Question, Reply
from scoring.extensions.judge.judge_options import JudgeOptions
from scoring.extensions.judge.protocol import use_judge

_MOST, _LONGEST = 50, 20_000


class Unasked:
    """A judge that answers nothing and keeps the first questions, so that they can be shown."""

    name = "none"
    parameters: Mapping[str, Any] = {}

    def __init__(self) -> None:
        self.questions: list[Question] = []

    def ask(self, question: Question) -> Reply:
        """Keep a question.

        Raises:
            JudgeError: always.
        """
        if len(self.questions) < _MOST and question not in self.questions:  # a story may ask one again
            self.questions.append(question)
        raise JudgeError("the judge is not asked while you type")

    def instead(self) -> AbstractContextManager[Any]:
        """Return a context manager within which this is the judge."""
        return use_judge(self)


def shown_questions(questions: Sequence[Question]) -> list[dict[str, Any]]:
    """Return questions as plain data: the role and the text of each message, and the schema of the reply."""
    return [
        {"messages": [_shown(one) for one in question.messages], "schema": question.schema} for question in questions
    ]


def _shown(message: Message) -> dict[str, Any]:
    pictures = sum(not isinstance(part, str) for part in message.parts)
    return {"role": message.role, "text": message.text[:_LONGEST], "pictures": pictures}


def questions_of(task: CompiledTask) -> AbstractContextManager[Any]:
    """Return a context manager within which the judge of the environment is asked, each question once."""
    return opened_judge(JudgeOptions().remembering(), needed=task.asks_judge)
