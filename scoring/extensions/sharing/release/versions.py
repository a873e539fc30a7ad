"""The definitions in one version of a file, each compiled with its defaults, with settings, or with free parameters.

This is where two versions of a definition are proved to be equal for all settings and every input.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from scoring.compiler.checks.link import Linker
from scoring.compiler.identity.meaning import canonical_form, program_meaning
from scoring.compiler.programs.messages import MAX_DEPTH, Findings
from scoring.compiler.programs.program import Program
from scoring.compiler.programs.scope import Bound, Closure, PlainValue, Scope
from scoring.diagnostics.diagnostic import SpecError
from scoring.extensions.sharing.changes.meanings import compiled
from scoring.extensions.sharing.release.equal import canonical_program
from scoring.extensions.sharing.release.formatting import Refusal
from scoring.format.definitions import NO_DEFAULT, Definition, Parameter
from scoring.format.load import Loaded, Loader, digest_of
from scoring.format.model import Pack, TaskSpec
from scoring.lang.formula_printer import print_expression
from scoring.lang.parser import parse_pipeline
from scoring.lang.printer import print_pipeline
from scoring.lang.tree import Call, Path, walk
from scoring.registry import registry
from scoring.values import same_value

_SCORES = ("equal", "levenshtein")
_PARAMETER = "the parameter "
_TRANSFORMS = ("to_text", "json")
_SHARES = (0.7310585786300049, 0.2689414213699951)


NO_VERSION = "0"


class Edition(Struct, frozen=True):
    """One version of a spec (a pack, a task or a suite), loaded, with its loader."""

    loaded: Loaded
    loader: Loader

    @property
    def version(self) -> str:
        """The version number in the file; "0", which precedes all others, if a task or suite has none."""
        return self.loaded.spec.version or NO_VERSION


class Definitions:
    """The definitions of one version of a pack or task, which can be compiled with any settings.

    Raises:
        SpecError: when an import is broken.
    """

    def __init__(self, edition: Edition) -> None:
        spec = edition.loaded.spec
        assert isinstance(spec, Pack | TaskSpec)
        self.spec = spec
        self.by_name: Mapping[str, Definition] = spec.definitions
        findings = Findings()
        self.scope = Linker(edition.loader, findings).scope(edition.loaded)
        findings.diagnostics.raise_errors()

    def program(self, name: str, settings: Mapping[str, Any]) -> Program | Refusal:
        """Return the program of a definition when it is called with some settings; a `Refusal` if the compiler does not
        accept them.

        Args:
            name: The name of the definition.
            settings: The values of parameters by name; others have their defaults.
        """
        params = self.by_name[name].params
        for param in params:
            if param.name not in settings and param.is_required:
                return Refusal(f"`{name}` needs its parameter `{param.name}`")
        if unknown := sorted(settings.keys() - {param.name for param in params}):
            return Refusal(f"`{name}` has no parameter `{unknown[0]}`")
        try:
            return self._compiled(name, {param.name: _bound(param, settings, self.scope) for param in params})[0]
        except SpecError as error:
            return Refusal(error.diagnostics[0].message)

    def digest(self, name: str, free: Mapping[str, Bound]) -> str | None:
        """Return a digest that is equal for definitions that are proved to give equal results; None if the definition
        does not compile.

        Args:
            name: The name of the definition.
            free: The values of parameters by name; others have their defaults.
        """
        try:
            programs = self._compiled(name, free)
        except SpecError:
            return None
        meanings = [canonical_program(program_meaning(program)) for program in programs if program is not None]
        return digest_of([self.by_name[name].role, *meanings])

    def freed(self, name: str) -> Program | None:
        """Return the program of a definition in which each parameter is a placeholder; None if the compiler needs a
        value for one.

        Args:
            name: The name of the definition.
        """
        free = {param.name: _free(param) for param in self.by_name[name].params if not param.takes_pipeline}
        try:
            return self._compiled(name, free)[0]
        except SpecError:
            return None

    def _compiled(self, name: str, bound: Mapping[str, Bound]) -> tuple[Program, Program | None]:
        definition = self.by_name[name]
        defaults = {param.name: _bound(param, {}, self.scope) for param in definition.params}
        return compiled(definition, self.scope, {**defaults, **bound})


def _bound(param: Parameter, settings: Mapping[str, Any], scope: Scope) -> Bound:
    """Return the value with which a parameter is compiled: its setting, else its default, else a placeholder."""
    if param.name in settings:
        value = settings[param.name]
        return Closure(parse_pipeline(value), scope) if param.takes_pipeline else PlainValue(value)
    if param.takes_pipeline:
        return Closure(param.pipeline or parse_pipeline("equal"), scope)
    return _free(param) if param.default is NO_DEFAULT else PlainValue(param.default, param.written)


def _free(param: Parameter) -> Path:
    """Return the placeholder for the value of a parameter: a path that no record has."""
    return Path("context", (_PARAMETER + param.name,))


def freely(params: Iterable[Parameter], scope: Scope) -> list[list[dict[str, Bound]]]:
    """Return values for parameters with which equal programs prove that two definitions are equal for all settings.

    Each item of the result is an alternative, a list of bindings: if the programs are equal for every binding of one
    alternative, they are equal for all settings. A placeholder is a path that no record has. Where the compiler needs a
    value (for a metric or an aggregator), an alternative has two bindings with different values that occur nowhere
    else: programs contain a value unchanged wherever it is used, so if they are equal with both values, they are equal
    with all of that type. For parameters that take a pipeline there are likewise two different pipelines. No two
    parameters get the same placeholder, or exchanging them would not be noticed.
    """
    ordered = sorted(params, key=lambda one: one.name)
    return [
        [
            {
                param.name: Closure(parse_pipeline(_pipeline(kind, place, turn)), scope)
                if param.takes_pipeline
                else _free(param)
                if value is None
                else PlainValue(value(place, turn))
                for turn, param in enumerate(ordered)
            }
            for place in (0, 1)
        ]
        for kind in (_SCORES, _TRANSFORMS)
        for value in (None, *_VALUES)
    ]


def _pipeline(kind: tuple[str, str], place: int, turn: int) -> str:
    """Return the text of a pipeline to use as the value of a parameter, a different one for each parameter and each
    binding.

    Args:
        kind: The two pipelines of a kind (scoring or transforming) that it begins with.
        place: The index of the binding.
        turn: The index of the parameter.
    """
    mark = f"zero_below({_share(place, turn)})" if kind is _SCORES else f'remove_characters("{_word(place, turn)}")'
    return kind[place] if not turn else f"{kind[place]} | {mark}" if kind is _SCORES else f"{mark} | {kind[place]}"


def _share(place: int, turn: int) -> float:
    return _SHARES[place] / (turn + 1)


def _word(place: int, turn: int) -> str:
    return ("qzv", "xjw")[place] + "y" * turn


_VALUES: tuple[Callable[[int, int], Any], ...] = (_share, lambda place, turn: (17, 23)[place] + 100 * turn, _word)


def _expand(definition: Definition, scope: Scope, seen: frozenset[tuple[tuple[str, str], str]] = frozenset()) -> Any:
    """Return a definition as it is written, with every definition and value that it refers to, as nested data; versions
    of a definition with equal data have the same meaning.

    Args:
        definition: The definition.
        scope: The names that its file can use.
        seen: The definitions that contain it, which are not expanded again.
    """
    key = (scope.key, definition.name)
    if len(seen) >= MAX_DEPTH:  # as deep as the compiler follows definitions
        return scope.digest
    pipelines = [definition.pipeline, *(one.pipeline for one in definition.params if one.pipeline is not None)]
    references: dict[str, Any] = {}
    for node in (node for pipeline in pipelines for node in walk(pipeline)):
        if isinstance(node, Path) and node.root == "values":
            references["values"] = _all_values(scope)
        if not isinstance(node, Call) or node.name in references:
            continue
        inner = scope.definition(node.name)
        if inner is not None and (inner[1].key, inner[0].name) not in {*seen, key}:
            references[node.name] = _expand(*inner, seen | {key})
        elif inner is None and node.is_alone and not registry.knows(node.name):
            references["values"] = _all_values(scope)
    return {**own_text(definition), "named": references}


def own_text(definition: Definition) -> dict[str, Any]:
    """Return the role, the expression and the parameters of a definition as they are written, without what they refer
    to."""
    params = [
        [
            one.name,
            None if one.default is NO_DEFAULT else [canonical_form(one.default, exact=True)],
            None if one.pipeline is None else print_pipeline(one.pipeline),
        ]
        for one in definition.params
    ]
    return {"role": definition.role, "is": print_pipeline(definition.pipeline), "params": params}


def _all_values(scope: Scope) -> Any:
    """Return the expressions of all values that a file computes from records, and the digest of each file that it
    imports.

    Args:
        scope: The names that the file can use.
    """
    own = {name: print_expression(value.pipeline) for name, value in scope.values.items()}
    imports = sorted((alias, pack.digest) for alias, pack in scope.imports.items())
    return [own, imports, sorted(pack.digest for pack in scope.packs().values()), scope.digest if own else ""]


def is_free(path: Path, param: str) -> bool:
    """Return True if a path in a program is the placeholder of the parameter with this name."""
    return path.root == "context" and path.segments == (_PARAMETER + param,)


Equality: TypeAlias = Literal["same", "proved", "by default", "differs"]
"""What is known about the equality of two versions of a definition.

same: they are written alike, and so is everything that they name. proved: their canonical programs are equal with every
parameter free. by default: they are equal with the default settings. differs: not even these are proved to be equal.
"""


def equality(old: Definitions, new: Definitions, name: str) -> Equality:
    """Return what is known about whether two versions of a definition give equal results: same, proved, by default or
    differs (see `Equality`).

    Args:
        old: The definitions of the old version.
        new: The definitions of the new version.
        name: The name of the definition.
    """
    before, after = old.by_name[name], new.by_name[name]
    if digest_of(_expand(before, old.scope)) == digest_of(_expand(after, new.scope)):  # distinguishes 1, 1.0 and true
        return "same"
    digest = old.digest(name, {})
    is_default = digest is not None and digest == new.digest(name, {})
    if _is_free_equal(old, new, name) and (is_default or not _has_new_default(before, after)):
        return "proved"
    return "by default" if is_default else "differs"


def _is_free_equal(old: Definitions, new: Definitions, name: str) -> bool:
    """Return True if two versions of a definition are proved to be equal for all settings of the parameters that both
    have."""
    known = {param.name for param in old.by_name[name].params}
    shared = [param for param in new.by_name[name].params if param.name in known]
    for ours, theirs in zip(freely(shared, old.scope), freely(shared, new.scope), strict=True):
        pairs = [(old.digest(name, one), new.digest(name, other)) for one, other in zip(ours, theirs, strict=True)]
        if all(one is not None and one == other for one, other in pairs):
            return True
    return False


def _has_new_default(old: Definition, new: Definition) -> bool:
    """Return True if a parameter that has a default in both versions of a definition has another one in the new
    version."""
    before = {param.name: param for param in old.params}
    return any(
        (param.name in before and _differ(before[param.name].default, param.default, NO_DEFAULT))
        or (param.name in before and _differ(before[param.name].pipeline, param.pipeline, None))
        for param in new.params
    )


def _differ(one: object, other: object, nothing: object) -> bool:
    return one is not nothing and other is not nothing and not same_value(one, other)
