"""Bounds on what is read: how they are said, and that they hold for every part of a file."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import scoring
from scoring.data.file import InputFile
from scoring.data.limits import NAME, limits, read_limits
from scoring.data.rows.read import read_rows
from scoring.data.rows.row import Row
from scoring.errors import InputError
from tests.support.golden import REPOSITORY


def rows(path: Path) -> list[Row]:
    return list(read_rows(InputFile(str(path))))


def lines(*records: dict[str, object]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def test_sizes_are_whole_numbers_with_units() -> None:
    found = read_limits("line=2KB, cell = 3m,columns=7,unpacked=1T")
    assert (found.line, found.cell, found.columns, found.unpacked) == (2000, 3_000_000, 7, 10**12)
    assert found.ratio == read_limits("").ratio


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("lin=1", "there is no limit 'lin'; did you mean `line`?"),
        ("banana=1", "the limits are line, cell, values"),
        ("line", "'' is not a size for `line`"),
        ("line=-1", "'-1' is not a size"),
        ("line=1.5GB", "'1.5GB' is not a size"),
        ("line=0", "'0' is not a size"),
        ("line=1e9", "'1e9' is not a size"),
        ("line=" + "9" * 5000, "is not a size"),
        ("line=1,line=2", "`line` is given twice"),
    ],
)
def test_what_is_no_limit_is_refused(text: str, says: str) -> None:
    with pytest.raises(InputError, match=NAME) as error:
        read_limits(text)
    assert says in str(error.value)


def test_the_environment_says_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, "line=5KB")
    assert limits().line == 5000
    monkeypatch.delenv(NAME)
    assert limits().line == 128_000_000


def test_every_limit_is_on_the_page() -> None:
    page = (REPOSITORY / "docs" / "running.md").read_text(encoding="utf-8")
    for name in limits().__struct_fields__:
        assert f"`{name}`" in page, name


def test_a_run_takes_the_limits_of_whoever_runs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = {
        "kind": "task", "name": "t", "version": "1.0.0", "score": "equal",
        "record": {"id": "id", "response": "response", "reference": "reference"},
    }  # fmt: skip
    path = tmp_path / "a.jsonl.gz"
    long = "a" * 3000
    path.write_bytes(gzip.compress(lines(*({"id": n, "response": long, "reference": long} for n in range(3)))))
    assert scoring.evaluate(spec, path).to_json()["counts"]["scored"] == 3
    monkeypatch.setenv(NAME, "line=1KB")
    counts = scoring.evaluate(spec, path).to_json()["counts"]
    assert (counts["scored"], counts["unscored"]) == (0, 3)
    monkeypatch.setenv(NAME, "unpacked=5KB,ratio=2")
    with pytest.raises(scoring.InputError, match="`ratio` allows 2"):
        scoring.evaluate(spec, path)
