"""Readers: good rows come through, bad rows are data, unreadable input is one clear error."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from scoring.data.file import InputFile
from scoring.data.file_format import own_formats
from scoring.data.rows.read import read_rows
from scoring.data.rows.row import Row
from scoring.errors import InputError


def write(folder: Path, name: str, content: bytes | str) -> InputFile:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return InputFile(str(path))


def rows(file: InputFile) -> list[Row]:
    return list(read_rows(file))


def records(file: InputFile) -> list[dict[str, Any] | None]:
    return [row.record for row in rows(file)]


def test_jsonl_bad_lines_are_rows_with_their_line_number(tmp_path: Path) -> None:
    content = b'\xef\xbb\xbf{"id": 1}\r\n\n{oops\n[1]\n"\xff"\n'
    content += b'{"n": ' + b"9" * 5000 + b"}\n" + b"[" * 5000 + b'\n{"id": 2}'
    found = rows(write(tmp_path, "a.jsonl", content))
    assert [row.record for row in found] == [{"id": 1}, None, None, None, None, None, {"id": 2}]
    assert [row.reason for row in found if row.problem] == [
        "line 3: not JSON: expecting property name enclosed in double quotes at column 2; "
        'write names in quotes, `"id": 1`, as `json.dumps(record)` does',
        "line 4: a record must be an object, found a list",
        "line 5: not UTF-8 at byte 2",
        "line 6: a number with more than 4300 digits",
        "line 7: nested deeper than 201 levels",
    ]
    assert found[-1].where == "line 8"


def test_gzip_is_read_whatever_the_name(tmp_path: Path) -> None:
    packed = gzip.compress(b'{"id": 1}\n')
    assert records(write(tmp_path, "a.jsonl.gz", packed)) == [{"id": 1}]
    assert records(write(tmp_path, "b.jsonl", packed)) == [{"id": 1}]


def test_broken_gzip_is_unreadable_input(tmp_path: Path) -> None:
    file = write(tmp_path, "a.jsonl", gzip.compress(b'{"id": 1}\n' * 1000)[:-20])
    with pytest.raises(InputError, match=r"can't read .*a\.jsonl: Compressed file ended"):
        rows(file)


@pytest.mark.parametrize("text", ['[{"id": 1}, 2]', '{"records": [{"id": 1}, 2]}'])
def test_json_array_or_object_with_records(tmp_path: Path, text: str) -> None:
    found = rows(write(tmp_path, "a.json", text))
    assert found[0].record == {"id": 1}
    assert found[1].reason == "record 2: a record must be an object, found a number"


def test_one_hostile_record_does_not_spoil_a_json_array(tmp_path: Path) -> None:
    deep = "[" * 5000 + "]" * 5000
    nines = "9" * 5000
    text = f'[{{"id": 1, "t": "a,]b"}}, {{"id": 2, "x": {deep}}}, {{"id": 3, "n": {nines}}}, {{"id": 4}}]'
    found = rows(write(tmp_path, "a.json", text))
    assert [row.record and row.record["id"] for row in found] == [1, None, None, 4]
    assert found[1].problem == "nested deeper than 201 levels"
    assert found[2].problem == "a number with more than 4300 digits"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", '{"items": []}', "expected an array of records, or an object with `records`"),
        ("a.json", '[{"id": 1}', "not JSON"),
        ("a.json", b"\xff", "not UTF-8"),
        ("a.jsonl", "\n\n", "it holds no records"),
    ],
)
def test_unreadable_input_says_why(tmp_path: Path, name: str, content: bytes | str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        rows(write(tmp_path, name, content))


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        read_rows(InputFile(str(tmp_path / "none.jsonl")))
    with pytest.raises(InputError, match="it is a folder"):
        read_rows(InputFile(str(tmp_path)))


def test_bytes_from_a_pipe_and_an_explicit_format() -> None:
    file = InputFile("-", json.dumps([{"id": 1}]).encode(), kind="json")
    assert records(file) == [{"id": 1}]
    with pytest.raises(InputError, match=f"unknown kind of file `xml`; the known kinds are {', '.join(own_formats())}"):
        read_rows(InputFile("-", b"", kind="xml"))


def test_progress_follows_the_bytes_read(tmp_path: Path) -> None:
    file = write(tmp_path, "a.jsonl", b'{"id": 1}\n' * 50_000)
    source = read_rows(file)
    for _ in range(25_000):
        next(source)
    fraction = file.fraction()
    assert fraction is not None
    assert 0.4 < fraction < 0.8
