"""A definition drawn: what it says, its expression, parameters, result, examples, and the box to try it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from scoring.data.strict_json import plain
from scoring.report.document import Document, Tree
from scoring.report.html import HtmlFragment
from scoring.report.of.trace import stage_branches, trace_document, value_text
from scoring.report.reference import literal
from scoring.report.site.frame import PageFrame
from scoring.report.site.markup import Child, MachineText, Markup, el, join, text, with_addresses
from scoring.report.site.model import ShownDefinition, ShownExample, ShownExpression, ShownParameter

_EFFECTS = {"judge": "asks a judge", "programs": "runs programs"}
_AS = (("text", "a text"), ("json", "JSON"))


def definition_section(definition: ShownDefinition, frame: PageFrame, names: Mapping[str, str]) -> Markup:
    """The section of a definition on a page; `names` says where those of its file lead."""
    heading = el(
        "h3",
        el("a", definition.name, href=f"#{definition.anchor}", class_="anchor"),
        " ",
        el("span", definition.role, class_="tag"),
        el("span", "for its own pack alone", class_="tag") if definition.is_private else None,
        [el("span", "deprecated", class_="tag warn-tag")] if definition.deprecated else None,
        [el("span", _EFFECTS[one], class_="tag") for one in definition.effects],
    )
    body = [
        deprecation_note(definition.deprecated, frame, names, definition.replaced_by),
        frame.prose(definition.doc, names.get) if definition.doc else el("p", "No description.", class_="dim"),
        frame.expression(definition.expression) if definition.expression else None,
        _details("What the judge is asked", [el("pre", el("code", text(one))) for one in definition.program])
        if definition.program
        else None,
        _details("With every definition written out", frame.expression(definition.expanded))
        if definition.expanded
        else None,
        parameters_table(definition.params, frame, names) if definition.params else None,
        _facts(definition, frame),
        examples_part(definition.examples, f"Examples of {definition.name}"),
        try_box(definition) if frame.content.serving else None,
    ]
    return el("section", heading, body, id=definition.anchor, class_="definition", aria_label=definition.name)


def deprecation_note(
    told: Mapping[str, str], frame: PageFrame, names: Mapping[str, str], instead: ShownExpression | None = None
) -> Markup | None:
    """What is said of something that is deprecated: since when, why, what to use in its place."""
    if not told:
        return None
    heading = el("p", el("strong", f"Deprecated since {told['since']}."))
    why = frame.prose(told["why"], names.get) if told["why"] else None
    shown: Child = [el("p", "Use:"), frame.expression(instead)] if instead else None
    other = el("p", "Use ", el("code", told["for"]), ".") if told["for"] else None
    return el("div", heading, why, shown, other, class_="note", role="note")


def _facts(definition: ShownDefinition, frame: PageFrame) -> Markup:
    gives = "; ".join(definition.gives) + ("" if definition.reads_reference else "; reads no reference")
    rows: list[tuple[str, Child]] = [
        ("gives", gives),
        ("in a task", None if definition.is_private else el("code", definition.line)),
        ("source", with_addresses(definition.source) if definition.source else None),
        ("used by", frame.links(definition.used_by) if definition.used_by else None),
        ("meaning", el("code", definition.meaning)),
    ]
    return facts_list(rows)


def facts_list(rows: list[tuple[str, Child]]) -> Markup:
    """Names with what is so, those left out of which nothing is known."""
    return el("dl", [el("div", el("dt", name), el("dd", told)) for name, told in rows if told], class_="facts")


def parameters_table(params: tuple[ShownParameter, ...], frame: PageFrame, names: Mapping[str, str]) -> Markup:
    """The parameters: what each takes, its default, what it does."""
    told = any(one.doc for one in params)
    columns = ("parameter", "takes", "default", *(("what it does",) if told else ()))
    head = el("tr", [el("th", name, scope="col") for name in columns])
    rows = [
        el(
            "tr",
            el("th", el("code", one.name), scope="row", id=one.anchor or None),
            el("td", one.takes),
            el("td", "required" if one.is_required else el("code", one.default)),
            el("td", frame.prose(one.doc, names.get) if one.doc else None) if told else None,
        )
        for one in params
    ]
    table = el("table", el("thead", head), el("tbody", rows))
    return el("div", table, class_="wide", tabindex="0", role="region", aria_label="Parameters")


def _details(summary: Child, *body: Child) -> Markup:
    return el("details", el("summary", summary), body)


def examples_part(examples: tuple[ShownExample, ...], label: str) -> Markup | None:
    """Examples that were run: what each was given, what it gave, and on demand the stages between."""
    if not examples:
        return None
    shown = [_example(one) for one in examples]
    return el("div", el("h4", "Examples"), shown, class_="examples", role="group", aria_label=label)


def _example(example: ShownExample) -> Markup:
    line = join(_given(example))
    result = (
        el("span", f"states {_value(example.expect)}; not run here: {example.not_run}", class_="dim")
        if example.not_run
        else el("strong", example.gave)
    )
    head = [line, el("span", " → ", class_="dim"), result]
    stages = _stages(example)
    if stages is None:
        return el("div", head, class_="example")
    return el("details", el("summary", head), stages, class_="example")


def _given(example: ShownExample) -> Iterator[Child]:
    names = ("prediction", "response", "reference")
    first = [name for name in names if name in example.given]
    for place, name in enumerate([*first, *(name for name in example.given if name not in names)]):
        yield "  " if place else None
        yield [el("span", f"{name} ", class_="dim"), el("code", _value(example.given[name]))]


def _value(value: Any) -> str:
    return value_text(value) if isinstance(value, str) else literal(value)[:400]


def _stages(example: ShownExample) -> Markup | None:
    if example.tree is not None:
        # What a machine is made of is no part of an example that was run on one.
        story = {**example.tree, "signature": ""}
        return Markup(HtmlFragment(Document(trace_document(story).blocks), full=False).html())
    if not example.stages:
        return None
    tree = Tree("", stage_branches(example.stages))
    return Markup(HtmlFragment(Document((tree,)), full=False).html())


# ---- trying it: the script makes the box live, and shows it then


def try_box(definition: ShownDefinition) -> Markup:
    """The box of a definition: its two sides, parameters, what else it reads, and another expression in its place."""
    sides = ("prediction", "reference") if definition.role == "scorer" else ("prediction",)
    as_data = definition.role in ("aggregate", "metric")
    inputs = [_side(f"{definition.anchor}-try", side, "json" if as_data else "text") for side in sides]
    written = definition.expression.text if definition.expression else ""
    more = el(
        "details",
        el("summary", "Record, context, another expression"),
        [_labelled(name, "JSON", el("textarea", name=name, rows="2")) for name in ("record", "context")],
        _labelled("expression", "in place of its own", el("textarea", written, name="expression", rows="3")),
    )
    form = el(
        "form",
        el("div", inputs, class_="sides"),
        el("div", [_parameter(one) for one in definition.params], class_="params") if definition.params else None,
        more,
        el("p", el("button", "Run", type="submit"), el("span", class_="examples-choice")),
        el("div", class_="result", aria_live="polite", role="status"),
        data_definition=definition.key,
        data_examples=MachineText(json.dumps([plain(dict(one.given)) for one in definition.examples])),
    )
    return el("details", el("summary", "Try it"), form, class_="try", hidden=True)


def _labelled(name: str, beside: str, control: Child) -> Markup:
    return el("label", el("span", el("code", name), " ", el("span", beside, class_="dim")), control)


def _parameter(param: ShownParameter) -> Markup:
    control = el(
        "input",
        name=f"param {param.name}",
        value="" if param.is_required else param.default,
        autocomplete="off",
        data_kind="pipeline" if param.is_pipeline else "json",
    )
    return _labelled(param.name, "an expression" if param.is_pipeline else "JSON", control)


def _side(prefix: str, side: str, kind: str) -> Markup:
    options = [el("option", shown, value=value, selected=value == kind) for value, shown in _AS]
    return el(
        "div",
        el(
            "p",
            el("label", side, for_=f"{prefix}-{side}"),
            " ",
            el("select", options, name=f"{side} as", aria_label=f"{side} is"),
        ),
        el("textarea", name=side, id=f"{prefix}-{side}", rows="2"),
    )
