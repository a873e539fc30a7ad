"""The meaning of each part of a file: the definitions of a pack; the fields, policies, metrics and so on of a task.

A meaning is the content that can change a score, as plain data. That of a definition is a function of its parameters.
It therefore consists of the program with the default arguments and a list of every setting that a parameter fills.
Names are not part of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from scoring.compiler.checks.link import Linker
from scoring.compiler.checks.resolve import Resolver
from scoring.compiler.identity.meaning import canonical_form, program_meaning
from scoring.compiler.programs.messages import Findings
from scoring.compiler.programs.program import Program
from scoring.compiler.programs.scope import Bound, Closure, Flow, PlainValue, Scope
from scoring.compiler.tasks.compile import compile_task
from scoring.diagnostics.diagnostic import SpecError
from scoring.format.definitions import NO_DEFAULT, Definition, Parameter
from scoring.format.load import Loaded, Loader, digest_of
from scoring.format.model import Pack, TaskSpec
from scoring.lang.parser import parse_pipeline
from scoring.lang.tree import Call, Path, walk
from scoring.registry import registry
from scoring.values import ANY

Meanings: TypeAlias = Mapping[str, str]
"""The digest of what each part of a file means, by its name."""

# Expressions of every kind, so that at least one of them is valid wherever a pipeline is required.
_PROBES = ("levenshtein | zero_below(0.625)", "common_prefix", "lower", "length", "max", "words | length")

_MOST_CHOICES = 12


class _MarkedText(str):
    """A string that carries the path of the parameter whose default it is (`of`), so that it is recognised in a
    compiled program."""

    __slots__ = ("of",)
    of: str


class _MarkedNumber(float):
    of: str

    def is_integer(self) -> bool:
        """Return False even for whole numbers, because a program would store those as plain integers, without the
        mark."""
        return False


class _MarkedInteger(int):
    of: str


READS = "reads."
"""The prefix of names that are read elsewhere, which are reported in addition to a task's meaning."""


def meanings(loaded: Loaded, loader: Loader) -> Meanings:
    """Return the digest of the meaning of each part of a pack (its definitions) or a task (fields, policies, metrics
    …), by the name of the part.

    Args:
        loaded: The file.
        loader: The loader that opens its imports.

    Raises:
        SpecError: when the file does not compile.
    """
    if isinstance(loaded.spec, Pack):
        return definition_meanings(loaded, loader)
    assert isinstance(loaded.spec, TaskSpec)
    recipe = compile_task(loaded, loader)[0].parts.recipe
    reads = {f"{READS}{name}": path for name, path in recipe.reads.items()}
    return {name: digest_of(part) for name, part in {**split_meaning(recipe.meaning), **reads}.items()}


def split_meaning(meaning: Mapping[str, Any]) -> dict[str, Any]:
    """Return the meaning of a whole task split into its parts, by name: each field as `fields.NAME`, the computed
    values as `values`, and every other key by its own name."""
    computed = meaning.get("computed", {})
    fields = [field for field in meaning.get("fields", ()) if isinstance(field, Mapping)]
    found: dict[str, Any] = {f"fields.{field.get('name')}": {**field, "name": None} for field in fields}
    found["fields"] = [field.get("name") for field in fields]
    own = {name: part for name, part in meaning.items() if name not in ("fields", "computed", "keys")}
    return {**found, **meaning.get("keys", {}), **own, **({"values": computed} if computed else {})}


def definition_meanings(loaded: Loaded, loader: Loader) -> dict[str, str]:
    """Return the digest of the meaning of each definition in a file, by its name; digests don't depend on the names of
    definitions and parameters.

    Raises:
        SpecError: when a definition does not compile.
    """
    findings = Findings()
    scope = Linker(loader, findings).scope(loaded)
    findings.diagnostics.raise_errors()
    definitions = getattr(loaded.spec, "definitions", {})
    return {name: digest_of(definition_meaning(one, scope)) for name, one in definitions.items()}


def definition_meaning(definition: Definition, scope: Scope) -> dict[str, Any]:
    """Return the meaning of a definition (what of it can change a score) as a function of its parameters, as plain
    data.

    Two definitions with equal meanings give the same scores for the same positional arguments: their programs with the
    default arguments are equal, and each parameter fills the same settings.

    Args:
        definition: The definition.
        scope: The names that its file can use.

    Raises:
        SpecError: when the definition does not compile.
    """
    marked = {param.name: _marked(param, str(place), scope) for place, param in enumerate(definition.params)}
    program, reference = compiled(definition, scope, marked)
    # The destinations of parameters: number of the step, setting, path inside the setting, path inside the default,
    # position of the parameter.
    flows = [
        [number, name, way, of.partition(".")[2], of.partition(".")[0]]
        for number, node in enumerate(program.all_nodes())
        for name, value in node.static.items()
        for way, of in _marks(value, "")
    ]
    reached = {flow[-1] for flow in flows}
    unseen = [(place, param) for place, param in enumerate(definition.params) if str(place) not in reached]
    return {
        "role": definition.role,
        "params": [_default(param) for param in definition.params],
        "program": program_meaning(program),
        "reference": None if reference is None else program_meaning(reference),
        "values": [[value.name, value.digest] for value in program.computed()],
        "flows": flows,
        "probed": [_probed(definition, scope, marked, place, param) for place, param in unseen],
    }


def compiled(definition: Definition, scope: Scope, bound: Mapping[str, Bound]) -> tuple[Program, Program | None]:
    """Return the compiled program of a definition, and for a parser also the one that it applies to references; None
    for other roles.

    Args:
        definition: The definition.
        scope: The names that its file can use.
        bound: The value of each parameter by name.

    Raises:
        SpecError: when the definition does not compile.
    """
    findings = Findings()
    resolver = Resolver(findings)
    resolver.computed.declared(scope)
    inside = scope.inside(bound)
    with resolver.within(scope, definition.name):
        if definition.role == "parser":
            program, reference = resolver.parse(definition.pipeline, inside, Flow(ANY), Flow(ANY))
        else:
            program, reference = resolver.in_role(definition.role, definition.pipeline, inside), None
    findings.diagnostics.raise_errors()
    return program, reference


def _choices(definition: Definition) -> list[str]:
    """Return the first few words that settings of the steps in a definition accept, if a setting only accepts fixed
    words."""
    names = sorted({node.name for node in walk(definition.pipeline) if isinstance(node, Call)})
    known = [found for name in names for found in (registry.get(name), registry.metric(name)) if found is not None]
    words = {str(choice): None for found in known for param in found.params for choice in param.choices}
    return [*words][:_MOST_CHOICES]


def _default(param: Parameter) -> Any:
    if param.takes_pipeline:
        return "pipeline" if param.pipeline is None else "pipeline with a default"  # the program contains the default
    return "none" if param.default is NO_DEFAULT else {"value": canonical_form(param.default)}


def _marked(param: Parameter, place: str, scope: Scope) -> Bound:
    if param.takes_pipeline:
        return Closure(param.pipeline or parse_pipeline("equal"), scope)
    if param.default is NO_DEFAULT:
        return Path("context", (f"parameter {place}",))
    return PlainValue(_mark(param.default, place), param.written)


def _mark(value: Any, place: str) -> Any:
    if isinstance(value, (list, tuple)):
        return [_mark(item, f"{place}.{at}") for at, item in enumerate(value)]
    if isinstance(value, dict):
        return {name: _mark(item, f"{place}.{at}") for at, (name, item) in enumerate(value.items())}
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return value
    kinds: tuple[tuple[type, Any], ...] = ((str, _MarkedText), (int, _MarkedInteger), (float, _MarkedNumber))
    marked = next(made for kind, made in kinds if isinstance(value, kind))(value)
    marked.of = place
    return marked


def _marks(value: Any, way: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, (_MarkedText, _MarkedNumber, _MarkedInteger)):
        yield way, value.of
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from _marks(item, f"{way}.{name}")
    elif isinstance(value, (list, tuple)):
        for at, item in enumerate(value):
            yield from _marks(item, f"{way}.{at}")


def _probed(
    definition: Definition, scope: Scope, marked: Mapping[str, Bound], place: int, param: Parameter
) -> list[Any]:
    """Return the meaning that a definition has with each of several values of one parameter; None in the list where it
    does not compile.

    This shows the effect of a parameter whose default can't be traced through the program: a Boolean, a pipeline, or
    none at all.

    Args:
        scope: The names that the definition can use.
        marked: The values of all parameters by name; only that of `param` is replaced.
        place: The position of the parameter.
        param: The parameter whose value is varied.
    """
    if param.takes_pipeline:
        probes: list[Bound] = [Closure(parse_pipeline(text), scope) for text in _PROBES]
    elif isinstance(param.default, bool):
        probes = [PlainValue(not param.default)]
    else:
        choices = [PlainValue(choice) for choice in _choices(definition)]
        probes = [Path("context", (f"parameter {place}",)), PlainValue("text"), PlainValue(0.375), *choices]
    found: list[Any] = []
    for probe in probes:
        try:
            found.append(program_meaning(compiled(definition, scope, {**marked, param.name: probe})[0]))
        except SpecError:
            found.append(None)
    return found
