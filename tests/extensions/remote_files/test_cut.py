"""Parts of files in stores: they are cut as files are."""

from __future__ import annotations

import fsspec
import pytest
from fsspec.spec import AbstractBufferedFile
from hypothesis import given
from hypothesis import strategies as st

from scoring.data.file import InputFile
from scoring.data.rows.read import read_rows
from scoring.data.rows.row import Row
from scoring.data.slice import Slice
from scoring.extensions.wide.cutting import cut, with_line_counts
from tests.extensions.wide.test_cut import RECORDS, read_parts
from tests.support.formats import WRITE


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
