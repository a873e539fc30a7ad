"""What there is: primitives, packs and their definitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from scoring.api.result import Result
from scoring.api.verb import verb
from scoring.data.rows.row import InputError
from scoring.diagnostics.words import counted
from scoring.format.load import Loaded, Loader
from scoring.format.model import NO_DEFAULT, Definition, Pack, Parameter
from scoring.project.find import SPEC_FILES


class Listing(Result):
    """Primitives, packs, the definitions of a pack, or what was found."""


@verb
def listing(
    what: str | None = None, *, about: str | None = None, outdated: bool = False, offline: bool = False
) -> Listing:
    """The primitives there are, all or of one kind, topic or family; or the packs; or what a pack defines.

    Args:
        what: A kind such as ``transform``, a topic such as ``retrieval``, a family such as ``sets``, ``packs``,
            ``recipes``, ``topics``, or a pack; all primitives by default.
        about: What to look for, in any words, such as ``word error rate``: primitives, metrics, definitions of packs
            and recipes of the cookbook, best first.
        outdated: Of ``packs``, those of the project that one works in: which versions specs use, which are locked, and
            which newer ones their sources have.
        offline: With that, ask only this machine.

    Raises:
        InputError: when there is no such thing.

    Examples:
        >>> listing("transform").to_json()[0]["kind"]
        'transform'
        >>> listing(about="word error rate").to_json()[0]["name"]
        'edit_rate'
    """
    from scoring.api.finding import recipe_data
    from scoring.format.cookbook import recipe_kinds
    from scoring.registry import registry
    from scoring.registry.topics import TOPICS
    from scoring.report.of.names import primitives_document, recipes_document, topics_document
    from scoring.report.reference import KINDS, primitive_data

    if about is not None:
        return _about(about, what)
    if outdated or offline:
        return _outdated(what, outdated, offline)
    primitives = list(registry)
    if what == "recipes":
        recipes = [recipe_data(kind, recipe) for kind in recipe_kinds() for recipe in kind.recipes]
        return Listing(recipes, counted(len(recipes), "recipe"), recipes_document)
    if what == "topics":
        counts = Counter(topic for one in primitives for topic in (["quirks"] if one.is_quirk else one.topics))
        topics = [{"topic": topic, "doc": doc, "primitives": counts[topic]} for topic, doc in TOPICS.items()]
        return Listing(topics, f"{len(topics)} topics", topics_document)
    groups = sorted({*KINDS, *TOPICS, *(primitive.family for primitive in primitives)})
    if what is not None and what not in groups:
        return _packs(what, [*groups, "packs", "recipes", "topics"])
    chosen = [
        primitive
        for primitive in primitives
        if (what is None and not primitive.is_quirk)
        or (what == "quirks" and primitive.is_quirk)
        or what in (primitive.kind, primitive.family, *primitive.topics)
    ]
    if not chosen:
        raise InputError(f"there is no primitive of kind, topic or family `{what}`")
    return Listing([primitive_data(one) for one in chosen], f"{len(chosen)} primitives", primitives_document)


def _about(about: str, what: str | None) -> Listing:
    """What is about a text, best first."""
    from scoring.api.finding import everything, search
    from scoring.report.of.names import found_document
    from scoring.report.visible import shorten

    if what is not None:
        raise InputError(f"`--about` looks everywhere; leave `{what}` out, or put it among the words")
    packs = (
        (pack.name, pack.doc, definition_data(pack, one)) for pack in known_packs() for one in pack.definitions.values()
    )
    found = search(about, list(everything(packs)))
    if not found:
        raise InputError(f"nothing here is about `{shorten(about, 60)}`; `scoring list topics` shows what there is")
    return Listing(found, f"{len(found)} found", found_document)


def _outdated(what: str | None, outdated: bool, offline: bool) -> Listing:
    """The packs of the project that one works in, beside what their sources have."""
    from scoring.api.locked import project_at
    from scoring.report.of.names import outdated_document
    from scoring.sharing.outdated import pack_states

    if what != "packs" or not outdated:
        raise InputError(
            "`--outdated` is of packs: `scoring list packs --outdated`, with `--offline` where it is wanted"
        )
    found = pack_states(project_at(Path()), offline=offline)
    rows = [
        {
            "name": one.name,
            "used": list(one.used),
            "locked": list(one.locked),
            "fitting": one.fitting,
            "newest": one.newest,
            "outdated": one.is_outdated,
            "source": one.source,
            "problem": one.problem,
        }
        for one in found
    ]
    newer = sum(one.is_outdated for one in found)
    return Listing(rows, f"{counted(len(rows), 'pack')}, {newer} outdated", outdated_document)


def _packs(name: str, kinds: Sequence[str]) -> Listing:
    """All packs, or the definitions of one."""
    from scoring.report.of.names import pack_document, packs_document

    if name == "packs":
        packs = [{**_pack_data(pack), "name": name, "own_name": pack.name} for name, pack in _named_packs().items()]
        return Listing(packs, counted(len(packs), "pack"), packs_document)
    pack = find_pack(name, kinds)
    data = [definition_data(pack, definition) for definition in pack.definitions.values()]
    head = _pack_data(pack)
    return Listing(
        data, f"{len(data)} definitions of {pack.name} {pack.version}", lambda all_: pack_document(head, all_)
    )


def known_packs() -> list[Pack]:
    """The packs of the project that one works in, and those that are shipped or installed, by name."""
    return [*_named_packs().values()]


def _named_packs() -> dict[str, Pack]:
    """The same by the names that specs import them by."""
    loader = Loader()
    project = loader.project(None)
    locked = set() if project is None else project.names()
    packs = {name: (loader.named if name in locked else loader.available)(name).spec for name in _pack_names(loader)}
    return {name: pack for name, pack in packs.items() if isinstance(pack, Pack)}


def _pack_names(loader: Loader) -> list[str]:
    from scoring.format import locate

    project = loader.project(None)
    return sorted({*locate.pack_names(), *(set() if project is None else project.names())})


def find_pack(name: str, kinds: Sequence[str] = ()) -> Pack:
    """The pack that a name with an optional version, or a path, stands for.

    Raises:
        InputError: when there is none.
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
    """The file of a pack by its name with an optional version.

    Raises:
        InputError: when there is none.
    """
    from scoring.diagnostics.suggest import did_you_mean, spoken

    plain, _, version = name.partition("@")
    known = _pack_names(loader)
    if plain not in known:
        close = did_you_mean(plain, [*known, *kinds])
        look = f'; `scoring list --about "{spoken(plain)}"` looks for the words' if kinds else ""
        hint = f"did you mean `{close}`?" if close else f"packs here: {', '.join(known)}{look}"
        raise InputError(f"there is no {'pack, kind, topic or family' if kinds else 'pack'} `{name}`; {hint}")
    return loader.named(plain, version)


def _pack_data(pack: Pack) -> dict[str, Any]:
    return {
        "name": pack.name,
        "version": pack.version,
        "doc": pack.doc,
        "definitions": list(pack.definitions),
        "deprecated": _deprecation(pack),
    }


def definition_data(pack: Pack, definition: Definition) -> dict[str, Any]:
    """A definition as plain data, for people and for programs."""
    from scoring.lang.printer import print_pipeline

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
    """What is said of it as deprecated, with the expression or the pack that stands in its place."""
    from scoring.lang.printer import print_pipeline

    found = what.deprecated
    if found is None:
        return None
    instead = found.instead if isinstance(found.instead, str) else print_pipeline(found.instead)
    return {"for": instead, "since": found.since, "why": found.why.strip()}


def default_text(param: Parameter) -> str:
    """A parameter's default as an expression writes it, or that it has none."""
    from scoring.lang.printer import print_pipeline
    from scoring.report.reference import literal

    if param.pipeline is not None:
        return print_pipeline(param.pipeline)
    return "required" if param.default is NO_DEFAULT else literal(param.default)


def dialects() -> Iterator[str]:
    """What the names in task files of foreign forms may mean: the default, and only then those of other packages."""
    from scoring.format.front_ends import default_dialect
    from scoring.format.front_ends import dialects as known

    first = default_dialect()
    yield first
    yield from (name for name in known() if name != first)


def check_dialect(loader: Loader, dialect: str | None, name: str) -> None:
    """Refuse a dialect where nothing that was read is of a foreign form.

    Raises:
        InputError: when it says nothing.
    """
    if dialect is not None and not loader.meets_dialect:
        raise InputError(f"{name} is native; leave --dialect out, which says what names in a foreign form mean")
