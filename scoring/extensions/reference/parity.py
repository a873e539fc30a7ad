"""The page docs/parity.md: what each task by name is held to, and the published tables that come out again."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from scoring.extensions.reference.cookbook import CookbookRecipe

_HEAD = """\
<!-- Written by `scoring generate` from the vectors below tests/parity and benchmarks/parity; changes here are lost. -->
# Parity

What the tasks by name and the primitives are held to: official code ran over probes of our own, what it gave is kept
(`tests/parity`), and tests hold ours to it without a network. Official code is never copied. Where the column
*program* has a mark, one command makes the vectors anew from a checkout of the code, or from its package:

```
python -m benchmarks.parity vectors FOLDER [NAME …]   # FOLDER holds checkouts, called owner+name
python -m benchmarks.parity primitives FOLDER [NAME …]
python -m benchmarks.parity table NAME FOLDER         # FOLDER is a checkout of published files
```

- [Tasks by name](#tasks-by-name)
- [Differences, and why](#differences-and-why)
- [Primitives](#primitives)
- [Published tables](#published-tables)
"""

_TASKS = """\
Agreement is that of every probe, record by record and in batches; `equal` is equal as floating-point numbers, and else
the greatest difference that the test allows is given. Probes without a score are those where the official code has
none. The licence is that of the official code."""

_TABLES = """\
Computed anew from outputs that were published with their figures, each by one command, with nothing but the task that
`benchmarks/parity/tables` says. A figure agrees where ours, rounded as the published one is, is the same."""


class _Vectors(Struct, frozen=True):
    """A file of vectors: the words of its header about the official code, and its rows."""

    path: Path
    header: Mapping[str, Any]
    rows: tuple[Mapping[str, Any], ...]

    @property
    def source(self) -> str:
        """The repository or package."""
        return re.split(r"[@ ]", self.header["official"], maxsplit=1)[0]

    @property
    def version(self) -> str:
        """The commit or version, a commit by its first seven digits."""
        found = re.split(r"[@ ]", self.header["official"], maxsplit=2)
        return found[1][:7] if re.fullmatch(r"[0-9a-f]{7,40}", found[1]) else found[1]

    @property
    def place(self) -> str:
        """The function, behind the source and its version."""
        return re.split(r"[@ ]", self.header["official"], maxsplit=2)[2]


def parity_page(root: Path) -> str:
    """Return the page docs/parity.md of a checkout."""
    licences = tomllib.loads((root / "tests" / "parity" / "sources.toml").read_text(encoding="utf-8"))
    recipes = list(_vectors(root / "tests" / "parity" / "recipes"))
    names = {one.path.stem: _task_name(root, one) for one in recipes}
    parts = [_HEAD, "## Tasks by name", _TASKS, _task_table(root, recipes, names, licences)]
    parts += ["## Differences, and why", "\n".join(_notes(recipes, names))]
    parts += ["## Primitives", _primitive_table(root, licences)]
    outcomes = sorted((root / "benchmarks" / "parity" / "outcomes").glob("*.json"))
    parts += ["## Published tables", _TABLES, _overview(outcomes), *(_outcome(path) for path in outcomes)]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _vectors(folder: Path) -> Iterator[_Vectors]:
    """Those files of a folder whose first line names official code."""
    for path in sorted(folder.glob("*.jsonl")):
        first, *rows = (json.loads(line) for line in path.read_text(encoding="utf-8").rstrip("\n").split("\n"))
        if "official" in first:
            yield _Vectors(path, first, tuple(rows))


def _task_name(root: Path, vectors: _Vectors) -> str:
    return CookbookRecipe(root / "specs" / "cookbook" / f"{vectors.path.stem}.yaml").name


def _task_table(root: Path, recipes: list[_Vectors], names: Mapping[str, str], licences: Mapping[str, str]) -> str:
    programs = _programs(root)
    lines = ["| task | official code | version | probes | agreement | program | licence |", f"|{'---|' * 7}"]
    for one in recipes:
        tolerance, without = one.header["tolerance"], sum("reason" in row for row in one.rows)
        probes = f"{len(one.rows)}{' sets' if one.header['per'] == 'set' else ''}"
        probes += f", {without} without a score" if without else ""
        agreement = f"within {tolerance:.0e}".replace("e-0", "e-") if tolerance else "equal"
        cells = (
            f"`{names[one.path.stem]}`", f"{one.source}, {_code(one.place)}", one.version, probes, agreement,
            "✓" if one.path.stem in programs else "", licences.get(one.source, "not looked up"),
        )  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _programs(root: Path) -> set[str]:
    """The recipes for which a program is registered in benchmarks/parity/official."""
    texts = (path.read_text(encoding="utf-8") for path in (root / "benchmarks" / "parity" / "official").glob("*.py"))
    calls = (call for text in texts for call in re.findall(r'\bofficial\(("[^)]*")\)', text))
    return {name for call in calls for name in re.findall(r'"([\w-]+)"', call)}


def _notes(recipes: list[_Vectors], names: Mapping[str, str]) -> Iterator[str]:
    for one in recipes:
        if note := one.header.get("note", "").strip():
            yield f"- `{names[one.path.stem]}`: {note.rstrip('.')}."


def _primitive_table(root: Path, licences: Mapping[str, str]) -> str:
    lines = ["| vectors | official code | version | probes | note | licence |", "|---|---|---|---|---|---|"]
    for one in _vectors(root / "tests" / "parity" / "data"):
        cells = (
            f"`{one.path.stem}`", f"{one.source}, {_code(one.place)}", one.version, str(len(one.rows)),
            one.header.get("note", "").replace("|", "\\|"), licences.get(one.source, "not looked up"),
        )  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _code(text: str) -> str:
    return f"`{text.replace('|', chr(92) + '|')}`"


def _overview(paths: list[Path]) -> str:
    lines = ["| table | files | figures | agree | licence |", "|---|---|---|---|---|"]
    for path in paths:
        held = json.loads(path.read_text(encoding="utf-8"))
        agreed = sum(cell["agrees"] for cell in held["cells"])
        cells = (f"`{path.stem}`", held["source"], str(len(held["cells"])), str(agreed), held["licence"])
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _outcome(path: Path) -> str:
    """The section of a table: its figures, and why some part."""
    held = json.loads(path.read_text(encoding="utf-8"))
    command = f"`python -m benchmarks.parity table {path.stem} FOLDER`, where FOLDER is a checkout of {held['source']}."
    lines = ["| row | figure | published | ours | difference | |", "|---|---|---|---|---|---|"]
    for cell in held["cells"]:
        difference = cell["ours"] - float(cell["published"])
        parted = f"{cell['parted']:,} of {cell['records']:,} records part; " if cell["parted"] else ""
        cells = (
            cell["row"], cell["figure"], cell["published"], f"{cell['ours']:.10g}", f"{difference:.1e}",
            "" if cell["agrees"] else f"{parted}{cell['why']}",
        )  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    return "\n\n".join(filter(None, (f"### {held['title']}", command, held["note"], "\n".join(lines))))
