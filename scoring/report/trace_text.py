"""The story of one record as a tree: the value after every stage of every field, the weights and the sum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scoring.data.strict_json import dumps, plain
from scoring.diagnostics.width import width
from scoring.report import numbers
from scoring.report.style import Style
from scoring.report.visible import shorten, visible

_VALUE = 60
_SCORER = 80


@dataclass(slots=True)
class Branch:
    """A line and what hangs below it; ``name`` is padded to the width of its siblings."""

    name: str
    text: str = ""
    children: list[Branch] = field(default_factory=list)


def trace_text(story: Mapping[str, Any], style: Style) -> str:
    """The tree of a record's story as `Task.explain` tells it."""
    head = f"{style.bold(_name(story['id']))}  {_result(story, style)}"
    if "passed" in story:
        head += style.good("  passed") if story["passed"] else style.bad("  not passed")
    branches = [Branch("response", value_text(story["response"]))]
    for key, name in (("parse", "parse"), ("parse_reference", "parse reference")):
        if key in story:
            branches.append(Branch(name, "", [_stage(stage, style) for stage in story[key]]))
    branches += [_field(entry, style) for entry in story["fields"]]
    branches.append(Branch("aggregate", _sum(story)))
    return "\n".join([head, *draw(branches), style.dim(visible(story["signature"]))])


def _field(entry: Mapping[str, Any], style: Style) -> Branch:
    scorer = style.dim(visible(shorten(entry["scorer"], _SCORER)))
    text = f"{_result(entry, style)}  weight {numbers.weight(entry['weight'])}  {scorer}"
    notes = [Branch(visible(name), value_text(value)) for name, value in entry.get("notes", {}).items()]
    return Branch(visible(entry["field"]), text, [*(_stage(stage, style) for stage in entry["stages"]), *notes])


def _stage(stage: Mapping[str, Any], style: Style) -> Branch:
    children = [_call(call, style) for call in stage.get("inside", ())]
    return Branch(visible(stage["stage"]), _stage_text(stage, style), children)


def _stage_text(stage: Mapping[str, Any], style: Style) -> str:
    parts = []
    for key in ("value", "prediction", "reference"):
        if key in stage:
            parts.append(value_text(stage[key]))
        if f"{key}_error" in stage:
            parts.append(style.bad(visible(stage[f"{key}_error"])))
    text = style.dim(" ⇔ ").join(parts) if "prediction" in stage and "reference" in stage else "  ".join(parts)
    if "prediction" in stage and "reference" not in stage and "reference_error" not in stage:
        text = f"prediction {text}"
    elif "reference" in stage and "prediction" not in stage and "prediction_error" not in stage:
        text = f"reference {text}"
    if "score" in stage:
        text += style.bold(numbers.score(plain(stage["score"])))
    if "error" in stage:
        text += style.bad(visible(str(stage["error"])))
    for name, value in stage.get("settings", {}).items():
        text += style.dim(f"  {visible(name)}={value_text(value)}")
    return text


def _call(call: Mapping[str, Any], style: Style) -> Branch:
    result = f" → {_shown(call['result'])}" if "result" in call else ""
    text = f"{visible(shorten(call['text'], _SCORER))}{result}"
    return Branch(visible(call["pipeline"]), text, [_stage(stage, style) for stage in call.get("stages", ())])


def _shown(value: Any) -> str:
    return numbers.score(value) if isinstance(value, float) else value_text(value)


def _result(entry: Mapping[str, Any], style: Style) -> str:
    shown = style.bold(numbers.score(plain(entry.get("score"))))
    if entry["status"] == "scored":
        return shown
    reason = f": {visible(shorten(str(entry['reason']), 120))}" if entry.get("reason") else ""
    return f"{shown}  {style.warn(entry['status'].replace('_', ' '))}{reason}"


def _sum(story: Mapping[str, Any]) -> str:
    """How the fields join: for a mean the weighted sum itself, else the formula."""
    formula = visible(story["aggregate"])
    fields = [one for one in story["fields"] if one["status"] != "not_applicable" and one.get("score") is not None]
    if formula != "mean" or not fields or story.get("score") is None:
        return f"{formula} = {numbers.score(plain(story.get('score')))}"
    terms = " + ".join(f"{numbers.weight(one['weight'])}·{numbers.score(plain(one['score']))}" for one in fields)
    total = numbers.weight(sum(one["weight"] for one in fields))
    return f"mean = ({terms}) / {total} = {numbers.score(plain(story['score']))}"


def value_text(value: Any) -> str:
    """A value on one line, cut and harmless.

    Examples:
        >>> print(value_text("a\\x1b"), value_text('{"a": 1}'), value_text([1, "b"]))
        "a\\x1b" '{"a": 1}' [1,"b"]
    """
    if isinstance(value, str):
        quote = "'" if '"' in value and "'" not in value else '"'
        return f"{quote}{visible(shorten(value, _VALUE))}{quote}"
    return shorten(visible(dumps(value)), _VALUE)


def _name(value: Any) -> str:
    return visible(shorten(value, _VALUE)) if isinstance(value, str) else value_text(value)


def draw(branches: Sequence[Branch], prefix: str = "") -> list[str]:
    """The branches as lines with their connecting strokes.

    Examples:
        >>> print("\\n".join(draw([Branch("a", "1", [Branch("bb", "2")]), Branch("ccc", "3")])))
        ├─ a    1
        │  └─ bb  2
        └─ ccc  3
    """
    lines = []
    names = max((width(branch.name) for branch in branches), default=0)
    for place, branch in enumerate(branches):
        last = place == len(branches) - 1
        pad = " " * (names - width(branch.name))
        lines.append(f"{prefix}{'└─' if last else '├─'} {branch.name}{pad}  {branch.text}".rstrip())
        lines += draw(branch.children, prefix + ("   " if last else "│  "))
    return lines
