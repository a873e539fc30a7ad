"""Files that are plain are read whole, in pieces and within a bound."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from scoring.data.plain_files import MOST_BYTES, read_plain


def test_a_small_file_takes_little_memory_whatever_the_bound(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    tracemalloc.start()
    try:
        assert read_plain(tmp_path / "a", MOST_BYTES) == b"abc"
        assert tracemalloc.get_traced_memory()[1] < 1 << 22
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("size", [0, 1, 1 << 20, (1 << 20) + 1, 3_000_000])
def test_a_file_comes_whole_and_one_byte_too_many_is_refused(tmp_path: Path, size: int) -> None:
    (tmp_path / "a").write_bytes(bytes(size))
    assert len(read_plain(tmp_path / "a", size)) == size
    if size:
        with pytest.raises(ValueError, match="a has more than"):
            read_plain(tmp_path / "a", size - 1)
