"""What is read otherwise, by other settings or at another path, is a change that is named."""

from __future__ import annotations

from pathlib import Path

import pytest

import scoring
from scoring.diagnostics.diagnostic import SpecError
from tests.extensions.columns.test_signatures_of_data import CELLS, TASK, printed, scored


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("t.yaml").write_text(TASK)
    Path("rows.csv").write_text(CELLS)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_two_runs_differ_by_the_settings_alone(capsys: pytest.CaptureFixture[str]) -> None:
    scored("usual")
    scored("text", "--input-format", "csv,empty=text")
    _, told = printed(capsys, "diff", "usual", "text")
    assert "the data were read differently: format as usual → empty=text" in told
    _, told = printed(capsys, "diff", "usual", "usual")
    assert "read otherwise" not in told


@pytest.mark.usefixtures("folder")
def test_a_path_that_moved_is_major_since_data_of_before_score_otherwise(capsys: pytest.CaptureFixture[str]) -> None:
    Path("u.yaml").write_text(TASK.replace("1.0.0", "1.1.0") + "record:\n  reference: gold\n")
    code, told = printed(capsys, "check", "u.yaml", "--against", "t.yaml")
    assert code == 1
    assert "major: `record.reference`: is read at `gold`, and was at `reference`" in told
    assert scoring.evaluate("t.yaml", "rows.csv").records[0].score == 1.0
    with pytest.raises(SpecError, match="no record has `gold`"):
        scoring.evaluate("u.yaml", "rows.csv")
    Path("u.yaml").write_text(TASK.replace("1.0.0", "1.1.0") + "record:\n  reference: gold || answer\n")
    code, told = printed(capsys, "check", "u.yaml", "--against", "t.yaml")
    assert code == 1
    assert "`record.reference`: is read at `gold || answer`" in told
