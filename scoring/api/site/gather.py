"""Gathers what a site shows: files and what they import, definitions, tasks, primitives, who uses what."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from scoring.api.lists import (
    EMPTY,
    SETTINGS,
    Findable,
    definition_data,
    findable_definition,
    findable_primitive,
    findable_recipe,
    words_of,
)
from scoring.api.site.definitions import (
    DIGITS,
    DefinitionReader,
    deprecation,
    dialect_table,
    effects_of,
    shown_example,
    shown_primitives,
)
from scoring.api.site.files import HeldFile, SiteFiles, changelog_beside, shown_versions
from scoring.api.site.names import SitePlaces
from scoring.api.site.tasks import suite_parts, task_parts
from scoring.api.site.trying import Triable
from scoring.compiler.compile import compile_task
from scoring.compiler.program import Program
from scoring.compiler.resolve import Resolver
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.suggest import plain_name, spoken
from scoring.effects import EFFECTS
from scoring.engine.examples import Tried, run_examples
from scoring.format.cookbook import recipe_kinds
from scoring.format.load import Loaded
from scoring.format.model import Defining, Pack, SuiteSpec, TaskSpec
from scoring.format.yaml_text import yaml_text
from scoring.registry import registry
from scoring.registry.topics import TOPICS
from scoring.report.of.names import first_line
from scoring.report.site.model import ShownDefinition, SiteContent, SiteFile, SiteLink, SitePrimitive
from scoring.sharing.signing.subjects import release_digest
from scoring.version import VERSION

_FOLDERS = {"pack": "packs", "task": "tasks", "suite": "tasks"}


class SiteReader:
    """Reads specs into what a site shows of them.

    Args:
        specs: Files, folders, and names of shipped, installed or locked packs.
        allowed: What examples may do besides computing: ``judge``, ``programs``.
        dialect: What the names in files of a foreign form mean.

    Raises:
        SpecError: when a file can't be read.
        InputError: when a name stands for nothing.
    """

    def __init__(self, specs: Sequence[str], allowed: Iterable[str] = (), dialect: str | None = None) -> None:
        self._allowed, self._dialect = frozenset(allowed), dialect
        self._read = SiteFiles(specs, dialect)
        self._places = SitePlaces()
        self._topics = {recipe.name: kind.topic for kind in recipe_kinds() for recipe in kind.recipes}
        self._users: dict[str, dict[str, SiteLink]] = {}
        self._held = sorted(self._read.held.values(), key=_order)
        self._pages = {
            key: self._places.file(_FOLDERS[one.loaded.spec.kind], *_named(one.loaded))
            for key, one in sorted(self._read.held.items(), key=lambda entry: _order(entry[1]))
        }
        self._sources = {self._pages[key]: one.loaded for key, one in self._read.held.items()}
        for primitive in registry:
            self._places.primitive(primitive)
        for one in self._held:
            for definition in _definitions(one.loaded):  # anchors in the order of the file, whoever names them first
                self._places.of_definition(definition, one.scope)

    @property
    def skipped(self) -> tuple[str, ...]:
        """What was not looked into, and why, a line each."""
        return self._read.skipped

    def content(self, title: str, *, serving: bool = False) -> SiteContent:
        """What the site shows.

        Raises:
            SpecError: when a spec is not in order, or an example gives something else than it states.
            InputError: when an example of a primitive does so.
        """
        drawn = [self._file(one) for one in self._held]
        files = [
            replace(
                file,
                used_by=self._users_of(file.page),
                definitions=tuple(replace(one, used_by=self._users_of(one.key)) for one in file.definitions),
            )
            for file in drawn
        ]
        files = shown_versions(files, self._sources, self._read.loader)
        primitives = shown_primitives(self._places, self._users)
        names = {str(one.data["name"]): one.page for one in reversed(primitives)}
        content = SiteContent(title, tuple(files), tuple(primitives), TOPICS, {}, names, f"scoring {VERSION}", serving)
        return replace(content, index=index_data(self.findable(content)))

    def findable(self, content: SiteContent) -> Iterable[tuple[Findable, str]]:
        """What can be found on the site, and where each stands; of those that fit as well the first comes first."""
        return findable(content.files, content.primitives, self._sources)

    def tries(self) -> dict[str, Triable]:
        """The definitions that the box of a served site can run, by their place on it."""
        return {
            self._places.of_definition(definition, held.scope): Triable(key, definition.name)
            for key, held in self._read.held.items()
            for definition in _definitions(held.loaded)
        }

    def _file(self, held: HeldFile) -> SiteFile:
        loaded, spec = held.loaded, held.loaded.spec
        tried = self._examples(loaded)
        page = self._pages[spec.name, loaded.digest]
        parts: Any = ()
        facts: list[tuple[str, str]] = []
        if isinstance(spec, TaskSpec):
            task, _ = compile_task(loaded, self._read.loader)
            parts, used = task_parts(self._places, held.scope, task)
            self._note(used, SiteLink(f"{spec.name} {spec.version}".strip(), page))
            facts.append(("meaning", task.parts.recipe.digest[:DIGITS]))
        elif isinstance(spec, SuiteSpec):
            parts = suite_parts(loaded, self._dialect, self._pages)
        digest = release_digest(loaded.path) if spec.kind == "pack" else loaded.digest
        facts += [("digest", digest)] if digest else []
        file = SiteFile(
            kind=spec.kind,
            name=spec.name,
            version=spec.version,
            doc=spec.doc.strip(),
            page=page,
            facts=tuple(facts),
            imports=tuple(self._imports(held)),
            definitions=tuple(self._shown(held, tried)),
            parts=parts,
            examples=tuple(shown_example(one) for one in tried if one.program is None and one.example is not None),
            is_imported=held.is_imported,
        )
        if isinstance(spec, Pack):
            return self._as_pack(file, spec, held)
        return replace(file, text=yaml_text(spec.data), topic=self._topics.get(spec.name, ""))

    def _as_pack(self, file: SiteFile, spec: Pack, held: HeldFile) -> SiteFile:
        return replace(
            file,
            requires=tuple(map(str, spec.requires)),
            dialects=dialect_table(spec, held.scope, self._places),
            changelog=changelog_beside(held.loaded),
            import_line=f"imports: {{{_alias(spec.name)}: {spec.name}@{spec.version.partition('.')[0]}}}",
            deprecated=deprecation(spec.deprecated),
        )

    def _shown(self, held: HeldFile, tried: Sequence[Tried]) -> Iterable[ShownDefinition]:
        """The definitions of a file; what they use is noted."""
        spec, resolver = held.loaded.spec, Resolver(self._read.findings)
        if not isinstance(spec, Defining):
            return
        resolver.computed.declared(held.scope)
        reader = DefinitionReader(self._places, held.scope, resolver)
        alias = _alias(spec.name) if isinstance(spec, Pack) else ""
        for definition in spec.definitions.values():
            own = [one for one in tried if one.owner == definition.name and one.program is not None]
            found, used = reader.shown(definition, spec, own, alias)
            self._note(used, SiteLink(f"{spec.name}:{definition.name}", found.key))
            yield found
        self._read.findings.diagnostics.raise_errors()

    def _examples(self, loaded: Loaded) -> list[Tried]:
        tried = run_examples(loaded, self._read.loader, lambda programs: refused_effect(programs, self._allowed))
        failed = [one.finding() for one in tried if one.problem is not None]
        if failed:
            raise SpecError(failed)
        return tried

    def _imports(self, held: HeldFile) -> Iterable[SiteLink]:
        spec = held.loaded.spec
        for entry in spec.imports:
            found = self._read.loader.imported(entry, held.loaded.folder)
            page = self._pages[found.spec.name, found.digest]
            yield SiteLink(f"{found.spec.name} {found.spec.version}".strip(), page, f"as {entry.alias}")
            user = self._pages[spec.name, held.loaded.digest]
            self._note([page], SiteLink(f"{spec.name} {spec.version}".strip(), user))

    def _note(self, used: Iterable[str], user: SiteLink) -> None:
        for target in used:
            if target != user.target:
                self._users.setdefault(target, {})[user.target] = user

    def _users_of(self, target: str) -> tuple[SiteLink, ...]:
        return tuple(sorted(self._users.get(target, {}).values(), key=lambda link: (link.name, link.target)))


def refused_effect(programs: Iterable[Program], allowed: Collection[str]) -> str:
    """Why some programs are not run here: what they do besides computing that was not allowed; "" where they are."""
    refused = [name for name in effects_of(*programs) if name not in allowed]
    return f"it {EFFECTS[refused[0]]}, and was built without `--allow {refused[0]}`" if refused else ""


def _alias(name: str) -> str:
    """What an import may call a pack: the last word of its name."""
    last = "".join(sign if sign.isalnum() or sign == "_" else "_" for sign in name.rpartition("/")[2])
    return last if last[:1].isalpha() else f"pack_{last}"


def _named(loaded: Loaded) -> tuple[str, str, str]:
    return loaded.spec.name, loaded.spec.version, loaded.digest


def _order(held: HeldFile) -> tuple[str, ...]:
    return (_FOLDERS[held.loaded.spec.kind], *_named(held.loaded))


def _definitions(loaded: Loaded) -> Iterable[Any]:
    return loaded.spec.definitions.values() if isinstance(loaded.spec, Defining) else ()


def findable(
    files: Sequence[SiteFile], primitives: Sequence[SitePrimitive], sources: Mapping[str, Loaded]
) -> Iterator[tuple[Findable, str]]:
    """The things of a site that can be found, each with where it stands."""
    by_name = {(one.data["name"], one.data["kind"]): one.page for one in primitives}
    for primitive in registry:
        if (primitive.name, primitive.kind) in by_name and not primitive.is_quirk:
            yield findable_primitive(primitive), by_name[primitive.name, primitive.kind]
    recipes = {recipe.name: (kind, recipe) for kind in recipe_kinds() for recipe in kind.recipes}
    for file in files:
        if file.kind != "pack":
            known = recipes.get(file.name)
            found = findable_recipe(*known) if known is not None else None
            yield (
                found if found is not None and found.data["doc"] == " ".join(file.doc.split()) else _file(file),
                file.page,
            )
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


def _file(file: SiteFile) -> Findable:
    data = {"name": file.title, "kind": file.kind, "summary": first_line(file.doc), "aka": []}
    fields = " ".join(part.name for _, parts in file.parts for part in parts)
    return Findable(data, (file.name, file.name.rpartition("/")[2]), first_line(file.doc), f"{file.doc} {fields}")
