"""Rows of CSV files: cells, columns of JSON, headers and quotes that are never closed."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from scoring.data.file import InputFile
from scoring.data.limits import NAME
from scoring.errors import InputError
from tests.unit.data.test_rows import records, rows, write


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "it is empty, a CSV file begins with a header"),
        ("a,a\n1,2\n", "the column `a` appears twice in the header"),
    ],
)
def test_unreadable_input_says_why(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        rows(write(tmp_path, "a.csv", content))


def test_gzip_is_unpacked(tmp_path: Path) -> None:
    assert records(write(tmp_path, "c.csv.gz", gzip.compress(b"id\n1\n"))) == [{"id": "1"}]


def test_csv_cells_are_text_and_json_columns_are_decoded(tmp_path: Path) -> None:
    long = "x" * 200_000
    text = f'id,answer,ref:json\n1,"two\nlines","{{""a"": 1}}"\n2,x\n3,{long},7\n4,x,{{\n'
    found = rows(write(tmp_path, "a.csv", text))
    assert found[0].record == {"id": "1", "answer": "two\nlines", "ref": {"a": 1}}
    reason = "line 4: 2 cells, but the header has 3; write a cell for each column, nothing between two delimiters for"
    assert found[1].reason == f"{reason} an empty one"
    assert found[2].record == {"id": "3", "answer": long, "ref": 7}
    assert found[3].problem is not None
    assert found[3].problem.startswith("column `ref:json`: not JSON")


def test_a_csv_row_that_is_not_utf8_is_bad_alone(tmp_path: Path) -> None:
    found = rows(write(tmp_path, "a.csv", b"id,a\n1,\xff\n2,\xc3\xa9\n"))
    assert found[0].reason == "line 2: not UTF-8; name the encoding, as in `--input-format csv,encoding=latin-1`"
    assert found[1].record == {"id": "2", "a": "é"}


def test_a_csv_quote_that_is_never_closed_swallows_no_rows_in_silence(tmp_path: Path) -> None:
    found = rows(write(tmp_path, "a.csv", 'id,r\n1,a\n2,"b\n3,c\n4,d\n'))
    assert [row.record for row in found] == [{"id": "1", "r": "a"}, None]
    assert found[-1].where == "line 3"
    assert found[-1].problem == "not CSV: it opens a quote that is never closed, so nothing after it could be read"


def test_a_csv_header_whose_quote_is_never_closed(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the header opens a quote that is never closed"):
        rows(write(tmp_path, "a.csv", 'id,"r\n1,a\n'))


def test_a_csv_column_and_its_json_form_are_one_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the column `r` appears twice in the header"):
        rows(write(tmp_path, "a.csv", "id,r,r:json\n1,a,2\n"))


def test_very_many_columns_take_no_longer_than_their_number(tmp_path: Path) -> None:
    names = [f"c{number}" for number in range(60_000)]
    (found,) = rows(write(tmp_path, "a.csv", ",".join(names) + "\n" + ",".join("x" * len(names)) + "\n"))
    assert found.record is not None
    assert len(found.record) == len(names)
    with pytest.raises(InputError, match="the column `c7` appears twice"):
        rows(write(tmp_path, "b.csv", ",".join([*names, "c7"]) + "\n"))


def test_a_row_of_csv_that_is_too_long_leaves_the_lines_of_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NAME, "line=1KB")
    path = tmp_path / "a.csv"
    path.write_text("id,text\n1,a\n2," + "b" * 5000 + '\n3,"c\nc"\n4,d\n')
    assert [(row.where, row.record and row.record["id"]) for row in rows(InputFile(str(path)))] == [
        ("line 2", "1"),
        ("line 3", None),
        ("line 5", "3"),
        ("line 6", "4"),
    ]
