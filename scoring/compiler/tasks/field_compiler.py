"""Compile the fields of a task: their scorers, and where the two compared values come from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from scoring.compiler.checks.compared import CompiledField, FieldSource, ValueSource, may_hold_fields
from scoring.compiler.checks.resolve import Resolver
from scoring.compiler.checks.value_names import flow_of
from scoring.compiler.programs.program import Program
from scoring.compiler.programs.scope import Flow, Scope
from scoring.diagnostics.source import Span
from scoring.format.model import FieldSpec, TaskSpec
from scoring.values import ANY

if TYPE_CHECKING:
    from scoring.compiler.tasks.named_sources import NamedSources


def _is_of_values(path: str) -> bool:
    return path.startswith("values.")


class FieldCompiler:
    """A compiler of the fields of one task: the parts of an answer that are scored, each by its own pipeline."""

    def __init__(self, spec: TaskSpec, scope: Scope, resolver: Resolver) -> None:
        self.spec = spec
        self.scope = scope
        self.resolver = resolver
        self.findings = resolver.findings

    @property
    def sources(self) -> NamedSources:
        """The resolver of the names of values, which most tasks do without."""
        from scoring.compiler.tasks.named_sources import NamedSources

        return NamedSources(self.scope, self.resolver.computed, self.findings)

    def breakdowns(self, spans: Mapping[str, Span | None]) -> dict[str, ValueSource]:
        """Return the computed values that paths of breakdowns read, by path; ``spans`` has each path's position."""
        packs = self.scope.imports.values()
        if not (self.scope.values or any(pack.values for pack in packs) or any(map(_is_of_values, spans))):
            return {}
        found = {path: self.sources.of_path(path, span) for path, span in spans.items()}
        return {path: source for path, source in found.items() if source is not None}

    def compile(self, parse: Program | None, parse_reference: Program | None) -> list[CompiledField]:
        """Return the fields whose scorers have no mistakes; ``parse`` and ``parse_reference`` are the task's parse
        stage, if any.
        """
        compiled = []
        for field in self.spec.fields:
            if field.formula is not None:
                continue
            if field.pipeline is None:
                self.findings.error(
                    "unused-field",
                    f"nothing scores the field `{field.name}`",
                    field.span,
                    help="give it a scorer, or leave it out",
                )
                continue
            one = self._field(field, parse, parse_reference)
            if one is not None:
                compiled.append(one)
        scores_nothing = not compiled and all(field.formula is None for field in self.spec.fields)
        if scores_nothing and self.spec.records is None and not self.findings.diagnostics.has_errors:
            message = "this task scores nothing"
            self.findings.error("unused-field", message, self.spec.span, help="add `fields:` or `score:`")
        return compiled

    def _field(self, field: FieldSpec, parse: Program | None, parse_reference: Program | None) -> CompiledField | None:
        assert field.pipeline is not None
        right = parse_reference if parse_reference is not None and parse_reference.prediction else None
        ours, theirs = self._by_default(parse), self._by_default(right or parse)
        if field.prediction is not None:
            stated = self.sources.of_field(field.prediction, "prediction")
            if stated is not None:
                self.sources.check_use(field, field.prediction, parse)
            ours = stated or ours
        if field.reference is not None:
            theirs = self.sources.of_field(field.reference, "reference", has_place=right is None) or theirs
        flows = self._flow(parse, ours), self._flow(right, theirs)
        program = self.resolver.scorer(field.pipeline, self.scope, *flows)
        return CompiledField(field, program, ours, theirs) if program.join is not None else None

    def _by_default(self, parse: Program | None) -> FieldSource:
        """Return what a field compares of one side where it says nothing: what has its name in the result of the
        ``parse`` stage if this may be a mapping, else all of it."""
        is_named = parse is not None and self.spec.score is None and may_hold_fields(parse.output)
        return FieldSource(None if is_named else ())

    def _flow(self, parse: Program | None, side: FieldSource) -> Flow:
        """Return what is known about the type of one of a field's two values, given the parse stage of that side."""
        source = side.source
        if source is not None:
            return flow_of(source.whole) if not source.segments else Flow(ANY)
        if parse is None or not parse.prediction:
            return Flow(ANY)
        last, kind = parse.prediction[-1], parse.output
        if side.place is None:
            return Flow(kind.args[1], last.step, last.span) if kind.name == "Dict" else Flow(ANY)
        return Flow(ANY) if side.place else Flow(kind, last.step, last.span)
