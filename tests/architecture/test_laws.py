"""Laws of single files, functions and names."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from tests.architecture.source import PACKAGE, File, Function, files, hold

LONGEST_FUNCTION = 60
LONGEST_FILE = 450
_CAMEL = re.compile(r"[A-Z][a-z]\w*")
_CLOCKS = {"time.time", "time.monotonic", "time.perf_counter", "time.time_ns", "datetime.now"}


def test_every_parameter_and_result_is_annotated() -> None:
    hold(
        "every function says what it takes and gives",
        (
            file.at(function, f"{function.name}({name})")
            for file in files()
            for function in file.functions()
            for name in _without_type(function)
        ),
    )


def _without_type(function: Function) -> Iterator[str]:
    given = function.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    yield from (one.arg for one in every if one and one.annotation is None and one.arg not in ("self", "cls"))
    if function.returns is None:
        yield "return"


def test_functions_are_short() -> None:
    hold(
        f"no function has more than {LONGEST_FUNCTION} lines",
        (
            f"{file.place} {function.name}"
            for file in files()
            for function in file.functions()
            if (function.end_lineno or 0) - function.lineno >= LONGEST_FUNCTION
        ),
    )


def test_files_are_short() -> None:
    counts = {file.place: len(file.text.splitlines()) for file in files()}
    hold(
        f"no file has more than {LONGEST_FILE} lines",
        (f"scoring/{place}, {lines} lines" for place, lines in counts.items() if lines > LONGEST_FILE),
    )


def test_patterns_are_compiled_when_they_are_used() -> None:
    """Most of what a start imports meets no text, and the patterns of a hundred modules took a twelfth of a check."""
    hold(
        "the patterns of a module are `lazy_pattern`",
        (
            f"scoring/{file.place}:{node.lineno}"
            for file in files()
            for statement in file.tree.body
            if not isinstance(statement, ast.FunctionDef | ast.ClassDef)
            for node in ast.walk(statement)
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile"
        ),
    )


def test_what_is_public_is_described() -> None:
    hold(
        "every public function, class and method has a docstring",
        (
            file.at(node, name)
            for file in files()
            for name, node in file.public()
            if not ast.get_docstring(node) and not _is_overload(node)
        ),
    )


def _is_overload(node: ast.stmt) -> bool:
    return isinstance(node, Function) and any(ast.unparse(one) == "overload" for one in node.decorator_list)


def test_every_file_says_what_it_is_for() -> None:
    hold(
        "every file begins with a docstring",
        (f"scoring/{file.place}" for file in files() if file.text.strip() and not ast.get_docstring(file.tree)),
    )


# Types of the language and the tables that hold them, with the number of files that declare them; and the scorer of a
# spec beside the one that Python has. The list may only shrink.
SEVERAL_MEANINGS = {"Classifications": 2, "Detections": 2, "PixelCounts": 2, "Scorer": 2}


def test_one_public_type_name_has_one_meaning() -> None:
    counts = Counter(name for file in files() for name in _types(file))
    hold(
        "one public type name has one meaning",
        (
            f"{name}, in {count} files: find another name"
            for name, count in sorted(counts.items())
            if count > SEVERAL_MEANINGS.get(name, 1)
        ),
    )


def _types(file: File) -> set[str]:
    """Its public classes and aliases of types; what is written `FileDescription` and no variable of a type."""
    found = set()
    for node in file.tree.body:
        match node:
            case ast.ClassDef(name=name):
                found.add(name)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if not _is_type_variable(value):
                found.add(name)
            case ast.AnnAssign(target=ast.Name(id=name)):
                found.add(name)
    return {name for name in found if _CAMEL.fullmatch(name)}


def _is_type_variable(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and ast.unparse(value.func) in ("TypeVar", "ParamSpec")


def test_no_test_reads_the_clock_on_the_wall() -> None:
    """A busy machine fails such tests; `tests.support.waiting` waits for events and bounds CPU time."""
    tests = PACKAGE.parent / "tests"
    hold(
        "no test measures time on the clock",
        (
            f"{path.relative_to(tests.parent)}:{node.lineno}: {ast.unparse(node)}"
            for path in sorted(tests.rglob("*.py"))
            if path != tests / "support" / "waiting.py"
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Attribute) and ast.unparse(node) in _CLOCKS
        ),
    )
