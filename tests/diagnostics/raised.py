"""Which ids the code can raise, read from its syntax trees."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import scoring
from scoring.lang.mistake import mistakes

PACKAGE = Path(scoring.__file__).parent
_ID = re.compile(r"[a-z]+(?:-[a-z0-9]+)+\Z")
_CALLS = {"error", "warning", "of", "diagnostic", "Diagnostic", "syntax", "trap"}
_SEVERITIES = {"error", "warning"}


def raised_ids() -> dict[str, str]:
    """Each id that a call of the diagnostics' functions names, with one place where it does."""
    found = {row.id: "lang/mistakes.toml" for row in mistakes()}
    for path in sorted(PACKAGE.rglob("*.py")):
        for call in _calls(path):
            for id_ in _named(call):
                found.setdefault(id_, f"{path.relative_to(PACKAGE)}:{call.lineno}")
    return found


def _calls(path: Path) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            function = node.func
            name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            if name in _CALLS:
                yield node


def _named(call: ast.Call) -> Iterator[str]:
    for argument in call.args[:2]:
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str) and _ID.match(argument.value):
            yield argument.value
            return
