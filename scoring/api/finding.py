"""Looking for what a word is called here: primitives, metrics, definitions of packs and recipes, best first."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, Any

from scoring.diagnostics.suggest import plain_name, spoken
from scoring.registry.topics import TOPICS

if TYPE_CHECKING:
    from scoring.format.cookbook import CookbookRecipe, RecipeKind

MOST_FOUND = 20
_LONGEST_QUERY = 200
# What a word counts for, by where it stands.
_NAME, _TITLE, _TEXT = 8.0, 3.0, 1.0
_LIKE, _WHOLE = 0.6, 40.0
_LEAST_SHARE = 0.2
_STEM = 5
# A slip of the fingers, and no other word.
_NEAR = 0.85
SETTINGS: Mapping[str, Any] = {
    "most": MOST_FOUND,
    "longest": _LONGEST_QUERY,
    "weights": [_NAME, _TITLE, _TEXT],
    "like": _LIKE,
    "whole": _WHOLE,
    "least": _LEAST_SHARE,
    "stem": _STEM,
    "near": _NEAR,
}
"""What the search of a site goes by, which is this one in another language."""


@dataclass(frozen=True)
class Findable:
    """What can be found.

    Args:
        data: It as plain data, with ``name``, ``kind`` and ``summary``.
        names: What it is called, here and elsewhere.
        title: What says in a line what it is.
        text: What else is said of it.
    """

    data: Mapping[str, Any]
    names: tuple[str, ...]
    title: str
    text: str

    @cached_property
    def words(self) -> dict[str, float]:
        """What each of its words counts for."""
        found: dict[str, float] = {}
        for text, weight in ((self.text, _TEXT), (self.title, _TITLE), (" ".join(map(spoken, self.names)), _NAME)):
            found |= dict.fromkeys(words_of(text), weight)
        return found


def words_of(text: str) -> list[str]:
    """The words that say something, without the endings of plurals.

    Examples:
        >>> words_of("the word error rates")
        ['word', 'error', 'rate']
    """
    words = re.findall(r"[^\W_]+", text.casefold())
    return [_singular(word) for word in words if word not in EMPTY]


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


EMPTY = {
    *("a", "an", "and", "are", "as", "at", "by", "do", "for", "how", "i", "in", "is", "it", "my", "of", "on", "or"),
    *("that", "the", "their", "to", "what", "where", "which", "with"),
}


def search(about: str, things: Sequence[Findable]) -> list[Mapping[str, Any]]:
    """What is about a text, best first; words that nothing has are taken for the nearest that something has."""
    about = about[:_LONGEST_QUERY]
    known = Counter(word for thing in things for word in thing.words)
    asked = list(dict.fromkeys(_known(word, known) for word in words_of(about)))
    rare = {word: math.log(1 + len(things) / (1 + known[word])) for word in asked}
    scores = [(_score(thing, about, asked, rare), thing) for thing in things]
    best = max((score for score, _ in scores), default=0.0)
    ranked = sorted(scores, key=lambda found: -found[0])
    return [thing.data for score, thing in ranked[:MOST_FOUND] if score > best * _LEAST_SHARE]


def _known(word: str, known: Iterable[str]) -> str:
    """The word, or where nothing has it or one like it, the nearest one."""
    if any(other.startswith(word) or _alike(word, other) for other in known):
        return word
    near = get_close_matches(word, [other for other in known if len(other) > 3], n=1, cutoff=_NEAR)
    return near[0] if near else word


def _score(thing: Findable, about: str, asked: list[str], rare: Mapping[str, float]) -> float:
    found = [_weight(word, thing.words) for word in asked]
    hits = sum(1 for weight in found if weight)
    if not hits:
        return 0.0
    score = sum(weight * rare[word] for word, weight in zip(asked, found, strict=True)) * (hits / len(asked)) ** 2
    wanted = plain_name(about)
    whole = any(plain_name(name) == wanted or words_of(spoken(name)) == asked for name in thing.names)
    return score + (_WHOLE if whole else 0.0)


def _weight(word: str, words: Mapping[str, float]) -> float:
    """What a word of the query counts for; the beginning of a longer word counts less, as does another ending."""
    if word in words:
        return words[word]
    like = (
        weight for other, weight in words.items() if (len(word) >= 3 and other.startswith(word)) or _alike(word, other)
    )
    return _LIKE * max(like, default=0.0)


def _alike(word: str, other: str) -> bool:
    """Whether two words differ in their endings alone.

    Examples:
        >>> _alike("summarization", "summary"), _alike("correlation", "correctness")
        (True, False)
    """
    if word[:_STEM] != other[:_STEM] or len(word) < _STEM:
        return False
    same = next((at for at, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other)))
    return same >= 0.75 * min(len(word), len(other))


def everything(packs: Iterable[tuple[str, str, Mapping[str, Any]]]) -> Iterator[Findable]:
    """All primitives but quirks, all recipes, and definitions of packs.

    Args:
        packs: The definitions as plain data, each with the name of its pack and what that says of itself.
    """
    from scoring.registry import registry

    yield from (findable_primitive(one) for one in registry if not one.is_quirk)
    yield from _recipes()
    yield from (findable_definition(*one) for one in packs if not one[0].endswith("-upstream"))


def findable_primitive(one: Any) -> Findable:
    """A primitive or a metric, by its names, what it does, its parameters and topics."""
    topics = [f"{topic} {TOPICS[topic]}" for topic in one.topics]
    data = {"name": one.name, "kind": one.kind, "summary": one.doc.summary, "aka": list(one.aka)}
    params = " ".join(f"{param.name} {param.doc}" for param in one.params)
    text = " ".join([one.doc.body, one.doc.source, params, *topics])
    return Findable(data, (one.name, *one.aka), one.doc.summary, text)


def recipe_data(kind: RecipeKind, recipe: CookbookRecipe) -> dict[str, Any]:
    """A recipe as plain data."""
    return {"name": recipe.name, "kind": "recipe", "summary": kind.title, "topic": kind.topic, "doc": recipe.doc}


def _recipes() -> Iterator[Findable]:
    from scoring.format.cookbook import recipe_kinds

    for kind in recipe_kinds():
        for recipe in kind.recipes:
            yield findable_recipe(kind, recipe)


def findable_recipe(kind: RecipeKind, recipe: CookbookRecipe) -> Findable:
    """A recipe, by its file, its kind and its topic."""
    text = f"{recipe.doc} {kind.topic} {TOPICS[kind.topic]}"
    return Findable(recipe_data(kind, recipe), (recipe.path.stem, kind.slug), kind.title, text)


def findable_definition(pack: str, doc: str, whole: Mapping[str, Any]) -> Findable:
    """A definition, by its name, that of its pack, and what both say of themselves."""
    summary = " ".join(whole["doc"].split("\n\n")[0].split()) or whole["expression"]
    if whole["deprecated"]:
        summary = f"deprecated, use {whole['deprecated']['for']}: {summary}"
    data = {"name": f"{pack}:{whole['name']}", "kind": whole["role"], "summary": summary, "aka": []}
    return Findable(data, (whole["name"], f"{pack} {whole['name']}"), summary, doc)
