"""Files that are plain are read whole, in pieces and within a bound."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

import scoring
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


def test_links_that_lead_to_one_another_are_refused_by_every_verb(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("loop").symlink_to("loop")
    rows = [{"id": 1, "response": "a", "reference": "a"}]
    for use in (
        lambda: scoring.evaluate({"kind": "task", "name": "t", "score": "equal"}, "loop"),
        lambda: scoring.evaluate("loop", rows),
    ):
        with pytest.raises((scoring.InputError, scoring.SpecError)) as error:
            use()
        assert "loop" in str(error.value)
