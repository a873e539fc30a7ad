"""Deprecated definitions are told in lists and explanations."""

from __future__ import annotations

from pathlib import Path

import pytest

import scoring
from scoring.cli.main import main

PACK = """\
kind: pack
name: close
version: 1.2.0
scorers:
  close_text: {score: lower | levenshtein | zero_below(threshold), params: {threshold: 0.8}}
  near:
    score: lower | levenshtein | zero_below(at)
    params: {at: 0.8}
    deprecated: {for: close_text(threshold=at), since: 1.2.0, why: Two names for one rule.}
"""


def test_lists_and_explanations_say_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "close.yaml").write_text(PACK, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    data = {one["name"]: one["deprecated"] for one in scoring.specs.listing("./close.yaml").to_json()}
    assert data["close_text"] is None
    assert data["near"] == {"for": "close_text(threshold=at)", "since": "1.2.0", "why": "Two names for one rule."}
    assert main(["explain", "./close.yaml:near"]) == 0
    assert "deprecated since 1.2.0: Two names for one rule.\nuse close_text(threshold=at)" in capsys.readouterr().out
