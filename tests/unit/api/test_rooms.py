"""Rooms of the API: what they name is there, the same for people, type checkers and the index."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import scoring
from scoring.registry import plugins

PACKAGE = Path(scoring.__file__).parent


def typed(module: str) -> set[str]:
    """The names that a module imports for type checkers alone."""
    place = PACKAGE / f"{module or '__init__'}.py"
    tree = ast.parse((place if place.is_file() else PACKAGE / module / "__init__.py").read_text("utf-8"))
    (checked,) = (node for node in tree.body if isinstance(node, ast.If))
    imports = (node for node in checked.body if isinstance(node, ast.ImportFrom))
    return {alias.asname or alias.name for node in imports for alias in node.names}


def test_the_top_level_has_the_names_of_everyday_use() -> None:
    assert len(scoring.__all__) <= 26
    assert set(scoring.__all__) == typed("") | {"__version__"}


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
