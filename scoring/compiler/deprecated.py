"""Deprecated definitions and packs: uses in an importing file are reported with a replacement."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from scoring.compiler.arguments import bound_defaults
from scoring.compiler.link import Linker
from scoring.compiler.lint import expressions_of
from scoring.compiler.meaning import meaning_text, program_meaning
from scoring.compiler.messages import Findings, comma_list
from scoring.compiler.resolve import Resolver
from scoring.compiler.scope import Scope
from scoring.diagnostics.diagnostic import Fix, Label, SpecError
from scoring.diagnostics.source import Source, Span
from scoring.diagnostics.words import shown
from scoring.format.build import Building
from scoring.format.definitions import NO_DEFAULT, Definition, DefinitionRole
from scoring.format.edits import start_of, text_to_write, written_within
from scoring.format.front_ends import front_end_of
from scoring.format.load import Loaded, Loader
from scoring.format.model import Pack
from scoring.format.nodes import SpecNode
from scoring.format.read import read_text
from scoring.format.sections import DefinitionDeprecation, Import, PackDeprecation
from scoring.lang.limits import LENGTH
from scoring.lang.printer import print_pipeline, value_text
from scoring.lang.tree import Call, Literal, Path, Pipeline, Value, as_pipeline, value_from_data, walk, with_pipelines
from scoring.project.versions import satisfies

_FIX = "scoring fmt --fix"
_UNSAFE = "scoring fmt --fix --unsafe-fixes"
# Characters of files that are read for changes of one of them.
MOST_READ = 2_000_000


def check_deprecations(pack: Pack, scope: Scope, resolver: Resolver) -> None:
    """Check that each replacement that a pack names accepts the same calls, and is not deprecated itself."""
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


def check_uses(loaded: Loaded, scope: Scope, loader: Loader, findings: Findings) -> None:
    """Report each use of a definition that an imported pack deprecates, with its replacement."""
    spec, editor = loaded.spec, _Editor()
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
    """Report a deprecation with its replacement, and whether scores may change.

    ``change`` returns the label to show and the fix; if it raises `Unwritable`, ``otherwise`` is shown as the label.
    """
    fixes: tuple[Fix, ...] = ()
    try:
        label, fix = change()
        fixes, file = (fix,), fix.span.source.name
        told = f"`{_FIX} {file}` writes it; no score moves"
        if not fix.is_safe:
            told = f"scores can move by it; `{_UNSAFE} {file}` writes it all the same"
    except Unwritable as why:
        label, told = otherwise, f"replace it by hand: {why}"
    findings.diagnostics.warning(
        "deprecated-use", message, span, label, help=told, note=deprecated.why.strip(), fixes=fixes
    )


def _calls(tree: Pipeline) -> Iterator[Call]:
    return (node for node in walk(tree) if isinstance(node, Call))


def _deprecated(call: Call, scope: Scope) -> tuple[Definition, Scope] | None:
    found = scope.definition(call.name)
    return found if found is not None and found[0].deprecated is not None else None


def _tell_use(
    call: Call, definition: Definition, own: Scope, scope: Scope, findings: Findings, editor: _Editor
) -> None:
    """Report one call of a deprecated definition."""
    deprecated = definition.deprecated
    assert deprecated is not None

    def change() -> tuple[str, Fix]:
        by = Replacing.of(call, definition, own, scope).pipeline()
        is_safe = same_programs(definition.role, (Pipeline((call,)), scope), (by, scope))
        return f"write `{print_pipeline(by)}`", editor.fix(call, by, is_safe=is_safe)

    message = f"`{call.name}` is deprecated since `{own.label}` {deprecated.since}"
    says = f"`{own.label}` says `{print_pipeline(deprecated.instead)}`"
    _tell(findings, message, call.name_span or call.span, deprecated, change, says)


def same_programs(role: DefinitionRole, old: tuple[Pipeline, Scope], new: tuple[Pipeline, Scope]) -> bool:
    """Tell whether two expressions, each in its own scope, compile to programs with the same meaning.

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


class _Editor:
    """Makes fixes for files; a file is parsed again after each edit, so the total length that is parsed is limited."""

    def __init__(self) -> None:
        self._buildings: dict[str, Building] = {}
        self._left = MOST_READ

    def fix(self, call: Call, by: Pipeline, *, is_safe: bool) -> Fix:
        """Return the edit of the file that replaces a call by another pipeline.

        Raises:
            Unwritable: when the file can't be changed there without changing anything else.
        """
        span = call.span
        assert span is not None, "a call of a file has its place"
        source = span.source
        for place, tree in self._building(source).expressions:
            new = replaced(tree, call, by) if isinstance(tree, Pipeline) else None
            if new is None:
                continue
            self._count(source)
            part = _within(place, span)
            if part is not None:
                text = written_within(place, span, print_pipeline(by), f"{part[0]}{print_pipeline(by)}{part[1]}")
                if text is not None:
                    return Fix(span, text, is_safe)
            start, end = start_of(place), place.span.end
            text = text_to_write(source, start, end, print_pipeline(new))
            if text is not None and "#" not in source.text[start:end]:  # a comment inside would be lost
                return Fix(Span(source, start, end), text, is_safe)
        raise Unwritable("it can't be written there without changing more of the file")

    def _building(self, source: Source) -> Building:
        if source.name not in self._buildings:
            self._count(source)
            node = read_text(source.text, source.name)
            if front_end_of(node) is not None:
                raise Unwritable("this is a file of a foreign form")
            building = self._buildings[source.name] = Building(node)
            building.spec()
        return self._buildings[source.name]

    def _count(self, source: Source) -> None:
        self._left -= len(source.text)
        if self._left < 0:
            raise Unwritable("there are too many in so large a file; others come first")


def _within(place: SpecNode, span: Span) -> tuple[str, str] | None:
    """Return the parts of a value before and after a span of the file; None if the span is not inside the value."""
    text, starts = place.value, place.fragment().starts
    if not isinstance(text, str) or starts is None or span.start not in starts:
        return None
    first = starts.index(span.start)
    last = next((at for at in range(first, len(starts)) if starts[at] >= span.end), len(starts))
    return text[:first], text[last:]


class _PackUse:
    """One import of a deprecated pack, with what is needed to replace it."""

    def __init__(
        self, entry: Import, pack: Scope, deprecated: PackDeprecation, loaded: Loaded, scope: Scope, loader: Loader
    ) -> None:
        self.entry, self.pack, self.deprecated = entry, pack, deprecated
        self.loaded, self.scope, self.loader = loaded, scope, loader

    def tell(self, findings: Findings) -> None:
        """Report which pack to import instead, and whether scores may change."""
        label = f"import {shown(self.deprecated.instead)}"
        message = f"the pack `{self.pack.label}` is deprecated since {self.deprecated.since}"
        _tell(findings, message, self.entry.span, self.deprecated, lambda: (label, self._fix()), label)

    def _other(self) -> Scope:
        """Return the scope of the pack that replaces the deprecated one."""
        instead, inner = self.deprecated.instead, Findings()
        try:
            pack = self.loader.imported(Import(self.entry.alias, instead), self.loaded.folder)
        except SpecError as error:
            raise Unwritable(f"{error.diagnostics[0].message}; add {shown(instead)} first") from None
        found = Linker(self.loader, inner).scope(pack)
        if inner.diagnostics.has_errors or found.deprecated is not None:
            raise Unwritable(f"{shown(instead)} is deprecated itself, or not in order")
        if any(one.key == found.key for one in self.scope.imports.values()):
            raise Unwritable(f"{shown(instead)} is imported already; use that one")
        return found

    def _is_same(self, other: Scope) -> bool:
        """Tell whether everything that is used from the pack means the same in its replacement."""
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


# ---- the call of a deprecated definition with what stands in its place, in the words of the importer


class Unwritable(Exception):
    """A replacement can't be written at the position of the deprecated call."""


@dataclass(frozen=True, slots=True)
class Replacing:
    """Rewrites the replacement expression of a pack so that it can be written in the file that imports the pack.

    ``own`` is the scope of the pack and ``alias`` its name in the importing file, whose scope, including the parameters
    of the definition that contains the call, is ``scope``. ``given`` has the arguments of the call by parameter.
    ``has_params`` is false while a default is rewritten, where names of parameters have no meaning.
    """

    definition: Definition
    own: Scope
    alias: str
    scope: Scope
    given: Mapping[str, Value]
    has_params: bool = True

    @classmethod
    def of(cls, call: Call, definition: Definition, own: Scope, scope: Scope) -> Replacing:
        """Return the rewriter for one call of a deprecated definition.

        Raises:
            Unwritable: when the call's arguments do not fit the definition.
        """
        names = [param.name for param in definition.params]
        if len(call.args) > len(names):
            raise Unwritable("it has too many arguments")
        given = {**dict(zip(names, call.args, strict=False)), **dict(call.kwargs)}
        if len(given) < len(call.args) + len(call.kwargs) or not given.keys() <= set(names):
            raise Unwritable("its arguments are not those of the definition")
        return cls(definition, own, call.name.rpartition(".")[0], scope, given)

    def pipeline(self) -> Pipeline:
        """Return the expression that replaces the call.

        Raises:
            Unwritable: when there is no such expression in the importing file.
        """
        assert self.definition.deprecated is not None
        instead = self.definition.deprecated.instead
        named = sum(isinstance(node, Call) and self._param(node) is not None for node in walk(instead))
        if named * sum(len(value_text(value)) for value in self.given.values()) > LENGTH:
            raise Unwritable("it would be too long")
        found = as_pipeline(self._value(instead))
        if not isinstance(found, Pipeline):
            raise Unwritable("an argument takes the place of an expression")
        return found

    def _value(self, value: Value) -> Value:
        return with_pipelines(value, self._pipeline, self._path)

    def _path(self, path: Path) -> Path:
        if path.root == "values":
            raise Unwritable(f"it reads `values.{path.segments[0]}` of the pack")
        return path

    def _pipeline(self, pipeline: Pipeline) -> Value:
        if pipeline.is_word and self._param(pipeline.steps[0]) is not None:
            return self._argument(pipeline.steps[0].name)
        steps: list[Call] = []
        head = None if pipeline.head is None else self._path(pipeline.head)
        for call in pipeline.steps:
            if self._param(call) is None:
                steps.append(self._call(call))
                continue
            spliced = as_pipeline(self._argument(call.name))
            if not isinstance(spliced, Pipeline) or (spliced.head is not None and (steps or head is not None)):
                raise Unwritable(f"`{call.name}` can't stand in the middle of an expression")
            head = head or spliced.head
            steps += spliced.steps
        return Pipeline(tuple(steps), None, head)

    def _param(self, call: Call) -> str | None:
        names = [param.name for param in self.definition.params] if self.has_params and call.is_bare else []
        return call.name if call.name in names else None

    def _argument(self, name: str) -> Value:
        """Return the argument that the call gives to a parameter, or its default."""
        if name in self.given:
            return self.given[name]
        param = next(one for one in self.definition.params if one.name == name)
        if param.pipeline is not None:
            return replace(self, has_params=False)._value(param.pipeline)
        if param.takes_pipeline or param.default is NO_DEFAULT:
            raise Unwritable(f"it does not say what `{name}` is")
        return value_from_data(param.default)

    def _call(self, call: Call) -> Call:
        name, defaults = self._name(call.name)
        args = tuple(map(self._value, call.args))
        kwargs = tuple(
            (key, self._value(value)) for key, value in call.kwargs if not self._is_default(key, value, defaults)
        )
        return Call(name, args, kwargs)

    def _is_default(self, key: str, value: Value, defaults: Mapping[str, Any]) -> bool:
        """Tell whether an argument only passes on a parameter that the call leaves at its default, and the replacement
        has the same default for it.
        """
        if not isinstance(value, Pipeline) or not value.is_word or key not in defaults:
            return False
        name = value.steps[0].name
        params = {param.name: param for param in self.definition.params if not param.takes_pipeline}
        if name in self.given or name not in params or params[name].default is NO_DEFAULT:
            return False
        return Literal(repr(params[name].default)) == Literal(repr(defaults[key]))

    def _name(self, name: str) -> tuple[str, Mapping[str, Any]]:
        """Return the importing file's name of a definition or primitive that the pack uses, and the defaults of its
        parameters.
        """
        found = self.own.definition(name)
        if found is None:
            if self.scope.definition(name) is not None or name in self.scope.params:
                raise Unwritable(f"`{name}` is something else in this file")
            primitive = self.own.primitive(name, metric=self.definition.role == "metric")
            if primitive is None:
                raise Unwritable(f"nothing is called `{name}`")
            return name, {param.name: param.default for param in primitive.params if not param.required}
        alias, dot, rest = name.partition(".")
        here = f"{self.alias}.{name}"
        if dot:
            pack = self.own.imports[alias]
            aliases = [known for known, one in self.scope.imports.items() if one.key == pack.key]
            if not aliases:
                raise Unwritable(f"it needs an import of `{pack.label}`")
            here = f"{aliases[0]}.{rest}"
        return here, {param.name: param.default for param in found[0].params if param.default is not NO_DEFAULT}


def replaced(tree: Pipeline, call: Call, by: Pipeline) -> Pipeline | None:
    """Return the expression with one of its calls replaced, or None if it does not contain the call.

    Raises:
        Unwritable: when the new pipeline begins with a value, but would not be at the start of the expression.
    """
    found = False

    def pipeline(tree: Pipeline) -> Pipeline:
        nonlocal found
        steps: list[Call] = []
        head = tree.head
        for step in tree.steps:
            if step.span != call.span or step.name != call.name:
                args = tuple(with_pipelines(value, pipeline) for value in step.args)
                steps.append(
                    Call(step.name, args, tuple((name, with_pipelines(one, pipeline)) for name, one in step.kwargs))
                )
                continue
            if by.head is not None and (steps or head is not None):
                raise Unwritable("it begins with a value")
            found, head = True, head or by.head
            steps += by.steps
        return Pipeline(tuple(steps), None, head)

    written = pipeline(tree)
    return written if found else None
