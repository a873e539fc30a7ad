"""The table of keys: each key is in a schema, built into the model, read by somebody, and refused elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from scoring.api import check_file
from scoring.compiler.tasks.compile import compile_task
from scoring.data.json_schema import followed
from scoring.format.build import build_spec
from scoring.format.forms import SHARED, TEXT, number_form
from scoring.format.keys import DATA_SETS, KINDS, ROWS, FileKind, key, keys_of
from scoring.format.load import Loader
from scoring.format.model import CLASSES, TaskSpec
from scoring.format.read_json import read_data
from scoring.format.shipped import data_folder
from scoring.format.table import every_place, walk_keys
from tests.unit.format.reads import FILES

SCHEMAS = {path.name: json.loads(path.read_text("utf-8")) for path in data_folder("schemas").iterdir()}
PLACES = every_place()


def test_every_key_says_what_it_means() -> None:
    silent = [place.text for place in PLACES if not place.key.doc.endswith(".") or len(place.key.doc) < 12]
    assert silent == []


def test_the_files_that_are_run_use_every_key() -> None:
    used = {(kind, path) for kind, files in FILES.items() for data in files for path in paths_of(kind, data)}
    wanted = {(kind, place.path) for place in PLACES for kind in place.kinds}
    assert wanted - used == set()


def paths_of(kind: FileKind, data: Any) -> Iterator[tuple[str, ...]]:
    """The places of the table that some data fill."""
    for place in PLACES:
        if kind in place.kinds and is_filled(data, place.path):
            yield place.path


def is_filled(data: Any, path: tuple[str, ...]) -> bool:
    if isinstance(data, list):
        return any(is_filled(item, path) for item in data)
    if not path:
        return True
    if not isinstance(data, dict):
        return False
    steps = data if path[0] == "*" else {path[0]} & set(data)
    return any(is_filled(data[step], path[1:]) for step in steps)


def minimal(kind: FileKind) -> dict[str, Any]:
    data: dict[str, Any] = {"kind": kind if kind in ("suite", "pack") else "task", "name": "demo", "version": "1.0.0"}
    own = {"records": kind, **({"labels": ["road"]} if kind == "segmentation" else {})}
    return {**data, **own} if kind in DATA_SETS else data


def kinds_of(name: str) -> set[FileKind]:
    return {kind for place in PLACES if place.path == (name,) for kind in place.kinds}


NAMES = dict.fromkeys(place.path[0] for place in PLACES)
# `records` makes a task one over a data set, so it is wrong in no task.
FOREIGN = {
    kind: [name for name in NAMES if kind not in kinds_of(name) and (kind, name) != ("rows", "records")]
    for kind in KINDS
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_key_of_another_kind_is_refused(kind: FileKind, tmp_path: Path) -> None:
    path = tmp_path / "spec.json"
    for name in FOREIGN[kind]:
        value = next(data[name] for other in kinds_of(name) for data in FILES[other] if name in data)
        path.write_text(json.dumps({**minimal(kind), name: value}))
        found = [one for one in check_file(path) if one.id == "wrong-kind-key"]
        assert [one.message.split("`")[1] for one in found] == [name]
        assert found[0].span is not None
        assert found[0].span.text == f'"{name}"'
        assert found[0].primary.text.startswith("it is for a")
        assert found[0].help


def test_schemas_refer_only_to_what_they_hold() -> None:
    for schema in SCHEMAS.values():
        for reference in references(schema):
            assert followed({"$ref": reference}, (schema, SCHEMAS[SHARED])), reference


def references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"]
        for inner in schema.values():
            yield from references(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from references(inner)


def test_the_classes_of_the_model_have_no_attribute_twice() -> None:
    for owner in {place.owner for place in PLACES}:
        names = owner.__struct_fields__
        assert len(names) == len(set(names))
        assert len({one.name for one in keys_of(owner)}) == len(keys_of(owner))
    assert len({place.path for place in walk_keys(CLASSES["rows"], ("rows",))}) == len(
        list(walk_keys(CLASSES["rows"], ("rows",)))
    )


def test_a_key_that_does_not_say_what_it_moves_is_refused() -> None:
    declare: Any = key
    with pytest.raises(TypeError, match="moves"):
        declare(TEXT, "A key that somebody forgot to think about.", default="")


def test_only_keys_with_keys_inside_leave_it_to_them() -> None:
    for place in PLACES:
        assert place.key.moves != "inside" or place.key.form.inside, place.text
        if place.key.prose:
            assert place.key.moves == "nothing", place.text


def test_a_new_key_that_moves_a_value_is_in_the_meaning(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that it takes is its declaration: nothing of the compiler is told of it."""

    class Bonus(TaskSpec, frozen=True, kw_only=True):
        bonus: float = key(number_form(), "What every record gets on top.", moves="value", kinds=ROWS, default=0)
        colour: str = key(TEXT, "What colour the bars have.", moves="nothing", kinds=ROWS, default="")

    classes: Any = CLASSES
    monkeypatch.setitem(classes, "rows", Bonus)
    data: dict[str, Any] = {"kind": "task", "name": "t", "score": "equal"}
    loader = Loader()

    def digest(**more: Any) -> str:
        built = build_spec(read_data({**data, **more}, "<spec>"))
        return compile_task(replace(loader.data(data, "<spec>", None), spec=built), loader)[0].parts.recipe.digest

    assert digest() == digest(bonus=0) == digest(colour="red")
    assert len({digest(), digest(bonus=0.5), digest(bonus=1)}) == 3
