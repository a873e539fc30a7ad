"""What the YAML parser refuses: the trap that a well-meant value ran into, else its own complaint in our words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from scoring.diagnostics.diagnostic import Diagnostic, Label, diagnostic
from scoring.diagnostics.source import Fragment, Source
from scoring.diagnostics.words import shown
from scoring.format.yaml_advice import expression_end, line_start, line_with, quoting, unclosed, written
from scoring.format.yaml_traps import COMMENT, FLOW_STOPS, colon_trap, comma_trap, quoted_value, trap

if TYPE_CHECKING:
    import yaml

_LONGEST_LINE = 2000
_FLOW_BREAK = re.compile(r"[{\[][ \t]*|,[ \t]+|:[ \t]+")
_HEAD = re.compile(r"[ \t]*(?:-[ \t]+)*(?:(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s:#\"'{\[][^:#\n]*):[ \t]+)?")
_DOUBLE_QUOTED = re.compile(r'"(?:[^"\\\r\n]|\\[^\r\n])*"')
_CLOSER = re.compile(r"[\]}]")
_INDENTATION = "is the indentation of this line right?"
# What the parser says (libyaml's and PyYAML's wording) → message, label, help, and where to point:
# "problem" for the place where it gave up, "context" for the beginning of what it was reading.
_TABLE: tuple[tuple[tuple[str, ...], str, str, str, str], ...] = (
    (("end of stream", "document indicator"), "this quoted text is never closed", "it begins here", "", "context"),
    (
        ("escape",),
        "the backslash begins no escape that YAML knows",
        "in a double-quoted text",
        "put the text in single quotes, where a backslash is itself",
        "problem",
    ),
    (("expected ':'",), "this line is no `key: value`", "expected `:` after the key", "", "context"),
    (("',' or '}'",), "expected `,` or `}`", "", "", "problem"),
    (("',' or ']'",), "expected `,` or `]`", "", "", "problem"),
    (("mapping values are not allowed",), "a key can't stand here", _INDENTATION, "", "problem"),
    (
        (
            "expected key",
            "<block end>",
            "'-' indicator",
            "sequence entries are not allowed",
            "mapping keys are not allowed",
        ),
        "this does not fit the lines before it",
        _INDENTATION,
        "",
        "problem",
    ),
    (("cannot start any token",), "no value can begin with this character", "", "put the value in quotes", "problem"),
    (("<document start>",), "the text goes on after its value", "nothing may follow here", "", "problem"),
)


def explain(source: Source, begin: int, error: yaml.MarkedYAMLError, flows: Sequence[int]) -> Diagnostic:
    """Turn an error of the YAML parser into ours.

    Args:
        source: The file.
        begin: Where the text begins in it that the parser was given.
        error: The error.
        flows: Where the `{` and `[` stand that are open.
    """
    last, words = len(source.text), error.problem or ""
    marks = [mark.index + begin for mark in (error.problem_mark, error.context_mark) if mark]
    place = min(marks[0], last) if marks else last
    context = min(marks[-1], last) if error.context_mark else place
    if "block scalar" in (error.context or ""):
        place = context
    return _trapped(source, place, context, words, flows) or _complaint(source, place, context, words)


def _complaint(source: Source, place: int, context: int, words: str) -> Diagnostic:
    _, message, label, hint, at = next(
        (row for row in _TABLE if any(needle in words for needle in row[0])),
        ((), f"this is no YAML: {shown(words)}", "", "", "problem"),
    )
    point = context if at == "context" else place
    span = source.span(point, min(point + 1, len(source.text)))
    opened = [Label(source.span(context, context + 1), "opened here")] if "',' or" in words else []
    return diagnostic("error", "syntax-yaml", message, span, label, help=hint, secondary=opened)


def _trapped(source: Source, place: int, context: int, words: str, flows: Sequence[int]) -> Diagnostic | None:
    """The trap that a value ran into, where there is one."""
    text = source.text
    line = line_start(text, place)
    if place - line > _LONGEST_LINE:
        return None
    opened = max((start for start in flows if start < place), default=None)
    flow = opened is not None
    before = line + len(text[line:place].rstrip(" \t")) - 1
    previous = text[before] if before >= line else ""
    here = text[place : place + 1]
    if "escape" in words:
        return _escape(source, context, place, flow)
    if opened is not None and (cut := _comment_in_flow(source, opened, place)):
        return cut
    if "tab" in words or here == "\t":
        tabs = len(text[place:]) - len(text[place:].lstrip("\t"))
        return trap("yaml-tab", source.span(place, place + max(tabs, 1)), "indent with spaces")
    if previous in ("]", "}") and here not in (":", ""):
        opener = _opener(text, before, line)
        if opener is not None and _begins_value(text, opener, line):
            return _bracket(source, opener, place, any(start < opener for start in flows))
    if previous in ("'", '"') and here not in (":", ""):
        quotes = (at for at in range(line, before) if text[at] == previous and _begins_value(text, at, line))
        if (quote := next(quotes, None)) is not None:
            return _quote(source, quote, place, flow)
    if here in ("|", ">"):
        return _pipe(source, place, flow)
    if here in ("@", "`", "%") or (here in (",", "]", "}") and not flow and _begins_value(text, place, line)):
        return _indicator(source, place, flow)
    starts = [match.end() for match in _FLOW_BREAK.finditer(text, line, place)]
    if flow and here in ("[", "{", ":"):
        start = _flow_expression(text, place, line)
        if start is None and before == place - 1 and starts:
            start = starts[-1]
        if start is not None:
            return colon_trap(source, place, start, True) if here == ":" else comma_trap(source, place, start)
    value = (starts[-1] if starts else None) if flow else _value_start(text, line)
    if value is None or value > place:
        return None
    if text[value : value + 1] in ("*", "&", "!"):
        return _indicator(source, value, flow)
    return colon_trap(source, place, value, flow=False) if here == ":" and not flow else None


def _opener(text: str, closer: int, line: int) -> int | None:
    level = 0
    for place in range(closer, line - 1, -1):
        level += (text[place] in "]})") - (text[place] in "[{(")
        if level == 0:
            return place
    return None


def _begins_value(text: str, place: int, line: int) -> bool:
    """Whether a value begins here: behind `key:`, `-`, a comma or an opening bracket."""
    head = text[line:place].rstrip(" \t")
    return not head or head[-1] in ":-,[{"


def _flow_expression(text: str, place: int, line: int) -> int | None:
    """Where the unquoted expression begins whose open round bracket stands before this place."""
    level = 0
    for index in range(place - 1, line - 1, -1):
        level += (text[index] == ")") - (text[index] == "(")
        if level < 0:
            return max((match.end() for match in _FLOW_BREAK.finditer(text, line, index)), default=None)
    return None


def _value_start(text: str, line: int) -> int | None:
    """Where the value of a `key: value` or `- value` line begins."""
    match = _HEAD.match(text, line)
    return match.end() if match and match.end() > line and match.group().strip() else None


# ---- the findings


def _bracket(source: Source, start: int, place: int, flow: bool) -> Diagnostic:
    opener = source.text[start]
    what = "list" if opener == "[" else "mapping"
    span = source.span(place, place + 1)
    return trap("yaml-bracket", span, quoted_value(source, start, flow), opener, start=start, what=what)


def _quote(source: Source, start: int, place: int, flow: bool) -> Diagnostic:
    """A quoted text in which its own quotes stand: written without them where they enclose an expression."""
    from scoring.lang.parser import is_formula, pipeline_or_none

    end = expression_end(source.text, start, FLOW_STOPS if flow else "#")
    meant = source.text[start:end]
    inner = Fragment.of(meant[1:-1])
    if meant[-1:] == meant[0] and (pipeline_or_none(inner) is not None or is_formula(inner)):
        meant = inner.text
    hint = written(source, start, end, meant, flow=flow)
    return trap("yaml-quote", source.span(place, place + 1), hint, start=start)


def _escape(source: Source, start: int, place: int, flow: bool) -> Diagnostic:
    """A backslash that begins no escape, in double quotes."""
    text = source.text
    escaped = _DOUBLE_QUOTED.match(text, start)
    end = escaped.end() if escaped else expression_end(text, start)
    inner = text[start + 1 : end - 1] if escaped else text[start + 1 : end]
    hint = written(source, start, end, inner.replace('\\"', '"').replace("\\\\", "\\"), flow=flow)
    return trap("syntax-yaml", source.span(place, place + 2), hint)


def _comment_in_flow(source: Source, opened: int, place: int) -> Diagnostic | None:
    """` #` inside `{…}` and `[…]` that cuts off what closes them."""
    text = source.text
    for found in COMMENT.finditer(text, opened, place):
        line = line_start(text, found.start())
        if not _CLOSER.search(found[1]) or unclosed(text[line : found.start()]).endswith('"'):
            continue
        mark = found.start(1) - 1
        start = max((one.end() for one in _FLOW_BREAK.finditer(text, line, mark)), default=mark)
        hint = quoting(source, start, expression_end(text, start, ",}]"), flow=True)
        return trap("yaml-hash", source.span(mark, mark + 1), hint)
    return None


def _pipe(source: Source, place: int, flow: bool) -> Diagnostic:
    text = source.text
    rest = len(text) - len(text[place + 1 :].lstrip(" \t"))
    end = expression_end(text, rest, FLOW_STOPS if flow else "#")
    return diagnostic(
        "error",
        "yaml-pipe",
        f"a value that begins with `{text[place]}` opens a YAML block of text",
        source.span(place, place + 1),
        "a pipeline begins with its first step, not with `|`" if text[place] == "|" else "a block's text begins below",
        help=line_with(source, place, end, text[rest:end]),
    )


def _indicator(source: Source, place: int, flow: bool) -> Diagnostic:
    character = "a backquote" if source.text[place] == "`" else f"`{source.text[place]}`"
    return trap("yaml-indicator", source.span(place, place + 1), quoted_value(source, place, flow), character)
