"""Rooms of the API: what they name is there, the same for people, type checkers and the index."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

import scoring
from scoring.registry import plugins

PACKAGE = Path(scoring.__file__).parent
ROOMS = ("judges", "packs", "runs", "site", "specs")


def typed(module: str) -> set[str]:
    """The names that a module imports for type checkers alone."""
    place = PACKAGE / f"{module or '__init__'}.py"
    tree = ast.parse((place if place.is_file() else PACKAGE / module / "__init__.py").read_text("utf-8"))
    (checked,) = (node for node in tree.body if isinstance(node, ast.If))
    imports = (node for node in checked.body if isinstance(node, ast.ImportFrom))
    return {alias.asname or alias.name for node in imports for alias in node.names}


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


def test_the_top_level_has_the_names_of_everyday_use() -> None:
    assert len(scoring.__all__) <= 26
    assert set(scoring.__all__) == typed("") | {"__version__"}


def test_what_plug_ins_import_is_there() -> None:
    import scoring.plugin

    assert set(scoring.plugin.__all__) == typed("plugin")
    assert [name for name in scoring.plugin.__all__ if getattr(scoring.plugin, name, None) is None] == []
    with pytest.raises(AttributeError, match=r"module 'scoring\.plugin' has no attribute 'nothing'"):
        _ = scoring.plugin.nothing


def test_each_module_of_commands_declares_those_that_it_lists() -> None:
    from scoring.cli.arguments import DECLARED

    for plugin in plugins.own("scoring.commands"):
        assert set(plugin.load()) <= DECLARED.keys()
    assert DECLARED.keys() == plugins.COMMANDS.keys()


def test_a_verb_of_an_extension_that_is_missing_is_a_missing_attribute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoring.registry.plugins.find_plugin", lambda group, name: None)
    assert not hasattr(scoring, "diff")
    with pytest.raises(AttributeError, match=r"`scoring.diff` needs an extension"):
        _ = scoring.diff
