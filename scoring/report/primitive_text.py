"""One primitive as text: for the terminal, and as a section of the reference page."""

from __future__ import annotations

from scoring.registry.model import Param, Primitive
from scoring.report.style import Style
from scoring.report.table import table

KINDS = ("transform", "comparator", "rescorer", "combinator", "aggregator", "metric")
KIND_DOCS = {
    "transform": "`A -> B`: runs on both sides before a comparator; a parser is a transform of the raw response.",
    "comparator": "`A, B -> Score`: joins prediction and reference.",
    "rescorer": "`Score -> Score`: follows a score.",
    "combinator": "takes pipelines as arguments.",
    "aggregator": "joins the scores of the fields of one record.",
    "metric": "joins the records of a data set.",
}


def arrow(primitive: Primitive) -> str:
    """What flows in and out.

    Examples:
        >>> from scoring.registry import registry
        >>> arrow(registry.get("invert"))
        'Score -> Score'
    """
    return f"{', '.join(map(str, primitive.inputs))} -> {primitive.output}"


def param_kind(param: Param) -> str:
    """What a parameter takes, with its choices or bounds.

    Examples:
        >>> from scoring.registry import registry
        >>> param_kind(registry.get("cutoff").param("threshold"))
        'Number 0…1'
    """
    if param.pipeline:
        return str(param.pipeline)
    if param.choices:
        return " | ".join(repr(choice) if isinstance(choice, str) else str(choice) for choice in param.choices)
    bounds = ""
    if param.low is not None and param.high is not None:
        bounds = f" {param.low:g}…{param.high:g}"
    elif param.low is not None:
        bounds = f" ≥ {param.low:g}"
    elif param.high is not None:
        bounds = f" ≤ {param.high:g}"
    return f"{param.type}{bounds}"


def param_default(param: Param) -> str:
    """A parameter's default, or that it has none."""
    if param.variadic:
        return "any number"
    return "required" if param.required else literal(param.default)


def literal(value: object) -> str:
    """A value as an expression writes it.

    Examples:
        >>> literal("union"), literal(True), literal(None), literal(0.5)
        ('"union"', 'true', 'null', '0.5')
    """
    from scoring.data.strict_json import dumps

    return dumps(value)


def terminal(primitive: Primitive, style: Style) -> str:
    """The primitive as `scoring explain NAME` shows it."""
    parts = [
        f"{style.bold(primitive.name)}  {style.dim(f'{primitive.kind} · {primitive.family} · {arrow(primitive)}')}",
        primitive.doc.summary,
    ]
    if primitive.doc.body:
        parts.append(primitive.doc.body)
    if primitive.params:
        rows = [[_stars(param), param_kind(param), param_default(param), param.doc] for param in primitive.params]
        parts.append(table(rows, ["parameter", "takes", "default", ""], style=style))
    if primitive.doc.examples:
        parts.append(_indent(primitive.doc.examples))
    if primitive.doc.source:
        parts.append(style.dim(f"source: {primitive.doc.source}"))
    return "\n\n".join(parts)


def markdown(primitive: Primitive) -> str:
    """The primitive as a section of the reference page."""
    parts = [f"### `{primitive.name}`", f"{primitive.doc.summary}", f"`{arrow(primitive)}`"]
    if primitive.doc.body:
        parts.append(primitive.doc.body)
    if primitive.params:
        lines = ["| parameter | takes | default | |", "|---|---|---|---|"]
        lines += [
            f"| `{_stars(param)}` | {_cell(param_kind(param))} | {_cell(param_default(param))} | {_plain(param.doc)} |"
            for param in primitive.params
        ]
        parts.append("\n".join(lines))
    if primitive.range != (0.0, 1.0):
        parts.append(f"Range: {primitive.range[0]:g} … {primitive.range[1]:g}.")
    if primitive.doc.examples:
        parts.append(f"```python\n{primitive.doc.examples}\n```")
    if primitive.doc.source:
        parts.append(f"Source: {primitive.doc.source}")
    return "\n\n".join(parts)


def _stars(param: Param) -> str:
    return {"": "", "positional": "*", "keyword": "**"}[param.variadic] + param.name


def _cell(text: str) -> str:
    return f"`{_plain(text)}`" if text not in ("required", "any number") else text


def _plain(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _indent(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())
