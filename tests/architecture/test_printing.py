"""Everything that a person sees is printed in one place, which makes it harmless; and no table is written as CSV.

A cell of a CSV file that begins with `=` is a formula to whoever opens it in a spreadsheet.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.architecture.source import File, files, hold, is_lacking

# The one place; what reads a stream that was piped in; and what runs in processes of its own, whose streams are pipes.
PRINTS = {
    "cli/console.py",
    "cli/main.py",
    "extensions/maths/server.py",
    "extensions/sandbox/inside.py",
    "extensions/sandbox/queries.py",
    "extensions/sandbox/scripts.py",
}
_STREAMS = {"sys.stdout", "sys.stderr", "sys.__stdout__", "sys.__stderr__"}
_WRITERS = {"csv.writer", "csv.DictWriter", "logging.getLogger", "logging.warning", "traceback.print_exc"}


def test_only_the_console_prints() -> None:
    hold("only the console prints", (said for file in files() if file.place not in PRINTS for said in _printing(file)))


def _printing(file: File) -> Iterator[str]:
    for node in ast.walk(file.tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "print":
            yield file.at(node, "print")
        elif isinstance(node, ast.Attribute) and ast.unparse(node) in _STREAMS | _WRITERS:
            yield file.at(node, ast.unparse(node))


def test_what_prints_is_still_there() -> None:
    assert {file.place for file in files()} >= {place for place in PRINTS if not is_lacking(place)}
    assert all(any(_printing(file)) for file in files() if file.place in PRINTS)
