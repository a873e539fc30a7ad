"""Each room of the package has the names that extensions bring, and no others."""

from __future__ import annotations

import importlib

import pytest

import scoring
from scoring.registry import plugins
from tests.unit.api.test_rooms import typed

ROOMS = ("editors", "judges", "packs", "platforms", "rewards", "runs", "site", "specs", "tables")


@pytest.mark.parametrize("room", ROOMS)
def test_each_name_of_a_room_is_there_and_has_a_docstring(room: str) -> None:
    module = importlib.import_module(f"scoring.{room}")
    assert module is getattr(scoring, room)
    assert module.__doc__
    assert set(module.__all__) == typed(room)
    assert dir(module) == sorted(module.__all__)
    assert [name for name in module.__all__ if not getattr(module, name).__doc__] == []
    with pytest.raises(AttributeError, match=f"module 'scoring.{room}' has no attribute 'nothing'"):
        _ = module.nothing


def test_each_verb_is_in_one_room() -> None:
    names = [plugin.name for plugin in plugins.own("scoring.verbs")]
    assert {name.partition(".")[0] for name in names if "." in name} == {*ROOMS, "plugin"}
    last = [name.rpartition(".")[2] for name in names]
    assert sorted(set(last)) == sorted(last)
    assert set(last) & set(scoring.__all__) == {name for name in names if "." not in name}


def test_what_plug_ins_import_is_there() -> None:
    import scoring.plugin

    assert set(scoring.plugin.__all__) == typed("plugin")
    assert [name for name in scoring.plugin.__all__ if getattr(scoring.plugin, name, None) is None] == []
    with pytest.raises(AttributeError, match=r"module 'scoring\.plugin' has no attribute 'nothing'"):
        _ = scoring.plugin.nothing
