"""The process of a tested program: it carries out the requests of the tests' process on the program.

The runner loads it by its path; of this package it uses only the protocol between the two processes (`crossing.py`).
"""

from __future__ import annotations

import builtins
import contextlib
import importlib
import operator
import os
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

from scoring.extensions.sandbox.crossing import (
    End,
    describe_exception,
    import_from_library,
    made_from,
    made_of,
    own_name,
)

_ORIGINAL = dict(vars(builtins))


@contextlib.contextmanager
def _as_it_was() -> Iterator[None]:
    """Restore Python's builtins within a block, in which messages are read or written, since the program may have
    replaced them."""
    replaced = dict(vars(builtins))
    vars(builtins).update(_ORIGINAL)
    try:
        yield
    finally:
        vars(builtins).update(replaced)


class Served(End):
    """The end of the connection in the program's process: it runs the program, and carries out the tests' requests on
    it."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.module = types.ModuleType("program")
        vars(self.module)["__builtins__"] = builtins
        sys.modules["program"] = self.module
        self._doing: dict[str, Callable[..., Any]] = {
            "name": self.module.__dict__.__getitem__,
            "call": lambda called, *args, **kwargs: called(*args, **kwargs),
            "import": importlib.import_module,
            "getitem": operator.getitem,
            "setitem": operator.setitem,
            "delitem": operator.delitem,
            "eq": operator.eq,
            **{one.__name__: one for one in (getattr, setattr, delattr, len, iter, next, str, repr, bool, isinstance)},
        }
        try:
            exec(compile(source, "program.py", "exec"), self.module.__dict__)
            self.send({"value": None})
        except BaseException as error:
            self.send({"raised": [], "text": describe_exception(error)})

    def send(self, message: Mapping[str, Any]) -> None:
        """Write a message to the tests' process."""
        with _as_it_was():
            super().send(message)

    def receive(self) -> dict[str, Any]:
        """Return the next message from the tests' process."""
        with _as_it_was():
            return super().receive()

    def left_alone(self) -> NoReturn:
        """End this process, since the tests' process has ended."""
        os._exit(0)

    def class_of(self, kind: type) -> Any:
        """Return a reference by which the tests' process can name an exception's class; None for built-in classes."""
        return None if kind.__module__ == "builtins" else self._exception(kind)

    def _exception(self, kind: type) -> list[Any]:
        bases = [one.__name__ for one in kind.__mro__ if one.__module__ == "builtins"]
        return ["exception", self.keep(kind), kind.__name__, bases]

    def _written(self, value: Any) -> Any:
        return made_of(value, self._other, self._derived)

    def _derived(self, value: Any, data: Any) -> Any:
        if isinstance(data, list) and data[0] == "made":
            return data
        return ["derived", self.keep(value), type(value).__name__, data]

    def _other(self, value: Any) -> Any:
        if (name := own_name(value)) is not None:
            return ["named", self.keep(value), type(value).__name__, *name]
        if isinstance(value, type) and issubclass(value, BaseException):
            return self._exception(value)
        return ["object", self.keep(value), type(value).__name__]

    def _read(self, data: Any) -> Any:
        return made_from(data, self._known)

    def _known(self, data: list[Any]) -> Any:
        word, *parts = data
        if word == "library":
            return import_from_library(*parts)
        number = parts[0]
        if word == "object":
            return self.kept[number]

        def call(*args: Any) -> Any:
            found = self.ask({"do": number, "args": [self._written(one) for one in args]})
            if "raised" in found:
                raise getattr(builtins, found["raised"][0], Exception)(found["text"])
            return self._read(found["value"])

        return call

    def answer(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Carry out an operation that the tests request; return its result and the arguments that it changed."""
        args = [self._read(one) for one in message["args"]]
        kwargs = {name: self._read(one) for name, one in message["named"].items()}
        answer = {"value": self._written(self._doing[message["do"]](*args, **kwargs))}
        after = [self._written(one) for one in args] if message["do"] == "call" else message["args"]
        return answer if after == message["args"] else {**answer, "args": after}

    def run(self) -> NoReturn:
        """Answer requests of the tests until their process closes the connection, and end this process."""
        while True:
            self.reply(self.receive())


def serve_tests(source: str, has_files: bool) -> NoReturn:
    """Run a program, and then carry out the requests of its tests until these end.

    Args:
        source: The source of the program.
        has_files: Whether it has files in the current folder, which it may import.
    """
    if has_files:
        sys.path.insert(0, os.getcwd())
    Served(source).run()
