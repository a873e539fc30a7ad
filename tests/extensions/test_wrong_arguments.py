"""No value of any argument of any verb ends in an error of Python's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoring.data import plain_files
from tests.cli.odd_arguments import desk
from tests.unit.api.odd_values import broken


def test_no_value_of_any_kind_comes_out_as_an_error_of_pythons_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plain_files, "PATIENCE", 0.05)
    desk(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert dict(broken()) == {}
