"""Which effects extensions provide, and that code which reaches them is seen through."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from scoring.diagnostics.words import EFFECTS
from scoring.registry.effect import provider
from tests.architecture.reach import reached


def test_each_effect_but_notes_is_provided() -> None:
    assert {name for name in EFFECTS if provider(name) is not None} == EFFECTS.keys() - {"notes"}


HELPERS = """
import numpy as np
from scoring.extensions.extras import optional
def plain(x): return len(x)
def by_module(x): return np.sum(x)
def late(x):
    from rapidfuzz.distance import Levenshtein
    return Levenshtein.distance(x, x)
def extra(x): return optional("jieba", extra="chinese", purpose="words").cut(x)
def asking(x):
    from scoring.extensions.judge.protocol import ask_judge
    return ask_judge(x)
TABLE = {"a": late}
def by_table(x): return TABLE["a"](x)
def inside(x): return [by_module(item) for item in x]
"""


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("plain", set()),
        ("by_module", {"numpy"}),
        ("late", {"rapidfuzz"}),
        ("extra", {"jieba"}),
        ("asking", {"judge"}),
        ("by_table", {"rapidfuzz"}),
        ("inside", {"numpy"}),
    ],
)
def test_the_crawl_sees_through_helpers(
    name: str, wanted: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scoring_like.py").write_text(HELPERS)
    monkeypatch.syspath_prepend(str(tmp_path))
    module = importlib.import_module("scoring_like")
    for function in vars(module).values():
        if getattr(function, "__module__", "") == "scoring_like":
            function.__module__ = "scoring.like"
    assert set(reached(getattr(module, name))) == wanted
