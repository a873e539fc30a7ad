"""One file starts processes; what runs inside the sandbox aside, where strangers may do as they like."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.architecture.source import PACKAGE, files, hold

HERE = "children.py"
INSIDE_THE_SANDBOX = {
    "extensions/sandbox/scripts.py",
    "extensions/sandbox/inside.py",
    "extensions/sandbox/examining.py",
    "extensions/sandbox/served.py",
}
POOL = "engine/road/pool.py"
"""Forks of this process, and where a system has none, those that Python starts under `children.safe_path`."""

MODULES = {"subprocess", "pty", "multiprocessing", "concurrent.futures.process", "asyncio.subprocess", "popen2"}
CALLS = {
    *(f"exec{way}" for way in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")),
    *(f"spawn{way}" for way in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")),
    "system", "popen", "posix_spawn", "posix_spawnp", "startfile", "create_subprocess_exec", "create_subprocess_shell",
    "ProcessPoolExecutor",
}  # fmt: skip

OF = {"os", "posix", "nt", "asyncio", "futures", "concurrent.futures"}


def starts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Where a file starts a process, or could, and by what."""
    for node in ast.walk(tree):
        names = [name.name for name in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
        if isinstance(node, ast.Import):
            yield from ((node.lineno, name) for name in names if name in MODULES)
        elif isinstance(node, ast.ImportFrom):
            if node.module in MODULES:
                yield node.lineno, str(node.module)
            whole = {f"{node.module}.{name}" for name in names}
            yield from ((node.lineno, name) for name in whole & MODULES)
            if node.module in OF:
                yield from ((node.lineno, name) for name in names if name in CALLS)
        elif isinstance(node, ast.Attribute) and node.attr in CALLS and _is_of_a_module(node.value):
            yield node.lineno, node.attr
        elif isinstance(node, ast.Call) and _called(node) in ("import_module", "__import__") and node.args:
            name = getattr(node.args[0], "value", None)
            if name in MODULES:
                yield node.lineno, str(name)


def _is_of_a_module(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in OF


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def test_one_file_starts_processes() -> None:
    told = [
        f"scoring/{file.place}:{line}: {what}"
        for file in files()
        if file.place not in (HERE, POOL, *INSIDE_THE_SANDBOX)
        for line, what in starts(file.tree)
        if not any(one.line == line and one.typing_only for one in file.imports)
    ]
    hold("processes are started by `scoring.children` alone", set(told))


def test_the_pool_starts_under_a_safe_path() -> None:
    text = (PACKAGE / POOL).read_text(encoding="utf-8")
    assert "children.safe_path()" in text


@pytest.mark.parametrize(
    "source",
    [
        "import subprocess", "from subprocess import run", "import os\nos.system('x')", "from os import execv",
        "import importlib\nimportlib.import_module('subprocess')", "__import__('pty')", "import multiprocessing",
        "import asyncio\nasyncio.create_subprocess_exec('x')", "from concurrent.futures import ProcessPoolExecutor",
        "import os\nos.posix_spawn('x', [], {})", "from asyncio import subprocess",
    ],
)  # fmt: skip
def test_every_way_of_starting_one_is_seen(source: str) -> None:
    assert [*starts(ast.parse(source))]
