"""Run folders written: sealed, whole, and never two runs in one."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.engine.runs.manifest import holds

ROOT = Path(__file__).resolve().parents[4]
INVOICES = (ROOT / "specs/quickstart/invoices.yaml", ROOT / "specs/quickstart/invoices.jsonl")


def manifest_of(folder: Path) -> dict[str, Any]:
    held: dict[str, Any] = json.loads((folder / "manifest.json").read_text("utf-8"))
    return held


def digests(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    found = {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    del found["manifest.json"]
    return found


def check_digests(tmp_path: Path, how: dict[str, Any]) -> None:
    if "parts" in how:
        how = {**how, "parts": tmp_path / "parts"}
    scoring.evaluate(*INVOICES, output=tmp_path / "run", **how)
    assert manifest_of(tmp_path / "run")["files"] == digests(tmp_path / "run")


@pytest.mark.parametrize("how", [{}, {"processes": 2, "keep_values": False, "keep_records": False}])
def test_a_manifest_has_the_digest_of_every_other_file(tmp_path: Path, how: dict[str, Any]) -> None:
    check_digests(tmp_path, how)


def test_a_seal_holds_until_anything_in_the_manifest_is_changed(tmp_path: Path) -> None:
    scoring.evaluate(*INVOICES, output=tmp_path / "run")
    held = manifest_of(tmp_path / "run")
    assert holds(held) is True
    for name in held.keys() - {"seal"}:
        assert holds({**held, name: "changed"}) is False
        assert holds({key: value for key, value in held.items() if key != name}) is False
    assert holds({**held, "more": 1}) is False
