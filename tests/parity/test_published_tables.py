"""Published tables come out of published files: the machinery on a sample of our own, and what is kept of real runs."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

import scoring
from benchmarks.parity import __main__ as command
from benchmarks.parity import published
from benchmarks.parity.published import Cell, Table, tables, wrong_cells

TABLE = """
title = "A sample"
source = "owner/name@0000000"
licence = "MIT"

[[parts]]
predictions = "runs/{family}/{system}.jsonl"
published = "README.md"
figures = {mean = '^\\| {row} \\| ([\\d.]+) \\|'}
flags = '"right": (true|false)'
scale = 100
names = {beta = "Beta 2"}

[parts.task]
record = {reference = "gold"}
score = "lower | equal"
"""
README = "| system | accuracy |\n| alpha | 66.7 |\n| Beta 2 | 33.33 |\n"
ALPHA = [("Paris", "paris", True), ("Suva", "Suva", True), ("Oslo", "Lima", False)]
BETA = [("é", "E", False), ("", "a", False), ("ß", "ß", True)]


@pytest.fixture(name="folder")
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout of published files, and beside it the folder of tables."""
    for system, rows in (("alpha", ALPHA), ("beta", BETA)):
        lines = [json.dumps({"response": said, "gold": right, "right": flag}) for said, right, flag in rows]
        path = tmp_path / "checkout" / "runs" / "small" / f"{system}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "checkout" / "README.md").write_text(README, encoding="utf-8")
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "sample.toml").write_text(TABLE, encoding="utf-8")
    monkeypatch.setattr(published, "TABLES", tmp_path / "tables")
    monkeypatch.setattr(command, "OUTCOMES", tmp_path / "outcomes")
    return tmp_path / "checkout"


def changed(folder: Path, old: str, new: str) -> None:
    """Change the table's file."""
    path = folder.parent / "tables" / "sample.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_table_comes_out_of_its_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["table", "sample", str(folder), "--keep"]) == 0
    printed = capsys.readouterr().out
    assert "2 figures, 2 agree, 0 part without a reason" in printed
    kept = json.loads((folder.parent / "outcomes" / "sample.json").read_text(encoding="utf-8"))
    assert [(cell["row"], cell["published"], cell["agrees"]) for cell in kept["cells"]] == [
        ("alpha", "66.7", True),
        ("beta", "33.33", True),
    ]


def test_a_figure_that_parts_fails(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "README.md").write_text(README.replace("66.7", "66.8"), encoding="utf-8")
    assert command.main(["table", "sample", str(folder)]) == 1
    assert "-1.33e-01  parts" in capsys.readouterr().out


def test_a_record_that_parts_fails(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = folder / "runs" / "small" / "alpha.jsonl"
    text = path.read_text(encoding="utf-8").replace('"right": true', '"right": false', 1)
    path.write_text(text.replace('"right": false}', '"right": true}'), encoding="utf-8")
    assert command.main(["table", "sample", str(folder)]) == 1
    assert "of 3 records part" in capsys.readouterr().out


def test_a_stated_difference_passes_and_a_stale_one_fails(folder: Path) -> None:
    changed(folder, "scale = 100", 'scale = 100\ndiffers = {alpha = "another rule"}')
    assert command.main(["table", "sample", str(folder)]) == 1
    (folder / "README.md").write_text(README.replace("66.7", "60.0"), encoding="utf-8")
    assert command.main(["table", "sample", str(folder)]) == 0


def test_a_row_can_be_left_out(folder: Path) -> None:
    changed(folder, "scale = 100", 'scale = 100\nleft_out = {alpha = "no run"}')
    assert [cell.row for cell in tables()["sample"].cells(folder)] == ["beta"]


def test_an_archive_with_one_file_is_unpacked(folder: Path) -> None:
    path = folder / "runs" / "small" / "alpha.jsonl"
    with zipfile.ZipFile(path.with_suffix(".zip"), "w") as archive:
        archive.write(path, "inner/alpha.jsonl")
    changed(folder, "{system}.jsonl", "{system}.zip")
    (cell,) = tables()["sample"].cells(folder)
    assert (cell.row, cell.agrees) == ("alpha", True)


def test_verdicts_are_the_published_figure_where_there_is_no_other(folder: Path) -> None:
    lines = [line for line in TABLE.splitlines() if not line.startswith(("published", "figures", "scale", "names"))]
    (folder.parent / "tables" / "sample.toml").write_text("\n".join(lines), encoding="utf-8")
    assert [(cell.published[:6], cell.agrees) for cell in tables()["sample"].cells(folder)] == [
        ("0.6666", True),
        ("0.3333", True),
    ]


def test_a_record_is_right_where_two_texts_are_the_same(folder: Path) -> None:
    changed(folder, '"right": (true|false)', '"response": "([A-Z])[a-z]*", "gold": "(?i:([A-Z]))')
    changed(folder, "{system}.jsonl", "alph{system}.jsonl")
    changed(folder, 'names = {beta = "Beta 2"}', 'names = {a = "alpha"}')
    (cell,) = tables()["sample"].cells(folder)
    assert (cell.row, cell.parted) == ("a", 1)


def test_a_folder_without_the_files_is_told(tmp_path: Path, folder: Path) -> None:
    assert folder.is_dir()
    with pytest.raises(FileNotFoundError, match=r"holds nothing called runs/"):
        list(tables()["sample"].cells(tmp_path))


@pytest.mark.parametrize(
    ("text", "ours", "agrees"),
    [("34.8", 34.75, True), ("34.8", 34.86, False), ("50", 50.4, True), ("1.23456789012", 1.23456789, True)],
)
def test_a_figure_agrees_to_the_decimals_that_are_printed(text: str, ours: float, agrees: bool) -> None:
    assert Cell("a", "mean", text, ours, 1).agrees is agrees


@pytest.mark.parametrize("table", tables().values(), ids=lambda table: table.name)
def test_what_is_kept_of_a_table_is_right(table: Table) -> None:
    kept = json.loads((command.OUTCOMES / f"{table.name}.json").read_text(encoding="utf-8"))
    assert (kept["title"], kept["source"], kept["licence"]) == (table.title, table.source, table.licence)
    cells = [Cell(**{key: value for key, value in cell.items() if key != "agrees"}) for cell in kept["cells"]]
    assert [cell["agrees"] for cell in kept["cells"]] == [cell.agrees for cell in cells]
    assert cells
    assert not wrong_cells(cells)
    for part in table.parts:
        if "task" in part:
            assert scoring.load({"kind": "task", "name": table.name, **part["task"]})


def test_ten_tables_are_kept() -> None:
    kept = {path.stem for path in command.OUTCOMES.glob("*.json")}
    assert kept == set(tables())
    assert len(kept) >= 10
