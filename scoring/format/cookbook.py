"""The shipped recipes: for each kind of rule by which the field scores, the files that score so."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from scoring.format.locate import data_folder


@dataclass(frozen=True)
class RecipeKind:
    """A kind of rule, with the recipes of it.

    Args:
        slug: Its name, with which the names of its files begin.
        title: What it is, in words.
        topic: What is scored.
        section: The title of the part of the cookbook in which it stands.
        recipes: Its files.
    """

    slug: str
    title: str
    topic: str
    section: str
    recipes: tuple[CookbookRecipe, ...]


@dataclass(frozen=True)
class CookbookRecipe:
    """A task of the cookbook."""

    path: Path

    @property
    def name(self) -> str:
        """What it is called, ``cookbook/wer``."""
        return f"cookbook/{self.path.stem}"

    @cached_property
    def text(self) -> str:
        """The file, without the line that is for editors."""
        lines = self.path.read_text(encoding="utf-8").splitlines()
        return "\n".join(line for line in lines if not line.startswith("# yaml-language-server")) + "\n"

    @cached_property
    def doc(self) -> str:
        """What it says of itself, on one line."""
        from scoring.format.read import read_file

        held: Any = read_file(self.path).plain()
        return " ".join(str(held.get("doc", "")).split())


def recipe_kinds(folder: Path | None = None) -> Iterator[RecipeKind]:
    """Every kind in the order of the cookbook, those without a recipe among them."""
    folder = folder or data_folder("specs") / "cookbook"
    sections = tomllib.loads((folder / "kinds.toml").read_text(encoding="utf-8"))
    files: dict[str, list[CookbookRecipe]] = {}
    slugs = {slug for section in sections.values() for slug in section if slug != "title"}
    for path in sorted(folder.glob("*.yaml")):
        files.setdefault(kind_of(path.stem, slugs) or "", []).append(CookbookRecipe(path))
    for topic, section in sections.items():
        for slug, title in section.items():
            if slug != "title":
                yield RecipeKind(slug, title, topic, section["title"], tuple(files.get(slug, ())))


def kind_of(name: str, slugs: set[str]) -> str | None:
    """The kind to which a recipe belongs: that of its own name, or of the longest beginning of it before a dash.

    Examples:
        >>> kind_of("ifeval-strict", {"ifeval", "mmlu", "mmlu-pro"}), kind_of("mmlu-pro", {"mmlu", "mmlu-pro"})
        ('ifeval', 'mmlu-pro')
    """
    parts = name.split("-")
    names = ("-".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((one for one in names if one in slugs), None)
