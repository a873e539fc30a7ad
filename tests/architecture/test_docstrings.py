"""Docstrings of functions begin with a verb; attributes and types are named by nouns."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.architecture.source import File, Function, files, hold

HEADLESS = ("What", "How", "Where", "Which", "Whether", "Why")
NAMING = {"property", "cached_property"}


def _headless(file: File) -> Iterator[str]:
    for node in file.functions():
        doc = ast.get_docstring(node)
        if doc is not None and not _is_attribute(node) and doc.split(maxsplit=1)[:1] and doc.split()[0] in HEADLESS:
            yield file.at(node, f"{node.name}: {doc.splitlines()[0]}")


def _is_attribute(node: Function) -> bool:
    return any(ast.unparse(one).rpartition(".")[2] in NAMING for one in node.decorator_list)


def test_docstrings_of_functions_begin_with_a_verb() -> None:
    hold("the docstring of a function begins with a verb", (line for file in files() for line in _headless(file)))
