"""List primitives, metrics, packs, their definitions and tasks, or search them by words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from scoring.api.arguments import verb
from scoring.api.locked import project_at
from scoring.api.result import Result
from scoring.diagnostics.suggest import did_you_mean, spoken
from scoring.diagnostics.words import counted
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
from scoring.extensions.reference.search import everything, glossary, is_only_near, search, task_data
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
    instead = glossary().why_absent(about)
    miss = f"nothing here is about `{shorten(about, 60)}`"
    if not found:
        raise InputError(f"{miss}; {instead or '`scoring list topics` shows what there is'}")
    is_miss = instead is not None or is_only_near(about, things, found[0])
    return Listing(
        found, f"{len(found)} found", partial(found_document, miss=miss if is_miss else "", instead=instead or "")
    )


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
