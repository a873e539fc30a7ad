"""An option without effect is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoring.cli.main import main


@pytest.mark.parametrize(
    ("arguments", "told"),
    [(["convert", "task.json", "--force"], "--force is for a spec that is written: add --output SPEC")],
)
def test_an_option_without_effect_on_a_spec_is_refused(
    arguments: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("task.json").write_text('{"field_score_function": {"move": "exact_str_match"}}')
    assert main(arguments) == 2
    assert told in capsys.readouterr().err
