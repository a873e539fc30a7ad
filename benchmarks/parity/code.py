"""Official code from checkouts, run where it lies; nothing of it is copied.

Files are executed statement by statement, so that a library that a file imports but the function in question does not
need is no obstacle: what fails at the top of a file (an import, a call, a decorated class) is left out, and a name that
is then missing stops the program that asks for it.
"""

from __future__ import annotations

import ast
import contextlib
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any


def unchanged(*_: Any, **__: Any) -> Any:
    """Stand for a decorator with arguments that registers a function."""
    return lambda function: function


@dataclass(frozen=True)
class Code:
    """A folder with checkouts, each called `owner+name`, `owner/name` or `name`."""

    folder: Path

    def checkout(self, repository: str) -> Path:
        """Return the folder of a repository."""
        names = (repository.replace("/", "+"), repository, repository.partition("/")[2])
        for name in names:
            if (self.folder / name).is_dir():
                return self.folder / name
        raise FileNotFoundError(f"no checkout of {repository} in {self.folder}")

    def other(self, official: str) -> str:
        """Return what to say where another commit is checked out than the vectors name; nothing where none is known."""
        named = re.match(r"([\w.-]+/[\w.-]+)@([0-9a-f]{7,40}) ", official)
        if named is None or not (self.checkout(named[1]) / ".git").exists():
            return ""
        command = ["git", "-C", str(self.checkout(named[1])), "rev-parse", "HEAD"]
        found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
        return "" if found.startswith(named[2]) else f" (checked out: {found[:7]})"

    def text(self, repository: str, path: str) -> str:
        """Return the text of a file."""
        return (self.checkout(repository) / path).read_text(encoding="utf-8")

    def names(self, repository: str, path: str, text: str | None = None, **given: Any) -> SimpleNamespace:
        """Return what the statements of a file define.

        Args:
            repository: The repository, `owner/name`.
            path: The file in it.
            text: Its text where it can't be run as it is, such as that of Python 2.
            given: Names that the file would import.
        """
        defined: dict[str, Any] = {
            "__name__": __name__,
            **given,
        }  # the name of a module that is loaded, for dataclasses
        for statement in ast.parse(text or self.text(repository, path)).body:
            with contextlib.suppress(Exception):
                exec(compile(ast.Module([statement], []), path, "exec"), defined)  # the official code itself
        defined |= given
        return SimpleNamespace(**defined)

    def method(self, repository: str, path: str, name: str, **given: Any) -> Any:
        """Return a method as a function, such as `Task.score`, of a class that can't be made without its libraries."""
        text, (kind, wanted) = self.text(repository, path), name.split(".")
        found = next(
            inner
            for outer in ast.parse(text).body
            if isinstance(outer, ast.ClassDef) and outer.name == kind
            for inner in outer.body
            if isinstance(inner, ast.FunctionDef) and inner.name == wanted
        )
        found.decorator_list, found.returns = [], None
        for one in found.args.args:
            one.annotation = None
        defined = vars(self.names(repository, path, **given))
        exec(compile(ast.Module([found], []), path, "exec"), defined)  # the official code itself
        return defined[wanted]
