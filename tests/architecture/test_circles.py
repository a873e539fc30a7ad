"""The graph of files is free of circles: each can be read, tested and moved after those that it stands on."""

from __future__ import annotations

from collections.abc import Iterator

from tests.architecture.source import files, hold_but_for

# Circles that stand, each as the modules in it; a mended one is struck off.
KNOWN: set[str] = set()

Graph = dict[str, set[str]]


def test_files_import_in_no_circle_lazy_and_typing_imports_included() -> None:
    found = {" ".join(module.removeprefix("scoring.") for module in circle) for circle in circles(graph())}
    hold_but_for("no file imports itself, through whatever others", found, KNOWN)


def test_a_circle_is_found() -> None:
    drawn = {"a": {"b"}, "b": {"c", "d"}, "c": {"a"}, "d": {"e"}, "e": set(), "f": {"f"}}
    assert list(circles(drawn)) == [["a", "b", "c"]]


def graph() -> Graph:
    """For each module the modules that it imports; a package stands for its own `__init__` alone."""
    names = {file.module for file in files()}
    return {
        file.module: {found for name in file.imports if (found := _module(name.name, names)) is not None}
        for file in files()
    }


def _module(name: str, names: set[str]) -> str | None:
    while name not in names:
        name, dot, _ = name.rpartition(".")
        if not dot:
            return None
    return name


def circles(graph: Graph) -> Iterator[list[str]]:
    """The strongly connected parts of more than one module, sorted: those that reach each other both ways."""
    core = _stripped(graph)
    reached = {module: _reached(core, module) for module in core}
    told: set[str] = set()
    for module in sorted(core):
        circle = sorted(other for other in reached[module] if module in reached[other])
        if len(circle) > 1 and module not in told:
            told.update(circle)
            yield circle


def _stripped(graph: Graph) -> Graph:
    """The graph without what no circle runs through: modules that import nothing, until none is left."""
    while leaves := {module for module, others in graph.items() if not others}:
        graph = {module: others - leaves for module, others in graph.items() if module not in leaves}
    return graph


def _reached(graph: Graph, start: str) -> set[str]:
    seen, waiting = set[str](), [start]
    while waiting:
        new = graph[waiting.pop()] - seen
        seen |= new
        waiting += new
    return seen
