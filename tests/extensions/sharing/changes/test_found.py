"""What is told of the changes between two packs and two tasks."""

from __future__ import annotations

from typing import Any

import pytest

from scoring.extensions.sharing.changes.found import SpecChange, compare_loaded_specs
from scoring.format.load import Loaded, Loader

CLOSE = "lower | strip | levenshtein | zero_below(threshold)"


def pack(score: str = CLOSE, params: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    held = {"score": score, "params": {"threshold": 0.8} if params is None else params}
    return {"kind": "pack", "name": "close", "version": "1.0.0", "scorers": {"close_text": held}, **more}


def task(**more: Any) -> dict[str, Any]:
    return {"kind": "task", "name": "t", "fields": {"a": "lower | equal", "b": "levenshtein | zero_below(0.5)"}, **more}


def between(old: dict[str, Any], new: dict[str, Any]) -> list[SpecChange]:
    loader = Loader()
    return compare_loaded_specs(loader.data(old), loader, loader.data(new), loader)


def told(old: dict[str, Any], new: dict[str, Any]) -> list[tuple[str, bool]]:
    return [(str(change), change.moves) for change in between(old, new)]


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (pack(), []),
        (pack(params={"threshold": 0.5}), [("`close_text.threshold` 0.8 → 0.5", True)]),
        (pack("lower|strip|levenshtein|zero_below(threshold=threshold)"), []),
        (
            pack("lower | strip | levenshtein | zero_below(limit)", {"limit": 0.8}),
            [("`close_text.threshold` is renamed to `limit`", False)],
        ),
        (pack("strip | lower | levenshtein | zero_below(threshold)"), [("`close_text.lower` has moved", True)]),
        (pack("lower | strip | indel | zero_below(threshold)"), [("`close_text` levenshtein → indel", True)]),
        (pack("lower | levenshtein | zero_below(threshold)"), [("`close_text.strip` is gone: strip", True)]),
        (pack("to_ascii | " + CLOSE), [("`close_text.to_ascii` is new: to_ascii", True)]),
        (
            pack("clean | levenshtein | zero_below(threshold)", transforms={"clean": "lower | strip"}),
            [("`clean` is new: lower | strip", False), ("`close_text` lower | strip → clean", False)],
        ),
        (
            pack(
                "clean | levenshtein | zero_below(threshold)", {"threshold": 0.7}, transforms={"clean": "lower | strip"}
            ),
            [
                ("`close_text.threshold` 0.8 → 0.7", True),
                ("`clean` is new: lower | strip", False),
                ("`close_text` lower | strip → clean", False),
            ],
        ),
        (pack(doc="more words"), []),
    ],
)
def test_a_change_of_a_pack_is_told_at_its_node(new: dict[str, Any], expected: list[tuple[str, bool]]) -> None:
    assert sorted(told(pack(), new)) == sorted(expected)


def test_a_definition_under_another_name_is_a_rename() -> None:
    one = pack()
    other = {**one, "scorers": {"near_text": one["scorers"]["close_text"]}}
    (found,) = between(one, other)
    assert (str(found), found.moves, found.breaks) == ("`close_text` is renamed to `near_text`", False, True)


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (task(on_unparsed="zero"), [("`on_unparsed` unscored → zero", True)]),
        (
            task(fields={"a": "lower | equal", "b": "levenshtein"}),
            [("`fields.b.zero_below` is gone: zero_below(threshold=0.5)", True)],
        ),
        (task(aggregate="a + b * 0.5"), [("`aggregate` mean → a + b * 0.5", True)]),
        (task(by=["lang"]), [('`by` is new: ["lang"]', False)]),
        (
            task(fields={"a": {"score": "lower|equal", "weight": 1}, "b": "levenshtein | zero_below(threshold=0.50)"}),
            [],
        ),
        (
            task(fields={"a": {"score": "lower | equal", "weight": 2}, "b": "levenshtein | zero_below(0.5)"}),
            [("`fields.a.weight` 1 → 2", True)],
        ),
    ],
)
def test_a_change_of_a_task_is_told_at_its_key(new: dict[str, Any], expected: list[tuple[str, bool]]) -> None:
    assert told(task(), new) == expected


def test_a_changed_pack_is_told_with_its_name_in_the_task_that_imports_it(tmp_path: Any) -> None:
    import json

    def version(place: str, threshold: float) -> tuple[Loaded, Loader]:
        (tmp_path / place).mkdir()
        (tmp_path / place / "p.json").write_text(json.dumps(pack(params={"threshold": threshold})))
        held = {"kind": "task", "name": "t", "imports": {"c": "./p.json"}, "score": "c.close_text"}
        (tmp_path / place / "t.json").write_text(json.dumps(held))
        loader = Loader()
        return loader.file(tmp_path / place / "t.json"), loader

    (found,) = compare_loaded_specs(*version("old", 0.8), *version("new", 0.5))
    assert str(found) == "`close.close_text.threshold` 0.8 → 0.5"
    assert found.parts == ("fields.answer",)
