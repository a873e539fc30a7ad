"""Findings about calls that are wrong: of what does not exist, or with arguments, or at a place, that do not fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scoring.compiler.programs.messages import WANTED, Findings, comma_list
from scoring.compiler.programs.scope import Flow, Scope
from scoring.diagnostics.diagnostic import Label
from scoring.diagnostics.source import Span
from scoring.diagnostics.suggest import nearest, spoken
from scoring.lang.printer import value_text
from scoring.lang.tree import Call, Pipeline
from scoring.lang.words import CALLS
from scoring.registry import registry
from scoring.registry.model import Param
from scoring.values import TEXT, Type, show_type


class CallFindings:
    """The reports of wrong calls, which are added to ``findings``."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings

    def unknown_name(self, call: Call, scope: Scope, *, metric: bool = False) -> None:
        """Report a call of a step, or with ``metric`` of a metric, that does not exist, and suggest another name."""
        from scoring.compiler.programs.suggestions import is_word_for_step, suggested_pipeline

        later = registry.metric(call.name) or registry.get(call.name) if metric else registry.get(call.name)
        if later is not None:
            message = f"`{call.name}` came with edition {later.since}, and this file states edition {scope.edition}"
            help_text = f"state `edition: {later.since}`, or define what `{call.name}` means in this file"
            self._findings.error("unknown-name", message, call.name_span or call.span, help=help_text)
            return
        alias, dot, _ = call.name.partition(".")
        help_text = f'`scoring list --about "{spoken(call.name)}"` looks for it'
        if dot and alias not in scope.imports:
            known = comma_list(scope.imports) or "none"
            help_text = f"`{alias}` is not imported (imports: {known}); add it under `imports:`"
        message, span = f"nothing is called `{call.name}`", call.name_span or call.span
        argument = call.args[0] if len(call.args) == 1 and not call.kwargs else None
        if is_word_for_step(call.name) and isinstance(argument, Pipeline):
            self._findings.error(
                "unknown-name", message, span, help=f"a step is written by its own name: write `{value_text(argument)}`"
            )
            return
        if theirs := suggested_pipeline(call.name, metric=metric):
            self._findings.error("unknown-name", message, span, help=f"write `{theirs}`", meant=theirs)
            return
        if not metric and call.name in CALLS:
            help_text = f"it is a function of formulas: give it a field of its own, `score: {value_text(call)}`"
            self._findings.error("unknown-name", message, span, help=help_text)
            return
        also = scope.other_names(metric=metric)
        similar = nearest(call.name, scope.candidates(call.name), also) or ""
        if metric and not registry.metric(similar) and registry.knows(similar):
            help_text = _where_allowed(similar, "comparator", "metric")
        self._findings.unknown("unknown-name", message, span, call.name, scope.candidates(call.name), help_text, also)

    def wrong_input(self, call: Call, side: str, flow: Flow, wanted: Type) -> None:
        """Report a step whose input is not of the type ``wanted``; ``flow`` describes the input, and ``side`` names it,
        such as "prediction"."""
        source = f"`{flow.step}`" if flow.step else f"the {side}"
        self._findings.error(
            "type-mismatch",
            f"`{call.name}` takes {wanted}, but {source} gives {flow.type}",
            call.name_span or call.span,
            f"expected {wanted}",
            _produced(flow),
            help=_way_on(call, flow, wanted),
        )

    def wrong_stage(self, call: Call, message: str, help_text: str, flow: Flow | None = None) -> None:
        """Report a step of a kind that is not allowed at its position; ``flow`` describes its input."""
        self._findings.error("wrong-stage", message, call.name_span or call.span, "", _produced(flow), help_text)

    def wrong_place(self, call: Call, kind: str, form: str) -> None:
        """Report a step of a ``kind``, such as "metric", that is not allowed in a pipeline of a ``form``."""
        message = f"`{call.name}` is {_KINDS[kind]}, which is not allowed in {_FORM_NAMES[form]}"
        help_text = _where_allowed(call.name, kind, form) or f"`scoring list {WANTED[form]}` shows what can"
        self.wrong_stage(call, message, help_text)

    def wrong_value(self, owner: str, param: Param, value: Any, span: Span | None) -> None:
        """Report an argument whose value is not accepted by a parameter of the step or definition ``owner``."""
        if param.choices:
            similar = nearest(value, [str(c) for c in param.choices]) if isinstance(value, str) else None
            members = ", ".join(_show(choice) for choice in param.choices)
            self._findings.error(
                "argument-value",
                f"`{owner}` does not know {_show(value)} for `{param.name}`",
                span,
                f"did you mean {_show(similar)}?" if similar else f"one of {members}",
                help=f"`{param.name}`: {param.doc}",
                meant=_show(similar) if similar else "",
            )
            return
        self._findings.error(
            "argument-type",
            f"`{param.name}` of `{owner}` takes {param.type}, but this is {show_type(value)}",
            span,
            f"expected {param.type}",
            help=[f"`{param.name}`: {param.doc}", *_unquoted(param, value, span)],
        )

    def out_of_bounds(self, owner: str, param: Param, value: Any, span: Span | None) -> None:
        """Report a number that is not within the bounds of a parameter of the step or definition ``owner``."""
        wanted = param.bounds
        self._findings.error(
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
        self._findings.unknown("unknown-parameter", f"`{owner}` has no parameter `{name}`", span, name, known, helps)

    def missing_parameter(self, call: Call, name: str, doc: str) -> None:
        """Report a call without an argument for a parameter that has no default."""
        self._findings.error(
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
        self._findings.error("too-many-arguments", f"`{owner}` takes {takes}", span, help=known_ones)


def _where_allowed(name: str, kind: str, form: str) -> str:
    """Return advice on where the step ``name``, of a ``kind`` such as "metric", is allowed instead of in a pipeline of
    the given ``form``; "" if there is no advice."""
    if kind == "metric" and form in ("scorer", "aggregate"):
        of_sets = f"; of the sets that a record has it is `set_{name}`" if registry.knows(f"set_{name}") else ""
        return f"it goes under `metrics:`, next to the score that it is computed from: `metrics: [{name}]`{of_sets}"
    if kind == "aggregator" and form == "scorer":
        over = f"over all records it goes under `metrics:`, `metrics: [{name}]`; " if registry.metric(name) else ""
        return f"{over}over the fields of a record it goes under `aggregate:`, `aggregate: {name}`"
    if kind in ("comparator", "combinator") and form == "metric":
        return f"`{name}` scores an answer, so it goes under `score:` or `fields:`; `metrics: [mean]` averages it"
    return ""


def _way_on(call: Call, flow: Flow, wanted: Type) -> str:
    """Return advice on how a step comes to the type that it wants; "" if there is none."""
    takes_steps = wanted.name == "List" and any(isinstance(one, Pipeline) for one in call.args)
    if takes_steps and flow.step and flow.type == TEXT:
        inside = f"`{call.name}({flow.step} | …)`"
        return f"write {inside}, where the step runs on each item; or make a list, as by `to_list`"
    name = "to_text" if wanted == TEXT and flow.type.name == "Number" else ""
    name = TEXT_READERS.get(wanted.name, "") if flow.type == TEXT else name
    return f"`{name}` makes it one" if name else ""


TEXT_READERS = {"Number": "number", "List": "to_list", "Set": "to_set", "Dict": "to_dict"}
"""The step that reads a value of a type from a text."""


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


def _show(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


_KINDS = {
    "transform": "a transform",
    "comparator": "a comparator",
    "rescorer": "a rescorer",
    "combinator": "a combinator",
    "aggregator": "an aggregator of field scores",
    "metric": "a data-set metric",
}
"""The name of each kind of primitive, with its article."""
_FORM_NAMES = {
    "scorer": "a scorer",
    "transform": "a pipeline of transforms",
    "parse": "`parse`",
    "aggregate": "`aggregate`",
    "metric": "`metrics`",
}
"""The name of each form of pipeline, with its article."""
