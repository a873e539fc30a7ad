"""The shipped recipes: for each kind of scoring rule of the field, the files that implement it."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from msgspec import Struct

from scoring.extensions.names.named import stated_name
from scoring.format.shipped import data_folder
from scoring.lazy_pattern import lazy_pattern

# The name of a layout, which stands at the first level below `layouts:`, the last key of a recipe.
_LAYOUT = lazy_pattern(r"(?m)^  ([\w-]+):")


class RecipeKind(Struct, frozen=True):
    """A kind of scoring rule, such as multiple choice, with the recipes (ready task files) that implement it.

    Args:
        slug: The name of the kind, with which the names of its files begin.
        title: A description of the kind.
        topic: The topic of what is scored.
        section: The section of the cookbook that contains it.
        recipes: Its files.
    """

    slug: str
    title: str
    topic: str
    section: CookbookSection
    recipes: tuple[CookbookRecipe, ...]


class CookbookSection(Struct, frozen=True):
    """A section of the cookbook about one topic: its title, an expression to begin with, and advice."""

    title: str
    begin: str
    advice: str


class CookbookRecipe(Struct, frozen=True, dict=True):
    """A recipe of the cookbook: the file of a ready task that implements a scoring rule of the field."""

    path: Path

    @cached_property
    def name(self) -> str:
        """The name of the task with the major of its version, such as ``squad@2``, by which commands take it."""
        return stated_name(self.text)

    @cached_property
    def expects(self) -> tuple[str, ...]:
        """The keys of the records that the task expects, as those of its example data are."""
        data = self.path.with_suffix(".jsonl")
        with data.open(encoding="utf-8") as lines:
            return tuple(json.loads(next(lines)))

    @cached_property
    def layouts(self) -> tuple[str, ...]:
        """The names of the layouts in which the task reads published files."""
        return tuple(_LAYOUT.findall(self.text.partition("\nlayouts:\n")[2]))

    @cached_property
    def text(self) -> str:
        """The text of the recipe's file, without the comment for editors."""
        lines = self.path.read_text(encoding="utf-8").splitlines()
        return "\n".join(line for line in lines if not line.startswith("# yaml-language-server")) + "\n"

    @cached_property
    def doc(self) -> str:
        """The text of the task's key `doc`, on one line."""
        from scoring.format.read import read_file

        content: Any = read_file(self.path).plain()
        return " ".join(str(content.get("doc", "")).split())


def recipe_kinds(folder: Path | None = None) -> Iterator[RecipeKind]:
    """Yield all kinds of scoring rules in the order of the cookbook, including those without recipes.

    Args:
        folder: The folder of the recipes; by default the one that is shipped, whose files are read only once.
    """
    yield from _shipped_kinds(data_folder("specs") / "cookbook") if folder is None else _kinds_in(folder)


@cache
def _shipped_kinds(folder: Path) -> tuple[RecipeKind, ...]:
    return tuple(_kinds_in(folder))


def _kinds_in(folder: Path) -> Iterator[RecipeKind]:
    sections = tomllib.loads((folder / "kinds.toml").read_text(encoding="utf-8"))
    files: dict[str, list[CookbookRecipe]] = {}
    heads = {topic: CookbookSection(*map(section.pop, _OF_SECTION)) for topic, section in sections.items()}
    slugs = {slug for section in sections.values() for slug in section}
    for path in sorted(folder.glob("*.yaml"), key=lambda path: path.stem):  # a plain name before its dialects
        files.setdefault(recipe_kind(path.stem, slugs) or "", []).append(CookbookRecipe(path))
    for topic, section in sections.items():
        for slug, title in section.items():
            yield RecipeKind(slug, title, topic, heads[topic], tuple(files.get(slug, ())))


_OF_SECTION = ("title", "begin", "advice")


def recipe_kind(name: str, slugs: set[str]) -> str | None:
    """Return the kind to which a recipe belongs: the longest of `slugs` that is its name, or the name's
    beginning before a dash; None if there is none.

    Args:
        name: The name of the recipe's file.
        slugs: The names of the kinds.

    Examples:
        >>> recipe_kind("ifeval-strict", {"ifeval", "mmlu", "mmlu-pro"}), recipe_kind("mmlu-pro", {"mmlu", "mmlu-pro"})
        ('ifeval', 'mmlu-pro')
    """
    parts = name.split("-")
    names = ("-".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((one for one in names if one in slugs), None)


_HEAD = """\
<!-- Written by `scoring generate` from specs/cookbook and the probes of its recipes; changes here are lost. -->
# Cookbook

What the field scores, and how it is written here. Each recipe is a whole task with a name, such as `squad@2`:
`scoring score squad@2 DATA` scores by it, `scoring explain squad@2` prints it, a task of your own
[extends](specs.md#tasks-by-name-and-extends) it, and a test holds it to what the official code gave
for probes of our own (`tests/parity/recipes`), record by record and in batches. Where the official code does
something that a clean rule would not, the recipe does it, too. `scoring list --about "words"` looks through the
recipes; the steps themselves are on [primitives.md](primitives.md), what other tools call them is on
[coming-from.md](coming-from.md).
"""


def cookbook_page(root: Path) -> str:
    """Return the page docs/cookbook.md: all kinds by section, with their recipes or the reason why there are none."""
    probes = root / "tests" / "parity" / "recipes"
    missing = tomllib.loads((probes / "missing.toml").read_text(encoding="utf-8"))
    kinds = list(recipe_kinds(root / "specs" / "cookbook"))
    sections = dict.fromkeys(kind.section for kind in kinds)
    parts = [_HEAD, "\n".join(f"- [{section.title}](#{_anchor(section.title)})" for section in sections)]
    for section in sections:
        topic = next(kind.topic for kind in kinds if kind.section == section)
        parts += [f"## {section.title}", f"Begin with `{section.begin}`. {section.advice}", _steps(topic)]
        for kind in (one for one in kinds if one.section == section):
            parts.append(f"### {kind.title}")
            parts += [part for recipe in kind.recipes for part in _recipe(recipe, probes)]
            if kind.slug in missing:
                parts.append(f"No recipe: {missing[kind.slug]}.")
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def first_records(root: Path) -> dict[str, str]:
    """Return the content of the example data file of each recipe, by the file's path in the repository: the first
    records on which the recipe is tested."""
    found: dict[str, str] = {}
    for path in sorted((root / "specs" / "cookbook").glob("*.yaml")):
        with (root / "tests" / "parity" / "recipes" / f"{path.stem}.jsonl").open(encoding="utf-8") as probes:
            next(probes)
            probed = (json.loads(line) for line in probes)
            records = [one for probe in probed for one in probe.get("records", [probe.get("record")])]
        lines: list[str] = []
        for record in records[:_MOST_RECORDS]:
            lines.append(json.dumps(record, ensure_ascii=False))
            if sum(map(len, lines)) > _MOST_TEXT:
                break
        found[f"specs/cookbook/{path.stem}.jsonl"] = "\n".join(lines) + "\n"
    return found


_MOST_RECORDS, _MOST_TEXT = 10, 4_000


def _recipe(recipe: CookbookRecipe, probes: Path) -> Iterator[str]:
    yield f"`{recipe.name}`: {recipe.doc}"
    yield f"```yaml\n{recipe.text.strip()}\n```"
    with (probes / f"{recipe.path.stem}.jsonl").open(encoding="utf-8") as lines:
        header = json.loads(next(lines))
        count = sum(1 for _ in lines)
    what = "probes" if header["per"] == "record" else "sets of records"
    yield f"Equal to `{header['official']}` on {count} {what}. {header['note']}".strip()


def _steps(topic: str) -> str:
    from scoring.registry import registry

    primitives = [one for one in registry if topic in one.topics and "/" not in one.name]
    links = dict.fromkeys(f"[`{one.name}`]({one.page})" for one in primitives)
    return f"Steps and metrics for it (`scoring list {topic}`): {', '.join(links)}." if links else ""


def _anchor(title: str) -> str:
    kept = "".join(mark for mark in title.lower() if mark.isalnum() or mark in " -")
    return kept.replace(" ", "-")
