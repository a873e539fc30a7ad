"""Collection of a site's content: the given files and their imports, compiled, with examples run; primitives; users."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, requires
from itertools import chain

from scoring.compiler.checks.definitions import compile_definition
from scoring.compiler.checks.lint import calls_in
from scoring.compiler.checks.resolve import Resolver
from scoring.compiler.identity.signature import library_version
from scoring.compiler.programs.program import Program, primitives_of
from scoring.compiler.programs.scope import Scope
from scoring.compiler.tasks.compile import compile_task
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.words import EFFECTS
from scoring.extensions.examples.running import run_examples
from scoring.extensions.site.files import FileKey, SiteFile, SiteFiles
from scoring.extensions.site.frame import PageFrame, SiteLink
from scoring.extensions.site.names import NamesIn, SiteTargets
from scoring.extensions.site.trying import effects_of
from scoring.format.model import TaskSpec
from scoring.format.packs import packs_of
from scoring.registry import registry
from scoring.version import DISTRIBUTION

_FOLDERS = {"pack": "packs", "task": "tasks", "suite": "tasks"}


class SiteReader:
    """The content of a site, which other modules render: the given specs and those that they import, compiled, with
    the results of their examples.

    Args:
        specs: Spec files, folders of them, and names of shipped, installed or locked packs.
        allowed: The effects that examples may have: ``judge``, ``programs``.
        dialect: The dialect in which files of other tools are read.
        title: The title of the site.
        serving: Whether the site is served, so that definitions can be tried.

    Raises:
        SpecError: when a spec has errors, or an example gives another result than it states.
        InputError: when a name refers to nothing.
    """

    def __init__(
        self,
        specs: Sequence[str],
        allowed: Iterable[str] = (),
        dialect: str | None = None,
        *,
        title: str = "",
        serving: bool = False,
    ) -> None:
        self.dialect, self.title, self.serving = dialect, title, serving
        read = SiteFiles(specs, dialect)
        self.loader, self.skipped, self.by_key, self.targets = read.loader, read.skipped, read.by_key, SiteTargets()
        self._allowed, self._findings = frozenset(allowed), read.findings
        self._users: dict[str, set[SiteLink]] = {}
        self.files = sorted(self.by_key.values(), key=_order)
        for file in self.files:
            file.page = self.targets.file(*_order(file))
        for primitive in registry:
            self.targets.primitive(primitive)
        for file in self.files:
            for definition in file.definitions.values():  # so that anchors are assigned in the order of the file
                self.targets.of_definition(definition, file.scope)
        for file in self.files:
            self._try(file)
        self.primitives = [one for one in registry if not one.is_quirk or self.users(self.targets.primitive(one))]
        self._names = {one.name: self.targets.primitive(one) for one in reversed(self.primitives)}

    def frame(self, of: SiteFile | str) -> PageFrame:
        """Return the writer of a page: of a file's page, on which the file's definitions become links, or of the page
        at a path."""
        if isinstance(of, str):
            return PageFrame(of, self.title, self._names, self.serving)
        own = {name: self.targets.of_definition(one, of.scope) for name, one in of.definitions.items()}
        return PageFrame(of.page, self.title, {**self._names, **own}, self.serving)

    def users(self, target: str) -> list[SiteLink]:
        """Return links to everything on the site that uses the definition, primitive or file whose page (with anchor)
        is `target`."""
        return sorted(self._users.get(target, ()))

    def imports(self, file: SiteFile) -> Iterable[tuple[SiteFile, str]]:
        """Yield the files of the site that a file imports, each with the alias by which the file names it."""
        for entry in file.spec.imports:
            found = packs_of(self.loader).imported(entry, file.loaded.folder)
            yield self.by_key[found.spec.name, found.digest], entry.alias

    def tries(self) -> dict[str, tuple[FileKey, str]]:
        """Return the definitions that can be tried on a served site: by page and anchor, the key of the file and the
        name of each."""
        return {
            self.targets.of_definition(definition, file.scope): (key, name)
            for key, file in self.by_key.items()
            for name, definition in file.definitions.items()
        }

    def _try(self, file: SiteFile) -> None:
        """Compile the definitions of a file, run its examples, and record it as a user of everything that it uses;
        raise SpecError when one fails."""
        findings = self._findings
        file.tried = run_examples(file.loaded, self.loader, lambda programs: refused_effect(programs, self._allowed))
        if failed := [one.finding() for one in file.tried if one.problem is not None]:
            raise SpecError(failed)
        user = SiteLink(file.title, file.page)
        if isinstance(file.spec, TaskSpec):
            file.task, _ = compile_task(file.loaded, self.loader)
            self._note(self._task_uses(file.spec, file.scope), user)
        self._note((imported.page for imported, _ in self.imports(file)), user)
        resolver = Resolver(findings)
        resolver.computed.declared(file.scope)
        for name, definition in file.definitions.items():
            file.programs[name] = compile_definition(definition, file.scope, resolver)
            findings.diagnostics.raise_errors()
            instead = definition.deprecated.instead if definition.deprecated else None
            written = calls_in([None if file.judge_texts(definition) else definition.pipeline, instead])
            used = NamesIn.of_definition(self.targets, file.scope, definition).used(written)
            target = self.targets.of_definition(definition, file.scope)
            self._note(used, SiteLink(f"{file.spec.name}:{name}", target))
        findings.diagnostics.raise_errors()

    def _task_uses(self, spec: TaskSpec, scope: Scope) -> Iterator[str]:
        values = (value.pipeline for value in spec.values.values())
        fields = ((field.pipeline, field.prediction, field.reference) for field in spec.fields)
        written = calls_in([spec.parse, spec.aggregate, *values, *chain.from_iterable(fields)])
        yield from NamesIn.of_task(self.targets, scope, spec).used(written)
        yield from NamesIn.of_task(self.targets, scope, spec, metric=True).used(calls_in(spec.metrics))

    def _note(self, used: Iterable[str], user: SiteLink) -> None:
        for target in used:
            if target != user.target:
                self._users.setdefault(target, set()).add(user)


def refused_effect(programs: Iterable[Program], allowed: Collection[str]) -> str:
    """Return why programs may not run here: an effect that is not in `allowed`, or a missing library; "" if they
    may."""
    refused = [name for name in effects_of(*programs) if name not in allowed]
    if refused:
        return f"it {EFFECTS[refused[0]]}, and was built without `--allow {refused[0]}`"
    needed = sorted({name for one in primitives_of(programs) for name in one.uses if name not in EFFECTS})
    missing = next((name for name in needed if library_version(name) == "none"), None)
    return "" if missing is None else f"it needs `{missing}`, which is not installed: pip install {_bringing(missing)}"


def _bringing(library: str) -> str:
    """Return what to install with pip to get a library: this package with the extra that contains it, or else the
    library's name."""
    from packaging.requirements import Requirement

    with suppress(PackageNotFoundError):
        for one in map(Requirement, requires(DISTRIBUTION) or ()):
            extra = re.search(r"extra == \"([\w-]+)\"", str(one.marker))
            if extra is not None and one.name.lower() == library:
                return f"'{DISTRIBUTION}[{extra[1]}]'"
    return library


def _order(file: SiteFile) -> tuple[str, str, str, str]:
    return _FOLDERS[file.spec.kind], file.spec.name, file.spec.version, file.loaded.digest
