"""Where drawn values begin: our seed corpus, and the examples of docstrings and packs."""

from __future__ import annotations

import ast
import doctest
import functools
from pathlib import Path
from typing import Any

from scoring.registry import registry
from scoring.registry.model import Primitive
from tests.fuzz import codec

FOLDER = Path(__file__).parent / "seeds"


@functools.cache
def read(name: str) -> tuple[Any, ...]:
    """The values of one file of the corpus: a value in each line, as `codec` writes it."""
    lines = (FOLDER / f"{name}.jsonl").read_text(encoding="ascii").splitlines()
    return tuple(codec.read(line) for line in lines if line)


@functools.cache
def texts() -> tuple[str, ...]:
    """All texts of the corpus and of the examples in docstrings."""
    found: dict[str, None] = dict.fromkeys(read("texts"))
    for primitive in registry:
        for call in examples(primitive):
            for value in call:
                found |= dict.fromkeys(_texts_in(value))
    return tuple(found)


def examples(primitive: Primitive) -> list[tuple[Any, ...]]:
    """The arguments without names of every call of a primitive in its own docstring that are written out."""
    found = []
    for example in doctest.DocTestParser().get_examples(primitive.doc.examples):
        try:
            tree = ast.parse(example.source)
        except SyntaxError:
            continue
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        for call in calls:
            if isinstance(call.func, ast.Name) and call.func.id == primitive.function.__name__:
                try:
                    found.append(tuple(map(ast.literal_eval, call.args)))
                except ValueError:  # an argument that is computed
                    continue
    return found


def _texts_in(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for pair in value.items() for item in pair for text in _texts_in(item)]
    items = sorted(value, key=repr) if isinstance(value, set | frozenset) else value
    return [text for item in items for text in _texts_in(item)] if isinstance(items, list | tuple) else []
