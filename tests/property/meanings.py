"""The law of meanings: edits of every key of a spec, drawn from the table of keys, and who says that a score moves.

``python -m tests.property.meanings --edits 300`` draws edits, scores 200 records with each side, and prints how many
moved something, and whether the meaning, `diff`, `compare`, `lock` and `check --against` said so. What an edit may be
comes from the schema of its key; for keys that hold expressions, paths or names, from the lists beside its room. A key
for which no edit can be drawn, or none that compiles, is told, and fails the test. Rooms are the kinds of spec
(`--room`): tasks over rows, a pack that a task imports, a suite, classification and detection.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import json
import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from msgspec.structs import replace

import scoring
from scoring.api.opening import open_spec
from scoring.compiler.identity.lock import Lock, lock_findings
from scoring.diagnostics.diagnostic import SpecError
from scoring.errors import InputError
from scoring.extensions.sharing.release.judging import Effort, judge_release
from scoring.extensions.sharing.release.versions import Edition
from scoring.format.load import Loader
from scoring.format.table import KeyPlace
from tests.property.meanings_rooms import GONE, ROOMS, ROWS, Room

VOICES = ("meaning", "diff", "compare", "lock", "check")
_TRIES = 40


@dataclass(frozen=True)
class Edit:
    """One edit: the key, where it stands, both sides, and the room that they are of."""

    place: KeyPlace
    way: tuple[str, ...]
    old: Mapping[str, Any]
    new: Mapping[str, Any]
    room: Room = ROWS

    def __str__(self) -> str:
        return f"{'.'.join(self.way)}: {_at(self.old, self.way)!r} → {_at(self.new, self.way)!r}"


@dataclass
class Figures:
    """What the law came to: edits that were tried, that moved something, and what each voice said wrongly."""

    tried: int = 0
    moved: int = 0
    equal: int = 0
    keys: Counter[str] = field(default_factory=Counter)
    agreed: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def _at(data: Any, way: Sequence[str]) -> Any:
    for step in way:
        data = data.get(step, GONE) if isinstance(data, Mapping) else GONE
    return "–" if data is GONE else data


def ways(data: Any, path: tuple[str, ...], before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Where a key of the table stands in a file, or could stand beside what is there."""
    if not isinstance(data, Mapping):
        return
    if len(path) == 1 and path[0] != "*":
        yield (*before, path[0])
        return
    for step in data if path[0] == "*" else {path[0]} & data.keys():
        if len(path) == 1:
            yield (*before, step)
        else:
            yield from ways(data[step], path[1:], (*before, step))


def values(place: KeyPlace, now: Any, room: Room = ROWS) -> list[Any]:
    """Other values of a key: by its schema, or those that its name is known to take; `GONE` takes it away."""
    found: list[Any] = [GONE] if now is not GONE and room.kind not in place.key.required else []
    schema = place.key.schema(room.kind)
    if (pool := room.pools.get(place.text) or room.pools.get(place.path[-1])) is not None:
        found += pool
    elif "enum" in schema:
        found += schema["enum"]
    elif schema.get("type") == "boolean":
        found += [True, False]
    elif schema.get("type") in ("number", "integer"):
        low, high = schema.get("minimum", float("-inf")), schema.get("maximum", float("inf"))
        found += [number for number in (0, 0.25, 0.5, 0.75, 0.9, 1, 2, 150, 700) if low <= number <= high]
    elif schema.get("const") is not None and now is GONE:
        found += [schema["const"]]
    return [one for one in found if one is GONE or json.dumps(one) != json.dumps(None if now is GONE else now)]


def edits_of(place: KeyPlace, chance: random.Random, room: Room = ROWS) -> Iterator[Edit]:
    """Edits of one key, in each base that holds it, in a random order; some do not compile."""
    found = []
    for base in room.bases:
        for way in ways(base, place.path):
            now = _now(base, way)
            found += [Edit(place, way, base, _with(base, way, value), room) for value in values(place, now, room)]
    chance.shuffle(found)
    yield from found


def _now(data: Any, way: Sequence[str]) -> Any:
    for step in way:
        if not isinstance(data, Mapping) or step not in data:
            return GONE
        data = data[step]
    return data


def _with(base: Mapping[str, Any], way: tuple[str, ...], value: Any) -> dict[str, Any]:
    made: dict[str, Any] = copy.deepcopy(dict(base))
    held: Any = made
    for step in way[:-1]:
        held = held[step]
    if value is GONE:
        held.pop(way[-1], None)
    else:
        held[way[-1]] = value
    return made


def compiles(edit: Edit) -> bool:
    """Whether the new side is a spec that can score."""
    try:
        open_spec(edit.room.given(edit.new, "new"))
    except (SpecError, InputError):
        return False
    return True


def first_that_compiles(place: KeyPlace, chance: random.Random, room: Room = ROWS) -> Edit | None:
    """An edit of a key that leaves a spec that can score; None where none of some does."""
    for number, edit in enumerate(edits_of(place, chance, room)):
        if compiles(edit):
            return edit
        if number > _TRIES:
            return None
    return None


def outcome(run: Any) -> Any:
    """All that a run says in numbers: scores, statuses and passes of records, figures with their intervals."""
    lines = [
        [one.id, one.status, one.score, one.passed, {name: part.score for name, part in one.fields.items()}]
        for one in (chain(*run.records.values()) if isinstance(run.records, Mapping) else run.records)
    ]
    named = {part["metric"]: [part.get("value"), part.get("interval")] for part in run.summary["metrics"]}
    return json.dumps([lines, named], default=repr, sort_keys=True)


def judge(edit: Edit, data: Any, tries: int) -> tuple[bool, bool, dict[str, bool]]:
    """Whether an edit moves something, whether the programs are one, and who says that it moves."""
    sides = edit.room.given(edit.old, "old"), edit.room.given(edit.new, "new")
    runs = [scoring.evaluate(side, data, references=edit.room.references) for side in sides]
    has_moved = outcome(runs[0]) != outcome(runs[1])
    loaders = Loader(), Loader()
    held = [
        loader.data(side) if isinstance(side, Mapping) else loader.file(Path(side), side)
        for loader, side in zip(loaders, sides, strict=True)
    ]
    recipes = [open_spec(side).recipe for side in sides]
    are_one = recipes[0].digest == recipes[1].digest and recipes[0].reads == recipes[1].reads
    lines = [run.signature for run in runs]
    told = scoring.diff(*sides)
    rows = {
        row["what"] for row in scoring.compare(*runs, force=True, resamples=100).data["differs"] if row["moves"] != "no"
    }
    locks = [replace(Lock.of(recipe), packs={}) for recipe in recipes]  # an import that nothing uses is pinned, too
    old, new = (Edition(*side) for side in zip(held, loaders, strict=True))
    judgement = judge_release(old, new, Effort(tries=tries))
    # What others read by name (a breakdown, a part that nothing computes from) moves no number, and is told as such.
    reasons = [one for one in judgement.reasons if has_moved or one.basis != "surface"]
    return (
        has_moved,
        are_one,
        {
            "meaning": any(getattr(lines[0], part) != getattr(lines[1], part) for part in ("meaning", "reads")),
            "diff": bool(told.data["moves"]),
            "compare": bool(rows & {"meaning", "reads"}),
            "lock": any(True for _ in lock_findings(held[1], loaders[1], locks[0], locks[1])),
            "check": any(one.part != "patch" for one in reasons),
        },
    )


def tried(count: int, seed: int, tries: int = 200, room: Room = ROWS) -> Figures:
    """Draw edits, key after key, and hold every voice to the law."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        return _tried(count, seed, tries, room, room.written(seed))


def _tried(count: int, seed: int, tries: int, room: Room, data: Any) -> Figures:
    chance, figures = random.Random(seed), Figures()
    order = list(room.places)
    for _ in range(count):
        chance.shuffle(order)
        for place in order:
            if figures.tried >= count:
                return figures
            edit = first_that_compiles(place, chance, room)
            if edit is None:
                continue
            try:
                has_moved, are_one, said = judge(edit, data, tries)
            except (SpecError, InputError):  # these records have nothing at such a place
                continue
            figures.tried += 1
            figures.moved += has_moved
            figures.equal += are_one
            figures.keys[place.text] += 1
            if not has_moved and not are_one:  # no record of these moves, and another may
                continue
            for voice, says in said.items():
                figures.agreed[voice] += says == has_moved
                if says != has_moved:
                    figures.wrong.append(f"{voice} says {'moves' if says else 'the same'} of {edit}")
    return figures


def main() -> int:
    """Print the figures of some edits."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--edits", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--room", choices=ROOMS, default="rows")
    given = parser.parse_args()
    found = tried(given.edits, given.seed, room=ROOMS[given.room])
    print(f"{found.tried} edits of {len(found.keys)} keys: {found.moved} moved, {found.equal} are the same program")
    for voice in VOICES:
        print(f"  {voice:8} agreed {found.agreed[voice]} times")
    print("\n".join(found.wrong) or "nobody disagreed")
    return int(bool(found.wrong or not found.moved))


if __name__ == "__main__":
    raise SystemExit(main())
