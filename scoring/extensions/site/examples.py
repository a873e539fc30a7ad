"""Sections of a site with examples, their results and the stages in between, and the box to try a definition."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from scoring.data.json_write import plain
from scoring.extensions.examples.running import Tried
from scoring.extensions.pages.html import HtmlFragment
from scoring.extensions.reference.lists import default_text
from scoring.extensions.reference.primitives import literal
from scoring.extensions.site.markup import parts
from scoring.extensions.site.trying import AS_DATA, found_text, stages_of
from scoring.extensions.tracing.documents import short_value_text, stage_branches, trace_document
from scoring.format.definitions import Definition, Parameter
from scoring.report.document import Document, Tree

_FORMS = (("text", "a text"), ("json", "JSON"))


def examples_part(tried: Sequence[Tried], label: str) -> Markup | None:
    """Return the section with examples that were run, each with its input, result and stages; None if there are none.
    `label` names the section for screen readers."""
    return parts.examples(label, list(map(_example, tried))) if tried else None


def example_input(tried: Tried) -> dict[str, Any]:
    """Return the input of an example that was run, by name: prediction, reference, record and so on."""
    assert tried.example is not None
    return dict(tried.example.data)


def _example(tried: Tried) -> Markup:
    inputs, stages = example_input(tried), None
    if tried.left_out:
        assert tried.example is not None
        result = parts.dim(f"states {_value(tried.example.expect)}; not run here: {tried.left_out}")
    elif tried.program is None:
        result = parts.strong(found_text(tried.found.outcome))
        # The signature is omitted because it depends on the machine.
        stages = Document(trace_document({**tried.found.explain(), "signature": ""}).blocks)
    else:
        result = parts.strong(found_text(tried.found))
        traced = stages_of(tried.program, inputs, tried.row)
        stages = Document((Tree("", stage_branches(traced)),)) if traced else None
    return parts.example(
        _shown_inputs(inputs), result, HtmlFragment(stages, full=False).html() if stages is not None else None
    )


def _shown_inputs(inputs: Mapping[str, Any]) -> list[tuple[str, str]]:
    names = ("prediction", "response", "reference")
    first = [name for name in names if name in inputs]
    return [(name, _value(inputs[name])) for name in [*first, *(name for name in inputs if name not in names)]]


def _value(value: Any) -> str:
    return short_value_text(value) if isinstance(value, str) else literal(value)[:400]


def try_box(definition: Definition, target: str, written: str, tried: Sequence[Tried]) -> Markup:
    """Return the box in which a definition can be tried, with inputs for prediction, reference, parameters and record.

    Args:
        definition: The definition.
        target: The page and anchor of the definition, by which the server identifies it.
        written: The expression of the definition, which can be edited in the box.
        tried: The examples of the definition, with which the box can be filled.
    """
    box = {
        "target": target,
        "anchor": target.partition("#")[2],
        "sides": ("prediction", "reference") if definition.role == "scorer" else ("prediction",),
        "forms": _FORMS,
        "form": "json" if definition.role in AS_DATA else "text",
        "params": list(map(_parameter, definition.params)),
        "written": written,
        "examples": json.dumps([plain(example_input(one)) for one in tried]),
    }
    return parts.try_box(box)


def _parameter(param: Parameter) -> tuple[str, str, str, str]:
    """Return the name of a definition's parameter, its default as text ("" if required), and what it takes, in words
    and as a code for the script."""
    default = "" if param.is_required else default_text(param)
    return param.name, default, *(("an expression", "pipeline") if param.takes_pipeline else ("JSON", "json"))
