"""The trace of one record as a tree: the value after every stage of every field, the weights and the sum."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from scoring.data.json_write import dumps, plain
from scoring.errors import InputError
from scoring.extensions.tracing.limits import trace_limits, within_limits
from scoring.report import numbers
from scoring.report.document import Branch, Document, Line, Piece, Tree, join_lines, spans
from scoring.report.render import render
from scoring.report.visible import shorten, visible

_SIDES = ("prediction", "reference")


class RecordTrace(dict[str, Any]):
    """The trace of one record as plain data, which a notebook shows as a tree."""

    def _repr_html_(self) -> str | None:
        try:
            return render(trace_document(self), "notebook")
        except (InputError, KeyError):  # without the extension for pages, and where parts were taken out
            return None


def trace_document(story: Mapping[str, Any], *, full: bool = False, depth: int | None = None) -> Document:
    """Return the document of one record's trace, which `Task.explain` returns as plain data: a tree of fields and
    stages.

    Args:
        story: The trace.
        full: Whether texts are shown whole.
        depth: How many levels of the tree are shown; None for all.
    """
    with within_limits(full):
        return _document(story, depth)


def _document(story: Mapping[str, Any], depth: int | None) -> Document:
    name = shorten(story["id"], trace_limits().line) if isinstance(story["id"], str) else short_value_text(story["id"])
    head: list[Line] = [Piece(name, "bold"), _result(story)]
    if "passed" in story:
        head.append(Piece("passed", "good") if story["passed"] else Piece("not passed", "bad"))
    branches = [Branch("response", short_value_text(story["response"]))]
    if "expected" in story:
        branches.append(Branch("expected", short_value_text(story["expected"])))
    for key, name in (("parse", "parse"), ("parse_reference", "parse reference")):
        if key in story:
            branches.append(Branch(name, "", tuple(map(_stage, story[key]))))
    branches += [_value(entry) for entry in story.get("values", ())]
    branches += [_field(entry) for entry in story["fields"]]
    told = "  ".join([_terms(story), *score_range_text(story)])
    branches.append(Branch("aggregate", told, tuple(map(_stage, story.get("aggregate_reads", ())))))
    shown = tuple(branches) if depth is None else _pruned(branches, depth)
    return Document(
        (Tree(join_lines(head, "  "), shown, Piece(story["signature"], "dim")),), f"{story['task']}: one record"
    )


def _pruned(branches: Iterable[Branch], depth: int) -> tuple[Branch, ...]:
    """Return the first levels of a tree; a branch whose children are left out says how many they are."""
    found = []
    for one in branches:
        if depth > 1 or not one.children:
            found.append(replace(one, children=_pruned(one.children, depth - 1)))
        else:
            more = Piece(f"  … {len(one.children)} more below", "dim")
            found.append(replace(one, text=(*spans(one.text), more), children=()))
    return tuple(found)


def _field(entry: Mapping[str, Any]) -> Branch:
    scorer = Piece(shorten(entry["scorer"], trace_limits().expression), "dim")
    of = [
        f"{side} = {shorten(entry[f'{side}_of'], trace_limits().expression)}"
        for side in _SIDES
        if f"{side}_of" in entry
    ]
    told = [
        _result(entry),
        *score_range_text(entry),
        *(() if entry.get("reads_reference", True) else ("reads no reference",)),
        f"weight {numbers.weight(entry['weight'])}",
        scorer,
        *(Piece(one, "dim") for one in of),
    ]
    text = join_lines(told, "  ")
    notes = (Branch(name, short_value_text(value)) for name, value in entry.get("notes", {}).items())
    return Branch(entry["field"], text, (*map(_stage, entry["stages"]), *notes))


def _value(entry: Mapping[str, Any]) -> Branch:
    """Return the branch of a computed value: its name, or else its expression, with the value and its stages."""
    what = Piece(entry["error"], "bad") if "error" in entry else Piece(short_value_text(entry["gives"]), "bold")
    text = join_lines(
        [what, *([Piece(shorten(entry["from"], trace_limits().expression), "dim")] if "value" in entry else [])], "  "
    )
    return Branch(
        entry.get("value") or shorten(entry["from"], trace_limits().expression),
        text,
        tuple(map(_stage, entry.get("stages", ()))),
    )


def stage_branches(stages: Iterable[Mapping[str, Any]]) -> tuple[Branch, ...]:
    """Return stages of a scorer or transform, given as plain data, as branches of a tree to show.

    Examples:
        >>> [branch.name for branch in stage_branches([{"stage": "input", "prediction": "a", "reference": "b"}])]
        ['input']
    """
    return tuple(map(_stage, stages))


def _stage(stage: Mapping[str, Any]) -> Branch:
    inside = (*map(_stage, stage.get("told", ())), *map(_call, stage.get("inside", ())))
    return Branch(stage["stage"], tuple(_stage_text(stage)), inside)


def _stage_text(stage: Mapping[str, Any]) -> Iterator[Piece]:
    sides = {side for side in ("prediction", "reference") if side in stage or f"{side}_error" in stage}
    if len(sides) == 1:
        yield Piece(f"{next(iter(sides))} ")
    values: list[Line] = []
    for key in ("value", "prediction", "reference"):
        values += [short_value_text(stage[key])] if key in stage else []
        values += [Piece(stage[f"{key}_error"], "bad")] if f"{key}_error" in stage else []
    both = "prediction" in stage and "reference" in stage
    between = Piece(" ⇔ ", "dim") if both else Piece("  ")
    for place, value in enumerate(values):
        yield from (between,) if place else ()
        yield from spans(value)
    if "score" in stage:
        yield Piece("  " if values else "")
        yield Piece(numbers.format_score(plain(stage["score"])), "bold")
    if "error" in stage:
        yield Piece(str(stage["error"]), "bad")
    for name, value in stage.get("settings", {}).items():
        yield Piece(f"  {name}={short_value_text(value)}", "dim")


def _call(call: Mapping[str, Any]) -> Branch:
    of_item = f"item {short_value_text(call['item'])}  " if "item" in call else ""
    told = f"{of_item}{shorten(call['text'], trace_limits().expression)}"
    if "result" in call:
        told += (
            f" → {(numbers.format_score if isinstance(call['result'], float) else short_value_text)(call['result'])}"
        )
    error = [Piece(f" → {shorten(str(call['error']), 120)}", "bad")] if "error" in call else []
    return Branch(call["pipeline"], (told, *error), tuple(map(_stage, call.get("stages", ()))))


def _result(entry: Mapping[str, Any]) -> Line:
    shown = Piece(numbers.format_score(plain(entry.get("score"))), "bold")
    if entry["status"] == "scored":
        return shown
    reason = f": {shorten(str(entry['reason']), 120)}" if entry.get("reason") else ""
    return (shown, "  ", Piece(entry["status"].replace("_", " "), "warn"), reason)


def score_range_text(entry: Mapping[str, Any]) -> list[str]:
    """Return the text about the range of a score, read from the traced data of a record or field, as a list of one.

    The list is empty for the range from 0 to 1.

    Examples:
        >>> score_range_text({"range": [0.0, None]}), score_range_text({"range": [0.0, 1.0]})
        (['in [0, inf]'], [])
    """
    low, high = entry.get("range", (0, 1))
    ends = ("-inf" if low is None else f"{low:g}", "inf" if high is None else f"{high:g}")
    return [] if (low, high) == (0, 1) else [f"in [{', '.join(ends)}]"]


def _terms(story: Mapping[str, Any]) -> str:
    """Return how a record's score follows from its fields, as text: a mean as its weighted sum, else the formula."""
    formula = story["aggregate"]
    fields = [one for one in story["fields"] if one["status"] != "not_applicable" and one.get("score") is not None]
    if formula != "mean" or not fields or story.get("score") is None:
        return f"{formula} = {numbers.format_score(plain(story.get('score')))}"
    terms = " + ".join(f"{numbers.weight(one['weight'])}·{numbers.format_score(plain(one['score']))}" for one in fields)
    total = numbers.weight(sum(one["weight"] for one in fields))
    return f"mean = ({terms}) / {total} = {numbers.format_score(plain(story['score']))}"


def short_value_text(value: Any) -> str:
    """Return a value on one line, cut off if it is long.

    Examples:
        >>> print(short_value_text("a\\x1b"), short_value_text('{"a": 1}'), short_value_text([1, "b"]))
        "a\\x1b" '{"a": 1}' [1,"b"]
    """
    if isinstance(value, str):
        quote = "'" if '"' in value and "'" not in value else '"'
        return f"{quote}{visible(shorten(value, trace_limits().line))}{quote}"
    return shorten(visible(dumps(value)), trace_limits().line)
