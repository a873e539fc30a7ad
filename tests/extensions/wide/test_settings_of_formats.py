"""Parts whose data were read by other settings are no parts of one whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scoring.cli.main import main
from tests.extensions.columns.test_signatures_of_data import CELLS, TASK, scored


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("t.yaml").write_text(TASK)
    Path("rows.csv").write_text(CELLS)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_parts_are_merged_to_the_signature_of_the_whole() -> None:
    told = ("--input-format", "csv,empty=text")
    whole = scored("whole", *told)
    main(["score", "t.yaml", "rows.csv", "--parts", "parts", *told])
    assert main(["merge", "parts", "-o", "merged"]) == 0
    assert json.loads(Path("merged", "manifest.json").read_text())["signature"] == whole["signature"]
    assert main(["score", "t.yaml", "rows.csv", "--parts", "parts"]) == 2  # they are parts of another meaning
