"""Published tables, computed anew from the outputs that were published with them.

A table is `benchmarks/parity/tables/NAME.toml`: where its files lie, by which task they are scored, and where the
figures stand. Nothing of the files is kept but the figures that are compared (`benchmarks/parity/outcomes`).

    title = "…"; source = "owner/repository@commit"; licence = "MIT"

    [[parts]]
    task = {extends = "mathvista@1", record = {…}}         # keys of a task
    predictions = "results/{system}/output.json"           # below the folder; a file, or the only one of a zip
    input_format = "json,rows=*"                           # as of `scoring score --input-format`
    references = "data/gold.json"                          # `reference_format` beside it
    figures = {mean = 'regular expression with one group'} # by our names, in …
    published = "results/{system}/scores.json"
    scale = 100                                            # what ours is multiplied with
    flags = 'regular expression with one group'            # scores of records, in the order of the predictions

What stands in braces is read from the paths of the predictions. The last of them names the row, which stands for
`{row}` in the patterns of figures, unless `names` has another pattern for it. Figures agree where ours, rounded as the
published one is, is the same. `differs` gives the reason for each row that is known to part, by its name; `left_out`
for each that is not compared. Without `published`, the mean of `flags` is the published figure; a pattern of two groups
says that a record is right where they are the same, such as a letter that was read and the right one. In place of a
task, `suite` is the file of a suite below `specs`, `predictions` are the results of its tasks, and `attributes` stand
beside.
"""

from __future__ import annotations

import itertools
import json
import re
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import scoring
from scoring.format.shipped import data_folder

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
        names = f"{self.row[:40]:40} {self.figure[:20]:20}"
        return f"{names} {self.published[:14]:>14} {self.ours:>14.8f} {self.difference:>+13.2e}{verdict}{records}"


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
    return {**about, "cells": [{**asdict(cell), "agrees": cell.agrees} for cell in cells]}


def _cells(name: str, folder: Path, part: Mapping[str, Any], path: Path, places: dict[str, str]) -> Iterator[Cell]:
    row = list(places.values())[-1] if places else path.stem
    published = _published(folder, part, row, places)
    if row in part.get("left_out", {}) or ("published" in part and not published):
        return
    with tempfile.TemporaryDirectory() as unpacked:
        read = _single(path, Path(unpacked))
        run = _run(name, folder, part, read, places)
        scores = [record.score or 0.0 for record in run.records]
        flags = _flags(part.get("flags"), read, scores)
    parted, figures = sum(flag != score for flag, score in zip(flags, scores, strict=True)), _figures(run)
    prefix = f"{part['task']['name']} " if "name" in part.get("task", {}) else ""
    for figure, text in (published or {"mean": str(sum(flags) / len(flags))}).items():
        ours = figures[figure] * part.get("scale", 1)
        yield Cell(row, prefix + figure, text, ours, len(scores), parted, part.get("differs", {}).get(row, ""))


def _run(name: str, folder: Path, part: Mapping[str, Any], path: Path, places: Mapping[str, str]) -> scoring.Run:
    """The run of the part's task over a file of predictions, or of its suite over a file of results of tasks."""
    beside = {key: str(folder / _filled(part[key], places)) for key in ("references", "attributes") if key in part}
    if "suite" in part:
        return scoring.evaluate(data_folder("specs") / part["suite"], results=str(path), **beside)
    formats = {key: part.get(key) for key in ("input_format", "reference_format")}
    return scoring.evaluate({"kind": "task", "name": name, **part["task"]}, str(path), **beside, **formats)


def _figures(run: scoring.Run) -> dict[str, float]:
    """The figures of a run, and those of its groups behind their names."""
    found = dict(run.metrics)
    for group in itertools.chain(run.summary.get("groups", ()), *run.summary["by"].values()):
        found |= {f"{group['group']} {one['metric']}": one["value"] for one in group["metrics"]}
    return found


def _published(folder: Path, part: Mapping[str, Any], row: str, places: Mapping[str, str]) -> dict[str, str]:
    """The published figures of a row, as they are written; those that are not there are left out."""
    if "published" not in part:
        return {}
    text = (folder / _filled(part["published"], places)).read_text(encoding="utf-8")
    called = part.get("names", {}).get(row, re.escape(row))
    found = {
        figure: re.search(pattern.replace("{row}", called), text, re.MULTILINE)
        for figure, pattern in part["figures"].items()
    }
    return {figure: match[1] for figure, match in found.items() if match}


def _flags(pattern: str | None, path: Path, scores: list[float]) -> list[float]:
    """The published scores of the records; ours where none are published."""
    if pattern is None:
        return scores
    texts = re.findall(pattern, path.read_text(encoding="utf-8"))
    if len(texts) != len(scores):
        raise ValueError(f"{path} has {len(texts)} published scores of {len(scores)} records")
    return [float(one[0] == one[1] if isinstance(one, tuple) else json.loads(one)) for one in texts]


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
