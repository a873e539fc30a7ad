"""Build the scope of a loaded spec, which has the names that it can use; report import cycles and duplicate names."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from scoring.compiler.checks.lint import is_deprecated, names_called
from scoring.compiler.checks.resolve import Resolver
from scoring.compiler.programs.messages import Findings
from scoring.compiler.programs.scope import Scope
from scoring.diagnostics.diagnostic import Diagnostics, Label, SpecError
from scoring.format.definitions import Defining, Definition, SpecFile
from scoring.format.load import Loaded, Loader
from scoring.format.model import Pack, TaskSpec
from scoring.format.sections import Import
from scoring.lang.tree import SOFT_ROOTS, Pipeline
from scoring.registry import registry
from scoring.registry.editions import OLDEST
from scoring.registry.extension import find_service

# So many packs may import one another in a row; each is followed within the one before.
_DEEPEST = 100


class Linker:
    """A builder of the scopes of spec files, the names that their expressions can use; a pack that several files import
    is read only once."""

    def __init__(self, loader: Loader, findings: Findings) -> None:
        self.loader = loader
        self.findings = findings
        self._scopes: dict[str, Scope] = {}
        self._active: list[str] = []

    def scope(self, loaded: Loaded) -> Scope:
        """Return the scope of a file: all names that its expressions can use."""
        spec, key = loaded.spec, _key(loaded)
        if key in self._scopes:
            return self._scopes[key]
        self._active.append(key)
        imports = self._imports(spec.imports, loaded)
        self._active.pop()
        scope = Scope(spec.name, imports=imports, version=spec.version, digest=loaded.digest, edition=spec.edition)
        if isinstance(spec, Pack | TaskSpec):
            scope = replace(scope, definitions=dict(spec.definitions), values=dict(spec.values), sections=spec.sections)
        if isinstance(spec, Pack):
            scope = replace(scope, deprecated=spec.deprecated)
        _check_names(spec, self.findings.diagnostics)
        self._scopes[key] = scope
        return scope

    def _imports(self, entries: tuple[Import, ...], loaded: Loaded) -> dict[str, Scope]:
        scopes: dict[str, Scope] = {}
        first: dict[str, Import] = {}
        for entry in entries:
            pack = self._opened(entry, loaded)
            if pack is None:
                scopes[entry.alias] = Scope(entry.target, broken=True)
                continue
            other = first.get(_key(pack))
            if other is not None:
                self.findings.diagnostics.error(
                    "name-conflict",
                    f"`{entry.alias}` and `{other.alias}` are two names for one pack",
                    entry.alias_span,
                    "the second name",
                    secondary=[Label(other.alias_span, "the first name")],
                    help="keep one of the two imports",
                )
            first[_key(pack)] = entry
            scopes[entry.alias] = self.scope(pack)
        return scopes

    def _opened(self, entry: Import, loaded: Loaded) -> Loaded | None:
        """Return the pack that the import ``entry`` of the file ``loaded`` refers to; None, after reporting an error,
        if it can't be imported."""
        from scoring.compiler.checks.required import missing
        from scoring.format.packs import packs_of

        found = self.findings.diagnostics
        try:
            pack = packs_of(self.loader).imported(entry, loaded.folder)
        except SpecError as error:
            found.extend(error.diagnostics)
            return None
        lacking = list(missing(pack.spec, entry.span)) if isinstance(pack.spec, Pack) else []
        found.extend(lacking)
        if lacking:
            return None
        if _key(pack) in self._active:
            found.error(
                "import-cycle",
                f"`{entry.target}` imports this file again, directly or through another one",
                entry.span,
                help="move what both need into a third pack",
            )
            return None
        if len(self._active) > _DEEPEST:
            found.error("import-cycle", f"more than {_DEEPEST} packs import one another in a row", entry.span)
            return None
        return pack


def check_deprecated(loaded: Loaded, scope: Scope, loader: Loader, resolver: Resolver) -> None:
    """Report uses of deprecated imports, and mistakes in a pack's deprecations, if an extension checks them."""
    packs = (*scope.imports.values(), *((loaded.spec,) if isinstance(loaded.spec, Pack) else ()))
    check = find_service("deprecations") if any(map(is_deprecated, packs)) else None
    if check is not None:
        check(loaded, scope, loader, resolver)


def _key(loaded: Loaded) -> str:
    return str(loaded.path or loaded.digest)


def _check_names(spec: SpecFile, found: Diagnostics) -> None:
    definitions = spec.definitions
    for definition in definitions.values():
        if registry.knows(definition.name, spec.edition or OLDEST) and _is_ambiguous(definition, spec):
            found.warning(
                "shadowed-name",
                f"`{definition.name}` means this definition in this file, and not the primitive of that name",
                definition.span,
                help=f"another name is clearer to readers; `scoring explain {definition.name}` shows the primitive",
            )
    for entry in spec.imports:
        if entry.alias in SOFT_ROOTS:
            found.error(
                "name-conflict",
                f"`{entry.alias}.name` is a value of the record, so no import is called `{entry.alias}`",
                entry.alias_span,
                help="give it another alias",
            )
        if entry.alias in definitions:
            found.error(
                "name-conflict",
                f"`{entry.alias}` is both an import and a definition of this file",
                entry.alias_span,
                "the import",
                secondary=[Label(definitions[entry.alias].span, "the definition")],
            )


def _is_ambiguous(definition: Definition, spec: SpecFile) -> bool:
    """Tell whether a file calls a definition that has the name of a primitive, so that a reader could mistake one for
    the other; False for a definition that itself calls the primitive."""
    if definition.name in names_called([definition.pipeline]):
        return False  # it wraps the primitive: inside it the name means the primitive
    return definition.name in names_called(_pipelines(spec))


def _pipelines(spec: SpecFile) -> Iterator[Pipeline]:
    if not isinstance(spec, Defining):
        return
    yield from (definition.pipeline for definition in spec.definitions.values())
    yield from (value.pipeline for value in spec.values.values() if isinstance(value.pipeline, Pipeline))
    if isinstance(spec, TaskSpec):
        for field in spec.fields:
            own = (field.pipeline, field.prediction, field.reference)
            yield from (pipeline for pipeline in own if isinstance(pipeline, Pipeline))
        yield from (pipeline for pipeline in (spec.parse, spec.aggregate) if isinstance(pipeline, Pipeline))
