"""List primitives, metrics, packs, their definitions and tasks, or search them by words."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.api.arguments import verb
from scoring.api.locked import project_at
from scoring.api.result import Result
from scoring.diagnostics.suggest import did_you_mean, spoken
from scoring.diagnostics.words import counted, plain_name
from scoring.errors import InputError
from scoring.extensions.reference.cookbook import recipe_kinds
from scoring.extensions.reference.documents import (
    alphabet_document,
    found_document,
    outdated_document,
    pack_document,
    packs_document,
    primitives_document,
    tasks_document,
    topics_document,
)
from scoring.extensions.reference.primitives import KINDS, literal, primitive_data
from scoring.format import locate
from scoring.format.definitions import NO_DEFAULT, Definition, Parameter
from scoring.format.load import Loaded, Loader
from scoring.format.model import Pack
from scoring.format.packs import packs_of
from scoring.lang.printer import print_pipeline
from scoring.project.find import SPEC_FILES
from scoring.registry import registry
from scoring.registry.extension import service
from scoring.registry.topics import TOPICS
from scoring.report.visible import shorten

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


class Listing(Result):
    """A list of primitives, packs, definitions of a pack, tasks or topics, or the results of a search."""


@verb
def listing(
    what: str | None = None, *, about: str | None = None, outdated: bool = False, offline: bool = False
) -> Listing:
    """Return a list: of primitives (all, or those of a kind, topic or family), packs, what a pack contains, tasks or
    topics; or the results of a search.

    Lists of primitives leave out the quirks, which are the steps and metrics of packs.

    Args:
        what: What to list: a kind such as ``transform``, a topic such as ``retrieval``, a family such as ``sets``,
            ``quirks``, ``packs``, ``tasks``, ``topics``, or the name of a pack, for its definitions and its own steps
            and metrics; all primitives by default.
        about: Words to search for, such as ``word error rate``, in primitives, metrics, definitions of packs and
            tasks; the best match is first, and quirks are last.
        outdated: Whether to list, with ``packs``, the current project's packs: the versions that specs use, the locked
            ones, and newer ones at their sources.
        offline: Whether to consult, with ``outdated``, only this machine.

    Raises:
        InputError: when nothing has that name, or matches the search.

    Examples:
        >>> listing("transform").to_json()[0]["kind"]
        'transform'
        >>> listing(about="word error rate").to_json()[0]["name"]
        'edit_rate'
    """
    if about is not None:
        return _about(about, what)
    if outdated or offline:
        return _outdated(what, outdated, offline)
    primitives = list(registry)
    if what == "tasks":
        tasks = [task_data(kind, recipe) for kind in recipe_kinds() for recipe in kind.recipes]
        return Listing(tasks, counted(len(tasks), "task"), tasks_document)
    if what == "topics":
        counts = Counter(topic for one in primitives for topic in (["quirks"] if one.is_quirk else one.topics))
        topics = [{"topic": topic, "doc": doc, "primitives": counts[topic]} for topic, doc in TOPICS.items()]
        return Listing(topics, f"{len(topics)} topics", topics_document)
    alphabet = [one for one in primitives if not one.is_quirk]
    groups = sorted({*KINDS, *TOPICS, *(one.family for one in alphabet)})
    if what is not None and what not in groups:
        return _packs(what, [*groups, "packs", "tasks", "topics"])
    if what == "quirks":
        chosen = [one for one in primitives if one.is_quirk]
    else:
        chosen = [one for one in alphabet if what in (None, one.kind, one.family, *one.topics)]
    if not chosen:
        raise InputError(f"there is no primitive of kind, topic or family `{what}`")
    data = [primitive_data(one) for one in sorted(chosen, key=lambda one: (one.family, one.name, one.kind))]
    document = alphabet_document if what is None else primitives_document
    return Listing(data, f"{len(data)} primitives", document)


def _about(about: str, what: str | None) -> Listing:
    """Return the results of a search for the words `about`, best match first; raise InputError when nothing matches, or
    `what` to list is given as well."""
    if what is not None:
        raise InputError(f"`--about` looks everywhere; leave `{what}` out, or put it among the words")
    packs = (
        (pack.name, pack.doc, definition_data(pack, one))
        for pack in _packs_by_name().values()
        for one in pack.definitions.values()
    )
    things = list(everything(packs))
    found = search(about, things)
    miss = f"nothing here is about `{shorten(about, 60)}`"
    if not found:
        raise InputError(f"{miss}; `scoring list topics` shows what there is")
    is_near = is_only_near(about, things, found[0])
    return Listing(found, f"{len(found)} found", partial(found_document, miss=miss if is_near else ""))


def _outdated(what: str | None, outdated: bool, offline: bool) -> Listing:
    """Return the list of the current project's packs, with the versions that are available at their sources; raise
    InputError unless `what` is ``packs`` and `outdated` is set."""
    if what != "packs" or not outdated:
        raise InputError("`--outdated` is for packs: `scoring list packs --outdated`, optionally with `--offline`")
    rows = service("pack-states", "--outdated")(project_at(Path()), offline=offline)
    newer = sum(one["outdated"] for one in rows)
    return Listing(rows, f"{counted(len(rows), 'pack')}, {newer} outdated", outdated_document)


def _packs(name: str, kinds: Sequence[str]) -> Listing:
    """Return the list of all packs if `name` is ``packs``, else of the definitions, and of the own primitives, of the
    pack with that name.

    Args:
        name: The name, which may also be the namespace of the pack's primitives: `_` stands there for `-`.
        kinds: Other words that the user could have meant, for the error message.
    """
    if name == "packs":
        packs = [{**_pack_data(pack), "name": name, "own_name": pack.name} for name, pack in _packs_by_name().items()]
        return Listing(packs, counted(len(packs), "pack"), packs_document)
    quirks = [one for one in registry if one.is_own and one.is_quirk]
    is_namespace = name in {one.family for one in quirks} and name not in _pack_names(Loader())
    pack = find_pack(name.replace("_", "-") if is_namespace else name, kinds)
    data = [definition_data(pack, definition) for definition in pack.definitions.values()]
    of_pack = [primitive_data(one) for one in quirks if one.family == pack.name.replace("-", "_")]
    head = _pack_data(pack)
    return Listing(
        [*data, *of_pack],
        f"{len(data)} definitions of {pack.name} {pack.version}",
        lambda _: pack_document(head, data, of_pack),
    )


def _packs_by_name() -> dict[str, Pack]:
    """Return the packs of the current project and those shipped or installed, by the names under which specs import
    them."""
    loader = Loader()
    project = loader.project(None)
    locked = set() if project is None else project.names()
    known = packs_of(loader)
    packs = {name: (known.by_name if name in locked else known.available)(name).spec for name in _pack_names(loader)}
    return {name: pack for name, pack in packs.items() if isinstance(pack, Pack)}


def _pack_names(loader: Loader) -> list[str]:
    project = loader.project(None)
    return sorted({*locate.pack_names(), *(set() if project is None else project.names())})


def find_pack(name: str, kinds: Sequence[str] = ()) -> Pack:
    """Return the pack named `name`, optionally with a version (``name@version``), or in the file with that path.

    `kinds` are other words that the user could have meant, for the error message.

    Raises:
        InputError: when there is no such pack.
    """
    loader = Loader()
    if Path(name).suffix in SPEC_FILES:
        spec = loader.file(Path(name), name).spec
        if not isinstance(spec, Pack):
            raise InputError(f"{name} is no pack")
        return spec
    found = find_loaded(name, loader, kinds).spec
    assert isinstance(found, Pack)
    return found


def find_loaded(name: str, loader: Loader, kinds: Sequence[str] = ()) -> Loaded:
    """Return the file of the pack named `name`, optionally with a version (``name@version``), as loaded.

    Args:
        name: The name.
        loader: The loader.
        kinds: Other words that the user could have meant, for the error message.

    Raises:
        InputError: when there is no such pack.
    """
    plain, _, version = name.partition("@")
    known = _pack_names(loader)
    if plain not in known:
        look = f'; `scoring list --about "{spoken(plain)}"` looks for the words' if kinds else ""
        hint = did_you_mean(plain, [*known, *kinds], f"packs here: {', '.join(known)}{look}")
        raise InputError(f"there is no {'pack, kind, topic or family' if kinds else 'pack'} `{name}`; {hint}")
    return packs_of(loader).by_name(plain, version)


def _pack_data(pack: Pack) -> dict[str, Any]:
    return {
        "name": pack.name,
        "version": pack.version,
        "doc": pack.doc,
        "definitions": list(pack.definitions),
        "deprecated": _deprecation(pack),
    }


def definition_data(pack: Pack, definition: Definition) -> dict[str, Any]:
    """Return a definition of a pack as plain data, for tables and for JSON output."""
    return {
        "name": definition.name,
        "pack": f"{pack.name} {pack.version}",
        "role": definition.role,
        "doc": definition.doc.strip(),
        "expression": print_pipeline(definition.pipeline),
        "parameters": [
            {"name": param.name, "default": default_text(param), "doc": param.doc} for param in definition.params
        ],
        "examples": [{"given": dict(one.data), "expect": one.expect} for one in definition.examples],
        "source": definition.source,
        "deprecated": _deprecation(definition),
    }


def _deprecation(what: Pack | Definition) -> dict[str, str] | None:
    """Return the deprecation of a pack or definition as plain data (replacement, version, reason); None if not
    deprecated."""
    found = what.deprecated
    if found is None:
        return None
    instead = found.instead if isinstance(found.instead, str) else print_pipeline(found.instead)
    return {"for": instead, "since": found.since, "why": found.why.strip()}


def default_text(param: Parameter) -> str:
    """Return a parameter's default as written in expressions, or "required" if it has none."""
    if param.pipeline is not None:
        return print_pipeline(param.pipeline)
    return "required" if param.default is NO_DEFAULT else literal(param.default)


@dataclass(frozen=True)
class Findable:
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
    def words(self) -> dict[str, float]:
        """The words by which a search finds it, each with its weight."""
        found: dict[str, float] = {}
        for text, weight in ((self.text, _TEXT), (self.title, _TITLE), (" ".join(map(spoken, self.names)), _NAME)):
            found |= dict.fromkeys(words_of(text), weight)
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
    from scoring.extensions.reference.cookbook import recipe_kinds
    from scoring.registry import registry

    yield from map(findable_primitive, registry)
    yield from (findable_recipe(kind, recipe) for kind in recipe_kinds() for recipe in kind.recipes)
    yield from (findable_definition(*one) for one in packs if not one[0].endswith("-upstream"))


def findable_primitive(one: Any) -> Findable:
    """Return the search entry of a primitive or metric: its names, summary, parameters and topics."""
    topics = [f"{topic} {TOPICS[topic]}" for topic in one.topics]
    data = {"name": one.name, "kind": one.kind, "summary": one.doc.summary, "aka": list(one.aka)}
    params = " ".join(f"{param.name} {param.doc}" for param in one.params)
    text = " ".join([one.doc.body, one.doc.source, params, *topics])
    return Findable(data, (one.name, *one.aka), one.doc.summary, text, one.is_quirk)


def task_data(kind: RecipeKind, recipe: CookbookRecipe) -> dict[str, Any]:
    """Return a task of the cookbook as plain data; `kind` is the group of tasks that it belongs to."""
    return {
        "name": recipe.name,
        "kind": "task",
        "summary": kind.title if recipe.path.stem == kind.slug else recipe.doc,
        "topic": kind.topic,
        "expects": recipe.expects,
        "doc": recipe.doc,
    }


def findable_recipe(kind: RecipeKind, recipe: CookbookRecipe) -> Findable:
    """Return the search entry of a task of the cookbook: the name of its file, its kind and its topic."""
    text = f"{recipe.doc} {kind.topic} {TOPICS[kind.topic]}"
    return Findable(task_data(kind, recipe), (recipe.path.stem, kind.slug), kind.title, text)


def findable_definition(pack: str, doc: str, whole: Mapping[str, Any]) -> Findable:
    """Return the search entry of a pack's definition, given the pack's name and doc, and the definition's data."""
    summary = " ".join(whole["doc"].split("\n\n")[0].split()) or whole["expression"]
    if whole["deprecated"]:
        summary = f"deprecated, use {whole['deprecated']['for']}: {summary}"
    data = {"name": f"{pack}:{whole['name']}", "kind": whole["role"], "summary": summary, "aka": []}
    return Findable(data, (whole["name"], f"{pack} {whole['name']}"), summary, doc)
