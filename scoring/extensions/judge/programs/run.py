"""Running judge programs on the values of records, and stopping a run whose program fails on its first replies."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from scoring.extensions.judge.calls import InvalidReply, Judge, Picture, Question, finished
from scoring.extensions.judge.programs.formula import evaluate_program_formula
from scoring.extensions.judge.programs.program import Ask, ForEach, JudgeProgram, JudgeStep
from scoring.extensions.judge.programs.replies import read_reply_path
from scoring.extensions.judge.prompt import digest_ascii_json, messages
from scoring.result import Unscored


class Judgement(NamedTuple):
    """The result of running a judge program: its score, or else the value that it extracts."""

    score: float | None
    value: Any


@dataclass
class _Attempt:
    judge: Judge
    number: int
    sample: int
    values: dict[str, Any]


class _Decided(Exception):
    """Raised within a judge program to end it early with a score."""

    def __init__(self, score: float) -> None:
        super().__init__(score)
        self.score = score


def run_program(
    program: JudgeProgram, inputs: Mapping[str, Any], judge: Judge, *, restarts: int | None = None, sample: int = 0
) -> Judgement:
    """Run a judge program and return its score or value; an invalid reply starts it again from its first step, up to
    ``restarts`` times.

    Args:
        program: The program.
        inputs: The program's inputs by name.
        judge: The judge to ask.
        restarts: The number of restarts allowed; None means the program's setting, else the judge's, else 0.
        sample: The index of this opinion among several on the same inputs.

    Raises:
        InvalidReply: when the last attempt still had a reply that is not what its step asks for.
        JudgeError: when the judge could not be reached; this is not retried here.
        Unscored: when an input is missing or the formula has no value.
    """
    allowed = next(n for n in (restarts, program.restarts, getattr(judge, "restarts", None), 0) if n is not None)
    values, number = _inputs(program, inputs), 0
    while True:
        try:
            found = _finish(program, _Attempt(judge, number, sample, dict(values)))
        except InvalidReply:
            if number >= allowed:
                raise
            number += 1
        except FormulaFails as fault:
            tell(program.name, str(fault))
            raise
        else:
            tell(program.name, None)
            return found


def _inputs(program: JudgeProgram, inputs: Mapping[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, declared in program.inputs.items():
        value = inputs.get(name)
        if value is None and declared.is_used:
            raise Unscored(f"judge `{program.name}` needs `{name}`")
        if declared.is_list:
            value = list(value) if isinstance(value, (list, tuple)) else [value]
        values[name] = value
    return values


def _finish(program: JudgeProgram, attempt: _Attempt) -> Judgement:
    try:
        _run(program.steps, attempt)
    except _Decided as decided:
        return Judgement(decided.score, decided.score)
    if program.score is None:
        return Judgement(None, attempt.values[str(program.value)])
    score = _evaluated(program.score, attempt.values)
    if not isinstance(score, (int, float)) or not program.low <= score <= program.high:
        raise FormulaFails(f"judge `{program.name}` gave {score!r}, not a number from {program.low} to {program.high}")
    return Judgement(score, score)


def _run(steps: tuple[JudgeStep, ...], attempt: _Attempt) -> None:
    for step in steps:
        if isinstance(step, Ask):
            _ask(step, attempt)
        elif isinstance(step, ForEach):
            _for_each(step, attempt)
        elif _evaluated(step.condition, attempt.values):
            if step.score is None:
                raise Unscored(step.reason)
            raise _Decided(float(_evaluated(step.score, attempt.values)))


def _evaluated(text: str, values: Mapping[str, Any]) -> Any:
    try:
        return evaluate_program_formula(text, values)
    except Unscored as error:
        raise FormulaFails(str(error)) from None


def _for_each(step: ForEach, attempt: _Attempt) -> None:
    items = attempt.values[step.over]
    if not isinstance(items, list):
        raise FormulaFails(f"`for_each` needs a list, but `{step.over}` is not one")
    collected: dict[str, list[Any]] = {name: [] for name, _ in step.collect}
    outside = dict(attempt.values)
    for item in items:
        attempt.values = {**outside, step.variable: item}
        _run(step.steps, attempt)
        for name, text in step.collect:
            collected[name].append(_evaluated(text, attempt.values))
    attempt.values = {**outside, **collected}


def _ask(step: Ask, attempt: _Attempt) -> None:
    instruction, values = step.instruction, attempt.values
    shown = {label: values[name] for label, name in step.show}
    schema = instruction.reader.schema_for(lambda name: len(values[name]))
    question = Question(
        messages=messages(instruction.prompt, shown, schema, system=instruction.system),
        schema=schema,
        schema_name=instruction.name,
        prompt=instruction.digest,
        inputs=digest_ascii_json({label: _plain(value) for label, value in shown.items()}),
        attempt=attempt.number,
        sample=attempt.sample,
    )
    found = instruction.reader.read(finished(attempt.judge.ask(question)).text, schema)
    for name, path in step.gives:
        values[name] = read_reply_path(found, path)
    for check in step.checks:
        if not _evaluated(check, values):
            raise InvalidReply("failed_check", f"{check} does not hold")


def _plain(value: Any) -> Any:
    if isinstance(value, Picture):
        return {"picture": value.digest}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


# ---- programs that can't work are stopped before all of their calls are paid for

FIRST = 10
"""The number of a program's first replies that must all cause the same failure for its run to be stopped."""


class FormulaFails(Unscored):
    """The error that a formula of a judge program can't be evaluated with the values in the judge's replies."""


class ProgramFault(BaseException):
    """The error that a judge program most likely never works; a BaseException, so that it ends the run instead of
    leaving a record unscored.
    """


# For each program, the failure of its first replies and their number; None once one of them had another outcome.
_watched: dict[str, tuple[str, int] | None] | None = None
_lock = threading.Lock()


@contextmanager
def watching() -> Iterator[None]:
    """Watch the judge programs that run within the block: if the first replies to a program all make its formulas fail
    for the same reason, `ProgramFault` is raised, which ends the run.

    Outside the block, as when single records are scored, such failures only leave the records unscored.
    """
    global _watched
    before, _watched = _watched, {}
    try:
        yield
    finally:
        _watched = before


def tell(program: str, reason: str | None) -> None:
    """Record the outcome of running the judge program named `program`: `reason` is why its formulas failed; None if it
    gave a judgement.

    Raises:
        ProgramFault: within a `watching` block, when the program's first replies all caused the same failure.
    """
    watched = _watched
    if watched is None or watched.get(program, ()) is None:  # the latter is for ever, so that no lock is needed
        return
    with _lock:
        found = watched.get(program, (reason or "", 0))
        if found is None or found[0] != reason:
            watched[program] = None
            return
        watched[program] = (reason, found[1] + 1)
    if found[1] + 1 >= FIRST:
        raise ProgramFault(
            f"judge `{program}` can't work: its first {FIRST} replies all gave: {reason}; fix its formula, or "
            "say what such a reply means with a step that has `if` (replies in a judge cache are not paid for again)"
        )
