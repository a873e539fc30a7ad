"""The box of a served page in which a definition is tried; the script makes it live, and shows it then."""

from __future__ import annotations

import json

from scoring.data.strict_json import plain
from scoring.report.site.markup import Child, MachineText, Markup, el
from scoring.report.site.model import ShownDefinition, ShownParameter

_AS = (("text", "a text"), ("json", "JSON"))


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
