"""Wherever an edit of a task moves a score, the meaning, `diff`, `compare`, `lock` and `check --against` say so."""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import asdict, replace

import scoring
from scoring.api.opening import open_spec
from scoring.compiler.identity.lock import Lock
from scoring.compiler.tasks.compile import compile_task
from scoring.diagnostics.diagnostic import SpecError
from scoring.errors import InputError
from scoring.extensions.suites.compile import compile_suite
from scoring.extensions.suites.spec import SuiteSpec
from scoring.format.forms import number_form
from scoring.format.keys import key
from scoring.format.load import Loader
from scoring.format.table import KeyPlace, every_place
from tests.property.meanings import VOICES, edits_of, first_that_compiles, judge, tried
from tests.property.meanings_rooms import ROOMS, Room

TASK: dict[str, Any] = {"kind": "task", "name": "t", "version": "1.0.0", "score": "equal"}
ROWS = [
    {"id": n, "response": "a", "reference": "b" if n % 3 else "a", "gold": "a", "x": "x" * n, "y": ""} for n in range(9)
]


def lock_of(spec: Mapping[str, Any]) -> Lock:
    loader = Loader()
    return Lock.of(compile_task(loader.data(spec), loader)[0].parts.recipe)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A folder with the data of each room."""
    made = {name: tmp_path_factory.mktemp(name) for name in ROOMS}
    for name, folder in made.items():
        with contextlib.chdir(folder):
            ROOMS[name].written(1)
    return made


@pytest.fixture
def room(request: pytest.FixtureRequest, folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> Room:
    name, _ = request.param
    monkeypatch.chdir(folders[name])
    return ROOMS[name]


@pytest.fixture
def place(request: pytest.FixtureRequest) -> KeyPlace:
    found: KeyPlace = request.getfixturevalue("room") and request.node.callspec.params["room"][1]
    return found


EVERY = [(name, place) for name, room in ROOMS.items() for place in room.places]
each_key = pytest.mark.parametrize("room", EVERY, ids=lambda one: f"{one[0]}: {one[1].text}", indirect=True)


@each_key
def test_of_every_key_there_is_an_edit(room: Room, place: KeyPlace) -> None:
    """What it may be comes from its schema, or from the pools of its room: a new key of another form needs some."""
    assert first_that_compiles(place, random.Random(place.text), room) is not None


Locks = dict[tuple[str, str], Lock | None]


@pytest.fixture(scope="module")
def locks() -> Locks:
    """The locks of specs by their rooms: an edit is compiled once, and what it begins with once for all of its keys."""
    return {}


def lock_in(room: Room, spec: Mapping[str, Any], locks: Locks) -> Lock | None:
    """The lock of a spec in its room; None where it does not compile."""
    named = next(name for name, one in ROOMS.items() if one is room), json.dumps(spec)
    if named not in locks:
        try:
            locks[named] = Lock.of(open_spec(room.given(spec, "new")).recipe)
        except (SpecError, InputError):
            locks[named] = None
    return locks[named]


@each_key
def test_a_key_moves_what_it_says(room: Room, place: KeyPlace, locks: Locks) -> None:
    """The meaning moves by every value of a key that moves by value, and by none of a key that moves nothing."""
    moved = []
    for edit in list(edits_of(place, random.Random(0), room))[:6]:
        one, other = (lock_in(room, spec, locks) for spec in (edit.old, edit.new))
        assert one is not None, str(edit)
        if other is None:
            continue
        moved.append((one.meaning, one.reads) != (other.meaning, other.reads))
        if place.key.moves == "nothing":
            assert not moved[-1], str(edit)
        if place.key.moves == "value" and place.key.default not in (
            _value(edit.old, edit.way),
            _value(edit.new, edit.way),
        ):
            assert one.meaning != other.meaning, str(edit)
    if room.kind == "suite" and place.key.moves in ("path", "compiled") and place.text != "imports":
        assert any(moved), f"no edit of {place.text} is in the meaning of a suite"


def _value(data: Any, way: tuple[str, ...]) -> Any:
    for step in way:
        data = data.get(step, {}) if isinstance(data, Mapping) else {}
    return data if data != {} else None


@pytest.mark.parametrize(
    ("name", "count"), [("rows", 16), ("pack", 6), ("suite", 16), ("detection", 8), ("classification", 8)]
)
def test_who_is_asked_agrees_wherever_a_score_moves(name: str, count: int) -> None:
    found = tried(count, seed=20, tries=40, room=ROOMS[name])
    assert found.wrong == []
    assert found.tried == count
    assert all(found.agreed[voice] for voice in VOICES)


def test_keys_that_no_voice_can_tell_are_named_with_a_reason() -> None:
    """Everything else of the table is edited: a room leaves out a key by its whole place."""
    for name, room in ROOMS.items():
        every = {place.text for place in every_place() if room.kind in place.kinds}
        assert set(room.alone) <= every, name
        assert all(room.alone.values())


class Boosted(SuiteSpec, frozen=True, kw_only=True):
    """A suite with a key that nobody has written anything about but this."""

    boost: float = key(
        number_form(), "What its figures are multiplied by.", moves="value", kinds=("suite",), default=1.0
    )


def test_a_new_key_of_a_suite_is_in_its_meaning_by_its_declaration(folders: dict[str, Path]) -> None:
    with contextlib.chdir(folders["suite"]):
        loader = Loader()
        loaded = loader.file(Path(ROOMS["suite"].given(ROOMS["suite"].bases[0], "new")), "spec")
        assert isinstance(loaded.spec, SuiteSpec)
        held = asdict(loaded.spec)
        own, usual, more = (
            compile_suite(replace(loaded, spec=spec)).recipe
            for spec in (loaded.spec, Boosted(**held), Boosted(**held, boost=2.0))
        )
    assert own.digest == usual.digest != more.digest
    assert more.meaning["keys"]["boost"] == 2


# ---- what was silent


COMPUTED = {**TASK, "record": {"s": "length(x)"}, "score": "equal", "aggregate": "clip(answer + record.s / 10, 0, 1)"}


def edited(name: str, path: str, base: Mapping[str, Any] = TASK) -> dict[str, Any]:
    return {**base, "record": {**base.get("record", {}), name: path}}


def said(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[bool, dict[str, bool]]:
    from tests.property.meanings import Edit

    moved, _, voices = judge(Edit(ROOMS["rows"].places[0], (), old, new), ROWS, 40)
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

    spec, text = tmp_path / "t.yaml", "kind: task\nname: t\nscore: equal\n"
    spec.write_text(text)
    task = scoring.load(spec)
    spec.write_text(text.replace("equal", "levenshtein"))
    task.evaluate(ROWS, output=tmp_path / "run")
    entry = json.loads((tmp_path / "run" / "manifest.json").read_text())["inputs"][0]
    assert entry["sha256"] == hashlib.sha256(text.encode()).hexdigest()
    assert entry["changed"] is True
    spec.write_text(text)
