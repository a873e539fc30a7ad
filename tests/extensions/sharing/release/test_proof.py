"""What is proved: equal rewriting is a patch, whatever it is called, whoever is inlined."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoring.extensions.sharing.release.judgement import ReleaseJudgement
from scoring.extensions.sharing.release.judging import judge_release
from scoring.extensions.sharing.release.versions import Edition
from scoring.format.load import Loader

HEAD = "kind: pack\nname: close\nversion: 1.0.0\nscorers:\n"


def edition(folder: Path, body: str, name: str) -> Edition:
    path, loader = folder / f"{name}.yaml", Loader()
    path.write_text(HEAD + body, encoding="utf-8")
    return Edition(loader.file(path), loader)


def judge(folder: Path, old: str, new: str) -> ReleaseJudgement:
    return judge_release(edition(folder, old, "old"), edition(folder, new, "new"))


REWRITTEN = {
    "a helper is inlined": ("  a: lower | b\n  b: equal\n", "  a: lower | equal\n  b: equal\n"),
    "an argument is named": ("  a: levenshtein | zero_below(0.5)\n", "  a: levenshtein | zero_below(threshold=0.5)\n"),
    "a default is written out": ("  a: strip | equal\n", "  a: strip(characters=null) | equal\n"),
    "a product is turned": (
        '  a: combine("p * q", p=equal, q=levenshtein)\n',
        '  a: combine("q * p", p=equal, q=levenshtein)\n',
    ),
    "a difference is a sum": (
        '  a: combine("p - q", p=equal, q=levenshtein)\n',
        '  a: combine("-q + p", p=equal, q=levenshtein)\n',
    ),
    "two steps that commute change places": ("  a: strip | lower | equal\n", "  a: lower | strip | equal\n"),
    "a step is done twice": ("  a: lower | equal\n", "  a: lower | lower | equal\n"),
    "a parameter is handed on": (
        "  a: {params: {t: 0.5}, score: levenshtein | zero_below(t)}\n",
        "  a: {params: {t: 0.5}, score: b(t)}\n  b: {params: {least: 0.9}, score: levenshtein | zero_below(least)}\n",
    ),
}


@pytest.mark.parametrize("name", REWRITTEN)
def test_equal_rewriting_moves_nothing(tmp_path: Path, name: str) -> None:
    found = judge(tmp_path, *REWRITTEN[name])
    assert {one.part for one in found.reasons if one.name == "a"} == {"patch"}
    assert {one.basis for one in found.reasons if one.name == "a"} == {"proof"}


def test_a_file_that_is_the_same_needs_no_version(tmp_path: Path) -> None:
    found = judge(tmp_path, "  a: equal\n", "  a: equal\n")
    assert (found.part, found.suffices, found.needed) == ("", True, "1.0.0")


def test_a_comment_is_a_patch(tmp_path: Path) -> None:
    found = judge(tmp_path, "  a: equal\n", "  a: equal  # exactly\n")
    assert (found.part, found.written, found.suffices, found.needed) == ("patch", "", False, "1.0.1")


def test_a_definition_is_rewritten_only_where_its_own_text_changed(tmp_path: Path) -> None:
    old = "  a: b(0.5)\n  b: {params: {least: 0.5}, score: lower | lower | levenshtein | zero_below(least)}\n"
    new = "  a: b(0.5)\n  b: {params: {least: 0.5}, score: lower | levenshtein | zero_below(least)}\n"
    found = {one.name: one.text for one in judge(tmp_path, old, new).reasons}
    assert found == {
        "a": "uses what was changed, and proved to mean the same",
        "b": "rewritten, and proved to mean the same",
    }


def test_a_default_that_moves_scores_is_told_once(tmp_path: Path) -> None:
    body = "  a: {{params: {{least: {}}}, score: levenshtein | zero_below(least)}}\n"
    (found,) = judge(tmp_path, body.format(0.8), body.format(0.5)).reasons
    assert (found.part, found.changes) == ("major", ("`a.least` 0.8 → 0.5",))
