"""Names of computed values: find which value a name means, without compiling any."""

from __future__ import annotations

from scoring.compiler.programs.program import ComputedPath
from scoring.compiler.programs.scope import Flow, Scope
from scoring.format.definitions import ValueSpec
from scoring.lang.places import Segments
from scoring.lang.tree import Path, Pipeline
from scoring.values import ANY

ROOT_NAMES = ("parsed",)
"""Names of values that no file declares, each the root of a path."""


def value_names(scope: Scope) -> list[str]:
    """Return the names of all values that expressions of a file can use."""
    return [*scope.values, *(f"{alias}.{name}" for alias, pack in scope.imports.items() for name in pack.values)]


def is_value_name(name: str, scope: Scope) -> bool:
    """Tell whether a bare name is that of a computed value."""
    return name in ROOT_NAMES or declared_value(tuple(name.split(".")), scope) is not None


def begins_with_value(pipeline: Pipeline, scope: Scope) -> bool:
    """Tell whether a pipeline begins with the path or name of a value rather than with a step."""
    first = pipeline.steps[0] if pipeline.steps else None
    if pipeline.head is not None or first is None:
        return True
    return first.is_alone and (isinstance(scope.params.get(first.name), Path) or is_value_name(first.name, scope))


def declared_value(segments: Segments, scope: Scope) -> tuple[ValueSpec, Scope, Segments] | None:
    """Return the declared value with which a path begins: its spec, the scope of its file, and the rest of the
    path; None if there is no such value."""
    if not segments:
        return None
    first, rest = str(segments[0]), segments[1:]
    if first in scope.values:
        return scope.values[first], scope.inside({}), rest
    pack = scope.imports.get(first)
    return declared_value(rest, pack) if pack is not None and rest and str(rest[0]) in pack.values else None


def flow_of(path: Path) -> Flow:
    """Return the type of the value at a path, with the step that produced it, as far as they are known."""
    if isinstance(path, ComputedPath) and len(path.segments) == 1:
        return Flow(path.value.program.output, path.value.name, path.span)
    return Flow(ANY)
