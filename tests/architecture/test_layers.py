"""The drawing of the architecture, kept true: imports run downwards only."""

from __future__ import annotations

import ast
import re
import sys

from tests.architecture.source import PACKAGE, File, files, hold, is_lacking, room_of

# Bottom to top. Layers on one line know nothing of each other.
DRAWING = [
    {"system", "children", "value_base", "lazy_pattern"},
    {"processes"},
    {"version", "diagnostics", "values", "ranges"},
    {"result", "errors"},
    {"outcomes", "effects", "depth"},
    {"registry"},
    {"lang"},
    {"data", "statistics"},
    {"project"},
    {"primitives"},
    {"metrics"},
    {"format"},
    {"compiler"},
    {"compiler/programs"},
    {"compiler/records"},
    {"compiler/formulas"},
    {"compiler/identity"},
    {"compiler/running"},
    {"compiler/checks"},
    {"compiler/tasks"},
    {"engine"},
    {"report"},
    {"api"},
    {"cli"},
    {"extensions"},
    {
        "extensions/columns",
        "extensions/remote_files",
        "extensions/processes",
        "extensions/figures",
        "extensions/other_tools",
        "extensions/terminal",
        "extensions/examples",
        "extensions/conformance",
        "extensions/names",
        "extensions/layouts",
    },
    {"extensions/net", "extensions/pages", "extensions/agreement", "extensions/structure", "extensions/sandbox"},
    {"extensions/answers", "extensions/trees", "extensions/retrieval", "extensions/calibration", "extensions/text"},
    {
        "extensions/preference",
        "extensions/poetry",
        "extensions/planning",
        "extensions/geography",
        "extensions/suites",
        "extensions/authoring",
        "extensions/hosts",
        "extensions/tracing",
        "extensions/ci_reports",
    },
    {"extensions/verification", "extensions/editors"},
    {"extensions/reference"},
    {"extensions/comparison", "extensions/judge", "extensions/maths", "extensions/constraints", "extensions/dialects"},
    {"extensions/generation", "extensions/wide", "extensions/audit", "extensions/serving", "extensions/agents"},
    {"extensions/vision"},
    {"extensions/sharing"},
    {"extensions/site", "extensions/studio"},
    {"packs"},
    {"__init__", "__main__", "editors", "judges", "platforms", "plugin", "rewards", "runs", "site", "specs", "tables"},
]
RANK = {layer: rank for rank, layers in enumerate(DRAWING) for layer in layers}
LOWEST = RANK["extensions"] + 1
"""Where an extension stands that is not drawn: it uses the core alone."""
# Programs of their own, started as processes: their standard output is their protocol.
PROGRAMS = {
    "extensions/maths/server.py",
    "extensions/sandbox/inside.py",
    "extensions/sandbox/examining.py",
    "extensions/sandbox/scripts.py",
    "extensions/sandbox/served.py",
}
FACADES = DRAWING[-1] | {"packs"}
"""Modules that name what others import; they import it when it is used, and for types at once."""
BEYOND = ("extensions", "packs")
"""Rooms without which the core is whole: it reaches them through plug-ins alone."""
ONLY = {
    "yaml": {"format"},
    "jsonschema": {"data", "extensions/structure"},
    "lark": {"lang"},
    "multiprocessing": {"engine", "extensions/sandbox"},
}


def test_every_layer_stands_in_the_drawing() -> None:
    undrawn = {file.room for file in files() if not file.room.startswith("extensions/")} - set(RANK)
    hold("every room of the core has its place in the drawing (`DRAWING` here, and docs/architecture.md)", undrawn)


def test_imports_run_downwards() -> None:
    upwards = {file.place for file in files() if file.room not in DRAWING[-1] and _upwards(file)}
    hold("imports run downwards only", sorted(upwards))


def _upwards(file: File) -> list[str]:
    """What a file imports that does not stand below it; the type checker may look upwards."""
    parts = [name.name.split(".") for name in file.imports if not name.typing_only]
    rooms = [room_of(words[1:]) for words in parts if words[0] == "scoring" and words[1:]]
    return [room for room in rooms if room != file.room and _rank(room) >= _rank(file.room)]


def _rank(room: str) -> int:
    return RANK.get(room, LOWEST)


def test_the_core_names_no_extension() -> None:
    reaching = {
        file.place
        for file in files()
        if not file.room.startswith(BEYOND)
        for name in file.imports
        if not (name.typing_only and file.room in FACADES)
        if name.name.removeprefix("scoring.").startswith(BEYOND) and name.name.startswith("scoring.")
    }
    hold("a file of the core imports no extension and no pack, be it late or for types", sorted(reaching))


def test_the_command_line_knows_the_api_and_how_results_are_drawn() -> None:
    """What a command does is a verb of the API; the command parses its arguments and prints the Document."""
    hold(
        "`cli` imports only the API, reports, findings, the standard library and what makes values",
        (
            f"scoring/{file.place}:{name.line}: {name.name}"
            for file in files()
            if file.room == "cli"
            for name in file.imports
            if not _may_be_in_cli(name.name.split("."))
        ),
    )


def _may_be_in_cli(words: list[str]) -> bool:
    if words[0] == "scoring":
        return words[1] in {"cli", "api", "report", "diagnostics", "version", "lazy_pattern"}
    return words[0] in {*sys.stdlib_module_names, "__future__", "msgspec"}


def test_libraries_stay_in_their_layer() -> None:
    hold(
        "a library that has a layer is imported there only",
        (
            f"scoring/{file.place}:{name.line}: {name.name}"
            for file in files()
            for name in file.imports
            if file.room not in ONLY.get(name.name.split(".")[0], {file.room})
        ),
    )


def test_nothing_below_the_command_line_prints_or_exits() -> None:
    forbidden = {"print", "exit", "quit", "breakpoint", "input", "eval", "exec"}
    hold(
        "nothing below the command line prints, reads, exits or evaluates text",
        (
            file.at(node, ast.unparse(node))
            for file in files()
            if file.room not in ("cli", "__main__") and file.place not in PROGRAMS
            for node in ast.walk(file.tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in forbidden
        ),
    )


def test_the_page_draws_the_same() -> None:
    """Rooms of one layer stand together, layers apart, highest first."""
    page = (PACKAGE.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    layers = page.split("```")[1].strip().split("\n\n")
    drawn = [set(re.findall(r"^((?:(?:compiler|extensions)/)?\w+)(?:/|\.py)", layer, re.MULTILINE)) for layer in layers]
    assert drawn == [layer for layer in reversed(DRAWING) if layer != DRAWING[-1]]


def test_files_that_the_page_names_exist() -> None:
    page = (PACKAGE.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"`([a-z_]+/[\w/]+\.py)`", page)
    assert named
    hold(
        "a file that the page names is there",
        (
            name
            for name in named
            if not (
                is_lacking(name.removeprefix("tests/"))
                or any((root / name).is_file() for root in (PACKAGE, PACKAGE.parent))
            )
        ),
    )
