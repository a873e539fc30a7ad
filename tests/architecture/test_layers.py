"""The drawing of the architecture, kept true: imports run downwards only."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "scoring"

# Bottom to top. Layers on one line know nothing of each other.
DRAWING = [
    {"version", "diagnostics", "values"},
    {"result"},
    {"outcomes"},
    {"registry"},
    {"sandbox", "vision", "lang"},
    {"data", "statistics"},
    {"judge"},
    {"primitives"},
    {"metrics"},
    {"format"},
    {"compiler"},
    {"engine"},
    {"api"},
    {"report"},
    {"packs"},
    {"cli"},
    {"__init__", "__main__"},
]
# What still runs upwards; registration by entry point turns these round, and then this list goes.
UPWARDS = {
    "format/load.py",
    "format/formatter.py",
    "format/plugged.py",
    "engine/suite/exports.py",
    "metrics/vision/detection.py",
}
RANK = {layer: rank for rank, layers in enumerate(DRAWING) for layer in layers}
# Programs of their own, started as processes: their standard output is their protocol.
PROGRAMS = {"primitives/latex/server.py", "sandbox/inside.py"}
ONLY = {
    "yaml": {"format"},
    "jsonschema": set(),  # an oracle of the tests
    "lark": {"lang"},
    "multiprocessing": {"engine", "primitives"},
}


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if "_data" not in path.parts)


def layer_of(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def imported(path: Path) -> Iterator[tuple[str, bool]]:
    """The modules a file imports, and whether only for the type checker."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, id(node) in typing_only) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module, id(node) in typing_only


def test_every_layer_stands_in_the_drawing() -> None:
    assert {layer_of(path) for path in modules()} <= set(RANK)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_run_downwards(path: Path) -> None:
    own = layer_of(path)
    for name, typing_only in imported(path):
        parts = name.split(".")
        if parts[0] != "scoring" or len(parts) < 2 or typing_only:
            continue
        other = parts[1]
        if own not in ("__init__", "__main__") and str(path.relative_to(PACKAGE)) not in UPWARDS:
            assert other == own or RANK[other] < RANK[own], f"{own} imports {name}, which is not below it"


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_libraries_stay_in_their_layer(path: Path) -> None:
    for name, _ in imported(path):
        allowed = ONLY.get(name.split(".")[0])
        assert allowed is None or layer_of(path) in allowed, f"{layer_of(path)} imports {name}"


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_nothing_below_the_command_line_prints_or_exits(path: Path) -> None:
    if layer_of(path) in ("cli", "__main__") or str(path.relative_to(PACKAGE)) in PROGRAMS:
        return
    tree = ast.parse(path.read_text(encoding="utf-8"))
    calls = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert not calls & {"print", "exit", "quit", "breakpoint", "input", "eval", "exec"}, f"{path} calls {calls}"
