"""Records in .xlsx: the values of cells, the sheet, what is refused and why, and a run with its verification."""

from __future__ import annotations

import datetime as dt
import io
import json
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.cli.main import main
from scoring.data.file import InputFile
from scoring.data.rows.read import read_rows
from scoring.errors import InputError
from scoring.extensions.columns import spreadsheets
from tests.support.workbooks import altered, sheet_of, workbook

pytest.importorskip("openpyxl")

SHEET = "xl/worksheets/sheet1.xml"
TABLE: list[list[Any]] = [["index", "prediction", "answer"], [1, "a", "a"], [2, None, "b"], [3, "c", "b"]]
SPEC = {
    "kind": "task",
    "name": "t",
    "version": "1.0.0",
    "record": {"id": "index", "response": "prediction", "reference": "answer"},
    "score": "equal",
}


def rows(content: bytes, kind: str = "xlsx") -> list[tuple[str, Any]]:
    return [(row.where, row.problem or row.record) for row in read_rows(InputFile("a.xlsx", content, kind))]


def records(content: bytes, kind: str = "xlsx") -> list[Any]:
    return [found for _, found in rows(content, kind)]


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("text", "text"),
        (3, 3),
        (3.0, 3),
        (0.5, 0.5),
        (-2.0, -2),
        (1e300, 1e300),
        (True, True),
        (dt.datetime(2024, 2, 29, 12, 30), "2024-02-29T12:30:00"),
        (dt.date(2024, 2, 29), "2024-02-29T00:00:00"),
        (dt.time(8, 5), "08:05:00"),
        ("#N/A", None),
        ("", None),
        (None, None),
        ("N/A", "N/A"),
        ("a\nb é 😀", "a\nb é 😀"),
    ],
)
def test_a_cell_has_the_value_that_pandas_reads(cell: Any, value: Any) -> None:
    (found,) = records(workbook([["id", "x"], [1, cell]]))
    assert found == {"id": 1, "x": value}
    assert type(found["x"]) is type(value)


def test_an_empty_cell_is_an_empty_text_where_the_setting_says_so() -> None:
    assert records(workbook(TABLE), "xlsx,empty=text")[1] == {"index": 2, "prediction": "", "answer": "b"}
    with pytest.raises(InputError, match="an empty cell is no `none`; say `empty=missing` or `empty=text`"):
        rows(workbook(TABLE), "xlsx,empty=none")


def test_rows_have_the_numbers_of_the_sheet_and_empty_ones_are_no_records() -> None:
    assert [place for place, _ in rows(workbook([["id"], [], [1], [None], [2]]))] == ["row 3", "row 5"]


def test_a_formula_is_the_value_that_was_stored_with_it() -> None:
    cells = '<row r="2"><c r="A2"><f>1+1</f><v>2</v></c><c r="B2" t="str"><f>A1</f><v>id</v></c></row>'
    head = '<row r="1"><c t="inlineStr"><is><t>id</t></is></c><c t="inlineStr"><is><r><t>x</t></r></is></c></row>'
    assert records(altered(workbook(TABLE), {SHEET: sheet_of(head + cells)})) == [{"id": 2, "x": "id"}]


def test_the_first_sheet_is_read_or_the_one_that_is_named() -> None:
    others: dict[str, list[list[Any]]] = {"the other": [["id"], [7]]}
    content = workbook(TABLE, "first", **others)
    assert len(records(content)) == 3
    assert records(content, "xlsx,sheet=the other") == [{"id": 7}]
    with pytest.raises(InputError, match="it has no sheet `third`; its sheets are `first`, `the other`"):
        rows(content, "xlsx,sheet=third")


def test_a_cell_without_a_column_makes_its_row_a_bad_one() -> None:
    (place, why), (_, good) = rows(workbook([["id", "x"], [1, "a", "note"], [2, "b"]]))
    assert (place, good) == ("row 2", {"id": 2, "x": "b"})
    assert why == "3 cells, but the first row names 2 columns; name them all, or clear the others"


def test_a_number_that_is_too_large_makes_its_row_a_bad_one() -> None:
    cells = '<row><c t="inlineStr"><is><t>x</t></is></c></row><row><c><v>1e999</v></c></row><row><c><v>1</v></c></row>'
    assert records(altered(workbook(TABLE), {SHEET: sheet_of(cells)})) == ["column `x`: inf is not a number", {"x": 1}]


def bomb() -> bytes:
    return altered(workbook(TABLE), {SHEET: sheet_of("<row/>" * 5_000_000)})


def lying() -> bytes:
    """The size of its sheet in the directory is 100 bytes, and so is that in the head of the part."""
    content = bytearray(bomb())
    for mark, name, size in ((b"PK\1\2", 46, 24), (b"PK\3\4", 30, 22)):
        at = content.find(mark)
        while at >= 0:
            if content.startswith(SHEET.encode(), at + name):
                content[at + size : at + size + 4] = (100).to_bytes(4, "little")
            at = content.find(mark, at + 1)
    return bytes(content)


def locked() -> bytes:
    content = bytearray(workbook(TABLE))
    at = content.find(b"PK\1\2")
    content[at + 8] |= 1
    return bytes(content)


def archive(*names: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as new:
        for name in names:
            new.writestr(name, "text")
    return stream.getvalue()


LAUGHS = (
    "<!DOCTYPE x [<!ENTITY a '"
    + "ha" * 500
    + "'>"
    + "".join(f"<!ENTITY {name} '{f'&{before};' * 100}'>" for before, name in ("ab", "bc", "cd", "de"))
    + "]>"
)
OUTSIDE = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
TEXT = '<row><c t="inlineStr"><is><t>&e;</t></is></c></row>'
WIDE = '<row><c r="ZZZ1" t="b"><v>1</v></c></row>'
CONTENTS = "[Content_Types].xml"
REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "a bomb": (bomb, "MB when unpacked; `unpacked` allows 1 MB, SCORING_LIMITS=unpacked=… allows more"),
    "a bomb whose directory lies": (lying, "it is a broken .xlsx"),
    "cut off": (lambda: workbook(TABLE)[:-100], "it is a broken .xlsx: its directory: BadZipFile"),
    "cut off early": (lambda: workbook(TABLE)[:200], "it is a broken .xlsx: its directory: BadZipFile"),
    "text": (
        lambda: b"id,x\n1,2\n",
        "it is no .xlsx, which is a zip archive; say what it is, as in `--input-format csv`",
    ),
    "a zip archive": (lambda: archive("a.jsonl"), "it is a zip archive, but no workbook (.xlsx); unpack it"),
    "an empty archive": (archive, "it is a zip archive, as a spreadsheet is"),
    "macros": (
        lambda: archive(CONTENTS, "xl/vbaProject.bin"),
        "a workbook with macros (.xlsm); save it as .xlsx without",
    ),
    "binary": (lambda: archive(CONTENTS, "xl/workbook.bin"), "it is a binary workbook (.xlsb); save it as .xlsx"),
    "OpenDocument": (lambda: archive("mimetype", "content.xml"), "it is an OpenDocument file (.ods); save it as .xlsx"),
    "a part with a password": (locked, "has a password; save it without one"),
    "a password": (
        lambda: b"\xd0\xcf\x11\xe0rest",
        "an old spreadsheet (.xls), or one with a password; save it as CSV",
    ),
    "no XML": (lambda: archive(CONTENTS), "it is a broken .xlsx: its sheets, texts or styles: "),
    "a sheet of no XML": (lambda: altered(workbook(TABLE), {SHEET: b"text"}), "it is a broken .xlsx"),
    "a sheet that ends early": (
        lambda: altered(workbook(TABLE), {SHEET: sheet_of("<row/>")[:-20]}),
        "it is a broken .xlsx: its sheets, texts or styles: ParseError",
    ),
    "a text that is not there": (
        lambda: altered(workbook(TABLE), {SHEET: sheet_of('<row><c t="s"><v>99</v></c></row>')}),
        "it is a broken .xlsx: the sheet `Sheet1`: IndexError",
    ),
    "entities that grow": (lambda: altered(workbook(TABLE), {SHEET: sheet_of(TEXT, LAUGHS)}), "it is a broken .xlsx"),
    "an entity outside": (lambda: altered(workbook(TABLE), {SHEET: sheet_of(TEXT, OUTSIDE)}), "it is a broken .xlsx"),
    "a row far below": (
        lambda: altered(workbook(TABLE), {SHEET: sheet_of(TEXT.replace("&e;", "x") + '<row r="2000000000"/>')}),
        "a sheet of more cells; `values` allows 100,000, SCORING_LIMITS=values=… allows more",
    ),
    "wide rows of one cell": (
        lambda: altered(workbook(TABLE), {SHEET: sheet_of(TEXT.replace("&e;", "x") + WIDE * 1000)}),
        "more cells; `values` allows",
    ),
    "many columns": (lambda: workbook([list(range(300))]), "a header of 300 columns; `columns` allows 200"),
    "long texts": (
        lambda: altered(workbook(TABLE), {"xl/theme/theme1.xml": b"x" * 300_000}),
        "its part `xl/theme/theme1.xml` of 300 KB; `whole` allows 200 KB",
    ),
    "a column twice": (
        lambda: workbook([["a", "b", "a"]]),
        "the column `a` appears twice in the first row; rename one",
    ),
    "no header": (lambda: workbook([[], ["a"]]), "its first row is empty; it names the columns"),
    "nothing": (lambda: workbook([]), "its first row is empty; it names the columns"),
    "only a header": (lambda: workbook([["a"]]), "it holds no records"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_is_told_in_a_line(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCORING_LIMITS", "unpacked=1MB,ratio=50,values=100K,columns=200,whole=200KB")
    make, message = REFUSED[case]
    content = make()
    with pytest.raises(InputError) as caught:
        rows(content)
    assert message in str(caught.value)
    assert str(caught.value).startswith("can't read a.xlsx: ")
    assert "\n" not in str(caught.value)


def test_a_cell_above_the_limit_makes_its_row_a_bad_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCORING_LIMITS", "cell=1KB")
    why, good = records(workbook([["x"], ["a" * 1001], ["b"]]))
    assert why == "column `x`: a cell of 1 KB; `cell` allows 1 KB, SCORING_LIMITS=cell=… allows more"
    assert good == {"x": "b"}


def test_memory_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    def wasteful(*_: Any) -> Any:
        yield bytes(10**10)

    monkeypatch.setattr(spreadsheets, "_pieces", wasteful)
    with pytest.raises(InputError, match="reading it takes more than 1 GB of memory at once; `batch` allows 1 GB"):
        rows(workbook(TABLE))


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(InputError, match=r"Excel needs openpyxl: pip install 'scoring-dsl\[excel\]'"):
        rows(b"PK\3\4")


@pytest.mark.parametrize("processes", ["1", "2"])
def test_a_run_is_scored_and_verified(
    processes: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.json").write_text(json.dumps(SPEC))
    Path("p.xlsx").write_bytes(workbook([["notes"]], "notes", run=[*TABLE, *([n, "a", "a"] for n in range(4, 1004))]))
    given = ["--input-format", "xlsx,sheet=run"]
    assert main(["score", "t.json", "p.xlsx", *given, "-o", "run", "--processes", processes]) in (0, 1)
    inputs = json.loads(Path("run/manifest.json").read_text())["inputs"]
    (read,) = [entry for entry in inputs if entry["name"] == "p.xlsx"]
    assert (read["kind"], read["read"]) == ("xlsx", {"sheet": "run"})
    capsys.readouterr()
    assert main(["verify", "run"]) == 0, capsys.readouterr().out


def test_the_figures_are_those_of_the_same_records_in_memory(tmp_path: Path) -> None:
    (tmp_path / "p.xlsx").write_bytes(workbook(TABLE))
    names, *values = TABLE
    same = [dict(zip(names, row, strict=True)) for row in values]
    assert scoring.evaluate(SPEC, str(tmp_path / "p.xlsx")).metrics == scoring.evaluate(SPEC, same).metrics
