"""What benchmarks take from the package is there, and those of speed take what users take: nobody runs each of them."""

from __future__ import annotations

import ast
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

import scoring
from tests.architecture.source import is_lacking
from tests.support.golden import REPOSITORY

FOLDER = REPOSITORY / "benchmarks"
FILES = sorted(FOLDER.rglob("*.py"))
OF_SPEED = [
    *(FOLDER / "speed").rglob("*.py"),
    *(FOLDER / "peers").glob("*.py"),
    *(FOLDER / "growth").glob("*.py"),
    FOLDER / "wide.py",
    FOLDER / "__main__.py",
]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_a_benchmark_imports_is_there(file: Path) -> None:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("scoring"):
            continue
        if is_lacking(str(node.module).removeprefix("scoring.").replace(".", "/")):
            continue
        module = import_module(str(node.module))
        for one in node.names:
            assert hasattr(module, one.name) or find_spec(f"{node.module}.{one.name}"), f"{node.module}: {one.name}"


@pytest.mark.parametrize("file", sorted(OF_SPEED), ids=lambda file: f"{file.parent.stem}/{file.stem}")
def test_speed_is_measured_through_the_public_door(file: Path) -> None:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert (node.module or "").partition(".")[0] != "scoring", f"line {node.lineno} imports an internal"
        if isinstance(node, ast.Import):
            assert not any(name.name.startswith("scoring.") for name in node.names), f"line {node.lineno}"
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "scoring":
            assert node.attr in dir(scoring), f"line {node.lineno}: scoring.{node.attr}"
