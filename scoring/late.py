"""What is made when it is first used: the methods of dataclasses, patterns, and `np`, which is numpy.

A start imports a hundred classes and as many patterns, and uses few of them. `dataclasses` writes up to six methods of
each class as text and compiles them while it is defined, which was a third of `scoring check`. To import numpy takes as
long as all the rest of a start.
"""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Callable
from importlib import import_module
from operator import attrgetter
from types import ModuleType
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass", "np", "pattern"]


class _Factory:
    def __repr__(self) -> str:
        return "<factory>"


_FACTORY = _Factory()


class _LatePattern:
    def __init__(self, text: str, flags: int) -> None:
        self._made = text, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(*self._made), name)
        setattr(self, name, found)  # so that this is asked once
        return found


def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern for `match`, `search`, `sub` and its other methods, compiled when the first of them is called.

    Examples:
        >>> pattern("[a-z]+").findall("a few words")
        ['a', 'few', 'words']
    """
    late: Any = _LatePattern(text, flags)
    made: re.Pattern[str] = late
    return made


class _LateModule(ModuleType):
    """Stands for a module until something of it is asked for, and is a plain one with the same content from then on."""

    def __getattr__(self, name: str) -> Any:
        vars(self).update(vars(import_module(self.__name__)))
        super().__setattr__("__class__", ModuleType)
        return getattr(self, name)


class _LateInit:
    """Stands for `__init__` until the first instance is made, and then writes it as `dataclasses` does."""

    holder: Any  # the class, which is made anew for slots

    def __get__(self, instance: object, owner: type) -> Any:
        # Two threads may come here at once, or one after the other has put the method in this one's place.
        written = _written(self.holder, self.holder.__dataclass_params__.frozen)
        self.holder.__init__ = written
        return written.__get__(instance, owner)


def _written(cls: Any, frozen: bool) -> Callable[..., None]:
    """The `__init__` of a class: as fast as one by hand, which a loop over the fields would not be."""
    known: dict[str, Any] = {"_set": object.__setattr__, "_FACTORY": _FACTORY}
    heads: dict[bool, list[str]] = {False: [], True: []}
    lines: list[str] = []
    types: dict[str, Any] = {}
    for field in dataclasses.fields(cls):
        name, head, value = field.name, field.name, field.name
        if field.default is not dataclasses.MISSING:
            known[f"_default_{name}"] = field.default
            head = f"{name}=_default_{name}"
        elif field.default_factory is not dataclasses.MISSING:
            known[f"_make_{name}"] = field.default_factory
            head, value = f"{name}=_FACTORY", f"_make_{name}() if {name} is _FACTORY else {name}"
        if field.init:
            heads[field.kw_only is True].append(head)
            types[name] = field.type
        elif head == name:
            continue  # `__post_init__` sets it
        else:
            value = head.partition("=")[2].replace("_FACTORY", f"_make_{name}()")
        lines.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    arguments = ", ".join(["self", *heads[False], *(["*", *heads[True]] if heads[True] else [])])
    body = "\n  ".join([f"def __init__({arguments}):", *lines, "return None"])
    made: dict[str, Any] = {}
    # The text is made of names of attributes and nothing else; types are looked up in the module of the class.
    exec(f"def make({', '.join(known)}):\n {body}\n return __init__", vars(sys.modules[cls.__module__]), made)
    init: Callable[..., None] = made["make"](**known)
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__annotations__ = {**types, "return": None}
    return init


class _LateKey:
    """What two instances are compared by, and hashed by: made when they first are."""

    holder: Any  # the class, which is made anew for slots

    def __get__(self, instance: object, owner: type) -> Callable[[Any], Any]:
        names = [field.name for field in dataclasses.fields(self.holder) if field.compare]
        # Also of one field a tuple is made, with the class: in a tuple a number that is not equal to itself is.
        key: Callable[[Any], Any] = attrgetter(*names) if len(names) > 1 else attrgetter("__class__", *names)
        self.holder._late_key = staticmethod(key)
        return key


def _eq(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    key: Callable[[Any], Any] = self._late_key
    return bool(key(self) == key(other))


def _hash(self: Any) -> int:
    return hash(self._late_key(self))


def _repr(self: Any) -> str:
    shown = (f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self) if field.repr)
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _refuse_set(self: Any, name: str, value: object = None) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot change `{name}` of a {type(self).__name__}")


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _setstate(self: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


def _dataclass(
    cls: Any = None, /, *, frozen: bool = False, eq: bool = True, slots: bool = False, kw_only: bool = False
) -> Any:
    """`dataclasses.dataclass`, with methods that are made when they are first used.

    Examples:
        >>> @dataclass(frozen=True, slots=True)
        ... class Point:
        ...     x: float
        ...     y: float = 0.0
        >>> Point(1.0), Point(1.0) == Point(1.0, 0.0), dataclasses.replace(Point(1.0), y=2.0)
        (Point(x=1.0, y=0.0), True, Point(x=1.0, y=2.0))
    """
    if cls is None:
        return lambda found: _dataclass(found, frozen=frozen, eq=eq, slots=slots, kw_only=kw_only)
    methods: dict[str, Any] = {"__init__": _LateInit(), "__repr__": _repr}
    if eq:
        methods |= {"__eq__": _eq, "__hash__": _hash if frozen else None, "_late_key": _LateKey()}
    if frozen:
        methods |= {"__setattr__": _refuse_set, "__delattr__": _refuse_set}
        if slots:
            methods |= {"__getstate__": _getstate, "__setstate__": _setstate}
    cls.__doc__ = cls.__doc__ or cls.__name__  # or it would be made of the signature, which is not there yet
    for name, method in methods.items():
        if vars(cls).get(name) is None:  # Python puts None for `__hash__` where a class has an `__eq__`
            setattr(cls, name, method)
    # Frozen is said afterwards: it would cost two more methods that are compiled.
    bases = [vars(base)["__dataclass_params__"] for base in cls.__mro__[1:] if "__dataclass_params__" in vars(base)]
    held = [base.frozen for base in bases]
    _say_frozen(bases, [False] * len(bases))
    found = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)(cls)
    _say_frozen([*bases, found.__dataclass_params__], [*held, frozen])
    for method in methods.values():
        if isinstance(method, _LateInit | _LateKey):
            method.holder = found
    return found


def _say_frozen(params: list[Any], frozen: list[bool]) -> None:
    for one, is_frozen in zip(params, frozen, strict=True):
        one.frozen = is_frozen


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass

    import numpy as np
else:
    dataclass = _dataclass
    np = _LateModule("numpy")
