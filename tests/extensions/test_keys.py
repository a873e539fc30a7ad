"""Each key that extensions bring is in a schema, built into the model, and read by somebody."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from scoring.format.build import build_spec
from scoring.format.forms import TEXT
from scoring.format.keys import DATA_SETS, KINDS, FileKind, key, keys_of
from scoring.format.model import class_of
from scoring.format.read_json import read_data
from scoring.format.sections import Intervals
from scoring.format.table import KeyPlace, walk_keys
from tests.unit.format.reads import FILES, Reads, reads_of_a_run
from tests.unit.format.test_keys import PLACES, SCHEMAS


def schema_for(kind: FileKind) -> Any:
    """The part of a schema that files of one kind are held to."""
    found: Any = SCHEMAS[f"{kind if kind in ('suite', 'pack') else 'task'}.schema.json"]
    while "if" in found:
        is_chosen = kind in DATA_SETS if "required" in found["if"] else kind in str(found["if"])
        found = found["then" if is_chosen else "else"]
    return found


def keys_in(schema: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every key that a schema names, and no call of a primitive."""
    for part in ("then", "else", "items"):
        if isinstance(schema, dict) and part in schema:
            yield from keys_in(schema[part], path)
    for name, inner in schema.get("properties", {}).items() if isinstance(schema, dict) else ():
        yield (*path, name)
        yield from keys_in(inner, (*path, name))
    if isinstance(schema, dict) and isinstance(schema.get("additionalProperties"), dict):
        yield from keys_in(schema["additionalProperties"], (*path, "*"))


@pytest.mark.parametrize("kind", KINDS)
def test_schema_and_table_have_the_same_keys(kind: FileKind) -> None:
    in_table = {place.path for place in PLACES if kind in place.kinds}
    params = {path for path in in_table if "params" in path[:-1]}  # a default may be any mapping, so it names no keys
    assert set(keys_in(schema_for(kind))) == in_table - params


@pytest.fixture(scope="module")
def reads(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reads]:
    with reads_of_a_run(tmp_path_factory.mktemp("reads")) as found:
        yield found


def unread(found: Iterable[KeyPlace], reads: Reads) -> set[tuple[FileKind, str]]:
    """The keys that nobody reads in a file of some kind; those for people aside, and the one that names the kind."""
    return {
        (kind, place.text)
        for place in found
        for kind in place.kinds
        if not place.key.prose and place.path != ("kind",) and not reads.knows(kind, place.owner, place.key.attribute)
    }


# The intervals of data sets come with the one road; then these go.
BEING_BUILT = {(kind, f"intervals.{name}") for kind in DATA_SETS for name in ("method", "confidence", "resamples")}


def test_every_key_is_read_by_somebody(reads: Reads) -> None:
    assert unread(PLACES, reads) - BEING_BUILT == set()


def test_a_key_that_nobody_reads_is_found(reads: Reads) -> None:
    class More(Intervals, frozen=True):
        colour: str = key(TEXT, "What colour the bars have.", moves="nothing", default="")

    found = [replace(place, owner=Intervals) for place in walk_keys(More, ("rows",))]
    assert unread(found, reads) == {("rows", "colour")}


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_is_built_into_the_model(kind: FileKind) -> None:
    owner = class_of(kind)
    files = [build_spec(read_data(data, "<spec>")) for data in FILES[kind]]
    version: dict[str, Any] = {"version": ""} if kind == "pack" else {}
    empty = owner(kind="", name="", **version)
    for one in keys_of(owner, kind):
        assert any(one.of(built) != one.of(empty) for built in files), one.name
