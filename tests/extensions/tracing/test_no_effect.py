"""An option without effect is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoring.cli.main import main


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["explain", "equal", "--references", "r.jsonl"], "--references needs the records: scoring explain SPEC DATA"),
        (
            ["explain", "equal", "--reference-format", "csv"],
            "--reference-format needs the records: scoring explain SPEC",
        ),
        (["explain", "equal", "--input-format", "csv"], "--input-format needs the records: scoring explain SPEC DATA"),
    ],
)
def test_an_option_without_effect_is_refused(
    arguments: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("task.json").write_text('{"field_score_function": {"move": "exact_str_match"}}')
    assert main(arguments) == 2
    assert told in capsys.readouterr().err
