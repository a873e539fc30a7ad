"""What moves the meaning of a program for a judge."""

from __future__ import annotations

from pathlib import Path

from tests.unit.compiler.test_meaning import digest


def test_a_judge_program_means_what_is_asked_and_not_its_words(tmp_path: Path) -> None:
    pack = """
kind: pack
name: rated
version: 1.0.0
judges:
  other: {prompt: Unasked., reply: text}
  rate:
    doc: It rates.
    prompt: Rate the text from 0 to 1.
    reply: {integer: {minimum: 0, maximum: 1}}
    inputs: {text: prediction}
    show: [text]
    gives: {rating: "@"}
    score: rating
"""
    spec = {"kind": "task", "name": "t", "imports": {"r": "./rated.yaml"}, "score": "r.rate"}
    (tmp_path / "rated.yaml").write_text(pack)
    before = digest(tmp_path, spec)
    (tmp_path / "rated.yaml").write_text(pack.replace("It rates.", "Rates.").replace("Unasked.", "Never."))
    assert digest(tmp_path, spec) == before
    (tmp_path / "rated.yaml").write_text(pack.replace("Rate the", "Judge the"))
    assert digest(tmp_path, spec) != before
