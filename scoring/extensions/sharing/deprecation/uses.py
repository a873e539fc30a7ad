"""Deprecated definitions and packs: uses in an importing file are reported with a replacement."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from scoring.compiler.checks.definitions import bound_defaults
from scoring.compiler.checks.link import Linker
from scoring.compiler.checks.lint import expressions_of
from scoring.compiler.checks.resolve import Resolver
from scoring.compiler.identity.meaning import meaning_text, program_meaning
from scoring.compiler.programs.messages import Findings, comma_list
from scoring.compiler.programs.scope import Scope
from scoring.diagnostics.diagnostic import Fix, Label, SpecError
from scoring.diagnostics.source import Span
from scoring.diagnostics.words import shown
from scoring.extensions.authoring.edits import text_to_write
from scoring.extensions.sharing.deprecation.editor import FixEditor
from scoring.extensions.sharing.deprecation.replacing import Replacing, Unwritable
from scoring.format.definitions import Definition, DefinitionRole
from scoring.format.load import Loaded, Loader
from scoring.format.model import Pack
from scoring.format.packs import packs_of
from scoring.format.sections import DefinitionDeprecation, Import, PackDeprecation
from scoring.lang.printer import print_pipeline
from scoring.lang.tree import Call, Pipeline, walk
from scoring.project.versions import satisfies

_FIX = "scoring fmt --fix"
_UNSAFE = "scoring fmt --fix --unsafe-fixes"


def check_deprecations(loaded: Loaded, scope: Scope, loader: Loader, resolver: Resolver) -> None:
    """Report invalid replacements that a pack names for its deprecated definitions, and each use in a file of something
    deprecated in an imported pack.

    Args:
        loaded: The file to check.
        scope: The names that the file can use.
        loader: The loader that opens its imports.
        resolver: Compiles expressions, and collects the findings.
    """
    if isinstance(loaded.spec, Pack):
        _check_replacements(loaded.spec, scope, resolver)
    _check_uses(loaded, scope, loader, resolver.findings)


def _check_replacements(pack: Pack, scope: Scope, resolver: Resolver) -> None:
    """Check that a pack's replacement of each deprecated definition compiles with the same parameters, and neither uses
    nor is something deprecated.

    Args:
        pack: The pack.
        scope: The names that its file can use.
        resolver: Compiles the replacements, and collects the findings.
    """
    for definition in pack.definitions.values():
        if definition.deprecated is None:
            continue
        instead = definition.deprecated.instead
        names = {param.name for param in definition.params}
        again = [call for call in _calls(instead) if call.name not in names and _deprecated(call, scope) is not None]
        for call in again:
            resolver.findings.error(
                "bad-value",
                f"`{call.name}` is deprecated itself, so it stands in the place of nothing",
                call.name_span or call.span,
                secondary=[Label(definition.span, f"in the place of `{definition.name}`")],
                help="name what stands in its place",
            )
        if not again:
            with resolver.within(scope, f"what stands in the place of {definition.name}"):
                resolver.in_role(definition.role, instead, scope.inside(bound_defaults(definition, scope)))
    if pack.deprecated is not None:
        name, _, wanted = pack.deprecated.instead.partition("@")
        if name == pack.name and (not wanted or satisfies(pack.version, wanted)):
            resolver.findings.error(
                "bad-value",
                f"`{pack.name}` can't stand in the place of itself",
                pack.span,
                help="`for` names another pack, or versions that are not deprecated",
            )


def _check_uses(loaded: Loaded, scope: Scope, loader: Loader, findings: Findings) -> None:
    """Add to `findings` a warning for each call in a file (`loaded`) of a deprecated definition of an imported pack,
    and for each import of a deprecated pack, with the replacement."""
    spec, editor = loaded.spec, FixEditor()
    for owner, tree in expressions_of(spec):
        inner = scope if owner is None else scope.inside(bound_defaults(owner, scope))
        for call in _calls(tree):
            found = _deprecated(call, scope)
            # The pack itself may use its own.
            if found is not None and call.name not in inner.params and "." in call.name:
                _tell_use(call, *found, inner, findings, editor)
    for entry in spec.imports:
        pack = scope.imports[entry.alias]
        if pack.deprecated is not None:
            _PackUse(entry, pack, pack.deprecated, loaded, scope, loader).tell(findings)


def _tell(
    findings: Findings,
    message: str,
    span: Span | None,
    deprecated: DefinitionDeprecation | PackDeprecation,
    change: Callable[[], tuple[str, Fix]],
    otherwise: str,
) -> None:
    """Add a warning about the use of something deprecated, with the fix that replaces it if there is one, and whether
    scores may change.

    Args:
        findings: The findings to which the warning is added.
        message: The message of the warning.
        span: The location of the use.
        deprecated: The deprecation.
        change: Returns the label to show at the location, and the fix; raises `Unwritable` if a person must make the
            change.
        otherwise: The label in that case.
    """
    fixes: tuple[Fix, ...] = ()
    try:
        label, fix = change()
        fixes, file = (fix,), fix.span.source.name
        advice = f"`{_FIX} {file}` writes it; no score moves"
        if not fix.is_safe:
            advice = f"scores can move by it; `{_UNSAFE} {file}` writes it all the same"
    except Unwritable as why:
        label, advice = otherwise, f"replace it by hand: {why}"
    findings.diagnostics.warning(
        "deprecated-use", message, span, label, help=advice, note=deprecated.why.strip(), fixes=fixes
    )


def _calls(tree: Pipeline) -> Iterator[Call]:
    return (node for node in walk(tree) if isinstance(node, Call))


def _deprecated(call: Call, scope: Scope) -> tuple[Definition, Scope] | None:
    found = scope.definition(call.name)
    return found if found is not None and found[0].deprecated is not None else None


def _tell_use(
    call: Call, definition: Definition, own: Scope, scope: Scope, findings: Findings, editor: FixEditor
) -> None:
    """Report one call of a deprecated definition, with the fix that replaces it.

    Args:
        own: The scope of the pack that defines it.
        scope: The scope of the file that contains the call.
        editor: Makes the fix.
    """
    deprecated = definition.deprecated
    assert deprecated is not None

    def change() -> tuple[str, Fix]:
        by = Replacing.of(call, definition, own, scope).pipeline()
        is_safe = same_programs(definition.role, (Pipeline((call,)), scope), (by, scope))
        return f"write `{print_pipeline(by)}`", editor.fix(call, by, is_safe=is_safe)

    message = f"`{call.name}` is deprecated since `{own.label}` {deprecated.since}"
    label = f"`{own.label}` says `{print_pipeline(deprecated.instead)}`"
    _tell(findings, message, call.name_span or call.span, deprecated, change, label)


def same_programs(role: DefinitionRole, old: tuple[Pipeline, Scope], new: tuple[Pipeline, Scope]) -> bool:
    """Return True if two expressions compile to programs with the same meaning, so that they give the same scores.

    Args:
        role: What the expressions are used as, such as a scorer.
        old: The first expression, with the names that it can use.
        new: The second expression, with the names that it can use.

    Raises:
        Unwritable: when one of the two can't be compiled.
    """
    texts = []
    for pipeline, scope in (old, new):
        resolver = Resolver()
        with resolver.within(scope, "what is replaced"):
            program = resolver.in_role(role, pipeline, scope)
        if resolver.findings.diagnostics.has_errors:
            raise Unwritable(next(one.message for one in resolver.findings.diagnostics if one.severity == "error"))
        texts.append(meaning_text(program_meaning(program)))
    return texts[0] == texts[1]


class _PackUse:
    """One import of a deprecated pack, which is reported together with the pack to import instead."""

    def __init__(
        self, entry: Import, pack: Scope, deprecated: PackDeprecation, loaded: Loaded, scope: Scope, loader: Loader
    ) -> None:
        self.entry, self.pack, self.deprecated = entry, pack, deprecated
        self.loaded, self.scope, self.loader = loaded, scope, loader

    def tell(self, findings: Findings) -> None:
        """Add a warning that says which pack to import instead, and whether scores may change by it."""
        label = f"import {shown(self.deprecated.instead)}"
        message = f"the pack `{self.pack.label}` is deprecated since {self.deprecated.since}"
        _tell(findings, message, self.entry.span, self.deprecated, lambda: (label, self._fix()), label)

    def _other(self) -> Scope:
        """Return the scope (the names and their definitions) of the pack that replaces the deprecated one."""
        instead, inner = self.deprecated.instead, Findings()
        try:
            pack = packs_of(self.loader).imported(Import(self.entry.alias, instead), self.loaded.folder)
        except SpecError as error:
            raise Unwritable(f"{error.diagnostics[0].message}; add {shown(instead)} first") from None
        found = Linker(self.loader, inner).scope(pack)
        if inner.diagnostics.has_errors or found.deprecated is not None:
            raise Unwritable(f"{shown(instead)} is deprecated itself, or not in order")
        if any(one.key == found.key for one in self.scope.imports.values()):
            raise Unwritable(f"{shown(instead)} is imported already; use that one")
        return found

    def _is_same(self, other: Scope) -> bool:
        """Return True if every call of the deprecated pack in the file has the same meaning with the pack that replaces
        it.

        Args:
            other: The scope of the replacing pack.
        """
        alias = self.entry.alias
        new = replace(self.scope, imports={**self.scope.imports, alias: other})
        missing, same = [], True
        for owner, tree in expressions_of(self.loaded.spec):
            params = {} if owner is None else bound_defaults(owner, self.scope)
            for call in _calls(tree):
                found = self.scope.definition(call.name)
                if found is None or call.name.partition(".")[0] != alias:
                    continue
                there = new.definition(call.name)
                if there is None or there[0].role != found[0].role:
                    missing.append(call.name.removeprefix(f"{alias}."))
                    continue
                one = Pipeline((call,))
                same &= same_programs(found[0].role, (one, self.scope.inside(params)), (one, new.inside(params)))
        if missing:
            raise Unwritable(f"{shown(self.deprecated.instead)} has no {comma_list(sorted(set(missing)))} of that kind")
        return same

    def _fix(self) -> Fix:
        is_safe, span = self._is_same(self._other()), self.entry.span
        assert span is not None, "an import of a file has its place"
        text = text_to_write(span.source, span.start, span.end, self.deprecated.instead)
        if text is None:
            raise Unwritable("it can't be written there without changing more of the file")
        return Fix(span, text, is_safe)
