"""Findings of the checks of names and types, in one module so that they read alike; and limits for nested
definitions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from scoring.compiler.programs.scope import Flow, Scope
from scoring.diagnostics.diagnostic import Diagnostics, Label
from scoring.diagnostics.source import Fragment, Span
from scoring.format.definitions import Definition
from scoring.lang.functions import CALLS
from scoring.lang.printer import value_text
from scoring.lang.tree import Call, Literal, Pipeline, Value
from scoring.lang.words import BadEscape, character_offsets, unquoted_text
from scoring.registry import registry
from scoring.registry.model import Param
from scoring.values import Type, show_type

MAX_DEPTH = 40
# Of the steps that called definitions come to, the limit follows the size of the file: definitions that multiply one
# another are refused soon, many small ones are accepted.
MAX_CALLED, MAX_CALLED_PER_STEP = 2_000, 20
MAX_STEPS = 100_000
# A single expression reaches 50; each level takes some ten frames of Python's stack.
MAX_NESTED = 60


class Findings:
    """A collection of findings; a mistake inside an imported definition is reported at the place in the author's own
    file that calls the definition."""

    def __init__(self) -> None:
        self.diagnostics = Diagnostics()
        # Where the definitions were called, and by which names, that the steps belong to: the outermost first.
        self.callers: list[tuple[Span | None, str]] = []

    def error(
        self,
        id: str,
        message: str,
        span: Span | None,
        label: str = "",
        secondary: Iterable[Label] = (),
        help: str | Sequence[str] = (),
    ) -> None:
        """Add an error; inside a definition it is placed at the outermost call, and ``span`` becomes a second
        location.
        """
        labels = list(secondary)
        if self.callers:
            caller, name = self.callers[0]
            if span is not None and span != caller:
                labels.append(Label(span, f"in the definition of `{name}`: {label or 'this step'}"))
                label = ""
            span = caller
        self.diagnostics.error(id, message, span, label, secondary=labels, help=help)

    def unknown(
        self,
        id: str,
        message: str,
        span: Span | None,
        name: str,
        known: Iterable[str],
        help_text: str | Sequence[str],
        also: Mapping[str, str] | None = None,
    ) -> None:
        """Report an unknown name, and suggest the nearest of the ``known`` names or synonyms (``also``)."""
        from scoring.diagnostics.suggest import did_you_mean

        self.error(id, message, span, did_you_mean(name, known, also=also), help=help_text)

    def unknown_name(self, call: Call, scope: Scope, *, metric: bool = False) -> None:
        """Report a call of a step, or with ``metric`` of a metric, that does not exist, and suggest another name."""
        from scoring.compiler.programs.suggestions import is_word_for_step, suggested_pipeline
        from scoring.diagnostics.suggest import nearest, spoken

        alias, dot, _ = call.name.partition(".")
        help_text = f'`scoring list --about "{spoken(call.name)}"` looks for it'
        if dot and alias not in scope.imports:
            known = comma_list(scope.imports) or "none"
            help_text = f"`{alias}` is not imported (imports: {known}); add it under `imports:`"
        message, span = f"nothing is called `{call.name}`", call.name_span or call.span
        argument = call.args[0] if len(call.args) == 1 and not call.kwargs else None
        if is_word_for_step(call.name) and isinstance(argument, Pipeline):
            self.error(
                "unknown-name", message, span, help=f"a step is written by its own name: write `{value_text(argument)}`"
            )
            return
        if not metric and (theirs := suggested_pipeline(call.name)):
            self.error("unknown-name", message, span, help=f"write `{theirs}`")
            return
        if not metric and call.name in CALLS:
            help_text = f"it is a function of formulas: write `formula: {value_text(call)}` instead of `score:`"
            self.error("unknown-name", message, span, help=help_text)
            return
        also = scope.other_names(metric=metric)
        similar = nearest(call.name, scope.candidates(call.name), also) or ""
        if metric and not registry.metric(similar) and registry.knows(similar):
            help_text = where_allowed(similar, "comparator", "metric")
        self.unknown("unknown-name", message, span, call.name, scope.candidates(call.name), help_text, also)

    def wrong_input(self, call: Call, side: str, flow: Flow, wanted: Type) -> None:
        """Report a step whose input is not of the type ``wanted``; ``flow`` describes the input, and ``side`` names it,
        such as "prediction"."""
        source = f"`{flow.step}`" if flow.step else f"the {side}"
        self.error(
            "type-mismatch",
            f"`{call.name}` takes {wanted}, but {source} gives {flow.type}",
            call.name_span or call.span,
            f"expected {wanted}",
            _produced(flow),
        )

    def wrong_stage(self, call: Call, message: str, help_text: str, flow: Flow | None = None) -> None:
        """Report a step of a kind that is not allowed at its position; ``flow`` describes its input."""
        self.error("wrong-stage", message, call.name_span or call.span, "", _produced(flow), help_text)

    def wrong_value(self, owner: str, param: Param, value: Any, span: Span | None) -> None:
        """Report an argument whose value is not accepted by a parameter of the step or definition ``owner``."""
        if param.choices:
            from scoring.diagnostics.suggest import nearest

            similar = nearest(value, [str(c) for c in param.choices]) if isinstance(value, str) else None
            members = ", ".join(_show(choice) for choice in param.choices)
            self.error(
                "argument-value",
                f"`{owner}` does not know {_show(value)} for `{param.name}`",
                span,
                f"did you mean {_show(similar)}?" if similar else f"one of {members}",
                help=f"`{param.name}`: {param.doc}",
            )
            return
        self.error(
            "argument-type",
            f"`{param.name}` of `{owner}` takes {param.type}, but this is {show_type(value)}",
            span,
            f"expected {param.type}",
            help=[f"`{param.name}`: {param.doc}", *_unquoted(param, value, span)],
        )

    def out_of_bounds(self, owner: str, param: Param, value: Any, span: Span | None) -> None:
        """Report a number that is not within the bounds of a parameter of the step or definition ``owner``."""
        wanted = param.bounds
        self.error(
            "argument-value",
            f"`{param.name}` of `{owner}` must be {wanted}, but this is {value}",
            span,
            wanted,
            help=f"`{param.name}`: {param.doc}",
        )

    def unknown_parameter(self, owner: str, name: str, known: Sequence[str], span: Span | None) -> None:
        """Report a keyword argument, ``name``, that is none of the parameters (``known``) of ``owner``."""
        known_ones = f"its parameters: {comma_list(known)}" if known else "it takes none"
        from scoring.compiler.programs.suggestions import of_parameter

        helps = [known_ones, *filter(None, [of_parameter(name)])]
        self.unknown("unknown-parameter", f"`{owner}` has no parameter `{name}`", span, name, known, helps)

    def missing_parameter(self, call: Call, name: str, doc: str) -> None:
        """Report a call without an argument for a parameter that has no default."""
        self.error(
            "missing-parameter",
            f"`{call.name}` needs its parameter `{name}`",
            call.name_span or call.span,
            help=f"write `{call.name}({name}=…)`. {doc}".strip(),
        )

    def too_many(self, owner: str, known: Sequence[str], span: Span | None) -> None:
        """Report a call of ``owner`` with more positional arguments than it has parameters (``known``)."""
        most = len(known)
        takes = "no arguments" if most == 0 else f"at most {most} argument{'s' if most > 1 else ''}"
        known_ones = f"its parameters: {comma_list(known)}" if known else f"write `{owner}`"
        self.error("too-many-arguments", f"`{owner}` takes {takes}", span, help=known_ones)


def where_allowed(name: str, kind: str, form: str) -> str:
    """Return advice on where the step ``name``, of a ``kind`` such as "metric", is allowed instead of in a pipeline of
    the given ``form``; "" if there is no advice."""
    if kind == "metric" and form in ("scorer", "aggregate"):
        return f"it goes under `metrics:`, next to the score that it is computed from: `metrics: [{name}]`"
    if kind == "aggregator" and form == "scorer":
        over = f"over all records it goes under `metrics:`, `metrics: [{name}]`; " if registry.metric(name) else ""
        return f"{over}over the fields of a record it goes under `aggregate:`, `aggregate: {name}`"
    if kind in ("comparator", "combinator") and form == "metric":
        return f"`{name}` scores an answer, so it goes under `score:` or `fields:`; `metrics: [mean]` averages it"
    return ""


def _unquoted(param: Param, value: Any, span: Span | None) -> list[str]:
    """Return advice to quote the value of a string parameter that YAML reads as a list, a mapping or null; [] in other
    cases."""
    kinds = {list: "`[…]` is a list", dict: "`{…}` is a mapping", type(None): "what begins with `#` or `&` is empty"}
    kind = kinds.get(type(value))
    if kind is None or "Text" not in str(param.type) or span is None or not span.text.isidentifier():
        return []
    return [f"in YAML, {kind}: a text is written in quotes, or in a block (`|-`)"]


def _produced(flow: Flow | None) -> list[Label]:
    return [Label(flow.span, f"this step produces {flow.type}")] if flow is not None and flow.span else []


def fragment_of(value: Value | None) -> Fragment | None:
    """Return the text of a string argument with the position of each of its characters in the file; None for any other
    argument."""
    if not isinstance(value, Literal) or not isinstance(value.value, str) or value.span is None:
        return None
    span, text = value.span, value.value
    try:
        inside: Sequence[int] = character_offsets(span.text) if unquoted_text(span.text) == text else ()
    except (BadEscape, IndexError):
        inside = ()
    if not inside and (found := span.text.find(text)) >= 0:
        inside = range(found, found + len(text) + 1)
    if len(inside) != len(text) + 1:
        return Fragment(text, span)
    starts = [span.start + place for place in inside]
    return Fragment(text, span, starts[:-1], starts[1:])


def comma_list(names: Iterable[str]) -> str:
    """Return names in backquotes as a comma-separated list, for help texts."""
    return ", ".join(f"`{name}`" for name in names)


def _show(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


KINDS = {
    "transform": "a transform",
    "comparator": "a comparator",
    "rescorer": "a rescorer",
    "combinator": "a combinator",
    "aggregator": "an aggregator of field scores",
    "metric": "a data-set metric",
}
"""The name of each kind of primitive, with its article."""
WANTED = {
    "scorer": "comparator",
    "transform": "transform",
    "parse": "transform",
    "aggregate": "aggregator",
    "metric": "metric",
}
"""The kind of primitive that each form of pipeline begins or ends with."""
FORM_NAMES = {
    "scorer": "a scorer",
    "transform": "a pipeline of transforms",
    "parse": "`parse`",
    "aggregate": "`aggregate`",
    "metric": "`metrics`",
}
"""The name of each form of pipeline, with its article."""


class Nesting:
    """A stack of the definitions that are being compiled inside one another, with counters that limit the work."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self._active: list[tuple[tuple[str, str], str]] = []
        self._written = self._called = self._nested = 0
        self._is_full = False
        # How many steps that go through items stand around what is compiled; a definition alone may stand in one.
        self.items = 0

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """Count one more level of nested pipelines while the context is active."""
        self._nested += 1
        try:
            yield
        finally:
            self._nested -= 1

    @contextmanager
    def inside(self, call: Call, scope: Scope, name: str) -> Iterator[bool]:
        """Enter the definition ``name`` of a file, called by ``call``, while the context is active; it yields False,
        after reporting an error, if definitions are nested too deep, or cyclic."""
        key = (scope.key, name)
        if key not in self._active and len(self._active) >= MAX_DEPTH:
            self._too_large(f"definitions are nested more than {MAX_DEPTH} deep", call)
            yield False
            return
        if key in self._active:
            cycle = " -> ".join(f"`{inner}`" for _, inner in [*self._active, key])
            self.findings.error(
                "definition-cycle",
                f"`{name}` is defined by itself: {cycle}",
                call.span,
                help="let one of them use only primitives",
            )
            yield False
            return
        self._active.append(key)
        self.findings.callers.append((call.name_span or call.span, call.name))
        try:
            yield True
        finally:
            self.findings.callers.pop()
            self._active.pop()

    @contextmanager
    def within(self, scope: Scope, name: str) -> Iterator[None]:
        """Enter the definition ``name`` of the author's own file while the context is active; findings are then
        reported inside it."""
        self._active.append((scope.key, name))
        self.items += 1
        try:
            yield
        finally:
            self.items -= 1
            self._active.pop()

    def is_namesake(self, call: Call, definition: Definition, own: Scope) -> bool:
        """Tell whether a call inside ``definition``, of the scope ``own``, means the primitive of the same name."""
        key = (own.key, definition.name)
        return call.name == definition.name and key in self._active and own.primitive(call.name) is not None

    def count(self, call: Call) -> bool:
        """Count one more step; return False, after reporting an error, if steps or levels of pipelines are too many."""
        if self.findings.callers:
            self._called += 1
        else:
            self._written += 1
        most = max(MAX_CALLED, MAX_CALLED_PER_STEP * self._written)
        if not self._is_full and (self._called > most or self._called + self._written > MAX_STEPS):
            self._is_full = True
            limit, where = (most, "in the definitions it calls") if self._called > most else (MAX_STEPS, "in all")
            self._too_large(f"the spec has more than {limit:,} steps {where}", call)
        if self._nested > MAX_NESTED:
            self._too_large(f"pipelines are nested more than {MAX_NESTED} deep", call)
        return not self._is_full and self._nested <= MAX_NESTED

    def _too_large(self, message: str, call: Call) -> None:
        self.findings.error("spec-too-large", message, call.span, help="let definitions use fewer other definitions")
