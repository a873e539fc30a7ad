"""The names by which others write judges and use them.

A primitive asks ``current_judge()``; whoever runs the scoring chooses it with ``use_judge(judge)`` or
``set_judge(judge)``.
"""

from scoring.judge.calls import (
    InvalidReply,
    Judge,
    JudgeError,
    JudgeRefused,
    JudgeUnavailable,
    Message,
    Part,
    Picture,
    Question,
    Reply,
    Role,
    Usage,
    finished,
)
from scoring.judge.current import ask_judge, current_judge, current_judges, set_judge, use_judge

__all__ = [
    "InvalidReply",
    "Judge",
    "JudgeError",
    "JudgeRefused",
    "JudgeUnavailable",
    "Message",
    "Part",
    "Picture",
    "Question",
    "Reply",
    "Role",
    "Usage",
    "ask_judge",
    "current_judge",
    "current_judges",
    "finished",
    "set_judge",
    "use_judge",
]
