"""Files with columns are digested as they are read, and are told from lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.formats import WRITE
from tests.unit.api.test_inputs import HOW, check_digest, check_read_once
from tests.unit.cli.test_formats import check_refusal


@pytest.mark.parametrize("form", [form for form in WRITE if form not in ("jsonl", "json")])
@pytest.mark.parametrize("how", HOW)
def test_the_digest_is_that_of_the_stored_bytes(tmp_path: Path, form: str, how: dict[str, Any]) -> None:
    check_digest(tmp_path, form, how)


def test_what_is_read_in_order_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_read_once(tmp_path / "a.csv", WRITE["csv"], monkeypatch)


def test_columns_that_are_called_lines_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    message = "it is text with columns, not JSON Lines; say `--input-format csv`"
    check_refusal(tmp_path, capsys, b"id,response,reference\n1,a,b\n", [], message)
