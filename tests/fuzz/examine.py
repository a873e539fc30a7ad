"""Inputs run in every way that has to give the same: alone, again, in another order, from deeper, in a batch."""

from __future__ import annotations

import hashlib
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from random import Random
from types import FrameType
from typing import Any, NamedTuple

from tests.fuzz.target import Fault, Refused, Subject, Target, Told, exception_fault

DEEPER = 200
"""So many calls deeper the second run of an input begins: what it gives must not depend on the caller's stack."""


class Hang(BaseException):
    """One input took more CPU time than it may. Not an `Exception`, since what is under test catches these."""


class Found(NamedTuple):
    """A fault of some inputs of a setup, and the way they were run."""

    fault: Fault
    way: str
    places: tuple[int, ...]


class Report(NamedTuple):
    """What came of one setup and its inputs.

    Attributes:
        told: What each input told, run alone; None where the setup was refused.
        found: The faults.
        slowest: The most CPU time that one input took, alone.
    """

    told: list[str] | None
    found: list[Found]
    slowest: float

    @property
    def digest(self) -> str:
        """What two processes compare."""
        return hashlib.sha256("\n".join(self.told or ["refused"]).encode()).hexdigest()


Mark = Callable[[str, int], None]
"""Told what is run next: the way, and the place of the input."""


@contextmanager
def cpu_limit(seconds: float) -> Iterator[Callable[[], None]]:
    """Raise `Hang` where the CPU time of this process since the last call of what is given grows beyond a limit."""

    def expired(number: int, frame: FrameType | None) -> None:
        raise Hang

    def again() -> None:
        signal.setitimer(signal.ITIMER_PROF, seconds)

    before = signal.signal(signal.SIGPROF, expired)
    try:
        yield again
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def drawn(target: Target, seed: str, count: int) -> tuple[Any, list[Any]]:
    """The setup and the inputs that a seed names."""
    random = Random(seed)
    setup = target.setup(random)
    return setup, [target.given(random, setup) for _ in range(count)]


def examine(
    target: Target,
    setup: Any,
    inputs: Sequence[Any],
    seconds: float,
    mark: Mark = lambda way, place: None,
    is_brief: bool = False,
    subjects: dict[str, Subject] | None = None,
    key: str = "",
) -> Report:
    """Run inputs in all ways; a brief look runs them alone, for what another process gives.

    Args:
        target: What they are inputs of.
        setup: What they share.
        inputs: The inputs.
        seconds: The CPU time that each of them may take; a batch may take as much for each of its inputs.
        mark: Is told what is run next.
        is_brief: Whether they are run once each, alone.
        subjects: Keeps what was opened, by `key`.
        key: The setup as a text.
    """
    look = _Look(list(inputs), seconds, mark)
    with cpu_limit(seconds) as look.again:
        subject = (subjects or {}).get(key)
        if subject is None:
            subject = look.opened(target, setup)
            if subject is None:
                return Report(None, look.found, 0.0)
            if subjects is not None:
                subjects[key] = subject
        look.alone(subject)
        if not is_brief:
            look.other_ways(subject)
    return Report([one.text for one in look.told], look.found, look.slowest)


class _Look:
    def __init__(self, inputs: list[Any], seconds: float, mark: Mark) -> None:
        self.inputs, self.seconds, self.mark = inputs, seconds, mark
        self.again: Callable[[], None] = lambda: None
        self.told: list[Told] = []
        self.found: list[Found] = []
        self.slowest = 0.0

    def opened(self, target: Target, setup: Any) -> Subject | None:
        self.mark("open", 0)
        self.again()
        try:
            return target.open(setup)
        except Refused:
            return None
        except Hang:
            self.found.append(Found(self._hang("open"), "open", ()))
        except Exception as error:
            self.found.append(Found(exception_fault(error), "open", ()))
        return None

    def alone(self, subject: Subject) -> None:
        for place, given in enumerate(self.inputs):
            self.mark("alone", place)
            began = time.process_time()
            told = self._one(subject, given, "alone")
            self.slowest = max(self.slowest, time.process_time() - began)
            self.told.append(told)
            self.found += [Found(fault, "alone", (place,)) for fault in told.faults]

    def other_ways(self, subject: Subject) -> None:
        hung = {place for found in self.found if found.fault.kind in ("hang", "memory") for place in found.places}
        places = [place for place in range(len(self.inputs)) if place not in hung]
        Random(len(places)).shuffle(places)
        for place in places:
            self.mark("again", place)
            self._compare("again", place, self._deeper(subject, self.inputs[place], DEEPER))
        if subject.many is None or not places:
            return
        for way, order in (("batch", sorted(places)), ("shuffled", places)):
            self.mark(way, order[0])
            self._batch(subject.many, way, order)

    def _batch(self, many: Callable[[list[Any]], list[Told]], way: str, order: list[int]) -> None:
        signal.setitimer(signal.ITIMER_PROF, self.seconds * len(order))
        try:
            together = many([self.inputs[place] for place in order])
        except Hang:
            self.found.append(Found(self._hang(way), way, tuple(order)))
        except Exception as error:
            self.found.append(Found(exception_fault(error), way, tuple(order)))
        else:
            if len(together) != len(order):
                fault = Fault("differs", f"{way}: as many outcomes as inputs", f"{len(together)} for {len(order)}")
                self.found.append(Found(fault, way, tuple(order)))
            for place, told in zip(order, together, strict=False):
                self._compare(way, place, told, tuple(order))

    def _compare(self, way: str, place: int, told: Told, places: tuple[int, ...] = ()) -> None:
        if told.text != self.told[place].text:
            detail = f"alone: {self.told[place].text[:600]}\n{way}: {told.text[:600]}"
            self.found.append(
                Found(
                    Fault("differs", f"{'again' if way == 'again' else 'in a batch'} and alone", detail),
                    way,
                    places or (place,),
                )
            )

    def _one(self, subject: Subject, given: Any, way: str) -> Told:
        self.again()
        try:
            return subject.one(given)
        except Hang:
            return Told("hang", (self._hang(way),))
        except Exception as error:
            fault = exception_fault(error)
            return Told(f"raised {type(error).__name__}", (fault,))

    def _deeper(self, subject: Subject, given: Any, depth: int) -> Told:
        return self._deeper(subject, given, depth - 1) if depth else self._one(subject, given, "again")

    def _hang(self, way: str) -> Fault:
        return Fault("hang", "more CPU time than an input may take", f"{way}: more than {self.seconds} s of CPU time")
