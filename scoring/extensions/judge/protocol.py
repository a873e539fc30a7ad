"""The names with which other packages write and use judges, and the choice of the current judge.

A primitive calls ``current_judge()``; whoever runs the scoring chooses it with ``use_judge(judge)`` or
``set_judge(judge)``.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar

from scoring.effects import check_declared, temporarily_set
from scoring.extensions.judge.calls import InvalidReply as InvalidReply
from scoring.extensions.judge.calls import Judge as Judge
from scoring.extensions.judge.calls import JudgeError as JudgeError
from scoring.extensions.judge.calls import JudgeRefused as JudgeRefused
from scoring.extensions.judge.calls import JudgeUnavailable as JudgeUnavailable
from scoring.extensions.judge.calls import Message as Message
from scoring.extensions.judge.calls import Part as Part
from scoring.extensions.judge.calls import Picture as Picture
from scoring.extensions.judge.calls import Question as Question
from scoring.extensions.judge.calls import Reply as Reply
from scoring.extensions.judge.calls import Role as Role
from scoring.extensions.judge.calls import Usage as Usage
from scoring.extensions.judge.calls import finished as finished

_chosen: ContextVar[Judge | None] = ContextVar("judge", default=None)
# Contains an error instead of a judge if the judge could not be opened.
_process: list[Judge | JudgeError] = []
_opening = threading.Lock()


def set_judge(judge: Judge | JudgeError | None) -> None:
    """Set the judge of this process (all threads); None removes it.

    A `JudgeError` in place of a judge is the reason why there is none: it is raised whenever a judge is requested.
    """
    _process[:] = [] if judge is None else [judge]


def use_judge(judge: Judge) -> AbstractContextManager[Judge]:
    """Set the judge within a block of this thread; it takes precedence over the judge of the process.

    Examples:
        >>> from scoring.extensions.judge.asking.scripted import ScriptedJudge
        >>> with use_judge(ScriptedJudge(["yes"])):
        ...     ask_judge("Is water wet?")
        'yes'
    """
    return temporarily_set(_chosen, judge)


def current_judge() -> Judge:
    """Return the judge to ask: that of the surrounding `use_judge` block, else that of the process, else that of the
    environment.

    Raises:
        JudgeError: when there is none; the record is then unscored.
        Undeclared: inside a step that does not declare ``judge``.
    """
    check_declared("judge")
    judge = _chosen.get() or (_process[0] if _process else _of_environment())
    if judge is None:
        raise JudgeError("no judge is configured (set SCORING_JUDGE_URL and SCORING_JUDGE_MODEL, or call use_judge)")
    if isinstance(judge, JudgeError):
        raise JudgeError(str(judge))
    return judge


def current_judges() -> Sequence[Judge]:
    """Return the judges that a metric that combines opinions should ask: the members of the current panel, or, if the
    current judge is not a panel, that judge alone.

    Raises:
        JudgeError: when there is none.
    """
    judge = current_judge()
    members: Sequence[Judge] = getattr(judge, "members", (judge,))
    return members


def _of_environment() -> Judge | JudgeError | None:
    """Return the judge that environment variables describe, or the `JudgeError` set in its place; None if they describe
    none. It is opened on the first call in each process.
    """
    from scoring.extensions.judge.asking.opening import judge_from_environment

    with _opening:
        if not _process:
            judge = judge_from_environment()
            if judge is None:
                return None
            _process.append(judge)
        return _process[0]


def ask_judge(*parts: Part, system: str = "", max_tokens: int | None = None) -> str:
    """Put one plain question to the current judge and return the text of its reply.

    The parts are the strings and pictures of one user message. Quote untrusted text, such as a model's answer, with
    ``scoring.extensions.judge.programs.fence.fence(...)``.

    Raises:
        JudgeError: when there is no judge, or it gives no complete reply.
    """
    user = Message("user", parts)
    messages = (Message("system", (system,)), user) if system else (user,)
    return finished(current_judge().ask(Question(messages, max_tokens=max_tokens))).text
