"""The protocol between a program in one process and its tests in another: only values cross between them.

This module defines how values are written, and the parts that both ends share. Like the runner that loads it, it
imports nothing else of this package; the host imports it to read values. The program's process (`served.py`) never has
the tests, their expected values or the verdict in its memory, and the tests' process (`examining.py`) runs no code of
the program: it sends arguments and receives results. So a program passes only by being right: exiting, printing,
replacing functions of Python or returning objects that are equal to everything changes no verdict. Comparisons are made
in the tests' process; an object that is not a plain value is represented there by a proxy, which can be called,
iterated and read, and is equal to nothing but another object of the program.
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

READ, WRITE, VERDICT = 3, 4, 5  # the file descriptors of both processes; the last one only of the tests' process
# Saved here, since a program may replace these functions in their modules.
_write, _read, _dumps, _loads = os.write, os.read, json.dumps, json.loads
MOST = 16 << 20  # bytes of one message
MOST_VERDICT = MOST + (1 << 20)
MOST_SHOWN = 300
_SMALL = 1 << 53
DEEPEST = 200  # levels of nested lists, sets and mappings, as elsewhere (`scoring.depth`)

# Types of the standard library that are sent as their constructor's arguments, by class name.
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
    """The error for a value that can't be sent to the other process, or for data that represents no value."""


def made_of(
    value: Any,
    other: Callable[[Any], Any],
    derived: Callable[[Any, Any], Any] = lambda value, data: data,
    levels: int = DEEPEST,
) -> Any:
    """Return a value encoded as JSON data; ``other`` encodes anything that is not a plain value.

    Plain values are those of built-in types and of their subclasses, of which only the built-in part is encoded, unless
    ``derived`` returns other data, given such a value and its data.

    Args:
        value: The value.
        other: Returns the JSON data for an object that is not a plain value.
        derived: Returns the JSON data for a value of a subclass, given it and the data of its built-in part.
        levels: The number of levels of nesting that are allowed.

    Raises:
        Uncrossable: when it is nested too deeply.

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
    return ["dict", *([inner(key), inner(item)] for key, item in dict.items(value))]


def made_from(data: Any, other: Callable[[list[Any]], Any] | None = None) -> Any:
    """Return the value that JSON data made by `made_of` represents; ``other`` decodes what `made_of`'s ``other``
    encoded.

    Raises:
        Uncrossable: when the data represents no value.

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
            return {made_from(key, other): made_from(item, other) for key, item in parts}
        if word == "made" and parts[0] in _MADE:
            return import_from_library(*parts[0].split("."))(*(made_from(part, other) for part in parts[1:]))
        for kind in _CONTAINERS:
            if word == kind.__name__:
                return kind(made_from(part, other) for part in parts)
    except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError) as error:
        raise Uncrossable(f"no value: {error}") from None
    if other is None or not isinstance(data, list):
        raise Uncrossable(f"a value of the class `{parts[-1]}`" if word == "object" and parts else "no value")
    return other(data)


def import_from_library(module: str, *names: str) -> Any:
    """Import a module of the standard library, and return its attribute at the path `names`, or the module itself
    without names.

    Raises:
        Uncrossable: when the module is not part of it.
    """
    if module.partition(".")[0] not in sys.stdlib_module_names:
        raise Uncrossable(f"`{module}` is not of Python's own library")
    found = importlib.import_module(module)
    for name in names:
        found = getattr(found, name)
    return found


def own_name(value: Any) -> list[Any] | None:
    """Return the module and the parts of the qualified name of a standard library function, class or module, as a list;
    None for any other value."""
    if isinstance(value, types.ModuleType):
        is_library = value.__name__.partition(".")[0] in sys.stdlib_module_names
        return [value.__name__] if is_library and sys.modules.get(value.__name__) is value else None
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str):
        return None
    with contextlib.suppress(Exception):
        if import_from_library(module, *name.split(".")) is value:
            return [module, *name.split(".")]
    return None


def describe_exception(error: BaseException) -> str:
    """Return the class and text of an exception, on one line."""
    with contextlib.suppress(Exception):
        said = str(error)[:MOST_SHOWN]
        return f"{type(error).__name__}: {said}" if said else type(error).__name__
    return type(error).__name__


class End(ABC):
    """One of the two processes that exchange messages over a pair of pipes: it sends requests, and while it waits for
    an answer, answers those of the other process."""

    def __init__(self) -> None:
        self._waiting = bytearray()
        self.kept: list[Any] = []
        self._numbers: dict[int, int] = {}

    def send(self, message: Mapping[str, Any]) -> None:
        """Write a message, as a line of JSON, to the other process; raise Uncrossable when it is too large."""
        data = _dumps(message).encode() + b"\n"
        if len(data) > MOST:
            raise Uncrossable("a value is too large to cross")
        while data:
            data = data[_write(WRITE, data) :]

    def receive(self) -> dict[str, Any]:
        """Return the next message from the other process; if that process has ended, end this one (`left_alone`)."""
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
        """End this process; called when the other process has ended."""

    def keep(self, value: Any) -> int:
        """Store a value that can't be sent, and return the number by which the other process refers to it."""
        if id(value) not in self._numbers:
            self._numbers[id(value)] = len(self.kept)
            self.kept.append(value)
        return self._numbers[id(value)]

    @abstractmethod
    def answer(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a request of the other process; may raise any exception that carrying it out causes."""

    def ask(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request and return the other process's answer; meanwhile answer the requests that it sends."""
        self.send(message)
        while True:
            found = self.receive()
            if "do" not in found:
                return found
            self.reply(found)

    def reply(self, message: Mapping[str, Any]) -> None:
        """Carry out a request of the other process, and send the answer, or a description of the exception that it
        raised."""
        try:
            answer = self.answer(message)
        except BaseException as error:
            answer = self.raised(error)
        try:
            self.send(answer)
        except (Uncrossable, ValueError, RecursionError) as error:
            self.send(self.raised(error))

    def raised(self, error: BaseException) -> dict[str, Any]:
        """Return the message that describes an exception: its built-in base classes, its text, and a reference to its
        class."""
        bases = [kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins"]
        with contextlib.suppress(Exception):
            return {"raised": bases, "text": str(error)[:10_000], "class": self.class_of(type(error))}
        return {"raised": bases, "text": "", "class": None}

    def class_of(self, kind: type) -> Any:
        """Return a reference by which the other process can name an exception's class; None for built-in classes."""
        return None
