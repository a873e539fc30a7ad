"""A lock with what is no version is no lock."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scoring.cli.main import main
from tests.unit.project.test_versions import FORGED


@pytest.mark.parametrize("version", [*FORGED, 1, None])
def test_a_lock_with_what_is_no_version_is_no_lock(
    version: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = tmp_path / "t.yaml"
    spec.write_text("kind: task\nname: t\nimports: {m: megabench@1}\nscore: m.simple_str_match\n")
    assert main(["lock", str(spec)]) == 0
    lock = tmp_path / "t.lock.json"
    data = json.loads(lock.read_text("utf-8"))
    data["packs"]["megabench"]["version"] = version
    lock.write_text(json.dumps(data), "utf-8")
    capsys.readouterr()
    assert main(["check", str(spec), "--locked", "--format", "concise"]) == 1
    out = capsys.readouterr().out
    assert "t.lock.json is no lock file" in out
    assert out.count("\n") == 1
