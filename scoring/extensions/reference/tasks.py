"""The tasks that can be named, shipped and installed, as plain data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scoring.extensions.names.named import installed_tasks
from scoring.extensions.reference.cookbook import CookbookRecipe, RecipeKind, recipe_kinds


def all_tasks() -> list[dict[str, Any]]:
    """Return the tasks of the cookbook in its order, then those of installed packages."""
    return [*(task_data(kind, recipe) for kind in recipe_kinds() for recipe in kind.recipes), *_of_packages()]


def task_data(kind: RecipeKind, recipe: CookbookRecipe) -> dict[str, Any]:
    """Return a task of the cookbook as plain data; `kind` is the group of tasks that it belongs to."""
    return {
        "name": recipe.name,
        "kind": "task",
        "summary": kind.title,
        "topic": kind.topic,
        "expects": recipe.expects,
        "layouts": recipe.layouts,
        "doc": recipe.doc,
    }


def _of_packages() -> Iterator[dict[str, Any]]:
    """Return the tasks of installed packages as plain data, as `task_data` returns those of the cookbook."""
    parts = {"id": "id", "response": "response", "reference": "reference"}
    for name, one in installed_tasks().items():
        doc = " ".join(str(one.get("doc", "")).split())
        yield {
            "name": name,
            "kind": "task",
            "summary": doc,
            "topic": "installed",
            "expects": tuple(map(str, {**parts, **(one.get("record") or {})}.values())),
            "layouts": tuple(one.get("layouts") or ()),
            "doc": doc,
        }
