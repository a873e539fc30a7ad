"""Paths into records: hostile ones and hostile values neither stop a run nor pass for right."""

from __future__ import annotations

from pathlib import Path

import pytest

import scoring
from scoring.compiler.records.record_reader import reader
from scoring.diagnostics.diagnostic import SpecError


@pytest.mark.parametrize("path", ["[" * 3000, "!" * 3000 + "a", "(" * 3000 + "a" + ")" * 3000])
def test_a_path_that_nests_too_deep_is_refused(path: str) -> None:
    with pytest.raises(SpecError, match="bad-path"):
        reader(path)


@pytest.mark.parametrize("path", ["lenght(tags)", "tags[?lenght(@) > `1`]", "x && lenght(tags)"])
def test_a_function_that_there_is_not_is_refused(path: str) -> None:
    with pytest.raises(SpecError, match="`lenght`, which is no function of JMESPath"):
        reader(path)


@pytest.mark.parametrize("path", ["a[::0]", "ceil(b)", "length(c)"])
def test_a_value_that_a_path_stumbles_over_is_none(path: str) -> None:
    assert reader(path)({"a": [1], "b": float("inf"), "c": 1}) is None


def test_two_packs_of_one_name_are_no_cycle(tmp_path: Path) -> None:
    packs = (("x", "imports: {other: ../y/house.yaml}", "lower | other.near"), ("y", "", "equal"))
    for folder, imports, score in packs:
        (tmp_path / folder).mkdir()
        text = f"kind: pack\nname: house\nversion: 1.0.0\n{imports}\nscorers:\n  near: {{doc: Near., score: {score}}}\n"
        (tmp_path / folder / "house.yaml").write_text(text, encoding="utf-8")
    assert scoring.scorer(f"{tmp_path}/x/house.yaml:near").score("A", "a").status == "scored"
