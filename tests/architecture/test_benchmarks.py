"""What benchmarks take from the package is there: nobody runs each of them at each change."""

from __future__ import annotations

import ast
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.golden import REPOSITORY

FILES = sorted((REPOSITORY / "benchmarks").glob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_a_benchmark_imports_is_there(file: Path) -> None:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("scoring"):
            continue
        module = import_module(str(node.module))
        for one in node.names:
            assert hasattr(module, one.name) or find_spec(f"{node.module}.{one.name}"), f"{node.module}: {one.name}"
