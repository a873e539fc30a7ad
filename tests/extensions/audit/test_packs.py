"""An audit of a pack is one of its examples."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoring.cli.main import main

Capture = pytest.CaptureFixture[str]


def test_an_audit_of_a_pack_does_not_pretend_to_read_records(tmp_path: Path, capsys: Capture) -> None:
    pack = tmp_path / "pack.yaml"
    pack.write_text("kind: pack\nname: p\nversion: 1.0.0\nscorers: {same: equal}\n")
    assert main(["audit", str(pack), "records.jsonl"]) == 2
    assert "is a pack, which is audited on its examples; leave records.jsonl out" in capsys.readouterr().err
