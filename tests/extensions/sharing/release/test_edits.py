"""Edits of a pack: each is given the part of the version that it needs, with an input wherever scores can move."""

from __future__ import annotations

from pathlib import Path

import pytest

import scoring
from tests.extensions.sharing.release.edits import EDITS, FURTHER, MAJOR, OTHER, PACK, WORDS, Edit, draw_few


def written(folder: Path, files: dict[str, str], name: str = "close") -> Path:
    folder.mkdir()
    for file, text in files.items():
        (folder / f"{file}.yaml").write_text(text, encoding="utf-8")
    return folder / f"{name}.yaml"


@pytest.mark.parametrize("edit", [*EDITS, *FURTHER], ids=lambda edit: edit.what)
def test_an_edit_needs_its_part(tmp_path: Path, edit: Edit, monkeypatch: pytest.MonkeyPatch) -> None:
    draw_few(monkeypatch, 2_500)  # what moves is found in these, too
    files = {"close": PACK, "words": WORDS, "forms": OTHER}
    name = "forms" if edit.file == "forms" else "close"
    assert edit.old in files[edit.file]
    old = written(tmp_path / "old", files, name)
    new = written(tmp_path / "new", {**files, edit.file: files[edit.file].replace(edit.old, edit.new)}, name)
    found = scoring.check(new, against=old)
    judgement = found.judgement
    assert judgement is not None
    assert judgement.part == edit.part, "\n".join(judgement.lines())
    assert bool(judgement.counterexamples) is edit.moves, "\n".join(judgement.lines())
    assert not found.passed  # the version that is written is the old one
    if edit.moves:
        (finding,) = (one for one in found.findings if one.id == "version-too-low")
        assert any(str(judgement.counterexamples[0]) in note for note in finding.note)


@pytest.mark.parametrize("edit", [edit for edit in EDITS if edit.part == MAJOR][:3], ids=lambda edit: edit.what)
def test_a_version_that_is_raised_enough_passes(tmp_path: Path, edit: Edit) -> None:
    old = written(tmp_path / "old", {"close": PACK, "words": WORDS})
    text = PACK.replace(edit.old, edit.new).replace("version: 1.4.2", "version: 2.0.0")
    new = written(tmp_path / "new", {"close": text, "words": WORDS})
    assert scoring.check(new, against=old).passed


def test_a_counterexample_is_as_short_as_it_gets(tmp_path: Path) -> None:
    old = written(tmp_path / "old", {"close": PACK, "words": WORDS})
    new = written(
        tmp_path / "new", {"close": PACK.replace("case_sensitive: false", "case_sensitive: true"), "words": WORDS}
    )
    judgement = scoring.check(new, against=old).judgement
    assert judgement is not None
    (found,) = judgement.counterexamples
    assert len(found.tried_input["prediction"]) == len(found.tried_input["reference"]) == 1
    assert found.tried_input["prediction"].lower() == found.tried_input["reference"].lower()


def test_the_same_two_versions_are_judged_alike_each_time(tmp_path: Path) -> None:
    old = written(tmp_path / "old", {"close": PACK, "words": WORDS})
    new = written(tmp_path / "new", {"close": PACK.replace("threshold: 0.8", "threshold: 0.79"), "words": WORDS})
    one, other = (scoring.check(new, against=old).judgement for _ in range(2))
    assert one is not None
    assert other is not None
    assert one.to_json() == other.to_json()
