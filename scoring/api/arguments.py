"""Check the arguments of public API functions ("verbs"), and turn wrong types and errors of the operating system into
an `InputError` with a one-line message.

The accepted types are read from each function's annotations, as written in its source. Bounds of whole numbers and the
choices of some parameters are checked with more specific messages where they are used; `check_kinds` only checks their
type.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from numbers import Real
from operator import index
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from scoring.errors import InputError

P = ParamSpec("P")
R = TypeVar("R")

_PATH = (str, os.PathLike)
_PATHS = ("str | Path", "SpecSource", "Names")
_WORDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "str": ("a text", lambda value: isinstance(value, str)),
    "Path": ("a path", lambda value: isinstance(value, os.PathLike)),
    "int": ("a whole number", lambda value: isinstance(value, Real) or hasattr(value, "__index__")),
    "float": ("a number", lambda value: isinstance(value, Real) and not isinstance(value, bool) and not is_long(value)),
    "bool": ("True or False", lambda value: type(value).__name__ in ("bool", "bool_")),
    "None": ("None", lambda value: value is None),
    "SpecSource": (
        "a spec: its path, or its content as a mapping",
        lambda value: isinstance(value, str | os.PathLike | Mapping),
    ),
    "Names": ("a path, or several", lambda value: isinstance(value, _PATH) or _are(value, *_PATH)),
    "Mapping": ("a mapping", lambda value: isinstance(value, Mapping)),
    "Sequence[str]": ("a list of texts", lambda value: isinstance(value, str) or _are(value, str)),
    "Sequence[str | Path]": ("a list of paths", lambda value: _are(value, *_PATH)),
    "Iterable[str]": ("lines", lambda value: isinstance(value, Iterable)),
    "TextTarget": ("a stream", lambda value: hasattr(value, "write")),
    "Callable": ("a function", callable),
    "Literal": ("one of its choices", lambda value: isinstance(value, str)),
}
_TAKES_MORE = 0x04
"""The flag of functions that take any number of arguments."""
_MANY = sys.maxsize
_AT_LEAST_1 = "--processes and --batch-size must be at least 1"
_NUMBERS: dict[str, tuple[int, int, str]] = {
    "seed": (0, 10**300, "a seed is a whole number, 0 or more, not {}"),
    "limit": (1, _MANY, "a limit is a number of records from 1 on, not {}"),
    "processes": (1, _MANY, _AT_LEAST_1),
    "batch_size": (1, _MANY, _AT_LEAST_1),
    "judge_workers": (1, _MANY, "`judge_workers` is a whole number from 1 on, not {}"),
    "resamples": (1, _MANY, "`resamples` is a whole number from 1 on, not {}"),
    "worst": (0, _MANY, "`worst` is a whole number, 0 or more, not {}"),
    "scorings": (2, _MANY, "`scorings` is 2 or more, since both sides are scored once, not {}"),
    "workers": (1, _MANY, "`workers` is a whole number from 1 on, not {}"),
    "flips": (0, _MANY, "`flips` is a whole number, 0 or more, not {}"),
}
"""Integer parameters by name: the least and largest value, and the error for others."""
# What is told in words of its own where it is used.
_CHECKED_ELSEWHERE = ("by", "judge")
_CHOICES_CHECKED_ELSEWHERE = ("state", "scores", "kind")
FORCE = "exists; add --force to replace it"


def verb(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a public API function, so that its arguments are checked against their annotations on each call, and an
    `OSError` that it raises becomes an `InputError`.

    Raises:
        InputError: for an argument of a type that its annotation does not allow, or an error of the operating system.
    """
    code, annotations = function.__code__, function.__annotations__
    names: Sequence[str] = code.co_varnames[: code.co_argcount]
    others = code.co_varnames[code.co_argcount + code.co_kwonlyargcount] if code.co_flags & _TAKES_MORE else ""

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        arguments = [*zip(names, args, strict=False), *((others, one) for one in args[len(names) :]), *kwargs.items()]
        check_kinds(function.__name__, [(name, value) for name, value in arguments if name], annotations)
        try:
            return function(*args, **kwargs)
        except BrokenPipeError:  # whoever read our output went away
            raise
        except OSError as error:
            raise InputError(file_error(error)) from error

    return checked


def file_error(error: OSError) -> str:
    """Return the message for an error of the operating system: the file, the reason, and what to do about it."""
    from scoring.data.os_errors import refused

    where = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else ""
    return f"can't use {where or 'what was given'}: {refused(error)}"


def check_path(value: Any) -> None:
    """Raise an exception for a string that no system accepts as the name of a file; ignore values of other types.

    Raises:
        InputError: for a string with a zero byte, or with a lone surrogate, which no encoding of file names has.
    """
    try:
        if isinstance(value, str | os.PathLike) and b"\0" in os.fsencode(value):
            raise InputError(f"{str(value)!r:.100} is no path: it holds a zero byte; look at where it comes from")
    except UnicodeEncodeError:
        raise InputError(
            f"{str(value)!a:.100} is no path: it is no Unicode text; look at where it comes from"
        ) from None


def check_number(name: str, value: Any, *, or_none: bool = True) -> None:
    """Raise an exception unless a value is an integer (also of NumPy) within the bounds of the parameter `name`.

    Raises:
        InputError: for any other value; the message says which values are allowed.

    Examples:
        >>> check_number("limit", 3)
        >>> check_number("seed", -1)
        Traceback (most recent call last):
        scoring.errors.InputError: a seed is a whole number, 0 or more, not -1
    """
    low, most, message = _NUMBERS[name]
    if (value is not None or not or_none) and not is_whole(value, low, most):
        raise InputError(message.format(in_words(value)))


def is_whole(value: Any, low: int, most: int = _MANY) -> bool:
    """Return whether a value is an integer (NumPy's included, booleans excluded) from `low` to `most`.

    Examples:
        >>> is_whole(3, 1), is_whole(0, 1), is_whole(2.0, 1), is_whole("3", 1), is_whole(True, 1)
        (True, False, False, False, False)
    """
    try:
        return not isinstance(value, bool) and low <= index(value) <= most
    except TypeError:
        return False


def check_kinds(verb_name: str, arguments: Iterable[tuple[str, Any]], annotations: Mapping[str, Any]) -> None:
    """Check the arguments of a call against the function's annotations; messages call the function `verb_name`.

    Raises:
        InputError: for the first argument of a type, or with a value, that its annotation does not allow.
    """
    for name, value in arguments:
        written = annotations.get(name, "")
        if isinstance(written, type):  # of a module that evaluates its annotations
            written = written.__name__
        annotation = str(getattr(written, "__forward_arg__", written))  # that of a TypedDict
        if name in _NUMBERS:
            check_number(name, value, or_none="None" in annotation)
        elif name not in _CHECKED_ELSEWHERE:
            _check(verb_name, name, value, annotation)
        is_path = name in ("data", "references") or any(kind in annotation for kind in _PATHS)
        if is_path and isinstance(value, str | Path):
            check_path(value)


def _check(verb_name: str, name: str, value: Any, annotation: str) -> None:
    """Raise an InputError if `value` is of a type, or not among the choices, that the parameter's annotation allows."""
    kinds = alternatives(annotation)
    if kinds and not any(_fits(value, kind) for kind in kinds):
        wanted = " or ".join(dict.fromkeys(_WORDS[kind][0] if kind in _WORDS else f"a `{kind}`" for kind in kinds))
        advice = ": `run.write(folder)` makes a folder of it" if type(value).__name__ == "Run" else ""
        raise InputError(f"`{name}` of `{verb_name}` is {wanted}, not {in_words(value)}{advice}")
    choices = choices_in(annotation)
    if choices and name not in _CHOICES_CHECKED_ELSEWHERE and isinstance(value, str) and value not in choices:
        raise InputError(f"`{name}` of `{verb_name}` is {' or '.join(choices)}, not {in_words(value)}")


def in_words(value: Any) -> str:
    """Return a description of a value of the wrong type for an error message: a few words, however long the value."""
    if isinstance(value, str):
        return f"{value!r:.40}"
    if is_long(value):
        return "a long number"
    return repr(value) if value is None or isinstance(value, bool | int | float) else f"a `{type(value).__name__}`"


def is_long(value: Any) -> bool:
    """Return whether a value is an integer with too many digits to be shown."""
    return isinstance(value, int) and abs(value) >= 10**30


def _fits(value: Any, kind: str) -> bool:
    if kind in _WORDS:
        return _WORDS[kind][1](value)
    return kind in {one.__name__ for one in type(value).__mro__}  # a class of ours, perhaps not imported yet


def _are(value: Any, *kinds: type) -> bool:
    return isinstance(value, list | tuple | set | frozenset) and all(isinstance(one, kinds) for one in value)


def alternatives(annotation: str) -> list[str]:
    """Return the names of the alternative types in an annotation; an empty list if it allows any value.

    Examples:
        >>> alternatives("str | Path | None"), alternatives("Any"), alternatives("Sequence[str | Path]")
        (['str', 'Path', 'None'], [], ['Sequence[str | Path]'])
    """
    parts = re.split(r"\s*\|\s*(?![^\[]*\])", annotation)
    names = [part if part in _WORDS else part.partition("[")[0] for part in parts]
    return [] if {"Any", "P", "R", "Iterator"} & set(names) or not annotation.strip() else names


def choices_in(annotation: str) -> list[str]:
    """Return the texts that an annotation with a `Literal` allows; an empty list for any other.

    Examples:
        >>> choices_in("Literal['exact', 'sums'] | None"), choices_in("str")
        (['exact', 'sums'], [])
    """
    return re.findall(r"['\"](\w+)['\"]", annotation) if "Literal[" in annotation else []


def least_of(name: str) -> int:
    """Return the least value of the integer parameter called `name`; 0 if none is declared.

    Examples:
        >>> least_of("processes"), least_of("flips")
        (1, 0)
    """
    return _NUMBERS[name][0] if name in _NUMBERS else 0


def check_free(path: str | Path, force: bool, inputs: Iterable[str | Path] = (), there: str = FORCE) -> Path:
    """Return the path of a file that a verb may write, after checking that writing it destroys neither an input nor,
    unless `force` is given, an existing file.

    `there` is the end of the error message for an existing file.

    Raises:
        InputError: when the file exists and `force` is not given, it is one of the inputs, or it can't be written.
    """
    from scoring.data.output import check_target, is_input

    target = Path(path)
    is_special = check_target(target)
    if not is_special and target.exists() and not force:
        raise InputError(f"{target} {there}")
    input_file = is_input(target, inputs)
    if input_file is not None:
        what = "a file" if str(input_file) == str(target) else f"the file {input_file}"
        raise InputError(f"{target} is {what}, which is read; choose another name")
    return target
