"""The exchange of values between the process of a program and that of its tests.

How values are written, and what both ends have in common. Like the runner that loads it, it imports nothing of this
package; the host imports it to read values. The process of the program (`served.py`) never has the tests, what they
expect or the verdict in its memory, and the one of the tests (`examining.py`) runs nothing of the program: it sends
arguments and gets results. So a program can only *be* right: to leave, to print, to replace functions of Python or to
give objects that are equal to everything changes no verdict. Comparisons are made where the tests are; of an object
that is no plain value they get a stand-in, which can be called, iterated and read, and is equal to nothing but another
object of the program.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib
import json
import os
import sys
import types
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

READ, WRITE, VERDICT = 3, 4, 5  # the descriptors of both processes; the last of the tests alone
# A program may replace these in their modules.
_write, _read, _dumps, _loads = os.write, os.read, json.dumps, json.loads
MOST = 16 << 20  # bytes of one message
MOST_VERDICT = MOST + (1 << 20)
MOST_TOLD = 300
_SMALL = 1 << 53
DEEPEST = 200  # levels of lists, sets and mappings, as everywhere (`scoring.depth`)

# Values of Python's own library that cross as what they are made from, by the names of their classes.
_MADE: dict[str, Callable[[Any], tuple[Any, ...]]] = {
    "builtins.range": lambda value: (value.start, value.stop, value.step),
    "decimal.Decimal": lambda value: (str(value),),
    "fractions.Fraction": lambda value: (value.numerator, value.denominator),
    "datetime.date": lambda value: (value.year, value.month, value.day),
    "datetime.time": lambda value: (value.hour, value.minute, value.second, value.microsecond),
    "datetime.datetime": lambda value: (*value.timetuple()[:6], value.microsecond),
    "datetime.timedelta": lambda value: (value.days, value.seconds, value.microseconds),
    "collections.deque": lambda value: (list(value),),
    "collections.Counter": lambda value: (dict(value),),
    "collections.OrderedDict": lambda value: (list(value.items()),),
    "collections.defaultdict": lambda value: (None, dict(value)),
}
_HOLDERS = (list, tuple, set, frozenset, dict, deque)
_PLAIN = (*_HOLDERS, int, float, str, bytes, bytearray, complex, bool)
_CONTAINERS: tuple[Any, ...] = (list, tuple, set, frozenset)


class Uncrossable(Exception):
    """Data between the processes that are not a value, or not one that may be transferred."""


def made_of(
    value: Any,
    other: Callable[[Any], Any],
    derived: Callable[[Any, Any], Any] = lambda value, data: data,
    levels: int = DEEPEST,
) -> Any:
    """Return a value as JSON data; ``other`` writes what is no plain value.

    Plain values are those of Python's own types, and of classes derived from them, which lose what they add: unless
    ``derived`` writes more, of such a value and its data.

    Raises:
        Uncrossable: when it is nested in more levels.

    Examples:
        >>> made_of([1, (2.5, "a"), {None: {True}}], repr)
        ['list', 1, ['tuple', 2.5, 'a'], ['dict', [None, ['set', True]]]]
    """
    is_leaf = not isinstance(value, _HOLDERS)
    data = _leaf_of(value, other) if is_leaf else _parts_of(value, other, derived, levels)
    return derived(value, data) if isinstance(value, _PLAIN) and type(value) not in _PLAIN else data


def _leaf_of(value: Any, other: Callable[[Any], Any]) -> Any:
    if value is None or value is True or value is False:
        return value
    if isinstance(value, int):
        number = int.__pos__(value)
        return number if -_SMALL < number < _SMALL else ["int", format(number, "x")]
    if isinstance(value, float):
        return float.__pos__(value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, complex):
        return ["complex", value.real, value.imag]
    if isinstance(value, bytes | bytearray):
        return ["bytes" if isinstance(value, bytes) else "bytearray", bytes(value).hex()]
    if (name := _class_name(value)) in _MADE:
        return ["made", name, *(_leaf_of(part, other) for part in _MADE[name](value))]
    return other(value)


def _class_name(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _parts_of(value: Any, other: Callable[[Any], Any], derived: Callable[[Any, Any], Any], levels: int) -> list[Any]:
    if levels == 0:
        raise Uncrossable(f"a value is nested deeper than {DEEPEST} levels")

    def inner(part: Any) -> Any:
        return made_of(part, other, derived, levels - 1)

    if (name := _class_name(value)) in _MADE:
        return ["made", name, *map(inner, _MADE[name](value))]
    for kind in _CONTAINERS:
        if isinstance(value, kind):
            return [kind.__name__, *map(inner, kind.__iter__(value))]
    return ["dict", *([inner(key), inner(held)] for key, held in dict.items(value))]


def made_from(data: Any, other: Callable[[list[Any]], Any] | None = None) -> Any:
    """Return the value for JSON data; ``other`` reads the objects that `made_of` wrote with its own.

    Raises:
        Uncrossable: when it stands for none.

    Examples:
        >>> made_from(["list", 1, ["tuple", 2.5, "a"], ["dict", [None, ["set", True]]]])
        [1, (2.5, 'a'), {None: {True}}]
    """
    if data is None or isinstance(data, bool | int | float | str):
        return data
    try:
        word, parts = data[0], data[1:]
        if word == "int":
            return int(parts[0], 16)
        if word == "complex":
            return complex(*parts)
        if word in ("bytes", "bytearray"):
            return getattr(builtins, word).fromhex(parts[0])
        if word == "dict":
            return {made_from(key, other): made_from(held, other) for key, held in parts}
        if word == "made" and parts[0] in _MADE:
            return of_library(*parts[0].split("."))(*(made_from(part, other) for part in parts[1:]))
        for kind in _CONTAINERS:
            if word == kind.__name__:
                return kind(made_from(part, other) for part in parts)
    except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError) as error:
        raise Uncrossable(f"no value: {error}") from None
    if other is None or not isinstance(data, list):
        raise Uncrossable(f"a value of the class `{parts[-1]}`" if word == "object" and parts else "no value")
    return other(data)


def of_library(module: str, *names: str) -> Any:
    """Return the objects of Python's own library with these names.

    Raises:
        Uncrossable: when the module is none of it.
    """
    if module.partition(".")[0] not in sys.stdlib_module_names:
        raise Uncrossable(f"`{module}` is not of Python's own library")
    found = importlib.import_module(module)
    for name in names:
        found = getattr(found, name)
    return found


def own_name(value: Any) -> list[Any] | None:
    """Return the module of a function, class or module of Python's own library, and how it is called there."""
    if isinstance(value, types.ModuleType):
        is_library = value.__name__.partition(".")[0] in sys.stdlib_module_names
        return [value.__name__] if is_library and sys.modules.get(value.__name__) is value else None
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str):
        return None
    with contextlib.suppress(Exception):
        if of_library(module, *name.split(".")) is value:
            return [module, *name.split(".")]
    return None


def told(error: BaseException) -> str:
    """Return an exception in one line."""
    with contextlib.suppress(Exception):
        said = str(error)[:MOST_TOLD]
        return f"{type(error).__name__}: {said}" if said else type(error).__name__
    return type(error).__name__


class End(ABC):
    """One end of two pipes: sends requests, and answers those of the other end meanwhile."""

    def __init__(self) -> None:
        self._waiting = bytearray()
        self.kept: list[Any] = []
        self._numbers: dict[int, int] = {}

    def send(self, message: Mapping[str, Any]) -> None:
        """Write a message."""
        data = _dumps(message).encode() + b"\n"
        if len(data) > MOST:
            raise Uncrossable("a value is too large to cross")
        while data:
            data = data[_write(WRITE, data) :]

    def receive(self) -> dict[str, Any]:
        """Return the next message of the other end."""
        while (end := self._waiting.find(b"\n")) < 0:
            block = b"" if len(self._waiting) > MOST else _read(READ, 1 << 16)
            if not block:
                self.left_alone()
            self._waiting += block
        line = bytes(self._waiting[:end])
        del self._waiting[: end + 1]
        message = _loads(line)
        if not isinstance(message, dict):
            raise Uncrossable("no message")
        return message

    @abstractmethod
    def left_alone(self) -> NoReturn:
        """Return the error to raise when the other end is gone."""

    def keep(self, value: Any) -> int:
        """Return the number under which the other end may speak of a value."""
        if id(value) not in self._numbers:
            self._numbers[id(value)] = len(self.kept)
            self.kept.append(value)
        return self._numbers[id(value)]

    @abstractmethod
    def answer(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a request of the other end.

        Raises whatever it comes to.
        """

    def ask(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer of the other end."""
        self.send(message)
        while True:
            found = self.receive()
            if "do" not in found:
                return found
            self.reply(found)

    def reply(self, message: Mapping[str, Any]) -> None:
        """Answer a message, with the exception if one was raised."""
        try:
            answer = self.answer(message)
        except BaseException as error:
            answer = self.raised(error)
        try:
            self.send(answer)
        except (Uncrossable, ValueError, RecursionError) as error:
            self.send(self.raised(error))

    def raised(self, error: BaseException) -> dict[str, Any]:
        """Return an exception as a message."""
        bases = [kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins"]
        with contextlib.suppress(Exception):
            return {"raised": bases, "text": str(error)[:10_000], "class": self.class_of(type(error))}
        return {"raised": bases, "text": "", "class": None}

    def class_of(self, kind: type) -> Any:
        """Return how the other end may know the class of an exception; None where Python has it."""
        return None
