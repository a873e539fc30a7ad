"""The package as its files: what each imports and declares, parsed once for all laws."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "scoring"

Function = ast.FunctionDef | ast.AsyncFunctionDef
Declaration = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Import:
    """A module, or a name of a module, that a file imports; inside functions and for the type checker alone, too."""

    name: str
    line: int
    typing_only: bool


@dataclass(frozen=True)
class File:
    """A file of the package."""

    path: Path
    text: str
    tree: ast.Module

    @property
    def place(self) -> str:
        """Its path inside the package."""
        return self.path.relative_to(PACKAGE).as_posix()

    @property
    def room(self) -> str:
        """Return the folder of the package that it lies in, or its own name; each extension is a room of its own."""
        return room_of(self.place.split("/"))

    @property
    def module(self) -> str:
        """Its dotted name; a package's is that of its folder."""
        parts = ("scoring", *self.path.relative_to(PACKAGE).with_suffix("").parts)
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @functools.cached_property
    def imports(self) -> tuple[Import, ...]:
        """Every import in it, `from a import b` as `a.b`."""
        typing_only = {
            id(inner)
            for node in ast.walk(self.tree)
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
            for inner in ast.walk(node)
        }
        return tuple(
            Import(name, node.lineno, id(node) in typing_only)
            for node in ast.walk(self.tree)
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for name in self._names(node)
        )

    def _names(self, node: ast.Import | ast.ImportFrom) -> Iterator[str]:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
            return
        above = self.module.split(".")
        if self.path.name != "__init__.py":
            above.pop()
        start = above[: len(above) - node.level + 1] if node.level else []
        yield from (".".join([*start, *filter(None, [node.module]), alias.name]) for alias in node.names)

    def functions(self) -> Iterator[Function]:
        """Every function and method, nested ones too."""
        return (node for node in ast.walk(self.tree) if isinstance(node, Function))

    def public(self) -> Iterator[tuple[str, Declaration]]:
        """Its public functions and classes, and their public methods, by name."""
        yield from _public(self.tree.body, "")

    def at(self, node: ast.stmt | ast.expr, what: str) -> str:
        """An offender: where it stands, and what it is."""
        return f"scoring/{self.place}:{node.lineno}: {what}"


HOUSES = {"compiler", "extensions"}
"""Folders whose folders are rooms: each has its own place in the drawing."""


def room_of(path: list[str]) -> str:
    """Return the room of a path inside the package, as ``lang``, ``compiler/checks`` or ``extensions/judge``."""
    parts = path[:2] if path[0] in HOUSES and len(path) > 1 and path[1] != "__init__.py" else path[:1]
    return "/".join(parts).removesuffix(".py")


def is_lacking(place: str) -> bool:
    """Tell whether a place in the package is of an extension or a pack, in a copy that has none (`.ci/core.py`)."""
    return place.startswith(("extensions/", "packs/")) and not (PACKAGE / "extensions").is_dir()


def _public(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, Declaration]]:
    for node in body:
        if isinstance(node, Declaration) and not node.name.startswith("_"):
            yield prefix + node.name, node
            if isinstance(node, ast.ClassDef):
                yield from _public(node.body, f"{prefix}{node.name}.")


@functools.cache
def files() -> tuple[File, ...]:
    """All files of the package, generated data aside."""
    paths = sorted(path for path in PACKAGE.rglob("*.py") if "_data" not in path.parts)
    texts = [path.read_text(encoding="utf-8") for path in paths]
    return tuple(File(path, text, ast.parse(text)) for path, text in zip(paths, texts, strict=True))


def hold(law: str, offenders: Iterable[str]) -> None:
    """Fail with every offender on a line of its own."""
    found = list(offenders)
    assert not found, "\n  ".join([f"{law}; {len(found)} do not keep it:", *found])


def hold_but_for(law: str, offenders: Iterable[str], known: Iterable[str]) -> None:
    """As ``hold``, but for known offenders; one that is mended must be struck off, so that it stays mended."""
    found, listed = set(offenders), set(known)
    hold(law, sorted(found - listed))
    hold(f"known offenders against “{law}” are offenders still (strike off what is mended)", sorted(listed - found))
