"""Compile the fields of a task: their scorers, and where the two compared values come from."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from scoring.compiler.checks.resolve import Resolver
from scoring.compiler.checks.values_compile import INSIDE, CompiledField, ComputedValues, ValueSource, flow_of
from scoring.compiler.programs.messages import Findings
from scoring.compiler.programs.program import ComputedPath, Program
from scoring.compiler.programs.scope import Flow, Scope
from scoring.compiler.records.record_reader import DEFAULTS, WHOLE, reader
from scoring.diagnostics.diagnostic import Label, SpecError
from scoring.diagnostics.source import Span
from scoring.format.model import FieldSpec, Pack, TaskSpec
from scoring.lang.parser import parse_path
from scoring.lang.printer import print_pipeline
from scoring.lang.tree import ROOTS, Path, Pipeline
from scoring.values import ANY, Type

if TYPE_CHECKING:
    from scoring.compiler.tasks.value_paths import ValuePaths

_ROOT_WORDS = ("record", "context", "reference", "prediction", "parsed")
_ROOTED = re.compile(rf"\b({'|'.join(_ROOT_WORDS)})[.\[]")
# What stands for something else where values are named.
_WORDS = frozenset({*ROOTS, *DEFAULTS, "item", "score", "passed", "true", "false", "null", "and", "or", "not"})


@dataclass(frozen=True, slots=True)
class ValueSources:
    """A resolver of the paths in a task's fields and breakdowns to the computed values that they read."""

    _scope: Scope
    _computed: ComputedValues
    _findings: Findings

    def of_path(self, text: str, span: Span | None) -> ValueSource | None:
        """Return the computed value whose name a JMESPath begins with, and the path into it; None if there is none."""
        return self._paths().source(text, span, roots=()) if self._may_name_values() else None

    def of_field(self, place: str | Pipeline | None, span: Span | None, side: str = "") -> ValueSource | None:
        """Return the computed value that ``place``, the `prediction` or `reference` of a field, reads; None if it is a
        plain path or has a mistake, which is reported."""
        if isinstance(place, Pipeline):
            if not self._computed.begins(place, self._scope):
                first, *others = map(print_pipeline, (Pipeline((step,)) for step in place.steps))
                self._paths().refuse(first, " | ".join(others), place.span or span, side)
                return None
            path = self._computed.made(place, self._scope)
            return ValueSource(path.value) if isinstance(path, ComputedPath) else None
        if place is None:
            return None
        if "|" in place.replace("||", "") and self._paths().refuse_piped(place, span, side):
            return None
        if not self._may_name_values() and not _ROOTED.search(place):
            return None
        return self._of_row(place, span) or self._paths().source(place, span, roots=_ROOT_WORDS)

    def _paths(self) -> ValuePaths:
        from scoring.compiler.tasks.value_paths import ValuePaths

        return ValuePaths(self._scope, self._computed, self._findings)

    def _may_name_values(self) -> bool:
        """Tell whether the file has any computed values that a path could name."""
        scope = self._scope
        return bool(scope.values) or any(pack.values for pack in scope.imports.values())

    def _of_row(self, text: str, span: Span | None) -> ValueSource | None:
        """Return the source for a path as expressions write it, such as `record.town`; None for any other text."""
        if not _ROOTED.match(text):
            return None
        try:
            head = replace(parse_path(text), span=span)
        except SpecError:
            return None
        value = self._computed.value_of(head, (), self._scope, text, span)
        return None if value is None else ValueSource(value)

    def of_parse(self, field: FieldSpec, left: Program, right: Program) -> tuple[ValueSource, ValueSource | None]:
        """Return the sources of both compared values for a field with its own `parse`, whose compiled steps are
        ``left`` (prediction) and ``right`` (reference); the second is None if ``right`` has no steps."""
        assert field.parse is not None
        text = print_pipeline(field.parse)
        answer = self._computed.of_program(Path("prediction"), left, text)
        path = field.prediction if isinstance(field.prediction, str) else WHOLE
        their = self._computed.of_program(Path("reference"), right, text) if right.prediction else None
        ours = ValueSource(answer, is_whole=True) if path == WHOLE else ValueSource(answer, f"{INSIDE}{path}")
        return ours, None if their is None else ValueSource(their, is_whole=True)


def check_value_names(spec: TaskSpec | Pack, findings: Findings) -> None:
    """Report each computed value whose name is also that of a field, a part of the record, an import or a
    definition.
    """
    fields = {field.name: field.span for field in spec.fields} if isinstance(spec, TaskSpec) else {}
    parts = dict.fromkeys(spec.record) if isinstance(spec, TaskSpec) else {}
    for name, value in spec.values.items():
        if name in _WORDS:
            what = "a word of the language" if name not in DEFAULTS else "a part of every record"
            findings.error(
                "name-conflict",
                f"`{name}` is {what}, and can't be the name of a value",
                value.span,
                help="choose another name",
            )
        for known, what in (
            (fields, "a field"),
            (parts, "a part of the record"),
            ({entry.alias: entry.alias_span for entry in spec.imports}, "an import"),
            ({one.name: one.span for one in spec.definitions.values()}, "a definition"),
        ):
            if name in known:
                findings.error(
                    "name-conflict",
                    f"`{name}` is both a value and {what}",
                    value.span,
                    "the value",
                    [Label(known[name], what)] if known[name] is not None else [],
                    help="give one of the two another name",
                )


class FieldCompiler:
    """A compiler of the fields of one task: the parts of an answer that are scored, each by its own pipeline."""

    def __init__(self, spec: TaskSpec, scope: Scope, resolver: Resolver) -> None:
        self.spec = spec
        self.scope = scope
        self.resolver = resolver
        self.findings = resolver.findings
        self.sources = ValueSources(scope, resolver.computed, self.findings)

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
        parse_spec = self.spec.parse
        if parse_spec is not None and self.spec.fields and all(one.parse is not None for one in self.spec.fields):
            self.findings.diagnostics.warning(
                "unused-field",
                "every field has its own `parse`, and the task's is for none of them",
                parse_spec.span,
                help="leave it out, or the fields' own",
            )
        return compiled

    def _field(self, field: FieldSpec, parse: Program | None, parse_reference: Program | None) -> CompiledField | None:
        assert field.pipeline is not None
        ours, theirs = (
            self.sources.of_field(place, self._span(place, field), side)
            for side, place in (("prediction", field.prediction), ("reference", field.reference))
        )
        if field.parse is not None:
            if ours is not None:
                self.findings.error(
                    "bad-value",
                    f"`parse` of `{field.name}` has no effect: its `prediction` is a value of another place",
                    field.span,
                    help="leave one of the two out",
                )
            left, right = self.resolver.parse(field.parse, self.scope, Flow(ANY), Flow(ANY))
            ours, parsed_reference = self.sources.of_parse(field, left, right)
            theirs, parse_reference = theirs or parsed_reference, None
        for place, source in ((field.prediction, ours), (field.reference, theirs)):
            if source is None and isinstance(place, str):
                try:
                    reader(place, self._span(place, field))
                except SpecError as error:
                    self.findings.diagnostics.extend(error.diagnostics)
        flows = (
            self._flow(parse, field, field.prediction, ours),
            self._flow(parse_reference, field, field.reference, theirs),
        )
        program = self.resolver.scorer(field.pipeline, self.scope, *flows)
        return CompiledField(field, program, ours, theirs) if program.join is not None else None

    def _span(self, place: object, field: FieldSpec) -> Span | None:
        return self.spec.spans.get(place, field.span) if isinstance(place, str) else field.span

    def _flow(self, parse: Program | None, field: FieldSpec, path: object, source: ValueSource | None) -> Flow:
        """Return what is known about the type of a field's value, given the task's parse stage, the field's path, and
        the computed value that it reads, if any."""
        if source is not None:
            return flow_of(source.whole) if source.path == "value" else Flow(ANY)
        if parse is None or not parse.prediction:
            return Flow(ANY)
        last = parse.prediction[-1]
        kind = parse.output
        if path == "@":
            return Flow(kind, last.step, last.span)
        if kind.name == "Dict" and path is None:
            return Flow(kind.args[1], last.step, last.span)
        if kind in (ANY, Type("Poison")) or kind.name in ("Union", "Dict") or path is not None:
            return Flow(ANY)
        if len(self.spec.fields) == 1:
            return Flow(kind, last.step, last.span)
        self.findings.error(
            "parse-shape",
            f"`parse` yields {kind}, but the fields need a mapping",
            last.span,
            "expected Dict",
            [Label(field.span, "this field is looked up in it")],
            help="parse with `json`, or keep a single field",
        )
        return Flow(Type("Poison"))
