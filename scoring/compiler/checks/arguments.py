"""Binding of the arguments of a call to the parameters of a primitive or of a definition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scoring.compiler.checks.value_names import begins_with_value, flow_of, is_value_name
from scoring.compiler.programs.messages import Findings, fragment_of
from scoring.compiler.programs.program import is_of_item, show_path
from scoring.compiler.programs.scope import Bound, Closure, PlainValue, Scope
from scoring.diagnostics.diagnostic import Label
from scoring.diagnostics.source import Fragment, Span
from scoring.format.definitions import NO_DEFAULT, Definition, Parameter
from scoring.format.readings import may_be_formula
from scoring.lang.printer import print_pipeline
from scoring.lang.tree import Call, FormulaText, ListValue, Literal, MapValue, Path, Pipeline, Value, as_pipeline
from scoring.registry.annotations import FolderText
from scoring.registry.model import Param, Primitive
from scoring.values import ANY, assignable, misfit

if TYPE_CHECKING:
    from scoring.compiler.checks.values_compile import ComputedValues
    from scoring.compiler.programs.call_findings import CallFindings


@dataclass(slots=True)
class Arguments:
    """The arguments of a call of a primitive by parameter name: constants (``static``), paths that are read from each
    record (``dynamic``), and pipelines."""

    static: dict[str, Any] = field(default_factory=dict)
    dynamic: dict[str, Path] = field(default_factory=dict)
    pipelines: dict[str, Any] = field(default_factory=dict)


class _Failed(Exception):
    """The exception for an argument whose mistake was already reported."""


_WITHOUT_ROW = ("metric", "aggregator")
"""Kinds of primitives that see no single record: a setting that is read from one would be read nowhere."""


def wrong_calls(findings: Findings) -> CallFindings:
    """Return the reports of wrong calls, which few specs need."""
    from scoring.compiler.programs.call_findings import CallFindings

    return CallFindings(findings)


class Binder:
    """A binder of the arguments of a call to the parameters of what is called; mistakes are added to the findings.

    ``computed`` returns the compiler of computed values, which only arguments that name a value need.
    """

    def __init__(self, call: Call, scope: Scope, findings: Findings, computed: Callable[[], ComputedValues]) -> None:
        self.call = call
        self.owner = call.name
        self.scope = scope
        self.findings = findings
        self.computed = computed

    # ---- of a primitive

    def primitive(self, primitive: Primitive, *, in_items: bool) -> Arguments | None:
        """Return the arguments of the call bound to the parameters of ``primitive``, or None after reporting an error.

        ``in_items`` is true inside a step over the items of a list, where arguments may read the current item.
        """
        pairs = self._pairs(primitive)
        if pairs is None:
            return None
        self.owner = primitive.name
        bound, failed = Arguments(), False
        for param, name, value in pairs:
            try:
                if param.pipeline is not None:
                    self._pipeline(bound, param, name, value)
                else:
                    self._setting(bound, primitive, param, name, value, in_items)
            except _Failed:
                failed = True
        present = {*bound.static, *bound.dynamic, *bound.pipelines}
        for param in primitive.params:
            is_wanted = param.required or (param.variadic == "positional" and param.pipeline is not None)
            if is_wanted and param.name not in present and not failed:
                wrong_calls(self.findings).missing_parameter(self.call, param.name, param.doc)
                failed = True
        return None if failed or self._is_at_fault(primitive, pairs, bound) else bound

    def _pairs(self, primitive: Primitive) -> list[tuple[Param, str, Value]] | None:
        """Return each argument of the call as a triple of its parameter, the name under which it is passed, and its
        value; None after reporting an error."""
        call, pairs = self.call, list[tuple[Param, str, Value]]()
        slots = [param for param in primitive.params if not param.variadic]
        rest = next((param for param in primitive.params if param.variadic == "positional"), None)
        others = next((param for param in primitive.params if param.variadic == "keyword"), None)
        for index, value in enumerate(call.args):
            if isinstance(value, FormulaText) and self._is_comparison_by_mistake(value, primitive):
                return None
            param = rest if rest is not None else slots[index] if index < len(slots) else None
            if param is None:
                wrong_calls(self.findings).too_many(call.name, [slot.name for slot in slots], value.span)
                return None
            pairs.append((param, param.name, value))
        taken = {param.name for param, *_ in pairs if not param.variadic}
        for index, (name, value) in enumerate(call.kwargs):
            param = next((slot for slot in slots if slot.name == name), others)
            if param is None or name in taken:
                known = [slot.name for slot in slots if slot.name not in taken]
                wrong_calls(self.findings).unknown_parameter(
                    call.name, name, known, call.keyword_span(index) or value.span
                )
                return None
            pairs.append((param, name, value))
        return pairs

    def _is_comparison_by_mistake(self, value: FormulaText, primitive: Primitive) -> bool:
        """Tell whether an argument such as `other == "n"` was meant as `other="n"`; if so, report it."""
        name, equals, meant = value.text.partition(" == ")
        if not equals or primitive.param(name) is None or is_value_name(name, self.scope):
            return False
        message, help_text = f"`==` compares, and no value is called `{name}`", f"write `{name}={meant}`"
        label, instead = "one `=` gives an argument", f"{name}={meant}"
        self.findings.error("argument-type", message, value.span, label, help=help_text, meant=instead)
        return True

    def _is_at_fault(self, primitive: Primitive, pairs: list[tuple[Param, str, Value]], bound: Arguments) -> bool:
        """Tell whether the primitive's own check rejects its arguments (``bound``); if so, report the wrong one at its
        position in ``pairs``, which has each argument as written, with its parameter and name."""
        fault = primitive.fault(bound.static, bound.dynamic)
        if fault is None:
            return False
        value = next((value for param, _, value in pairs if param.name == fault.param), None)
        known = self.scope.params.get(value.steps[0].name) if isinstance(value, Pipeline) and value.is_word else None
        written = known.written if isinstance(known, PlainValue) else fragment_of(value)
        span, labels = None if value is None else value.span, list[Label]()
        if written is not None and fault.start is not None:
            labels = [Label(span, "it comes from this parameter")] if isinstance(known, PlainValue) else []
            span = written.span(fault.start, max(fault.end, fault.start + 1))
        self.findings.error("argument-value", fault.message, span, fault.label, labels, fault.help)
        return True

    def _setting(
        self, bound: Arguments, primitive: Primitive, param: Param, name: str, value: Value, in_items: bool
    ) -> None:
        plain = self._plain(value, param)
        if isinstance(plain, Path):
            self._check_path(primitive, param, plain, value, in_items)
            bound.dynamic[name] = plain
            return
        if plain is not None or param.default is not None:
            if plain not in param.choices if param.choices else misfit(plain, param.type):
                wrong_calls(self.findings).wrong_value(self.owner, param, plain, value.span)
                raise _Failed
            if not param.is_within(plain):
                wrong_calls(self.findings).out_of_bounds(self.owner, param, plain, value.span)
                raise _Failed
        if param.is_folder and isinstance(plain, str):
            plain = FolderText.relative_to(plain, "" if value.span is None else value.span.source.name)
        bound.static[name] = plain

    def _check_path(self, primitive: Primitive, param: Param, path: Path, value: Value, in_items: bool) -> None:
        """Check that the path of the argument ``value`` can be read at this step, and that its type, if known, is one
        that ``param`` accepts; raise `_Failed`, after reporting an error, if not.

        ``in_items`` is true inside a step over the items of a list, where the current item can be read.
        """
        description = f"`{param.name}`: {param.doc}"
        if primitive.kind in _WITHOUT_ROW:
            raise self._refused(
                f"`{param.name}` of `{self.owner}` can't be read from a record: it is for all of them",
                value.span,
                help=f'name the value in quotes: `{param.name}="{".".join(map(str, path.segments))}"`'
                if param.is_path
                else description,
            )
        if is_of_item(path) and not (in_items or param.of_item):
            self.findings.no_item(show_path(path), value.span)
            raise _Failed
        flow = flow_of(path)
        if flow.type != ANY and not assignable(flow.type, param.type, {}):
            raise self._refused(
                f"`{param.name}` of `{self.owner}` takes {param.type}, but `{show_path(path)}` gives {flow.type}",
                value.span,
                f"expected {param.type}",
                description,
            )

    def _pipeline(self, bound: Arguments, param: Param, name: str, value: Value) -> None:
        if isinstance(value, MapValue) and param.pipeline is not None and param.pipeline.mapping:
            bound.pipelines[name] = {key: self._closure(param, item) for key, item in value.items}
        elif isinstance(value, Literal) and value.value is None and param.default is None:
            bound.static[name] = None
        elif param.variadic == "positional":
            bound.pipelines.setdefault(name, []).append(self._closure(param, value))
        else:
            bound.pipelines[name] = self._closure(param, value)

    def _closure(self, param: Param, value: Value) -> Closure:
        pipeline = as_pipeline(value)
        if isinstance(pipeline, Pipeline):
            is_scorer = param.pipeline is not None and param.pipeline.form == "scorer"
            is_condition = is_scorer and self._is_condition(pipeline)
            return Closure(_holds(value) if is_condition else pipeline, self.scope)
        message = f"`{param.name}` of `{self.owner}` takes a pipeline"
        raise self._refused(message, value.span, "expected a pipeline", f"`{param.name}`: {param.doc}")

    def _is_condition(self, pipeline: Pipeline) -> bool:
        """Tell whether a pipeline is a value of the record alone, which as a scorer is a condition."""
        if pipeline.head is not None:
            return not pipeline.steps
        name = pipeline.steps[0].name
        is_step = self.scope.definition(name) is not None or self.scope.is_taken(name) or name in self.scope.params
        return pipeline.is_word and not is_step and is_value_name(name, self.scope)

    # ---- of a definition

    def definition(self, definition: Definition, own: Scope) -> dict[str, Bound] | None:
        """Return the arguments of a call of a definition by parameter name, or None after reporting an error.

        Defaults are resolved in ``own``, the scope of the definition.
        """
        call, params = self.call, {param.name: param for param in definition.params}
        arguments: dict[str, Value] = {}
        for index, value in enumerate(call.args):
            if index >= len(definition.params):
                wrong_calls(self.findings).too_many(call.name, list(params), value.span)
                return None
            arguments[definition.params[index].name] = value
        for index, (name, value) in enumerate(call.kwargs):
            if name not in params or name in arguments:
                known = [known for known in params if known not in arguments]
                wrong_calls(self.findings).unknown_parameter(
                    call.name, name, known, call.keyword_span(index) or value.span
                )
                return None
            arguments[name] = value
        try:
            return {name: self._parameter(one, arguments.get(name), own) for name, one in params.items()}
        except _Failed:
            return None

    def _parameter(self, param: Parameter, value: Value | None, own: Scope) -> Bound:
        if value is None:
            if param.pipeline is not None:
                return Closure(param.pipeline, own)
            if param.default is NO_DEFAULT:
                wrong_calls(self.findings).missing_parameter(self.call, param.name, param.doc)
                raise _Failed
            return PlainValue(param.default, param.written)
        pipeline = as_pipeline(value)
        if param.takes_pipeline and isinstance(pipeline, Pipeline):
            known = self.scope.params.get(pipeline.steps[0].name) if pipeline.is_word else None
            return known if isinstance(known, Closure) else Closure(pipeline, self.scope)
        plain = self._plain(value, param)
        return plain if isinstance(plain, Path) else PlainValue(plain, fragment_of(value))

    # ---- values

    def _plain(self, value: Value, param: Param | Parameter) -> Any:
        """Return an argument as plain data, with names of parameters of the enclosing definition replaced by their
        values; an argument that reads a path is returned as this path."""
        if isinstance(value, Literal):
            return value.value
        if isinstance(value, ListValue):
            return [self._plain(item, param) for item in value.items]
        if isinstance(value, MapValue):
            return {key: self._plain(item, param) for key, item in value.items}
        if isinstance(value, Path | FormulaText):
            return self._of_record(value)
        word = value.steps[0].name
        known = self.scope.params.get(word) if value.is_word else None
        if isinstance(known, (PlainValue, Path)):
            return known.value if isinstance(known, PlainValue) else known
        if begins_with_value(value, self.scope):
            return _known_path(self.computed().made(value, self.scope))
        if may_be_formula(value, self.scope.definitions, self.scope.values):
            text, span = print_pipeline(value), value.span
            fragment = Fragment.of(text)
            return self._of_record(FormulaText(text, fragment if span is None else Fragment(text, span)))
        ways = [f'text is written in quotes: `{param.name}="{word}"`']
        if not value.is_word:
            begun = f"what is computed begins with a value: `{param.name}=reference | {word}`"
            ways = [f"`{param.name}`: {param.doc}", begun]
        raise self._refused(
            f"`{param.name}` of `{self.owner}` takes a value, not a pipeline", value.span, "expected a value", ways
        )

    def _of_record(self, value: Path | FormulaText) -> Any:
        """Return the path of a value of the record, or the constant that a formula is."""
        if isinstance(value, Path) and value.root != "values":
            return value
        found = self.computed().argument(value, self.scope)
        return found.value if isinstance(found, PlainValue) else _known_path(found)

    def _refused(self, message: str, span: Span | None, label: str = "", help: str | list[str] = "") -> _Failed:
        self.findings.error("argument-type", message, span, label, help=help)
        return _Failed()


def _holds(value: Value) -> Pipeline:
    """Return the scorer that gives 1 where a condition, a value of the record, is true."""
    return Pipeline((Call("is_true", (value,), (), value.span, value.span),), value.span)


def _known_path(path: Path | None) -> Path:
    """Return a resolved path; raise `_Failed` for None, whose mistake was already reported."""
    if path is None:
        raise _Failed
    return path
