"""What a target is, and what came out of one input."""

from __future__ import annotations

import math
import re
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, Protocol

from scoring.ranges import EVERYTHING, ScoreRange
from scoring.result import NotApplicable, Outcome, Unparsed, Unscored
from tests.fuzz import codec

ROOT = Path(__file__).resolve().parents[2]
_BARE = re.compile(
    r"(?:^|[:(] ?|\bfrom )[A-Za-z_.]*(?:Error|Exception|Interrupt|StopIteration|SystemExit)(?:$|:|\()"
    r"|object has no attribute|NoneType|not subscriptable|unhashable type|object is not (?:iterable|callable)"
    r"|unsupported operand|(?:list|tuple|string) index out of range|positional arguments?\b|keyword argument '"
    r"|not enough values to unpack|too many values to unpack|invalid literal for|could not convert string to float"
    r"|must be (?:str|int|real number|a string|an integer), not|recursion depth exceeded|<class '|<built-in "
    r"|math domain error|cannot be interpreted as an integer|not supported between instances|codec can't"
    r"|cannot convert float|has no len\(\)|'\w+' object|object at 0x|is a bug in"
)
_CHANGING = re.compile(
    r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`|-?\d[\d.e+-]*|\b(?:nan|inf)\b|(?<=: ).{60,}", re.DOTALL
)


class Fault(NamedTuple):
    """Something that must not be: its kind (a word of `tests.fuzz`), and what is told of it."""

    kind: str
    symptom: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """What came out of one input: a text that two runs must have in common, and what is wrong with it alone."""

    text: str
    faults: tuple[Fault, ...] = ()


class Refused(Exception):
    """Raised by `Target.open`: what was set up is refused with a finding, as it should be. It counts as an input."""


class Subject(Protocol):
    """What was opened for a setup."""

    @property
    def many(self) -> Callable[[list[Any]], list[Told]] | None:
        """The same inputs at once, if there is such a form."""

    def one(self, given: Any) -> Told:
        """One input alone. What this raises is a finding of the kind `exception`."""


class Target(ABC):
    """One kind of thing to try. See `tests.fuzz` for how one is added."""

    name: str
    address: str
    """What a process finds it by; its name unless it stands elsewhere."""
    together = 24
    """So many inputs share a setup, and make a batch."""
    weight = 1.0
    """Its share of the inputs of a run over all targets, beside the others' weights."""
    short = 200
    """So many setups are tried in the suite, each with a few inputs."""

    def __init__(self) -> None:
        self.address = self.name

    @abstractmethod
    def setup(self, random: Random) -> Any:
        """What some inputs share, as plain data."""

    @abstractmethod
    def given(self, random: Random, setup: Any) -> Any:
        """One input, as plain data."""

    @abstractmethod
    def open(self, setup: Any) -> Subject:
        """What the inputs are given to.

        Raises:
            Refused: when the setup is refused by a finding.
        """

    def member(self, setup: Any) -> str:
        """Which part of the target a setup is for, for the names of findings."""
        return ""


def told_outcome(outcome: Outcome, held: ScoreRange = EVERYTHING) -> Told:
    """What an outcome tells, and its faults: a score out of range, a reason in bare Python, no reason at all."""
    text = codec.write([outcome.status, outcome.value, outcome.reason, outcome.notes])
    faults = [*reason_faults(outcome.reason)]
    if outcome.status == "scored":
        faults += range_faults(outcome.value, held)
    elif not outcome.reason and outcome.status != "not_applicable":
        faults.append(Fault("bare", f"{outcome.status} without a reason"))
    return Told(text, tuple(faults))


def range_faults(value: Any, held: ScoreRange) -> list[Fault]:
    """A score that is no number, or lies outside the range that was declared for it."""
    if not isinstance(value, float | int) or isinstance(value, bool):
        return [] if held == EVERYTHING else [Fault("range", f"a score that is a {type(value).__name__}", repr(value))]
    if math.isnan(value) and held == EVERYTHING:  # some released code gives no number for lists without items
        return []
    return (
        [] if held.low <= value <= held.high else [Fault("range", f"outside {held}", f"{value!r} lies outside {held}")]
    )


def reason_faults(reason: str | None) -> list[Fault]:
    """Whether a reason, message or warning is what Python says, and not what a person would."""
    if not reason or not _BARE.search(without_quotes(reason)):
        return []
    return [Fault("bare", symptom_of(reason), reason)]


def without_quotes(text: str) -> str:
    """A message without what it quotes: that comes from the input."""
    return re.sub(r"`[^`]*`|(?<!object )(?<!\w)'(?:[^'\\]|\\.){8,}'|\"(?:[^\"\\]|\\.)*\"", "…", text)


def symptom_of(text: str) -> str:
    """A message without what changes from input to input, so that equal findings are one."""
    return _CHANGING.sub("…", " ".join(text.split()))[:160]


def told_failure(error: BaseException) -> Told:
    """What an exception tells that a call may raise; any other is a fault."""
    if isinstance(error, Unscored | Unparsed | NotApplicable):
        return told_outcome(Outcome.of_exception(error))
    return Told(f"raised {type(error).__name__}", (exception_fault(error),))


def exception_fault(error: BaseException) -> Fault:
    """An exception that came out of a call that promises none, with the innermost line of ours."""
    kind = "memory" if is_out_of_memory(error) else "exception"
    return Fault(kind, f"{type(error).__name__} in {_place(error)}", "".join(traceback.format_exception(error))[-4000:])


def is_out_of_memory(error: BaseException) -> bool:
    """Whether memory was short; Python's compiler says so, too, of what is nested too deeply for it."""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    is_compiler = frame is not None and frame.tb_frame.f_code.co_filename.endswith("/ast.py")
    return isinstance(error, MemoryError) and not is_compiler


def _place(error: BaseException) -> str:
    found, frame = "?", error.__traceback__
    while frame is not None:
        path = frame.tb_frame.f_code.co_filename
        if "/scoring/" in path and "/tests/" not in path:
            found = f"{path.rpartition('/scoring/')[2]}:{frame.tb_frame.f_code.co_name}"
        frame = frame.tb_next
    return found
