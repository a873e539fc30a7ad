"""The search for what the field calls something: an index of names and descriptions, and a ranking of its entries."""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from scoring.diagnostics.suggest import spoken
from scoring.diagnostics.words import plain_name
from scoring.extensions.reference.cookbook import recipe_kinds
from scoring.extensions.reference.tasks import task_data
from scoring.format.shipped import data_folder
from scoring.registry import registry
from scoring.registry.topics import TOPICS

if TYPE_CHECKING:
    from scoring.extensions.reference.cookbook import CookbookRecipe, RecipeKind

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
"""Settings of the search, shared with the search of a site, which is implemented in JavaScript."""


class Glossary(Struct, frozen=True):
    """What the field calls things: further names of what is here, and names of what is not.

    Args:
        names: The field's names of primitives, definitions and tasks, by their own name.
        absent: What to do instead, or "", by the name of what is not here.
    """

    names: Mapping[str, tuple[str, ...]]
    absent: Mapping[str, str]

    def why_absent(self, about: str) -> str | None:
        """Return what to do instead of what is not here, or "" without advice; None if it is not known as absent."""
        return self.absent.get(plain_name(about.strip()))


@cache
def glossary() -> Glossary:
    """Return the shipped glossary."""
    text = (data_folder("specs") / "cookbook" / "glossary.toml").read_text(encoding="utf-8")
    content = tomllib.loads(text)
    absent = {plain_name(name): why for why, names in content["absent"].items() for name in names}
    return Glossary({name: tuple(names) for name, names in content["names"].items()}, absent)


class Findable(Struct, frozen=True, dict=True):
    """An entry of the search index: something that a search can find, such as a primitive or a recipe.

    Args:
        data: What a search returns for it: plain data with ``name``, ``kind`` and ``summary``.
        names: Its names, including those that other tools use for it.
        title: A one-line description.
        text: All further text about it.
        is_quirk: Whether only one benchmark needs it; such entries stand after all others.
    """

    data: Mapping[str, Any]
    names: tuple[str, ...]
    title: str
    text: str
    is_quirk: bool = False

    @cached_property
    def words(self) -> Mapping[str, float]:
        """The words by which a search finds it, each with its weight."""
        return _weighted(self.text, self.title, self.names)


@lru_cache(maxsize=4096)  # the same entries are searched by each query
def _weighted(text: str, title: str, names: tuple[str, ...]) -> Mapping[str, float]:
    found: dict[str, float] = {}
    for part, weight in ((text, _TEXT), (title, _TITLE), (" ".join(map(spoken, names)), _NAME)):
        found |= dict.fromkeys(words_of(part), weight)
    return found


def words_of(text: str) -> list[str]:
    """Return the words of a text, in lower case and singular, without those that carry no meaning.

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
    """Return the data of the entries that match the words `about`, best match first, quirks last; words that no entry
    has are replaced by the nearest ones that some have."""
    about = about[:_LONGEST_QUERY]
    known = Counter(word for thing in things for word in thing.words)
    query_words = list(dict.fromkeys(_known(word, known) for word in words_of(about)))
    rare = {word: math.log(1 + len(things) / (1 + known[word])) for word in query_words}
    scores = [(_score(thing, about, query_words, rare), thing) for thing in things]
    best = max((score for score, _ in scores), default=0.0)
    ranked = sorted(scores, key=lambda found: (found[1].is_quirk, -found[0]))
    return [thing.data for score, thing in ranked if score > best * _LEAST_SHARE][:MOST_FOUND]


def is_only_near(about: str, things: Sequence[Findable], best: Mapping[str, Any]) -> bool:
    """Return whether the best match of a search is not about what was asked: it lacks a word that no entry has, or one
    of those that make up a single name, such as `tau-bench`."""
    thing = next(one for one in things if one.data is best)
    lacking = [word for word in words_of(about) if not _weight(word, thing.words)]
    is_name = len(about.split()) == 1
    return any(is_name or not any(_weight(word, one.words) for one in things) for word in lacking)


def _known(word: str, known: Iterable[str]) -> str:
    """Return a query word itself if it begins a word in `known` or differs from one only in its ending, else the most
    similar known word; the word itself, too, if none is similar."""
    if any(other.startswith(word) or _alike(word, other) for other in known):
        return word
    near = get_close_matches(word, [other for other in known if len(other) > 3], n=1, cutoff=_NEAR)
    return near[0] if near else word


def _score(thing: Findable, about: str, query_words: list[str], rare: Mapping[str, float]) -> float:
    found = [_weight(word, thing.words) for word in query_words]
    hits = sum(1 for weight in found if weight)
    if not hits:
        return 0.0
    score = (
        sum(weight * rare[word] for word, weight in zip(query_words, found, strict=True))
        * (hits / len(query_words)) ** 2
    )
    wanted = plain_name(about)
    whole = any(plain_name(name) == wanted or words_of(spoken(name)) == query_words for name in thing.names)
    return score + (_WHOLE if whole else 0.0)


def _weight(word: str, words: Mapping[str, float]) -> float:
    """Return how much a word of the query counts for an entry, given the weights of the entry's words: less if it is
    only the beginning of one, or has another ending; 0 if it does not occur."""
    if word in words:
        return words[word]
    like = (
        weight for other, weight in words.items() if (len(word) >= 3 and other.startswith(word)) or _alike(word, other)
    )
    return _LIKE * max(like, default=0.0)


def _alike(word: str, other: str) -> bool:
    """Return True if two words differ only in their endings.

    Examples:
        >>> _alike("summarization", "summary"), _alike("correlation", "correctness")
        (True, False)
    """
    if word[:_STEM] != other[:_STEM] or len(word) < _STEM:
        return False
    same = next((at for at, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other)))
    return same >= 0.75 * min(len(word), len(other))


def everything(packs: Iterable[tuple[str, str, Mapping[str, Any]]]) -> Iterator[Findable]:
    """Yield a search entry for each primitive, each recipe, and each of the given definitions of packs (the pack's
    name, its description and the definition's data) except those of ``-upstream`` packs."""
    yield from map(findable_primitive, registry)
    yield from (findable_recipe(kind, recipe) for kind in recipe_kinds() for recipe in kind.recipes)
    yield from (findable_definition(*one) for one in packs if not one[0].endswith("-upstream"))


def findable_primitive(one: Any) -> Findable:
    """Return the search entry of a primitive or metric: its names, summary, parameters and topics."""
    topics = [f"{topic} {TOPICS[topic]}" for topic in one.topics]
    data = {"name": one.name, "kind": one.kind, "summary": one.doc.summary, "aka": list(one.aka)}
    params = " ".join(f"{param.name} {param.doc}" for param in one.params)
    text = " ".join([one.doc.body, one.doc.source, params, *topics])
    return Findable(data, (one.name, *one.aka, *_also(one.name)), one.doc.summary, text, one.is_quirk)


def findable_recipe(kind: RecipeKind, recipe: CookbookRecipe) -> Findable:
    """Return the search entry of a task of the cookbook: the name of its file, its kind and its topic."""
    text = f"{recipe.doc} {kind.topic} {TOPICS[kind.topic]}"
    names = (recipe.path.stem, kind.slug, *_also(recipe.name))
    return Findable(task_data(kind, recipe), names, kind.title, text)


def findable_definition(pack: str, doc: str, whole: Mapping[str, Any]) -> Findable:
    """Return the search entry of a pack's definition, given the pack's name and doc, and the definition's data."""
    summary = " ".join(whole["doc"].split("\n\n")[0].split()) or whole["expression"]
    if whole["deprecated"]:
        summary = f"deprecated, use {whole['deprecated']['for']}: {summary}"
    data = {"name": f"{pack}:{whole['name']}", "kind": whole["role"], "summary": summary, "aka": []}
    return Findable(data, (whole["name"], f"{pack} {whole['name']}", *_also(data["name"])), summary, doc)


def _also(name: str) -> tuple[str, ...]:
    return glossary().names.get(name, ())
