"""Parts of files: together they are the file, whatever its format and the size of the parts."""

from __future__ import annotations

import gzip
import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scoring.data.file import InputFile
from scoring.data.limits import NAME
from scoring.data.rows.read import read_rows
from scoring.data.rows.row import Row
from scoring.data.slice import Slice
from scoring.extensions.wide.cutting import cut, uncut, with_line_counts
from scoring.extensions.wide.part import halves_of_part
from tests.support.formats import WRITE, general_formats, read_here

RECORDS = [{"id": f"q{number}", "r": "ü" * (number % 5)} for number in range(40)]


def read_parts(parts: list[Slice]) -> list[Row]:
    return [row for part in parts for row in read_rows(InputFile.of(part))]


def written(folder: Path, name: str, content: bytes) -> InputFile:
    (folder / name).write_bytes(content)
    return InputFile(str(folder / name))


@pytest.mark.parametrize("form", sorted(general_formats()))
@pytest.mark.parametrize("size", [1, 100, 1 << 20])
def test_parts_together_are_the_file(form: str, size: int, tmp_path: Path) -> None:
    file = written(tmp_path, f"a.{form}", WRITE[form](RECORDS))
    parts = list(cut(file, size))
    assert read_parts(parts) == list(read_rows(InputFile(file.name)))


def test_json_lines_are_cut_and_digested(tmp_path: Path) -> None:
    content = WRITE["jsonl"](RECORDS)
    parts = list(cut(written(tmp_path, "a.jsonl", content), 100))
    assert len(parts) > 5
    assert parts[0].sha256 == hashlib.sha256(content[: parts[0].stop]).hexdigest()
    assert [part.first for part in parts][:3] == [0, content[: parts[0].stop].count(b"\n"), parts[2].first]


@pytest.mark.parametrize("text", ['id,r\n1,"a\nb"\n2,c\n', "id,r\n1,a\r2,b\n"])
def test_csv_with_quotes_or_odd_line_ends_is_one_part(text: str, tmp_path: Path) -> None:
    file = written(tmp_path, "a.csv", text.encode())
    assert [part.is_whole for part in cut(file, 4)] == [True]
    assert read_parts(list(cut(file, 4))) == list(read_rows(file))


def test_plain_csv_is_cut_with_the_delimiter_that_its_header_has(tmp_path: Path) -> None:
    text = "id;r\n" + "".join(f"{n};a,b\n" for n in range(50)) + "51;a;b\n"
    file = written(tmp_path, "a.csv", text.encode())
    parts = list(cut(file, 60))
    assert len(parts) > 3
    assert read_parts(parts) == list(read_rows(file))


def test_what_is_not_cut_says_why(tmp_path: Path) -> None:
    packed = written(tmp_path, "a.jsonl.gz", gzip.compress(WRITE["jsonl"](RECORDS)))
    assert [part.is_whole for part in cut(packed, 10)] == [True]
    assert str(uncut(packed)).endswith(
        "is compressed as a whole, so one process reads it; Parquet, or several files, can be split"
    )
    assert "which is read as a whole" in str(uncut(written(tmp_path, "a.json", b"[]")))
    assert uncut(written(tmp_path, "b.jsonl", b"{}\n")) is None


def folder_of_parts(folder: Path, write: Any) -> list[str]:
    for language, day in (("de", 1), ("en", 1), ("en", 2)):
        path = folder / f"lang={language}" / f"day={day}" / "part-0.jsonl"
        path.parent.mkdir(parents=True)
        path.write_bytes(write([{"id": f"{language}{day}"}]))
    (folder / "_SUCCESS").touch()
    (folder / "README.md").write_text("about")
    return ["de1", "en1", "en2"]


def test_a_folder_of_partitions_is_one_table(tmp_path: Path) -> None:
    ids = folder_of_parts(tmp_path, WRITE["jsonl"])
    found = list(read_rows(InputFile(str(tmp_path))))
    assert [row.record for row in found] == [{"id": one, "lang": one[:2], "day": one[2]} for one in ids]
    assert found[0].where == "lang=de/day=1/part-0.jsonl line 1"
    assert read_parts(list(cut(InputFile(str(tmp_path))))) == found


def test_several_files_are_parts_even_if_they_are_packed(tmp_path: Path) -> None:
    folder_of_parts(tmp_path, lambda records: gzip.compress(WRITE["jsonl"](records)))
    assert uncut(InputFile(str(tmp_path))) is None
    assert len(list(cut(InputFile(str(tmp_path))))) == 3


def test_a_pattern_names_several_files(tmp_path: Path) -> None:
    folder_of_parts(tmp_path, WRITE["jsonl"])
    found = list(read_rows(InputFile(f"{tmp_path}/lang=en/*/*.jsonl")))
    assert [row.record and row.record["day"] for row in found] == ["1", "2"]


def test_a_row_that_contradicts_its_folder_is_bad(tmp_path: Path) -> None:
    path = tmp_path / "day=1" / "a.jsonl"
    path.parent.mkdir()
    path.write_text('{"id": 1, "day": 1}\n{"id": 2, "day": 2}\n')
    good, bad = read_rows(InputFile(str(tmp_path)))
    assert good.record == {"id": 1, "day": 1}
    assert bad.reason == "day=1/a.jsonl line 2: `day` is 2 here and '1' in the folder's name"


def test_parts_show_no_address() -> None:
    part = Slice("ftp://me:secret@host/a.jsonl", "jsonl")
    assert "secret" not in repr(part)
    assert replace(part, start=3).is_whole is False


@pytest.mark.parametrize("form", sorted(general_formats()))
def test_a_part_is_taken_apart_down_to_its_rows(form: str, tmp_path: Path) -> None:
    file = written(tmp_path, f"a.{form}", WRITE[form](RECORDS))
    (part, *_), whole = cut(file), list(read_rows(file))

    def apart(part: Slice, rows: int) -> list[Slice]:
        if rows == 1:
            return [part]
        one, two = halves_of_part(part, rows)
        return [*apart(one, one.take or 0), *apart(two, two.take or 0)]

    with read_here():
        single = apart(part, len(whole))
        assert len(single) == len(whole)
        assert read_parts(single) == whole


def test_a_line_that_is_too_long_is_one_bad_row_wherever_the_file_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NAME, "line=1KB")
    records = [{"id": number, "text": "a" * (3000 if number % 5 == 3 else 20)} for number in range(40)]
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"".join(json.dumps(record).encode() + b"\n" for record in records))
    whole = list(read_rows(InputFile(str(path))))
    assert [row.where for row in whole] == [f"line {number}" for number in range(1, 41)]
    assert [number for number, row in enumerate(whole) if row.record is None] == list(range(3, 40, 5))
    for size in (1, 100, 1000, 5000, 10**6):
        parts = with_line_counts(list(cut(InputFile(str(path)), size)))
        assert [row for part in parts for row in read_rows(InputFile.of(part))] == whole
