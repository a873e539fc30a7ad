"""Published tables, computed anew from the outputs that were published with them.

A table is `benchmarks/parity/tables/NAME.toml`: where its files lie, by which task they are scored, and where the
figures stand. Nothing of the files is kept but the figures that are compared (`benchmarks/parity/outcomes`).

    title = "…"; source = "owner/repository@commit"; licence = "MIT"

    [[parts]]
    task = {extends = "mathvista@1", record = {…}}         # keys of a task
    predictions = "results/{system}/output.json"           # below the folder; a file, or the only one of a zip
    format = "json,rows=*"                                 # as of `scoring score --input-format`
    references = "data/gold.json"                          # `reference_format` beside it
    figures = {mean = 'regular expression with one group'} # by our names, in …
    published = "results/{system}/scores.json"
    scale = 100                                            # what ours is multiplied with
    flags = 'regular expression with one group'            # scores of records, in the order of the predictions

What stands in braces is read from the paths of the predictions; the last of them names the row, and `names` says by which
pattern it is found among the figures, where `{row}` stands. Figures agree where ours, rounded as the published one is, is the same. `differs` gives the reason
for each row that is known to part, by its name.
"""

from __future__ import annotations

import re
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import scoring

TABLES = Path(__file__).parent / "tables"
MOST_DECIMALS = 8
"""Published figures of more decimals come from sums in floating point, whose last digits depend on their order."""


@dataclass(frozen=True)
class Cell:
    """A published figure beside ours, and why they part where that is known."""

    row: str
    figure: str
    published: str
    ours: float
    records: int
    parted: int = 0
    why: str = ""

    @property
    def difference(self) -> float:
        """Ours less the published figure."""
        return self.ours - float(self.published)

    @property
    def agrees(self) -> bool:
        """Whether ours is the published figure to its last decimal, and no record parts from its published score."""
        decimals = min(len(self.published.partition(".")[2]), MOST_DECIMALS)
        return not self.parted and abs(self.difference) <= 0.5 * 10**-decimals * (1 + 1e-6)

    def line(self) -> str:
        """The cell as a line of the printed table."""
        verdict = "" if self.agrees else f"  parts{f' as stated: {self.why}' if self.why else ''}"
        records = f"  {self.parted} of {self.records} records part" if self.parted else ""
        shown = f"{self.row:40} {self.figure:14} {self.published:>14} {self.ours:>14.8f} {self.difference:>+13.2e}"
        return shown + verdict + records


@dataclass(frozen=True)
class Table:
    """A published table, and what is needed to compute it."""

    name: str
    title: str
    source: str
    licence: str
    parts: tuple[Mapping[str, Any], ...]
    note: str = ""

    @classmethod
    def read(cls, path: Path) -> Table:
        """Read a table from its file."""
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        return cls(name=path.stem, parts=tuple(content.pop("parts")), **content)

    def cells(self, folder: Path) -> Iterator[Cell]:
        """Compute every figure from the published files in a folder."""
        for part in self.parts:
            found = list(_matched(folder, part["predictions"]))
            if not found:
                raise FileNotFoundError(f"{folder} holds nothing called {part['predictions']}")
            for path, places in found:
                yield from _cells(self.name, folder, part, path, places)


def tables() -> dict[str, Table]:
    """The published tables by name."""
    return {path.stem: Table.read(path) for path in sorted(TABLES.glob("*.toml"))}


def wrong_cells(cells: list[Cell]) -> list[Cell]:
    """Those that part without a stated reason, or agree in spite of one."""
    stated = {cell.row for cell in cells if cell.why and not cell.agrees}
    return [cell for cell in cells if (not cell.agrees and not cell.why) or (cell.why and cell.row not in stated)]


def outcome(table: Table, cells: list[Cell]) -> dict[str, Any]:
    """What is kept of a computed table: its source and its figures."""
    about = {key: getattr(table, key) for key in ("title", "source", "licence", "note")}
    return {**about, "cells": [asdict(cell) for cell in cells]}


def _cells(name: str, folder: Path, part: Mapping[str, Any], path: Path, places: dict[str, str]) -> Iterator[Cell]:
    row = list(places.values())[-1] if places else path.stem
    if row in part.get("left_out", {}):
        return
    text = (folder / _filled(part["published"], places)).read_text(encoding="utf-8")
    called = part.get("names", {}).get(row, re.escape(row))
    wanted = {
        figure: re.search(pattern.replace("{row}", called), text, re.MULTILINE)
        for figure, pattern in part["figures"].items()
    }
    if not any(wanted.values()):
        return
    task = {"kind": "task", "name": name, **part["task"]}
    references = part.get("references") and str(folder / _filled(part["references"], places))
    with tempfile.TemporaryDirectory() as unpacked:
        run = scoring.evaluate(
            task,
            str(_single(path, Path(unpacked))),
            references=references,
            input_format=part.get("format"),
            reference_format=part.get("reference_format"),
        )
        scores = [record.score for record in run.records]
        parted = _parted(part.get("flags"), _single(path, Path(unpacked)), scores)
    why = part.get("differs", {}).get(row, "")
    for figure, match in wanted.items():
        if match:
            ours = run.metrics[figure] * part.get("scale", 1)
            yield Cell(
                row,
                f"{task['name']} {figure}" if "name" in part["task"] else figure,
                match[1],
                ours,
                len(scores),
                parted,
                why,
            )


def _parted(pattern: str | None, path: Path, scores: list[float | None]) -> int:
    """How many records have another score than the published one, where those are published."""
    if pattern is None:
        return 0
    flags = re.findall(pattern, path.read_text(encoding="utf-8"))
    if len(flags) != len(scores):
        raise ValueError(f"{path} has {len(flags)} published scores of {len(scores)} records")
    return sum(_flag(flag) != (score or 0) for flag, score in zip(flags, scores, strict=True))


def _flag(text: str) -> float:
    return {"true": 1.0, "false": 0.0}.get(text.lower()) or float(text.replace("true", "1").replace("false", "0"))


def _matched(folder: Path, pattern: str) -> Iterator[tuple[Path, dict[str, str]]]:
    """The files that a pattern fits, in the order of their names, with what stands in its braces."""
    fits = re.compile(
        "".join(
            f"(?P<{piece[1:-1]}>[^/]+?)" if piece.startswith("{") else re.escape(piece)
            for piece in re.split(r"(\{\w+\})", pattern)
        )
    )
    for path in sorted(folder.glob(re.sub(r"\{\w+\}", "*", pattern).replace("[", "[[]"))):
        if match := fits.fullmatch(path.relative_to(folder).as_posix()):
            yield path, match.groupdict()


def _filled(pattern: str, places: Mapping[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda match: places[match[1]], pattern)


def _single(path: Path, folder: Path) -> Path:
    """The file itself, or the only one of an archive, unpacked into a folder."""
    if path.suffix != ".zip":
        return path
    with zipfile.ZipFile(path) as archive:
        (member,) = archive.infolist()
        into = folder / Path(member.filename).name
        if not into.exists():
            into.write_bytes(archive.read(member))
    return into
