"""Checks of definitions: those of a task, those of a pack, and each by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.compiler.checks.lint import names_called, pipelines_of
from scoring.compiler.checks.resolve import Resolver
from scoring.compiler.programs.messages import Findings
from scoring.compiler.programs.program import Program
from scoring.compiler.programs.scope import Bound, Closure, PlainValue, Scope
from scoring.format.definitions import NO_DEFAULT, Definition, Parameter
from scoring.format.keys import definitions_brought
from scoring.format.model import Pack, TaskSpec
from scoring.lang.parser import parse_pipeline
from scoring.lang.tree import Path


def compile_definition(
    definition: Definition, scope: Scope, resolver: Resolver, arguments: Mapping[str, Any] | None = None
) -> Program:
    """Return the program of one definition, whose parameters have the values in ``arguments``, or else their defaults.

    A parameter without either is treated as an unknown value, or as ``equal`` if it takes a pipeline, so that the rest
    can be checked.
    """
    inner = scope.inside(bound_defaults(definition, scope, arguments))
    with resolver.within(scope, definition.name):
        return resolver.in_role(definition.role, definition.pipeline, inner)


def bound_defaults(definition: Definition, scope: Scope, values: Mapping[str, Any] | None = None) -> dict[str, Bound]:
    """Return values for all parameters of a definition that is checked on its own, without a call.

    ``values`` has plain values for some parameters. A parameter with neither value nor default becomes an unknown value
    or, if it takes a pipeline, the pipeline `equal`.
    """
    return {param.name: _bound_default(param, scope, values or {}) for param in definition.params}


def _bound_default(param: Parameter, scope: Scope, values: Mapping[str, Any]) -> Bound:
    if param.name in values:
        value = values[param.name]
        return Closure(parse_pipeline(value), scope) if param.takes_pipeline else PlainValue(value)
    if param.takes_pipeline:
        return Closure(param.pipeline or parse_pipeline("equal"), scope)
    return Path("context", (param.name,)) if param.default is NO_DEFAULT else PlainValue(param.default, param.written)


def check_definitions(spec: TaskSpec, findings: Findings) -> None:
    """Report definitions that no expression of the task uses, and parameters that their definition does not use.

    Packs are not checked this way: their definitions are for importers, and parameters may exist for a common
    interface.
    """
    for definition in spec.definitions.values():
        if spec.is_inherited(definition.span):
            continue
        if definition.name not in names_called(pipelines_of(spec, but=definition)):
            findings.diagnostics.warning(
                "unused-definition",
                f"nothing uses `{definition.name}`",
                definition.span,
                help="use it, remove it, or move it to a pack, from which others import it",
            )
        check_parameters(definition, findings)


def check_parameters(definition: Definition, findings: Findings) -> None:
    """Report parameters that their definition does not use, except those whose `doc` says why they are kept."""
    called = names_called([definition.pipeline])
    for param in definition.params:
        if param.name not in called and not param.doc:
            findings.diagnostics.warning(
                "unused-definition",
                f"`{definition.name}` does not use its parameter `{param.name}`",
                param.span,
                help="name it in the expression, remove it, or say in its `doc` what it is kept for",
            )


def check_idle(spec: Pack, findings: Findings) -> None:
    """Report private definitions that a pack does not use, and parameters that its definitions do not use."""
    _check_private(spec, findings)
    brought = definitions_brought(spec)
    for definition in spec.definitions.values():
        # An old name keeps what importers give it.
        if definition.deprecated is None and definition.name not in brought:
            check_parameters(definition, findings)


def _check_private(spec: Pack, findings: Findings) -> None:
    """Report private definitions, whose names begin with an underscore, that the pack itself does not use."""
    for definition in spec.definitions.values():
        if is_private(definition) and definition.name not in names_called(pipelines_of(spec, but=definition)):
            findings.diagnostics.warning(
                "unused-definition",
                f"nothing uses `{definition.name}`, which is private to this pack",
                definition.span,
                help="use it, remove it, or give it a name without `_` in front",
            )


def is_private(definition: Definition) -> bool:
    """Tell whether the name of a definition marks it as private to its pack."""
    return definition.name.startswith("_")
