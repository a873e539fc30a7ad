"""Gathers what a site shows: files and what they import, definitions, tasks, primitives, who uses what."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from scoring.api.finding import Findable
from scoring.api.site.definitions import DIGITS, DefinitionReader, deprecation, effects_of, shown_example
from scoring.api.site.dialect_table import dialect_table
from scoring.api.site.files import HeldFile, SiteFiles
from scoring.api.site.index import findable, index_data
from scoring.api.site.places import SitePlaces
from scoring.api.site.primitives import shown_primitives
from scoring.api.site.tasks import suite_parts, task_parts
from scoring.api.site.trying import Triable
from scoring.api.site.versions import changelog_beside, shown_versions
from scoring.compiler.compile import compile_task
from scoring.compiler.program import Program
from scoring.compiler.resolve import Resolver
from scoring.diagnostics.diagnostic import SpecError
from scoring.effects import EFFECTS
from scoring.engine.examples import Tried, run_examples
from scoring.format.cookbook import recipe_kinds
from scoring.format.load import Loaded
from scoring.format.model import Defining, Pack, Spec, SuiteSpec, TaskSpec
from scoring.format.yaml_text import yaml_text
from scoring.registry import registry
from scoring.registry.topics import TOPICS
from scoring.report.site.model import ShownDefinition, SiteContent, SiteFile, SiteLink
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

        Args:
            title: What it is called.
            serving: Whether a server runs definitions for the box.

        Raises:
            SpecError: when a spec is not in order, or an example gives something else than it states.
            InputError: when an example of a primitive does so.
        """
        drawn = [self._file(one) for one in self._held]
        files = [replace(file, used_by=_sorted(self._users.get(file.page, {}))) for file in drawn]
        files = [replace(file, definitions=tuple(map(self._with_users, file.definitions))) for file in files]
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
        return self._as_pack(file, spec, held) if isinstance(spec, Pack) else self._as_task(file, spec)

    def _as_task(self, file: SiteFile, spec: Spec) -> SiteFile:
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
        tried = run_examples(loaded, self._read.loader, self._left_out)
        failed = [one.finding() for one in tried if one.problem is not None]
        if failed:
            raise SpecError(failed)
        return tried

    def _left_out(self, programs: tuple[Program, ...]) -> str:
        return refused_effect(programs, self._allowed)

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

    def _with_users(self, definition: ShownDefinition) -> ShownDefinition:
        return replace(definition, used_by=_sorted(self._users.get(definition.key, {})))


def refused_effect(programs: Iterable[Program], allowed: Collection[str]) -> str:
    """Why some programs are not run here: what they do besides computing that was not allowed; "" where they are."""
    refused = [name for name in effects_of(*programs) if name not in allowed]
    return f"it {EFFECTS[refused[0]]}, and was built without `--allow {refused[0]}`" if refused else ""


def _sorted(links: Mapping[str, SiteLink]) -> tuple[SiteLink, ...]:
    return tuple(sorted(links.values(), key=lambda link: (link.name, link.target)))


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
