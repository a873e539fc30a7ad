"""Explain what a name means: of a primitive, a pack's definition, a recipe or a kind of finding."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scoring.api.definitions import scorer
from scoring.diagnostics import catalog
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.suggest import did_you_mean, nearest, spoken
from scoring.diagnostics.words import plain_name
from scoring.errors import InputError
from scoring.extensions.names.named import is_task_name, spec_path
from scoring.extensions.reference.cookbook import recipe_kinds
from scoring.extensions.reference.documents import (
    definition_document,
    finding_document,
    primitive_document,
    recipe_document,
)
from scoring.extensions.reference.lists import definition_data, find_pack
from scoring.extensions.reference.primitives import primitive_data
from scoring.extensions.tracing.verbs import Explained
from scoring.format.definitions import Definition
from scoring.registry import registry
from scoring.registry.extension import find_service


def explain_name(name: str) -> Explained:
    """Return the explanation of what a name is: a primitive, a kind of finding, a pack's definition, or a recipe.

    Raises:
        InputError: when nothing has that name.
    """
    if found := [one for one in (registry.get(name), registry.metric(name)) if one is not None]:
        return _primitives(found)
    page = catalog.page(name)
    if page is not None:
        return Explained({"id": name, "page": page}, f"the finding {name}", finding_document)
    if ":" in name:
        return _definition(name)
    if recipe := _recipe(name):
        return recipe
    if matching := registry.called(name):
        return _primitives(matching)
    if Path(name).exists():
        raise InputError(f"to explain a record, name the data too: scoring explain {name} DATA --record ID")
    raise InputError(_unknown(name))


def _primitives(found: Sequence[Any]) -> Explained:
    """Return the explanation of a primitive; if there are a step and a metric of one name, of both."""
    data, *others = map(primitive_data, found)
    about = f"the primitive {data['name']}"
    names = {plain_name(name) for one in found for name in (one.name, *one.aka)}
    data["tasks"] = [one.name for kind in recipe_kinds() if plain_name(kind.slug) in names for one in kind.recipes]
    return Explained({**data, **({"metric": others[0]} if others else {})}, about, primitive_document)


def _recipe(name: str) -> Explained | None:
    """Return the explanation of a shipped task, given as ``wer@1``, or as ``wer`` if no primitive has that name; None
    if there is no such task."""
    if not is_task_name(name) or ("@" not in name and registry.called(name)):
        return None
    try:
        path = spec_path(name)
    except SpecError:  # the message about an unknown name says more
        return None
    for kind in recipe_kinds():
        for recipe in kind.recipes:
            if recipe.path == path:
                data = {"name": recipe.name, "title": kind.title, "doc": recipe.doc, "text": recipe.text}
                dialects = find_service("dialects-of-task")
                data["dialects"] = [] if dialects is None else dialects(recipe.name)
                return Explained(data, f"the task {recipe.name}", recipe_document)
    return None


def _definition(name: str) -> Explained:
    pack_name, _, wanted = name.rpartition(":")
    pack = find_pack(pack_name)
    definition = pack.definitions.get(wanted)
    if definition is None:
        close = nearest(wanted, pack.definitions)
        hint = f"; did you mean `{close}`?" if close else f"; see `scoring list {pack_name}`"
        raise InputError(f"{pack.name} has no `{wanted}`{hint}")
    data = {**definition_data(pack, definition), **_scores(name, definition)}
    return Explained(data, f"{wanted} of {pack.name}", definition_document)


def _scores(name: str, definition: Definition) -> dict[str, Any]:
    """Return a scorer's range of scores, and whether it reads the reference; {} for other definitions, and for a scorer
    with required parameters."""
    required = any(param.is_required for param in definition.params)
    if definition.role != "scorer" or required:
        return {}
    found = scorer(name)
    return {"range": found.range.to_json(), "reads_reference": found.reads_reference}


def _unknown(name: str) -> str:
    also = {**registry.other_names("metrics"), **registry.other_names("steps")}
    recipes = [recipe.name for kind in recipe_kinds() for recipe in kind.recipes]
    look = f'`scoring list --about "{spoken(name)}"` looks for it'
    hint = did_you_mean(name, [*registry.names(), *catalog.ids(), *recipes], look, also=also)
    return f"nothing is called `{name}`; {hint}"
