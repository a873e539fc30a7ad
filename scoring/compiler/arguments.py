"""Binding the arguments of a call to the parameters of a primitive or of a definition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from scoring.compiler.computed import ComputedValues, flow_of
from scoring.compiler.program import ComputedPath
from scoring.compiler.row import show_path
from scoring.compiler.scope import Bound, Closure, Given, Scope
from scoring.diagnostics.diagnostic import Label
from scoring.diagnostics.source import Fragment, Span
from scoring.format.model import NO_DEFAULT, Definition, Parameter
from scoring.lang.parser import parse_pipeline
from scoring.lang.tree import ITEM, Call, ListValue, Literal, MapValue, Path, Pipeline, Value, as_pipeline
from scoring.lang.words import BadEscape, places, unquote
from scoring.late import dataclass
from scoring.registry.annotations import FolderText
from scoring.registry.model import Param, Primitive
from scoring.values import ANY, assignable, misfit

if TYPE_CHECKING:
    from scoring.compiler.messages import Findings


@dataclass(slots=True)
class Arguments:
    """The bound arguments of a primitive's call: plain values, row values, pipelines."""

    static: dict[str, Any] = field(default_factory=dict)
    dynamic: dict[str, Path] = field(default_factory=dict)
    pipelines: dict[str, Any] = field(default_factory=dict)


class _Failed(Exception):
    """An argument that was reported already."""


_WITHOUT_ROW = ("metric", "aggregator")
"""Kinds of primitives that see no single record: a setting that is read from one would be read nowhere."""


def bind_primitive(
    call: Call,
    primitive: Primitive,
    scope: Scope,
    findings: Findings,
    computed: ComputedValues,
    *,
    in_items: bool = False,
) -> Arguments | None:
    """The arguments of a primitive's call; None when something was wrong with them, which is reported.

    Args:
        call: The call.
        primitive: What is called.
        scope: What names mean where it stands.
        findings: Where findings go.
        computed: What the names of computed values mean.
        in_items: Whether it stands inside a step that goes through items.
    """
    pairs = _pair_with_params(call, primitive, findings)
    if pairs is None:
        return None
    binder = _Binder(primitive, scope, findings, computed, in_items)
    failed = False
    for param, name, value in pairs:
        try:
            binder.bind(param, name, value)
        except _Failed:
            failed = True
    given = {*binder.bound.static, *binder.bound.dynamic, *binder.bound.pipelines}
    for param in primitive.params:
        is_wanted = param.required or (param.variadic == "positional" and param.pipeline is not None)
        if is_wanted and param.name not in given and not failed:
            findings.missing_parameter(call, param.name, param.doc)
            failed = True
    if failed or _is_at_fault(primitive, pairs, binder.bound, scope, findings):
        return None
    return binder.bound


def _is_at_fault(
    primitive: Primitive, pairs: list[tuple[Param, str, Value]], bound: Arguments, scope: Scope, findings: Findings
) -> bool:
    """Whether the primitive itself finds fault with its settings; that is reported, at the part that is wrong."""
    fault = primitive.fault(bound.static, bound.dynamic)
    if fault is None:
        return False
    value = next((value for param, _, value in pairs if param.name == fault.param), None)
    named = scope.params.get(value.steps[0].name) if isinstance(value, Pipeline) and value.is_word else None
    written = named.written if isinstance(named, Given) else _fragment(value)
    span = None if value is None else value.span
    if written is None or fault.start is None:
        findings.error("argument-value", fault.message, span, fault.label, help=fault.help)
        return True
    part = written.span(fault.start, max(fault.end, fault.start + 1))
    labels = [Label(span, "it comes from this parameter")] if isinstance(named, Given) else []
    findings.error("argument-value", fault.message, part, fault.label, labels, fault.help)
    return True


def _fragment(value: Value | None) -> Fragment | None:
    """The text of an argument, each character with its place where it stands as it is meant."""
    if not isinstance(value, Literal) or not isinstance(value.value, str) or value.span is None:
        return None
    span, text = value.span, value.value
    found = span.text.find(text)
    inside: Sequence[int] = range(found, found + len(text) + 1)
    if found < 0:
        try:
            inside = places(span.text) if unquote(span.text) == text else ()
        except (BadEscape, IndexError):
            inside = ()
    if len(inside) != len(text) + 1:
        return Fragment(text, span)
    starts = [span.start + place for place in inside]
    return Fragment(text, span, starts[:-1], starts[1:])


def _pair_with_params(call: Call, primitive: Primitive, findings: Findings) -> list[tuple[Param, str, Value]] | None:
    pairs: list[tuple[Param, str, Value]] = []
    slots = [param for param in primitive.params if not param.variadic]
    rest = next((param for param in primitive.params if param.variadic == "positional"), None)
    others = next((param for param in primitive.params if param.variadic == "keyword"), None)
    for index, value in enumerate(call.args):
        param = rest if rest is not None else slots[index] if index < len(slots) else None
        if param is None:
            findings.too_many(call.name, [slot.name for slot in slots], value.span)
            return None
        pairs.append((param, param.name, value))
    taken = {param.name for param, *_ in pairs if not param.variadic}
    for index, (name, value) in enumerate(call.kwargs):
        param = next((slot for slot in slots if slot.name == name), others)
        if param is None or name in taken:
            known = [slot.name for slot in slots if slot.name not in taken]
            findings.unknown_parameter(call.name, name, known, call.keyword_span(index) or value.span)
            return None
        pairs.append((param, name, value))
    return pairs


class _Binder:
    """Binds the arguments of one call of a primitive; what is wrong is reported, and raises `_Failed`."""

    def __init__(
        self, primitive: Primitive, scope: Scope, findings: Findings, computed: ComputedValues, in_items: bool
    ) -> None:
        self.in_items = in_items
        self.owner = primitive.name
        self.has_row = primitive.kind not in _WITHOUT_ROW
        self.scope = scope
        self.findings = findings
        self.computed = computed
        self.bound = Arguments()

    def bind(self, param: Param, name: str, value: Value) -> None:
        """Bind one argument."""
        if param.pipeline is not None:
            self._pipeline(param, name, value)
            return
        plain = plain_value(value, self.scope, self.findings, self.owner, param, self.computed)
        if isinstance(plain, Path):
            if not self.has_row:
                self._no_row(param, plain, value)
            is_item = plain.root == ITEM or (isinstance(plain, ComputedPath) and plain.of_item)
            if is_item and not (self.in_items or param.of_item):
                self._no_item(plain, value)
            self._check_type(param, plain, value)
            self.bound.dynamic[name] = plain
            return
        check_value(self.owner, param, plain, value.span, self.findings)
        if param.is_folder and isinstance(plain, str):
            plain = FolderText.beside(plain, "" if value.span is None else value.span.source.name)
        self.bound.static[name] = plain

    def _check_type(self, param: Param, path: Path, value: Value) -> None:
        """That a computed value may be what the parameter takes, as far as its steps tell."""
        flow = flow_of(path)
        if flow.type != ANY and not assignable(flow.type, param.type, {}):
            self.findings.error(
                "argument-type",
                f"`{param.name}` of `{self.owner}` takes {param.type}, but `{show_path(path)}` gives {flow.type}",
                value.span,
                f"expected {param.type}",
                help=f"`{param.name}`: {param.doc}",
            )
            raise _Failed

    def _no_row(self, param: Param, path: Path, value: Value) -> None:
        inner = ".".join(map(str, path.segments))
        self.findings.error(
            "argument-type",
            f"`{param.name}` of `{self.owner}` can't be read from a record: it is for all of them",
            value.span,
            help=f'name the value in quotes: `{param.name}="{inner}"`'
            if param.is_path
            else f"`{param.name}`: {param.doc}",
        )
        raise _Failed

    def _no_item(self, path: Path, value: Value) -> None:
        self.findings.error(
            "argument-type",
            f"`{show_path(path)}` has a value only inside of a step that goes through items",
            value.span,
            "no item here",
            help="such as `each(over=record.items, score=…, join=mean)`; `record.x` is a value of the record",
        )
        raise _Failed

    def _pipeline(self, param: Param, name: str, value: Value) -> None:
        if isinstance(value, MapValue) and param.pipeline is not None and param.pipeline.mapping:
            self.bound.pipelines[name] = {key: self._closure(param, item) for key, item in value.items}
        elif isinstance(value, Literal) and value.value is None and param.default is None:
            self.bound.static[name] = None
        elif param.variadic == "positional":
            self.bound.pipelines.setdefault(name, []).append(self._closure(param, value))
        else:
            self.bound.pipelines[name] = self._closure(param, value)

    def _closure(self, param: Param, value: Value) -> Closure:
        pipeline = as_pipeline(value)
        if isinstance(pipeline, Pipeline):
            return Closure(pipeline, self.scope)
        self.findings.error(
            "argument-type",
            f"`{param.name}` of `{self.owner}` takes a pipeline",
            value.span,
            "expected a pipeline",
            help=f"`{param.name}`: {param.doc}",
        )
        raise _Failed


def plain_value(
    value: Value, scope: Scope, findings: Findings, owner: str, param: Param | Parameter, computed: ComputedValues
) -> Any:
    """The plain data of an argument, with parameters of the definition filled in.

    Raises:
        _Failed: when it is a name that stands for no value; that is reported.
    """
    if isinstance(value, Literal):
        return value.value
    if isinstance(value, ListValue):
        return [plain_value(item, scope, findings, owner, param, computed) for item in value.items]
    if isinstance(value, MapValue):
        return {key: plain_value(item, scope, findings, owner, param, computed) for key, item in value.items}
    if isinstance(value, Path):
        return _held(computed.path(value, scope))
    word = value.steps[0].name
    known = scope.params.get(word) if value.is_word else None
    if isinstance(known, (Given, Path)):
        return known.value if isinstance(known, Given) else known
    if computed.begins(value, scope):
        return _held(computed.made(value, scope))
    findings.error(
        "argument-type",
        f"`{param.name}` of `{owner}` takes a value, not a pipeline",
        value.span,
        "expected a value",
        help=(
            f'text stands in quotes: `{param.name}="{word}"`' if value.is_word else f"`{param.name}`: {param.doc}",
            *([] if value.is_word else [f"what is computed begins with a value: `{param.name}=reference | {word}`"]),
        ),
    )
    raise _Failed


def _held(path: Path | None) -> Path:
    """A path that could be resolved; what is wrong with another one is reported."""
    if path is None:
        raise _Failed
    return path


def check_value(owner: str, param: Param, value: Any, span: Span | None, findings: Findings) -> None:
    """Check one plain value against the parameter's type, members and bounds.

    Raises:
        _Failed: when it does not fit; that is reported.
    """
    if value is None and param.default is None:
        return
    if value not in param.choices if param.choices else misfit(value, param.type):
        findings.wrong_value(owner, param, value, span)
    elif not param.is_within(value):
        findings.out_of_bounds(owner, param, value, span)
    else:
        return
    raise _Failed


def bound_defaults(definition: Definition, scope: Scope, given: Mapping[str, Any] | None = None) -> dict[str, Bound]:
    """The parameters of a definition where it is looked at by itself.

    Args:
        definition: The definition.
        scope: The names of its file.
        given: Plain values for some of them. One without a default that is not given is a value that only a call tells,
            or, if it takes a pipeline, `equal`.
    """
    return {param.name: _bound_default(param, scope, given or {}) for param in definition.params}


def _bound_default(param: Parameter, scope: Scope, given: Mapping[str, Any]) -> Bound:
    if param.name in given:
        value = given[param.name]
        return Closure(parse_pipeline(value), scope) if param.takes_pipeline else Given(value)
    if param.takes_pipeline:
        return Closure(param.pipeline or parse_pipeline("equal"), scope)
    return Path("context", (param.name,)) if param.default is NO_DEFAULT else Given(param.default, param.written)


def bind_definition(
    call: Call, definition: Definition, own: Scope, scope: Scope, findings: Findings, computed: ComputedValues
) -> dict[str, Bound] | None:
    """The parameters of a definition's call; None when something was wrong, which is reported."""
    params = {param.name: param for param in definition.params}
    given: dict[str, Value] = {}
    for index, value in enumerate(call.args):
        if index >= len(definition.params):
            findings.too_many(call.name, list(params), value.span)
            return None
        given[definition.params[index].name] = value
    for index, (name, value) in enumerate(call.kwargs):
        if name not in params or name in given:
            known = [known for known in params if known not in given]
            findings.unknown_parameter(call.name, name, known, call.keyword_span(index) or value.span)
            return None
        given[name] = value
    try:
        return {
            name: _bind_parameter(call, one, given.get(name), own, scope, findings, computed)
            for name, one in params.items()
        }
    except _Failed:
        return None


def _bind_parameter(
    call: Call,
    param: Parameter,
    value: Value | None,
    own: Scope,
    scope: Scope,
    findings: Findings,
    computed: ComputedValues,
) -> Bound:
    if value is None:
        if param.pipeline is not None:
            return Closure(param.pipeline, own)
        if param.default is NO_DEFAULT:
            findings.missing_parameter(call, param.name, param.doc)
            raise _Failed
        return Given(param.default, param.written)
    pipeline = as_pipeline(value)
    if param.takes_pipeline and isinstance(pipeline, Pipeline):
        known = scope.params.get(pipeline.steps[0].name) if pipeline.is_word else None
        return known if isinstance(known, Closure) else Closure(pipeline, scope)
    plain = plain_value(value, scope, findings, call.name, param, computed)
    return plain if isinstance(plain, Path) else Given(plain, _fragment(value))
