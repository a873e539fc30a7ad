"""What the `prediction` and `reference` of fields and the paths of breakdowns name, and the names of values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from scoring.compiler.checks.compared import FieldSource, ValueSource, may_hold_fields
from scoring.compiler.checks.value_names import begins_with_value, is_value_name, value_names
from scoring.compiler.checks.values_compile import ComputedValues
from scoring.compiler.programs.messages import Findings, comma_list
from scoring.compiler.programs.program import ComputedPath, Program
from scoring.compiler.programs.scope import Scope
from scoring.compiler.records.record_reader import DEFAULTS, place_parts
from scoring.diagnostics.diagnostic import Label
from scoring.diagnostics.source import Span
from scoring.format.model import FieldSpec, Pack, TaskSpec
from scoring.lang.places import PARSED, segments_of
from scoring.lang.printer import print_pipeline, value_text
from scoring.lang.tree import ROOTS, FormulaText, Path, Pipeline, Root

SourceKey: TypeAlias = Literal["prediction", "reference"]

_OWN: Mapping[SourceKey, Root] = {"prediction": "parsed", "reference": "reference"}
# What stands for something else where values are named.
_WORDS = frozenset({*ROOTS, *DEFAULTS, "item", "score", "passed", "true", "false", "null", "and", "or", "not"})


class NamedSources(Struct, frozen=True):
    """A resolver of what a task's fields and breakdowns name to the values that they read."""

    _scope: Scope
    _computed: ComputedValues
    _findings: Findings

    def of_path(self, text: str, span: Span | None) -> ValueSource | None:
        """Return the computed value with whose name the path of a breakdown begins; None if there is none."""
        segments, each = place_parts(text, span)
        is_value = segments[:1] == ("values",) and len(segments) > 1
        segments = segments[1:] if is_value else segments
        if not is_value and (segments == (PARSED,) or not is_value_name(".".join(map(str, segments)), self._scope)):
            return None
        found = self._computed.path(Path("values", segments, span), self._scope)
        return replace(_inside(found), each=each) if isinstance(found, ComputedPath) else None

    def of_field(self, written: Pipeline, side: SourceKey, *, has_place: bool = True) -> FieldSource | None:
        """Return what the `prediction` or `reference` of a field names; None after reporting an error.

        Args:
            written: The expression.
            side: The key.
            has_place: Whether the side's own word stands for what fields compare.
        """
        if not begins_with_value(written, self._scope) or self._is_place(written.head):
            self._refuse(written, side)
            return None
        begun = self._computed.begun(written, self._scope)
        if begun is None:
            return None
        head, steps = begun
        if head.root == _OWN[side] and not steps and has_place:
            return FieldSource(head.segments)
        if not steps and isinstance(head, ComputedPath):
            return FieldSource(source=_inside(head))
        value = self._computed.value_of(head, steps, self._scope, print_pipeline(written), written.span)
        if value is not None and value.of_item:
            message = "a field compares values of the record, and there is no item outside of `each`"
            self._findings.error("bad-path", message, written.span, help="write `each` into the field's scorer")
            return None
        is_whole = not steps and not head.segments
        return None if value is None else FieldSource(source=ValueSource(value, is_whole=is_whole))

    def _is_place(self, head: Path | FormulaText | None) -> bool:
        """Tell whether an expression begins with a key and positions in it, as `lines[0]` does, not with a value."""
        found = segments_of(head.text) if isinstance(head, FormulaText) else None
        return bool(found) and not is_value_name(str(found[0] if found else ""), self._scope)

    def _refuse(self, written: Pipeline, side: SourceKey) -> None:
        """Report an expression that begins with a name that is no value of the file."""
        from scoring.diagnostics.meant import Advice

        texts = [print_pipeline(Pipeline((step,))) for step in written.steps]
        first, *others = texts if written.head is None else (value_text(written.head), *texts)
        name, scope, root = first if written.head else written.steps[0].name, self._scope, _OWN[side]
        is_step, known = name in scope.candidates(name), value_names(scope)
        alias, _, within = name.partition(".")
        place = " | ".join([f"{root} | {first}" if is_step else f"{root}.{first}", *others])
        if alias in scope.imports and not is_step:
            name, known = within.partition(".")[0], list(scope.imports[alias].values)
            message = f"`{alias}` has no value `{name}`"
            help_text = [f"values: {comma_list(f'{alias}.{one}' for one in known)}", f"or write `{place}`"]
        else:
            message = f"`{first}` is no value of this file"
            help_text = [
                Advice.of(f"write `{place}`", written.span, place),
                *([] if is_step else [f"or declare `{first}` under `values:`"]),
            ]
        self._findings.unknown("unknown-name", message, written.span, name, known, help_text)

    def check_use(self, field: FieldSpec, written: Pipeline, parse: Program | None) -> None:
        """Report a `prediction` that looks a key up in what `parse` gives, which is no mapping."""
        is_parsed = written.head is None and written.steps[0].name == "parsed"
        head = written.head if isinstance(written.head, Path) else Path("parsed" if is_parsed else "record")
        key = next(iter(head.segments), None)
        if head.root == "parsed" and parse is not None and isinstance(key, str) and not may_hold_fields(parse.output):
            self._findings.error(
                "parse-shape",
                f"`parse` gives {parse.output}, in which nothing is called `{key}`",
                written.span or field.span,
                "expected Dict",
                [Label(parse.span, "this is looked up in")] if parse.span is not None else [],
                help="parse with `json`, or write `parsed`, which is all of it",
            )


def _inside(path: ComputedPath) -> ValueSource:
    """Return the source for a path into a computed value."""
    return ValueSource(path.value, path.segments[1:])


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
