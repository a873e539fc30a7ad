"""From the fields of a task to their programs: what each compares, and where its two values come from."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from scoring.compiler.computed import INSIDE, CompiledField, ComputedValues, ValueSource, flow_of
from scoring.compiler.messages import Findings, listed
from scoring.compiler.program import ComputedPath, Program
from scoring.compiler.record import DEFAULTS, WHOLE, reader
from scoring.compiler.resolve import Resolver
from scoring.compiler.scope import Flow, Scope
from scoring.diagnostics.diagnostic import Label, SpecError
from scoring.diagnostics.source import Span
from scoring.format.model import FieldSpec, Pack, TaskSpec
from scoring.lang.parser import parse_path
from scoring.lang.printer import print_pipeline
from scoring.lang.tree import ROOTS, Path, Pipeline
from scoring.late import dataclass, pattern
from scoring.values import ANY, Type

_ROOTED = pattern(r"(record|context|reference|prediction|parsed)[.\[]")
_FIRST = pattern(r"(values\.)?([^\W\d]\w*)(?:\.([^\W\d]\w*))?")
# What stands for something else where values are named.
_WORDS = frozenset({*ROOTS, *DEFAULTS, "item", "score", "passed", "true", "false", "null", "and", "or", "not"})


@dataclass(frozen=True, slots=True)
class ValueSources:
    """Resolves where the fields and breakdowns of one task take computed values from."""

    _scope: Scope
    _computed: ComputedValues
    _findings: Findings

    def of_path(self, text: str, span: Span | None) -> ValueSource | None:
        """The value that a JMESPath begins with, by its name; None where it begins with none."""
        found = _FIRST.match(text)
        if found is None:
            return None
        prefix, first, second = found.groups()
        scope = self._scope
        if first in scope.values:
            name, end = first, found.end(2)
        elif second and first in scope.imports and second in scope.imports[first].values:
            name, end = f"{first}.{second}", found.end(3)
        else:
            pack = scope.imports.get(first)
            if second and pack is not None and pack.values:  # one without values leaves the name to the answer
                known = listed(f"{first}.{name}" for name in pack.values)
                self._findings.unknown(
                    "unknown-name",
                    f"`{first}` has no value `{second}`",
                    span,
                    second,
                    pack.values,
                    f"values: {known}; a place in the answer that is called so is `@.{text}`",
                )
            elif prefix and scope.values:
                known = f"values: {listed(scope.values)}"
                self._findings.unknown("unknown-name", f"there is no value `{first}`", span, first, scope.values, known)
            return None
        path = self._computed.named(name, scope, span)
        if not isinstance(path, ComputedPath):
            return None
        return _readable(ValueSource(path.value, f"value{text[end:]}"), self._findings)

    def of_field(self, place: str | Pipeline | None, span: Span | None) -> ValueSource | None:
        """Where a field's `prediction` or `reference` takes a computed value from; None where it names a place."""
        if isinstance(place, Pipeline):
            path = self._computed.made(place, self._scope) if self._computed.begins(place, self._scope) else None
            return ValueSource(path.value) if isinstance(path, ComputedPath) else None
        if place is None:
            return None
        return self._of_row(place, span) if _ROOTED.match(place) else self.of_path(place, span)

    def _of_row(self, text: str, span: Span | None) -> ValueSource | None:
        """What a path reads that begins as those of expressions do, `record.town`; it may go on as a JMESPath."""
        try:
            head = replace(parse_path(text), span=span)
            path = "value"
        except SpecError:
            root: Any = re.split(r"[.\[]", text, maxsplit=1)[0]
            head, path = Path(root, (), span), f"value{text[len(root) :]}"
        value = self._computed.value_of(head, (), self._scope, text, span)
        # What is wrong with it, the path as it is written is told for.
        return None if value is None else _readable(ValueSource(value, path), Findings())

    def of_parse(self, field: FieldSpec, left: Program, right: Program) -> tuple[ValueSource, ValueSource | None]:
        """What a field's own parse stage reads: the response, and the reference where that has steps of its own."""
        assert field.parse is not None
        text = print_pipeline(field.parse)
        answer = self._computed.of_program(Path("prediction"), left, text)
        path = field.prediction if isinstance(field.prediction, str) else WHOLE
        their = self._computed.of_program(Path("reference"), right, text) if right.prediction else None
        ours = ValueSource(answer, is_whole=True) if path == WHOLE else ValueSource(answer, f"{INSIDE}{path}")
        return ours, None if their is None else ValueSource(their, is_whole=True)


def _readable(source: ValueSource, findings: Findings) -> ValueSource | None:
    """A source whose path can be read; what is wrong with another one goes to the findings."""
    try:
        source.reader()
    except SpecError as error:
        findings.diagnostics.extend(error.diagnostics)
        return None
    return source


def check_value_names(spec: TaskSpec | Pack, findings: Findings) -> None:
    """That each value has a name of its own: fields, parts of a record and values share one space of names."""
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
    """Compiles the fields of one task."""

    def __init__(self, spec: TaskSpec, scope: Scope, resolver: Resolver) -> None:
        self.spec = spec
        self.scope = scope
        self.resolver = resolver
        self.findings = resolver.findings
        self.sources = ValueSources(scope, resolver.computed, self.findings)

    def compile(self, parse: Program | None, parse_reference: Program | None) -> list[CompiledField]:
        """The fields that have a scorer without mistakes, behind the task's parse stage, if it has one."""
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
            self.sources.of_field(place, self._span(place, field)) for place in (field.prediction, field.reference)
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
        """What is known of a field's value from where it is computed, or from what the parse stage yields."""
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
