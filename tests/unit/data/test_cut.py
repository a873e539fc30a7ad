"""Parts of files: together they are the file, whatever its format and the size of the parts."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import fsspec
import pytest
from fsspec.spec import AbstractBufferedFile
from hypothesis import given
from hypothesis import strategies as st

from scoring.data.chunking import cut, uncut, with_line_counts
from scoring.data.file import InputFile
from scoring.data.rows.read import read_rows
from scoring.data.rows.row import Row
from scoring.data.slice import Slice
from tests.support.formats import WRITE

RECORDS = [{"id": f"q{number}", "r": "ü" * (number % 5)} for number in range(40)]


def read_parts(parts: list[Slice]) -> list[Row]:
    return [row for part in parts for row in read_rows(InputFile.of(part))]


def written(folder: Path, name: str, content: bytes) -> InputFile:
    (folder / name).write_bytes(content)
    return InputFile(str(folder / name))


@pytest.mark.parametrize("form", WRITE)
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


@given(st.lists(st.sampled_from([b'{"id":1}', b"", b"{", b'{"id":"' + b"x" * 50 + b'"}', b'{"id":2}\r']), min_size=1))
def test_lines_keep_their_numbers_wherever_they_are_cut(lines: list[bytes]) -> None:
    content = b'{"id":0}\n' + b"\n".join(lines)
    with pytest.MonkeyPatch.context() as patch:
        fsspec.filesystem("memory").pipe("/cut.jsonl", content)
        file = InputFile("memory://cut.jsonl")
        whole = list(read_rows(file))
        for far in (False, True):
            patch.setattr(InputFile, "is_far", far)
            for size in (1, 9, 30):
                assert read_blockwise(with_line_counts(list(cut(file, size)))) == whole


def read_blockwise(parts: list[Slice]) -> list[Row]:
    return [row for part in parts for row in read_rows(InputFile.of(part), may_be_empty=True)]


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


def test_row_groups_are_cut_with_the_rows_before_them(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.Table.from_pylist(RECORDS), tmp_path / "a.parquet", row_group_size=16)
    parts = list(cut(InputFile(str(tmp_path / "a.parquet")), 1))
    assert [(part.start, part.stop, part.first) for part in parts] == [(0, 1, 0), (1, 2, 16), (2, 3, 32)]


def test_columns_that_nothing_reads_are_not_read(tmp_path: Path) -> None:
    file = written(tmp_path, "a.parquet", WRITE["parquet"](RECORDS))
    file.columns = {"id", "absent"}
    assert [row.record for row in read_rows(file)] == [{"id": record["id"]} for record in RECORDS]


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


class Ranges(AbstractBufferedFile):  # type: ignore[misc]  # fsspec has no types
    """A file as stores have it: bytes are fetched by ranges, and lines have no bound."""

    def _fetch_range(self, start: int, end: int) -> bytes:
        return bytes(self.fs.cat_file(self.path, start, end))


def test_files_of_stores_are_cut_as_files_are(monkeypatch: pytest.MonkeyPatch) -> None:
    store = fsspec.filesystem("memory")
    store.pipe("/ranges.jsonl", WRITE["jsonl"](RECORDS))
    whole = list(read_rows(InputFile("memory://ranges.jsonl")))
    monkeypatch.setattr(InputFile, "is_far", True)
    monkeypatch.setattr(type(store), "open", lambda self, path, mode: Ranges(self, path, mode, block_size=64))
    parts = with_line_counts(list(cut(InputFile("memory://ranges.jsonl"), 100)))
    assert len(parts) > 5
    assert read_parts(parts) == whole


def test_a_far_file_is_told_from_another_without_being_read(monkeypatch: pytest.MonkeyPatch) -> None:
    store = fsspec.filesystem("memory")
    monkeypatch.setattr(InputFile, "is_far", True)
    found = []
    for content in (b"{}\n", b"{ }\n", b"{}\n"):
        store.pipe("/far.jsonl", content)
        with monkeypatch.context() as patch:
            patch.setattr(store, "open", lambda *_: pytest.fail("it was read"))
            found.append(InputFile("memory://far.jsonl").sha256())
    assert found[0] != found[1]
    assert found[0].startswith("store:")


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


@pytest.mark.parametrize("form", WRITE)
def test_a_part_is_taken_apart_down_to_its_rows(form: str, tmp_path: Path) -> None:
    file = written(tmp_path, f"a.{form}", WRITE[form](RECORDS))
    (part, *_), whole = cut(file), list(read_rows(file))

    def apart(part: Slice, rows: int) -> list[Slice]:
        if rows == 1:
            return [part]
        one, two = part.halves(rows)
        return [*apart(one, one.take or 0), *apart(two, two.take or 0)]

    single = apart(part, len(whole))
    assert len(single) == len(whole)
    assert read_parts(single) == whole
