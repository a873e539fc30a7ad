"""Targets that are wrong on purpose: what finds nothing in them is broken."""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable
from random import Random
from typing import Any

from scoring.ranges import UNIT
from scoring.result import Outcome
from tests.fuzz.target import Subject, Target, Told, told_outcome

WRONG = 7
"""The number of an input that is answered wrongly."""
_seen: list[Any] = []


class _Fault:
    many: Callable[[list[Any]], list[Told]] | None = None

    def __init__(self, answer: Callable[[int], Any]) -> None:
        self.answer = answer

    def one(self, given: Any) -> Told:
        return self.answer(given["number"]) if given.get("number") == WRONG else Told("fine")


class _Faulty(Target):
    """One input in twenty is answered wrongly."""

    def __init__(self, name: str, answer: Callable[[int], Any]) -> None:
        self.name, self.address, self._answer = name, f"tests.fuzz.faulty:{name}", answer

    def setup(self, random: Random) -> Any:
        return {"first": random.randrange(3)}

    def given(self, random: Random, setup: Any) -> Any:
        return {"number": random.randrange(20), "more": [random.randrange(9) for _ in range(random.randrange(5))]}

    def open(self, setup: Any) -> Subject:
        return _Fault(self._answer)


class _Together(_Faulty):
    def open(self, setup: Any) -> Subject:
        found = _Fault(lambda number: Told("fine"))
        found.many = lambda given: [self._answer(one.get("number")) for one in given]
        return found


def _raise(number: int) -> Any:
    raise KeyError(number)


def _spin(number: int) -> Any:
    while True:
        number += 1


def _forked(depth: int) -> Any:
    import inspect

    return Told("deep" if len(inspect.stack(0)) > depth else "fine")


def _turn(number: int) -> Any:
    """Another answer every other time."""
    _seen.append(number)
    return Told(str(len(_seen) % 2))


FINE = _Faulty("FINE", lambda number: Told("fine"))
RAISES = _Faulty("RAISES", _raise)
SPINS = _Faulty("SPINS", _spin)
HOLDS_THE_INTERPRETER = _Faulty("HOLDS_THE_INTERPRETER", lambda number: _hold())
CRASHES = _Faulty("CRASHES", lambda number: ctypes.string_at(0))
LEAVES = _Faulty("LEAVES", lambda number: os._exit(0))
FILLS = _Faulty("FILLS", lambda number: Told(str(len(bytearray(3 << 30)))))
OUT_OF_RANGE = _Faulty("OUT_OF_RANGE", lambda number: told_outcome(Outcome(1.0000000000000002), UNIT))
BARE = _Faulty("BARE", lambda number: told_outcome(Outcome.unscored("step: TypeError: 'int' object is not iterable")))
FORGETS = _Faulty("FORGETS", _turn)
HASHES = _Faulty("HASHES", lambda number: Told(str(hash("a"))))
DEEP = _Faulty("DEEP", lambda number: _forked(150))
BATCHES = _Together("BATCHES", lambda number: Told("otherwise" if number == WRONG else "fine"))


def _hold() -> Any:
    """Compute where no signal is looked at, as a library in C may."""
    began = time.process_time()
    while time.process_time() - began < 60:
        sum(range(10**9))
    return Told("fine")
