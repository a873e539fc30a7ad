"""Examples as a site shows them, run, with the stages between; and the box in which a definition can be tried."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.api.lists import default_text
from scoring.data.json_write import plain
from scoring.engine.examples import Tried
from scoring.extensions.site.markup import Child, MachineText, Markup, details, dim, el, join
from scoring.extensions.site.trying import AS_DATA, found_text, stages_of
from scoring.format.definitions import Definition, Parameter
from scoring.report.document import Document, Tree
from scoring.report.html import HtmlFragment
from scoring.report.of.trace import stage_branches, trace_document, value_text
from scoring.report.reference import literal

_AS = (("text", "a text"), ("json", "JSON"))


def examples_part(tried: Sequence[Tried], label: str) -> Markup | None:
    """Examples that were run: what each was given, what it gave, and on demand the stages between."""
    if not tried:
        return None
    return el("div", el("h4", "Examples"), map(_example, tried), class_="examples", role="group", aria_label=label)


def given_of(tried: Tried) -> dict[str, Any]:
    """Return what an example gives: prediction, reference, record …"""
    assert tried.example is not None
    return dict(tried.example.data)


def _example(tried: Tried) -> Markup:
    given, stages = given_of(tried), None
    if tried.left_out:
        assert tried.example is not None
        result = dim(f"states {_value(tried.example.expect)}; not run here: {tried.left_out}")
    elif tried.program is None:
        result = el("strong", found_text(tried.found.outcome))
        # What a machine is made of is no part of an example that was run on one.
        stages = Document(trace_document({**tried.found.explain(), "signature": ""}).blocks)
    else:
        result = el("strong", found_text(tried.found))
        told = stages_of(tried.program, given, tried.row)
        stages = Document((Tree("", stage_branches(told)),)) if told else None
    head = [join(_given(given)), dim(" → "), result]
    if stages is None:
        return el("div", head, class_="example")
    return el("details", el("summary", head), Markup(HtmlFragment(stages, full=False).html()), class_="example")


def _given(given: Mapping[str, Any]) -> Iterator[Child]:
    names = ("prediction", "response", "reference")
    first = [name for name in names if name in given]
    for place, name in enumerate([*first, *(name for name in given if name not in names)]):
        yield "  " if place else None
        yield [dim(f"{name} "), el("code", _value(given[name]))]


def _value(value: Any) -> str:
    return value_text(value) if isinstance(value, str) else literal(value)[:400]


# ---- trying it: the script makes the box live, and shows it then


def try_box(definition: Definition, target: str, written: str, tried: Sequence[Tried]) -> Markup:
    """Return the box of a definition: its two sides, parameters, what else it reads, and another expression in its
    place."""
    sides = ("prediction", "reference") if definition.role == "scorer" else ("prediction",)
    anchor, kind = target.partition("#")[2], "json" if definition.role in AS_DATA else "text"
    more = details(
        "Record, context, another expression",
        [_labelled(name, "JSON", el("textarea", name=name, rows="2")) for name in ("record", "context")],
        _labelled("expression", "in place of its own", el("textarea", written, name="expression", rows="3")),
    )
    form = el(
        "form",
        el("div", [_side(f"{anchor}-try", side, kind) for side in sides], class_="sides"),
        el("div", map(_parameter, definition.params), class_="params") if definition.params else None,
        more,
        el("p", el("button", "Run", type="submit"), el("span", class_="examples-choice")),
        el("div", class_="result", aria_live="polite", role="status"),
        data_definition=target,
        data_examples=MachineText(json.dumps([plain(given_of(one)) for one in tried])),
    )
    return el("details", el("summary", "Try it"), form, class_="try", hidden=True)


def _labelled(name: str, beside: str, control: Child) -> Markup:
    return el("label", el("span", el("code", name), " ", dim(beside)), control)


def _parameter(param: Parameter) -> Markup:
    control = el(
        "input",
        name=f"param {param.name}",
        value="" if param.is_required else default_text(param),
        autocomplete="off",
        data_kind="pipeline" if param.takes_pipeline else "json",
    )
    return _labelled(param.name, "an expression" if param.takes_pipeline else "JSON", control)


def _side(prefix: str, side: str, kind: str) -> Markup:
    options = [el("option", shown, value=value, selected=value == kind) for value, shown in _AS]
    name = el("label", side, for_=f"{prefix}-{side}")
    chosen = el("select", options, name=f"{side} as", aria_label=f"{side} is")
    return el("div", el("p", name, " ", chosen), el("textarea", name=side, id=f"{prefix}-{side}", rows="2"))
