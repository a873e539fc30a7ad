"""Outcomes of scores and of exceptions."""

from __future__ import annotations

from typing import Any

from scoring.result import NotApplicable, Outcome, Unparsed, Unscored


def outcome_of(score: Any) -> Outcome:
    """The outcome of a score: 1 and True become 1.0, and -0.0 becomes 0.0, so what is equal looks the same."""
    return Outcome(score + 0.0 if isinstance(score, (int, float)) else score)


def failure(error: Exception) -> Outcome:
    """The outcome that an exception stands for, with the primitive that raised it."""
    known = isinstance(error, (Unscored, Unparsed, NotApplicable))
    return Outcome.of_exception(error, None if known else _raising_primitive(error))


def error_of(outcome: Outcome) -> Exception:
    """The exception whose outcome this is, where a failure has to be raised again."""
    if outcome.status == "not_applicable":
        return NotApplicable(outcome.reason or "", outcome.value)
    return (Unparsed if outcome.status == "unparsed" else Unscored)(outcome.reason or "")


def _raising_primitive(error: BaseException) -> str | None:
    """The innermost primitive on the error's traceback."""
    from scoring.registry import registry

    by_code = registry.by_code()
    found, frame = None, error.__traceback__
    while frame is not None:
        found = by_code.get(frame.tb_frame.f_code, found)
        frame = frame.tb_next
    return found
