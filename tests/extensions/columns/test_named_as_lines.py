"""A table that is named as lines of JSON is refused with the next step."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoring.cli.main import main
from tests.unit.cli.test_formats import ROWS

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("content", "arguments", "message"),
    [(b"PAR1", [], "a.jsonl: it is Parquet; say `--input-format parquet`, or rename it to *.parquet")],
)
def test_a_refusal_names_cause_and_next_step(
    tmp_path: Path, capsys: Capture, content: bytes, arguments: list[str], message: str
) -> None:
    (tmp_path / "words.yaml").write_text(ROWS)
    (tmp_path / "a.jsonl").write_bytes(content)
    assert main(["score", str(tmp_path / "words.yaml"), str(tmp_path / "a.jsonl"), *arguments]) == 2
    assert message in capsys.readouterr().err
