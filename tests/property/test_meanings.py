"""Wherever an edit of a task moves a score, the meaning, `diff`, `compare`, `lock` and `check --against` say so."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.compiler.compile import compile_task
from scoring.compiler.lock import Lock
from scoring.format.keys import KeyPlace
from scoring.format.load import Loader
from tests.property.meanings import ALONE, PLACES, VOICES, compiles, edits_of, first_that_compiles, judge, tried

EDITABLE = [place for place in PLACES if place.text not in ALONE]
TASK: dict[str, Any] = {"kind": "task", "name": "t", "version": "1.0.0", "score": "equal"}
ROWS = [
    {"id": n, "response": "a", "reference": "b" if n % 3 else "a", "gold": "a", "x": "x" * n, "y": ""} for n in range(9)
]


def lock_of(spec: Mapping[str, Any]) -> Lock:
    loader = Loader()
    return Lock.of(compile_task(loader.data(spec), loader)[0].parts.recipe)


@pytest.mark.parametrize("place", EDITABLE, ids=lambda place: place.text)
def test_of_every_key_there_is_an_edit(place: KeyPlace) -> None:
    """What it may be comes from its schema, or from the pools beside the law: a new key of another form needs some."""
    assert first_that_compiles(place, random.Random(place.text)) is not None


@pytest.mark.parametrize("place", EDITABLE, ids=lambda place: place.text)
def test_a_key_moves_what_it_says(place: KeyPlace) -> None:
    """The meaning moves by every value of a key that moves by value, and by none of a key that moves nothing."""
    edits = [edit for edit in list(edits_of(place, random.Random(0)))[:6] if compiles(edit)]
    for edit in edits:
        one, other = lock_of(edit.old), lock_of(edit.new)
        if place.key.moves == "nothing":
            assert (one.meaning, one.reads) == (other.meaning, other.reads), str(edit)
        if place.key.moves == "value" and place.key.default not in (
            _value(edit.old, edit.way),
            _value(edit.new, edit.way),
        ):
            assert one.meaning != other.meaning, str(edit)


def _value(data: Any, way: tuple[str, ...]) -> Any:
    for step in way:
        data = data.get(step, {}) if isinstance(data, Mapping) else {}
    return data if data != {} else None


def test_who_is_asked_agrees_wherever_a_score_moves() -> None:
    found = tried(16, seed=20, tries=40)
    assert found.wrong == []
    assert found.tried == 16
    assert all(found.agreed[voice] for voice in VOICES)


# ---- what was silent


COMPUTED = {**TASK, "record": {"s": "length(x)"}, "score": "equal", "aggregate": "clip(answer + record.s / 10, 0, 1)"}


def edited(name: str, path: str, base: Mapping[str, Any] = TASK) -> dict[str, Any]:
    return {**base, "record": {**base.get("record", {}), name: path}}


def said(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[bool, dict[str, bool]]:
    from tests.property.meanings import Edit

    moved, _, voices = judge(Edit(PLACES[0], (), old, new), ROWS, 40)
    return moved, voices


def test_what_a_record_computes_moves_the_meaning() -> None:
    other = edited("s", "length(y)", COMPUTED)
    assert said(COMPUTED, other) == (True, dict.fromkeys(VOICES, True))
    assert lock_of(COMPUTED).meaning != lock_of(other).meaning
    assert lock_of(COMPUTED).meaning == lock_of(edited("s", "length( x )", COMPUTED)).meaning


def test_a_plain_path_is_among_the_reads_and_moves_no_meaning() -> None:
    other = edited("reference", "gold")
    assert said(TASK, other) == (True, dict.fromkeys(VOICES, True))
    one, two = (scoring.load(spec).signature for spec in (TASK, other))
    assert one.split("|")[1] == two.split("|")[1]
    assert "|reads:reference=gold|" in two
    assert "reads" not in one


def test_what_weighs_records_and_what_they_are_drawn_by_is_in_the_meaning() -> None:
    assert lock_of(edited("weight", "x")).meaning != lock_of(edited("weight", "y")).meaning
    for way in ("cluster", "strata"):
        drawn = {**TASK, "intervals": {way: "doc"}}
        assert lock_of(edited("doc", "x", drawn)).meaning != lock_of(edited("doc", "y", drawn)).meaning


def test_what_nothing_reads_moves_nothing() -> None:
    one, other = (edited("unread", path) for path in ("length(x)", "length(y)"))
    assert said(one, other) == (False, dict.fromkeys(VOICES, False))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"pass": "score >= 0.8"}, {"pass": "0.8 <= score"}),
        (
            {"score": None, "fields": {"a": "equal", "b": "levenshtein"}, "aggregate": "0.5 * a + 0.5 * b"},
            {"score": None, "fields": {"b": "levenshtein", "a": "equal"}, "aggregate": "0.5 * a + 0.5 * b"},
        ),
    ],
)
def test_two_writings_have_one_meaning(one: dict[str, Any], other: dict[str, Any]) -> None:
    specs = [{key: held for key, held in {**TASK, **more}.items() if held is not None} for more in (one, other)]
    assert lock_of(specs[0]) == lock_of(specs[1])
    assert said(specs[0], specs[1]) == (False, dict.fromkeys(VOICES, False))


def test_other_limits_on_data_are_in_the_signature(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = scoring.load(TASK).signature
    monkeypatch.setenv("SCORING_LIMITS", "line=1000")
    other = scoring.load(TASK).signature
    assert "|limits:line=1000|" in other
    assert "limits" not in usual
    assert usual.meaning != other.meaning


def test_the_manifest_has_the_digest_of_what_was_compiled(tmp_path: Path) -> None:
    import hashlib
    import json

    spec, text = tmp_path / "t.yaml", "kind: task\nname: t\nscore: equal\n"
    spec.write_text(text)
    task = scoring.load(spec)
    spec.write_text(text.replace("equal", "levenshtein"))
    task.evaluate(ROWS, output=tmp_path / "run")
    entry = json.loads((tmp_path / "run" / "manifest.json").read_text())["inputs"][0]
    assert entry["sha256"] == hashlib.sha256(text.encode()).hexdigest()
    assert entry["changed"] is True
    spec.write_text(text)
