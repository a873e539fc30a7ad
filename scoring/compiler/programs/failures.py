"""Conversion of scores and exceptions to outcomes."""

from __future__ import annotations

import dis
import functools
from types import CodeType, FrameType
from typing import Any

from scoring.registry.model import Primitive
from scoring.result import NotApplicable, Outcome, Unparsed, Unscored, cause_of, describe_error
from scoring.values import misfit, show_type


def outcome_of(score: Any) -> Outcome:
    """Return the outcome of a score as a float, so that equal scores look the same: 1 and True become 1.0, -0.0 becomes
    0.0; a score that is no number is kept as it is."""
    return Outcome(score + 0.0 if isinstance(score, (int, float)) else score)


def failure(error: Exception) -> Outcome:
    """Return the outcome that represents an exception.

    An exception that a step raises on purpose keeps its reason. For any other Python exception, the reason names the
    step, what it accepts and what it was given, since Python's own messages differ between releases.
    """
    if isinstance(error, (Unscored, Unparsed, NotApplicable)):
        return Outcome.of_exception(error)
    if isinstance(error.__cause__, KeyboardInterrupt):  # Python 3.11 wraps what comes while a late module makes a class
        raise error.__cause__
    return Outcome.unscored(_why(error))


def caught(error: Exception) -> Outcome:
    """Return the outcome of a failure that a scorer replaces by a score, so that no reason has to be worked out."""
    is_kept = isinstance(error, NotApplicable) or isinstance(error.__cause__, KeyboardInterrupt)
    return failure(error) if is_kept else Outcome.unscored("a score takes the place of the failure")


def error_of(outcome: Outcome) -> Exception:
    """Return the exception that corresponds to the outcome of a failure, so that it can be raised again."""
    if outcome.status == "not_applicable":
        return NotApplicable(outcome.reason or "", outcome.value)
    return (Unparsed if outcome.status == "unparsed" else Unscored)(outcome.reason or "")


def why_failed(primitive: Primitive, error: Exception) -> str:
    """Return the reason for an outcome, given a primitive and the Python exception that it raised."""
    if not primitive.is_own:
        return f"the primitive `{primitive.name}` of {primitive.release} failed ({describe_error(error)})"
    verb = "fails as the released code does" if "upstream" in primitive.name else "can't be computed"
    return f"`{primitive.name}` {verb}: {cause_of(error)}"


def _why(error: Exception) -> str:
    primitive, frame = _raising_primitive(error)
    if primitive is None or frame is None:
        return f"this can't be computed: {cause_of(error)}"
    if not primitive.is_own:
        return why_failed(primitive, error)
    arguments = {} if primitive.kind == "aggregator" else _data_arguments(frame)
    for (name, value), kind in zip(arguments.items(), primitive.inputs, strict=False):
        found = misfit(value, kind)
        if found is not None:
            place = f"`{name}{found[0]}`" if found[0] else f"the {name}"
            return f"`{primitive.name}` takes {kind}, but {place} is {show_type(found[1])}"
    kinds = " and ".join(f"the {name} is {show_type(value, 3)}" for name, value in arguments.items())
    return why_failed(primitive, error) + (f" ({kinds})" if kinds else "")


def _data_arguments(frame: FrameType) -> dict[str, Any]:
    """Return the input values of a primitive by name, read from the frame of its call."""
    variables = frame.f_locals
    return {name: variables[name] for name in _data_names(frame.f_code) if name in variables}


@functools.cache
def _data_names(code: CodeType) -> tuple[str, ...]:
    names = code.co_varnames[: code.co_posonlyargcount]
    written = {step.argval for step in dis.get_instructions(code) if step.opname in ("STORE_FAST", "STORE_DEREF")}
    return () if written.intersection(names) else names


def _raising_primitive(error: BaseException) -> tuple[Primitive | None, FrameType | None]:
    """Return the innermost primitive on the error's traceback, with the frame of its call; (None, None) without one."""
    from scoring.registry import registry

    by_code = registry.by_code()
    found: tuple[Primitive | None, FrameType | None] = None, None
    at = error.__traceback__
    while at is not None:
        primitive = by_code.get(at.tb_frame.f_code)
        if primitive is not None:
            found = primitive, at.tb_frame
        at = at.tb_next
    return found
