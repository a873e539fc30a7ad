"""Gathers what a site shows: files and what they import, definitions, tasks, primitives, who uses what."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from scoring.api.listing import find_loaded
from scoring.api.named_specs import looked_at
from scoring.api.site.definitions import DIGITS, DefinitionReader, effects_of, shown_example
from scoring.api.site.dialect_table import dialect_table
from scoring.api.site.index import SiteIndex
from scoring.api.site.places import SitePlaces
from scoring.api.site.primitives import shown_primitives
from scoring.api.site.tasks import suite_parts, task_parts
from scoring.api.site.trying import Triable
from scoring.api.site.versions import changelog_beside, shown_versions
from scoring.compiler.compile import compile_task
from scoring.compiler.link import Linker
from scoring.compiler.messages import Findings
from scoring.compiler.program import Program
from scoring.compiler.resolve import Resolver
from scoring.compiler.scope import Scope
from scoring.data.plain_files import real_path
from scoring.data.rows.row import InputError
from scoring.diagnostics.diagnostic import SpecError
from scoring.effects import EFFECTS
from scoring.engine.examples import Tried, run_examples
from scoring.format.load import Loaded, Loader
from scoring.format.model import Defining, Pack, SuiteSpec, TaskSpec
from scoring.late import dataclass
from scoring.registry import registry
from scoring.registry.topics import TOPICS
from scoring.report.site.model import SiteContent, SiteFile, SiteLink
from scoring.version import VERSION

MOST_FILES = 5_000
"""How many specs one site shows at most."""
_FOLDERS = {"pack": "packs", "task": "tasks", "suite": "tasks"}


@dataclass(slots=True)
class _Held:
    """A file of the site while it is read."""

    loaded: Loaded
    scope: Scope
    page: str
    is_imported: bool
    shown: SiteFile | None = None
    uses: dict[str, SiteLink] = field(default_factory=dict)


class SiteReader:
    """Reads specs into what a site shows of them.

    Args:
        allowed: What examples may do besides computing: ``judge``, ``programs``.
        dialect: What the names in files of a foreign form mean.
    """

    def __init__(self, allowed: Iterable[str] = (), dialect: str | None = None) -> None:
        self._allowed = frozenset(allowed)
        self._loader = Loader(dialect=dialect)
        self._dialect = dialect
        self._findings = Findings()
        self._linker = Linker(self._loader, self._findings)
        self._places = SitePlaces()
        self._files: dict[tuple[str, str], _Held] = {}
        self._users: dict[str, dict[str, SiteLink]] = {}
        self.sources: dict[str, Loaded] = {}
        self.skipped: tuple[str, ...] = ()

    def content(self, specs: Sequence[str | Path], title: str, *, serving: bool = False) -> SiteContent:
        """What the site of some specs shows.

        Args:
            specs: Files, folders, and names of shipped or installed packs.
            title: What the site is called.
            serving: Whether a server runs definitions for the box.

        Raises:
            SpecError: when a spec is not in order, or an example gives something else than it states.
            InputError: when a name stands for nothing.
        """
        for loaded in self._named(specs):
            self._add(loaded, is_imported=False)
        self._findings.diagnostics.raise_errors()
        for held in sorted(self._files.values(), key=_order):
            spec = held.loaded.spec
            held.page = self._places.file(_FOLDERS[spec.kind], spec.name, spec.version, held.loaded.digest)
            self.sources[held.page] = held.loaded
        every = sorted(self._files.values(), key=_order)
        for primitive in registry:
            self._places.primitive(primitive)
        for held in every:
            if isinstance(held.loaded.spec, Defining):  # anchors in the order of the file, whoever names them first
                for definition in held.loaded.spec.definitions.values():
                    self._places.of_definition(definition, held.scope)
        for held in every:
            held.shown = self._file(held)
        files = [replace(held.shown, used_by=self._importers(held)) for held in every if held.shown is not None]
        files = [replace(file, definitions=tuple(map(self._with_users, file.definitions))) for file in files]
        files = shown_versions(files, self.sources)
        primitives = shown_primitives(self._places, self._users)
        names = {f"{one.data['name']}": one.page for one in reversed(primitives)}
        index = SiteIndex(files, primitives, self.sources).data()
        return SiteContent(title, tuple(files), tuple(primitives), TOPICS, index, names, f"scoring {VERSION}", serving)

    def tries(self) -> dict[str, Triable]:
        """The definitions that the box of a served site can run, by their place on it."""
        found = {}
        for page, loaded in self.sources.items():
            spec = loaded.spec
            if loaded.path is None or not isinstance(spec, Defining):
                continue
            held = self._files[spec.name, loaded.digest]
            for definition in spec.definitions.values():
                target = self._places.of_definition(definition, held.scope)
                assert target.startswith(page)
                found[target] = Triable(str(real_path(loaded.path)), loaded.digest, definition.name)
        return found

    def _named(self, specs: Sequence[str | Path]) -> Iterable[Loaded]:
        found: dict[tuple[str, str], Loaded] = {}
        for name in specs:
            path = Path(name)
            if not path.exists() and path.suffix not in (".yaml", ".yml", ".json"):
                loaded = [find_loaded(str(name), self._loader)]
            else:
                files, skipped = looked_at(path)
                self.skipped += skipped
                if len(files) > MOST_FILES:
                    raise InputError(f"{name} holds {len(files):,} specs; a site shows {MOST_FILES:,} at most")
                loaded = [self._loader.file(file, str(file)) for file in files]
            for one in loaded:
                found.setdefault((one.spec.name, one.digest), one)
        if not found:
            raise InputError("which packs? None is named")
        return found.values()

    def _add(self, loaded: Loaded, *, is_imported: bool) -> None:
        waiting = [(loaded, is_imported)]
        while waiting:
            one, imported = waiting.pop()
            key = (one.spec.name, one.digest)
            known = self._files.get(key)
            if known is not None:
                known.is_imported &= imported
                continue
            if len(self._files) >= MOST_FILES:
                raise InputError(f"these are more than {MOST_FILES:,} specs; name fewer")
            self._files[key] = _Held(one, self._linker.scope(one), "", imported)
            for entry in one.spec.imports:
                try:
                    waiting.append((self._loader.imported(entry, one.folder), True))
                except SpecError as error:
                    self._findings.diagnostics.extend(error.diagnostics)

    def _file(self, held: _Held) -> SiteFile:
        loaded, spec = held.loaded, held.loaded.spec
        owner = SiteLink(f"{spec.name} {spec.version}".strip(), held.page)
        tried = self._examples(loaded)
        resolver = Resolver(self._findings)
        parts: Any = ()
        facts: list[tuple[str, str]] = []
        if isinstance(spec, TaskSpec):
            task, _ = compile_task(loaded, self._loader)
            parts, used = task_parts(self._places, held.scope, task, held.page)
            self._note(used, owner)
            facts.append(("meaning", task.parts.recipe.digest[:DIGITS]))
        elif isinstance(spec, SuiteSpec):
            parts = suite_parts(loaded, self._dialect, {key: one.page for key, one in self._files.items()})
        shown = []
        if isinstance(spec, Defining):
            resolver.computed.declared(held.scope)
            reader = DefinitionReader(self._places, held.scope, resolver)
            alias = _alias(spec.name) if isinstance(spec, Pack) else ""
            for definition in spec.definitions.values():
                own = [one for one in tried if one.owner == definition.name and one.program is not None]
                found, used = reader.shown(definition, spec, own, (), alias)
                shown.append(found)
                self._note(used, SiteLink(f"{spec.name}:{definition.name}", found.key))
        self._findings.diagnostics.raise_errors()
        requires = tuple(map(str, getattr(spec, "requires", ())))
        is_pack = isinstance(spec, Pack)
        imported = f"imports: {{{_alias(spec.name)}: {spec.name}@{spec.version.partition('.')[0]}}}"
        return SiteFile(
            kind=spec.kind,
            name=spec.name,
            version=spec.version,
            doc=spec.doc.strip(),
            page=held.page,
            facts=(*facts, ("digest", loaded.digest)),
            imports=tuple(self._imports(held)),
            requires=requires,
            definitions=tuple(shown),
            parts=parts,
            examples=tuple(shown_example(one) for one in tried if one.program is None and one.example is not None),
            dialects=dialect_table(spec, held.scope, self._places) if isinstance(spec, Pack) else None,
            changelog=changelog_beside(loaded) if is_pack else "",
            import_line=imported if is_pack else "",
            is_imported=held.is_imported,
        )

    def _examples(self, loaded: Loaded) -> list[Tried]:
        tried = run_examples(loaded, self._loader, self._left_out)
        failed = [one.finding() for one in tried if one.problem is not None]
        if failed:
            raise SpecError(failed)
        return tried

    def _left_out(self, programs: tuple[Program, ...]) -> str:
        return refused_effect(programs, self._allowed)

    def _imports(self, held: _Held) -> Iterable[SiteLink]:
        for entry in held.loaded.spec.imports:
            found = self._loader.imported(entry, held.loaded.folder)
            page = self._files[found.spec.name, found.digest].page
            yield SiteLink(f"{found.spec.name} {found.spec.version}".strip(), page, f"as {entry.alias}")
            self._note([page], SiteLink(f"{held.loaded.spec.name} {held.loaded.spec.version}".strip(), held.page))

    def _note(self, used: Iterable[str], user: SiteLink) -> None:
        for target in used:
            if target != user.target:
                self._users.setdefault(target, {})[user.target] = user

    def _importers(self, held: _Held) -> tuple[SiteLink, ...]:
        return _sorted(self._users.get(held.page, {}))

    def _with_users(self, definition: Any) -> Any:
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


def _order(held: _Held) -> tuple[str, str, str, str]:
    spec = held.loaded.spec
    return _FOLDERS[spec.kind], spec.name, spec.version, held.loaded.digest
