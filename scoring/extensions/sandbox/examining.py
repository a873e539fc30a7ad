"""The tests' process: it runs the tests, sends requests to the program, and writes the verdict.

The runner loads it by its path; of this package it uses only the protocol between the two processes (`crossing.py`).
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import importlib
import json
import os
import sys
import traceback
import types
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from scoring.extensions.sandbox.crossing import (
    MOST_SHOWN,
    VERDICT,
    End,
    Uncrossable,
    describe_exception,
    import_from_library,
    made_from,
    made_of,
    own_name,
)


def _operation(what: str) -> Any:
    """Return a method for `Stranger` that sends the program the request to carry out the operation named `what`, and
    returns the result."""
    return lambda stranger, *args: stranger._do(what, *args)


class Stranger:
    """A proxy, in the tests' process, for an object of the program: every operation on it is carried out in the
    program's process."""

    __slots__ = ("_examiner", "_number", "_word")
    _examiner: Examiner
    _number: int
    _word: str

    def __init__(self, examiner: Examiner, number: int, word: str) -> None:
        object.__setattr__(self, "_examiner", examiner)
        object.__setattr__(self, "_number", number)
        object.__setattr__(self, "_word", word)

    def _do(self, what: str, *args: Any) -> Any:
        return self._examiner.do(what, self, *args)

    __getattr__, __setattr__, __delattr__ = _operation("getattr"), _operation("setattr"), _operation("delattr")
    __getitem__, __setitem__, __delitem__ = _operation("getitem"), _operation("setitem"), _operation("delitem")
    __iter__, __next__ = _operation("iter"), _operation("next")  # gives an iterator's proxy, or raises

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._examiner.do("call", self, *args, **kwargs)

    def __contains__(self, wanted: Any) -> bool:
        return any(wanted == one for one in self)  # not by the program: the tests decide what is equal

    def __len__(self) -> int:
        return int(self._do("len"))

    def __bool__(self) -> bool:
        return self._do("bool") is True

    def __str__(self) -> str:
        return str.__str__(self._do("str"))

    def __repr__(self) -> str:
        return str.__str__(self._do("repr"))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stranger) and self._do("eq", other) is True

    def __hash__(self) -> int:
        return hash(self._word)

    def __instancecheck__(self, other: object) -> bool:
        return isinstance(other, Stranger) and self._examiner.do("isinstance", other, self) is True


def _with_stranger(value: Any, stranger: Stranger) -> Any:
    """Return a copy of a plain value as a subclass of its type, which reads attributes that the type lacks from the
    program's object behind the proxy `stranger`; None and booleans are returned unchanged."""
    kind = type(value)
    if kind not in _DERIVED and kind is not bool and value is not None:
        _DERIVED[kind] = type(kind.__name__, (kind,), {"__getattr__": lambda self, name: getattr(self.stranger_, name)})
    if kind not in _DERIVED:
        return value
    made = _DERIVED[kind](value)
    made.stranger_ = stranger
    return made


_DERIVED: dict[type, type] = {}


def _derived(value: Any, data: Any) -> Any:
    """Return the JSON data by which a value of a subclass of a built-in type is sent to the program: a reference to the
    program's own object if the value is an immutable copy of one (`_with_stranger`), else its encoded content, `data`.
    """
    stranger = vars(value).get("stranger_") if type(value) in _DERIVED.values() else None
    is_fixed = not isinstance(value, list | dict | set | bytearray)
    return ["object", stranger._number] if isinstance(stranger, Stranger) and is_fixed else data


class _Names(dict[str, Any]):
    """The global namespace of tests: their own names, then those of the program, read from its process.

    Even if the program replaced them, three kinds of objects come from the tests' own process: builtins, unless the
    tests read only builtin names; standard library modules of which the tests read an attribute; and objects that the
    program imported from the standard library under their own names.
    """

    def __init__(self, examiner: Examiner, tests: ast.AST) -> None:
        super().__init__({"__name__": "tests", "__builtins__": {**vars(builtins), "__import__": examiner.imported}})
        self._examiner = examiner
        read = {node.id for node in ast.walk(tests) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        self._asks_all = not read - vars(builtins).keys()
        bases = (node.value for node in ast.walk(tests) if isinstance(node, ast.Attribute))
        self._modules = {base.id for base in bases if isinstance(base, ast.Name)} & sys.stdlib_module_names

    def __missing__(self, name: str) -> Any:
        if name in vars(builtins) and not self._asks_all:
            raise KeyError(name)
        found = self._examiner.ask({"do": "name", "args": [name], "named": {}})
        if "raised" in found:
            raise KeyError(name)
        if name in self._modules:
            return importlib.import_module(name)
        data = found.get("value")
        if isinstance(data, list) and data[0] == "named" and data[-1] == name:
            with contextlib.suppress(Uncrossable, ImportError, AttributeError):
                return import_from_library(*data[3:])
        return self._examiner.read(data)


class Examiner(End):
    """The end of the connection in the tests' process: it runs the tests, and sends requests to the program."""

    def __init__(self, own_modules: Iterable[str] = ()) -> None:
        super().__init__()
        self._own_modules = frozenset(own_modules)
        self._classes: dict[int, type[BaseException]] = {}
        self._strangers: dict[int, Stranger] = {}

    def left_alone(self) -> NoReturn:
        """Write the verdict that the program has ended, and end this process."""
        conclude({"gone": True})

    def receive(self) -> dict[str, Any]:
        """Return the next message from the program; an invalid one ends the tests with a failure."""
        try:
            return super().receive()
        except Exception:
            conclude({"failed": "it wrote something that is not an answer"})

    def answer(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Call the function of the tests that the program requests, and return its result as a message."""
        number = message["do"]
        if not isinstance(number, int):
            raise Uncrossable("no function of the tests")
        return {"value": self._written(self.kept[number](*(self.read(one) for one in message["args"])))}

    def _written(self, value: Any) -> Any:
        return made_of(value, self._other, _derived)

    def _other(self, value: Any) -> Any:
        if isinstance(value, Stranger):
            return ["object", value._number]
        if (name := own_name(value)) is not None:
            return ["library", *name]
        if isinstance(value, types.FunctionType | types.BuiltinFunctionType | types.MethodType | type):
            return ["function", self.keep(value)]
        raise TypeError(f"the tests give the program a value of the class `{type(value).__name__}`, which can't cross")

    def read(self, data: Any) -> Any:
        """Return the value that JSON data from the program represents; invalid data ends the tests with a failure."""
        try:
            return made_from(data, self._known)
        except Uncrossable:
            conclude({"failed": "it returned something that is not a value"})

    def _known(self, data: list[Any]) -> Any:
        word, *parts = data
        if word == "named":  # used via the program, since it may have changed the object
            return self._known(["object", *parts[:2]])
        if word == "derived":
            return _with_stranger(self.read(parts[2]), self._known(["object", *parts[:2]]))
        if word == "exception":
            return self._exception(*parts)
        if word != "object" or not isinstance(parts[0], int):
            raise Uncrossable("no value")
        return self._strangers.setdefault(parts[0], Stranger(self, parts[0], str(parts[-1])))

    def _exception(self, number: int, name: str, bases: Iterable[str]) -> type[BaseException]:
        if number not in self._classes:
            self._classes[number] = type(str(name), (_builtin_exception(bases),), {})
        return self._classes[number]

    def do(self, what: str, *args: Any, **kwargs: Any) -> Any:
        """Let the program carry out the operation `what` on the arguments, and return the result, or raise the
        exception; lists, sets and mappings that it changed are updated."""
        written = [self._written(one) for one in args]
        found = self.ask(
            {"do": what, "args": written, "named": {key: self._written(argument) for key, argument in kwargs.items()}}
        )
        for value, after in zip(args, found.get("args", ()), strict=False):
            _become(value, self.read(after))
        if "raised" in found:
            own = found.get("class")
            raise self._exception_of(own, found["raised"], str(found["text"]))
        return self.read(found.get("value"))

    def _exception_of(self, own: Any, bases: Iterable[str], text: str) -> BaseException:
        kind = self.read(own) if own is not None else None
        with contextlib.suppress(TypeError):
            if isinstance(kind, type) and issubclass(kind, BaseException):
                return kind(text)
        return _builtin_exception(bases)(text)

    def imported(self, name: str, *rest: Any) -> Any:
        """Return the module `name`, imported in the program's process if it is one of the program's files, else in this
        one; used in place of `__import__`."""
        if name.partition(".")[0] not in self._own_modules:
            return builtins.__import__(name, *rest)
        found = self.do("import", name)
        wanted = rest[2] if len(rest) > 2 else ()
        return found if wanted or "." not in name else self.do("import", name.partition(".")[0])


def _builtin_exception(bases: Iterable[str]) -> type[BaseException]:
    for name in bases:
        kind = getattr(builtins, str(name), None)
        if isinstance(kind, type) and issubclass(kind, BaseException) and not issubclass(kind, UnicodeError):
            return kind
    return Exception


def _become(value: Any, after: Any) -> None:
    if type(value) is not type(after):
        return
    if isinstance(value, list):
        value[:] = after
    elif isinstance(value, dict | set):
        value.clear()
        value.update(after)


def conclude(verdict: Mapping[str, Any]) -> NoReturn:
    """Write the verdict to the runner and end this process at once, whatever functions are being called."""
    data = json.dumps(verdict).encode()
    with contextlib.suppress(OSError):
        while data:
            data = data[os.write(VERDICT, data) :]
    os._exit(0)


def _line_of(error: BaseException, tests: str) -> str:
    """Return the text of the line of `tests` in which an exception was raised; "" if it was raised elsewhere."""
    numbers = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == "tests.py"]
    lines = tests.splitlines()
    return lines[numbers[-1] - 1].strip() if numbers and numbers[-1] <= len(lines) else ""


def examine(request: Mapping[str, Any]) -> NoReturn:
    """Test a program, or call one function of it, and write the verdict.

    Args:
        request: ``tests`` and the name of the function ``check`` in them that takes the ``entry_point``, or the
            arguments ``args`` of one call; ``owner`` is the class whose instance has the entry point, if the program
            has that class; ``modules`` are the names of the program's own modules.
    """
    examiner = Examiner(request["modules"])
    begun = examiner.receive()
    if "raised" in begun:
        conclude({"failed": f"it ended with {begun['text']}"})
    if request["tests"] is None:
        _call(examiner, request)
    _test(examiner, request)


def _entry(examiner: Examiner, request: Mapping[str, Any]) -> Any:
    name, owner = request["entry_point"], request["owner"]
    if owner:
        with contextlib.suppress(KeyError):
            return getattr(examiner.do("name", owner)(), name)
    try:
        return examiner.do("name", name)
    except KeyError:
        conclude({"failed": f"it has no `{name}`"})


def _call(examiner: Examiner, request: Mapping[str, Any]) -> NoReturn:
    try:
        found = _entry(examiner, request)(*made_from(request["args"]))
        conclude({"value": made_of(found, lambda value: ["object", getattr(value, "_word", type(value).__name__)])})
    except BaseException as error:
        conclude({"failed": describe_exception(error)})


def _test(examiner: Examiner, request: Mapping[str, Any]) -> NoReturn:
    tests: str = request["tests"]
    try:
        tree = ast.parse(tests, "tests.py")
        code = compile(tree, "tests.py", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        conclude({"broken": describe_exception(error)})
    names = _Names(examiner, tree)
    try:
        exec(code, names, names)
        if request["check"]:
            check = names.get(request["check"]) or conclude({"broken": f"they define no `{request['check']}`"})
            check(_entry(examiner, request))
    except BaseException as error:
        line = _line_of(error, tests)
        conclude(
            {"failed": " at ".join(filter(None, (describe_exception(error), f"`{line[:MOST_SHOWN]}`" if line else "")))}
        )
    conclude({"passed": True})
