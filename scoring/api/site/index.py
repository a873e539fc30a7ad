"""What the search of a site looks through: the words that `scoring list --about` knows, as data for the script."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from scoring.api.finding import (
    EMPTY,
    SETTINGS,
    Findable,
    findable_definition,
    findable_primitive,
    findable_recipe,
    words_of,
)
from scoring.api.listing import definition_data
from scoring.diagnostics.suggest import plain_name, spoken
from scoring.format.cookbook import recipe_kinds
from scoring.format.load import Loaded
from scoring.format.model import Pack
from scoring.registry import registry
from scoring.report.of.names import first_line
from scoring.report.site.model import SiteFile, SitePrimitive


def findable(
    files: Sequence[SiteFile], primitives: Sequence[SitePrimitive], sources: Mapping[str, Loaded]
) -> Iterator[tuple[Findable, str]]:
    """The things of a site that can be found, each with where it stands.

    Args:
        files: Its packs, tasks and suites.
        primitives: Its primitives.
        sources: The files by their pages.
    """
    by_name = {(one.data["name"], one.data["kind"]): one.page for one in primitives}
    for primitive in registry:
        if (primitive.name, primitive.kind) in by_name and not primitive.is_quirk:
            yield findable_primitive(primitive), by_name[primitive.name, primitive.kind]
    recipes = {recipe.name: (kind, recipe) for kind in recipe_kinds() for recipe in kind.recipes}
    for file in files:
        if file.kind != "pack":
            known = recipes.get(file.name)
            found = findable_recipe(*known) if known is not None else None
            yield found if found is not None and found.data["doc"] == _line(file.doc) else _file(file), file.page
    for file in files:
        spec = sources[file.page].spec
        if isinstance(spec, Pack):
            yield _file(file), file.page
            for shown in file.definitions:
                data = definition_data(spec, spec.definitions[shown.name])
                yield findable_definition(spec.name, spec.doc, data), shown.key


def index_data(things: Iterable[tuple[Findable, str]]) -> dict[str, Any]:
    """They as plain data: a list of words, and for each thing the numbers of its words by what they count for."""
    words: dict[str, int] = {}
    rows = []
    for thing, target in things:
        by_weight: dict[float, list[int]] = {}
        for word, weight in thing.words.items():
            by_weight.setdefault(weight, []).append(words.setdefault(word, len(words)))
        rows.append(
            [
                thing.data["name"],
                thing.data["kind"],
                first_line(str(thing.data["summary"])),
                target,
                [plain_name(name) for name in thing.names],
                [" ".join(words_of(spoken(name))) for name in thing.names],
                [by_weight.get(weight, []) for weight in SETTINGS["weights"]],
            ]
        )
    return {"settings": SETTINGS, "empty": sorted(EMPTY), "words": list(words), "things": rows}


def _line(doc: str) -> str:
    return " ".join(doc.split())


def _file(file: SiteFile) -> Findable:
    data = {"name": file.title, "kind": file.kind, "summary": first_line(file.doc), "aka": []}
    fields = " ".join(part.name for _, parts in file.parts for part in parts)
    return Findable(data, (file.name, file.name.rpartition("/")[2]), first_line(file.doc), f"{file.doc} {fields}")
