"""What a manifest says of inputs at addresses is what was scored."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import scoring
from scoring.cli.main import main
from scoring.data.file import InputFile
from tests.unit.api.test_inputs import RECORDS, SPEC, inputs, lines, sha256


def test_what_lies_at_an_address_is_known_by_its_bytes_once_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsspec = pytest.importorskip("fsspec")
    store = fsspec.filesystem("memory")
    store.pipe("/inputs/a.jsonl", lines(RECORDS))
    monkeypatch.setattr(InputFile, "is_far", property(lambda self: self.address.startswith("memory")))
    run = scoring.evaluate(SPEC, "memory://inputs/a.jsonl", output=tmp_path / "run")
    assert inputs(run)["records"]["sha256"] == sha256(lines(RECORDS))
    assert inputs(scoring.evaluate(SPEC, "memory://inputs/a.jsonl", limit=1))["records"]["sha256"].startswith("store:")
    (tmp_path / "t.json").write_text(json.dumps(SPEC))
    assert main(["score", str(tmp_path / "t.json"), "memory://inputs/a.jsonl", "-o", str(tmp_path / "again")]) == 0
    assert main(["verify", str(tmp_path / "again")]) == 0
    store.pipe("/inputs/a.jsonl", lines(RECORDS[::-1]))
    assert main(["verify", str(tmp_path / "again")]) != 0
