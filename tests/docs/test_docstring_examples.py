"""Every example in a docstring of the package runs, and gives what stands below it."""

from __future__ import annotations

import ast
import doctest
import importlib
from collections.abc import Iterator

from scoring.registry import registry
from tests.architecture.source import File, files, hold

_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
_DESCRIBED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def test_every_example_in_a_docstring_is_true() -> None:
    failures: list[str] = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=_FLAGS)
    for file in files():
        for example in examples(file):
            runner.run(example, out=failures.append)
    assert not failures, "".join(failures)
    assert runner.tries > 500, "the examples were found"


def test_every_primitive_has_an_example() -> None:
    bare = {one.name for one in registry if ">>> " not in (one.function.__doc__ or "")}
    hold("every primitive has an example", sorted(bare))


def examples(file: File) -> Iterator[doctest.DocTest]:
    """The examples of each docstring; from the text, since not all that has one can be reached by name."""
    for node in ast.walk(file.tree):
        if isinstance(node, _DESCRIBED) and ">>> " in (text := ast.get_docstring(node) or ""):
            names = vars(importlib.import_module(file.module)).copy()
            name = getattr(node, "name", file.module)
            line = node.body[0].lineno - 1
            yield doctest.DocTestParser().get_doctest(text, names, name, str(file.path), line)
