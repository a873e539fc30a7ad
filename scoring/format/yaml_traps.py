"""Mistakes that YAML makes of well-meant expressions: each names the trap and shows the line as it should be."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from scoring.diagnostics.diagnostic import Diagnostic, Diagnostics, Label, diagnostic
from scoring.diagnostics.source import Source, Span
from scoring.diagnostics.words import shown
from scoring.format.brackets import closes_more, expression_end, unclosed
from scoring.format.nodes import SpecNode
from scoring.late import pattern

if TYPE_CHECKING:
    import yaml

_COMMENT = pattern(r"[ \t]+#([^\r\n]*)")
_LONGEST_LINE = 2000
_LONGEST_SHOWN = 200
_FLOW_STOPS = ",}]#"
_QUOTED_NOTE = "in single quotes every character is itself; only `'` is written twice"


# ---- traps in text that YAML accepts, but not as it was meant


def check_comment(node: SpecNode, found: Diagnostics) -> None:
    """` #` inside an expression starts a comment and cuts it off."""
    text, end = node.span.source.text, node.span.end
    if text[end : end + 1] not in (" ", "\t"):
        return
    comment = _COMMENT.match(text, end)
    rest = unclosed(node.span.text) if comment else ""
    closer = {"(": ")", "[": "]", "{": "}", '"': '"'}.get(rest[-1:])
    if comment and closer and closer in comment.group(1):
        found.add(
            diagnostic(
                "error",
                "yaml-hash",
                "` #` starts a comment and cuts this value off",
                Span(node.span.source, comment.start(1) - 1, comment.start(1)),
                "from here on YAML reads nothing",
                help=_quoting(node.span.source, node.span.start, expression_end(text, node.span.start, "#")),
                note=_QUOTED_NOTE,
            )
        )


def check_commas(written: Sequence[SpecNode], found: Diagnostics) -> None:
    """A comma or a colon inside brackets ends an unquoted text in `{…}` and `[…]`."""
    closers = [index for index, node in enumerate(written) if node.style == "plain" and closes_more(node.span.text)]
    for index, node in enumerate(written[: closers[-1] if closers else 0]):
        if node.style != "plain" or "(" not in node.span.text or "(" not in unclosed(node.span.text):
            continue
        source = node.span.source
        between = source.text[node.span.end : written[index + 1].span.start]
        if between.lstrip().startswith(":"):
            found.add(_colon(source, node.span.end + between.index(":"), node.span.start, flow=True))
        else:
            comma = between.find(",")
            found.add(_comma(source, node.span.end + max(comma, 0), node.span.start))
        return


def check_key(node: SpecNode, found: Diagnostics) -> None:
    """`: ` inside an expression makes a key of what stands before it."""
    source, end = node.span.source, node.span.end
    if "(" not in node.span.text and "{" not in node.span.text:
        return
    colon = source.text.find(":", end)
    if unclosed(node.span.text) and not source.text[end:colon].strip():
        found.add(_colon(source, colon, node.span.start, flow=False))


def unknown_alias(span: Span) -> Diagnostic:
    """`*` begins an alias."""
    return diagnostic(
        "error",
        "yaml-unknown-alias",
        f"{shown(span.text)} repeats a value that no `&` has named",
        span,
        "`*` begins a YAML alias",
        help=_quoting(span.source, span.start, expression_end(span.source.text, span.start, "#")),
    )


def tag(source: Source, start: int) -> Diagnostic:
    """`!` begins a tag."""
    text = source.text
    written = expression_end(text, start, " #,")
    if text[start : start + 1] == "!" and not text.startswith("!!", start):
        hint = _quoting(source, start, expression_end(text, start, "#"))
    else:
        hint = "leave the tag out; to make a text of the value, put it in quotes"
    return diagnostic(
        "error", "yaml-tag", "specs have no YAML tags", source.span(start, written), "`!` begins a tag", help=hint
    )


# ---- traps that YAML itself refuses


def explain(source: Source, begin: int, error: yaml.MarkedYAMLError, flows: Sequence[int]) -> Diagnostic:
    """Turn an error of the YAML parser into ours; `flows` are the offsets of open `{` and `[`."""
    from scoring.format.yaml_problems import problem

    found = problem(source, begin, error)
    text, place = source.text, found.place
    line_start = text.rfind("\n", 0, place) + 1
    if place - line_start > _LONGEST_LINE:
        return found.diagnostic
    flow = any(start < place for start in flows)
    before = place - 1
    while before >= line_start and text[before] in " \t":
        before -= 1
    previous = text[before] if before >= line_start else ""
    here = text[place : place + 1]
    if "tab" in found.words or here == "\t":
        return _tab(source, place)
    if previous in ("]", "}") and here not in (":", ""):
        opener = _opener(text, before, line_start)
        if opener is not None and _begins_value(text, opener, line_start):
            return _bracket(source, opener, place, any(start < opener for start in flows))
    if previous in ('"', "'") and here not in (":", ""):
        opener = _quote_opener(text, before, line_start)
        if opener is not None:
            return _quote(source, opener, place, flow)
    if here in ("|", ">") and here:
        return _pipe(source, place, flow)
    if here in ("@", "`", "%") and here:
        return _indicator(source, place, flow)
    if flow and here in ("[", "{", ":") and here:
        start = _flow_expression(text, place, line_start)
        if start is not None:
            return _colon(source, place, start, True) if here == ":" else _comma(source, place, start)
    if flow and here == "[" and previous.isidentifier() and before == place - 1:
        start = max(text.rfind(mark, line_start, place) for mark in (": ", ", ", "{", "[")) + 1
        return _comma(source, place, start + (text[start] == " "))
    if here == ":" and not flow:
        value = _value_start(text, line_start)
        if value is not None and value < place:
            return _colon(source, place, value, flow=False)
    return found.diagnostic


def _opener(text: str, closer: int, line_start: int) -> int | None:
    level = 0
    for place in range(closer, line_start - 1, -1):
        level += (text[place] in "]})") - (text[place] in "[{(")
        if level == 0:
            return place
    return None


def _begins_value(text: str, place: int, line_start: int) -> bool:
    """Whether a value begins here: behind `key:`, `-`, a comma or an opening bracket."""
    head = text[line_start:place].rstrip(" \t")
    return not head or head[-1] in ":-,[{"


def _quote_opener(text: str, closer: int, line_start: int) -> int | None:
    for place in range(line_start, closer):
        if text[place] == text[closer] and _begins_value(text, place, line_start):
            return place
    return None


def _flow_expression(text: str, place: int, line_start: int) -> int | None:
    """Where the unquoted expression begins whose open round bracket stands before this place."""
    head = text[line_start:place]
    level = 0
    for index in range(len(head) - 1, -1, -1):
        level += (head[index] == ")") - (head[index] == "(")
        if level < 0:
            breaks = [match.end() for match in _FLOW_BREAK.finditer(head, 0, index)]
            return line_start + breaks[-1] if breaks else None
    return None


_FLOW_BREAK = pattern(r"[{\[][ \t]*|,[ \t]+|:[ \t]+")


_HEAD = pattern(r"[ \t]*(?:-[ \t]+)*(?:(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s:#\"'{\[][^:#\n]*):[ \t]+)?")


def _value_start(text: str, line_start: int) -> int | None:
    """Where the value of a `key: value` or `- value` line begins."""
    match = _HEAD.match(text, line_start)
    return match.end() if match and match.end() > line_start and match.group().strip() else None


# ---- the findings


def _comma(source: Source, place: int, start: int) -> Diagnostic:
    character = source.text[place : place + 1]
    return diagnostic(
        "error",
        "yaml-comma",
        f"`{character}` ends an unquoted value inside `{{…}}` and `[…]`",
        source.span(place, place + 1),
        "YAML ends the value here",
        secondary=[Label(source.span(start, start + 1), "the value begins here")],
        help=_quoting(source, start, expression_end(source.text, start, _FLOW_STOPS)),
        note="in block style, one entry a line, the expression needs no quotes",
    )


def _colon(source: Source, place: int, start: int, flow: bool) -> Diagnostic:
    text = source.text
    end = expression_end(text, start, _FLOW_STOPS if flow else "#")
    opened = unclosed(text[start:place])
    inside = bool(opened) and not opened.endswith('"')
    if inside:
        # What stands in quotes is meant as it is; only a map's own colons are written otherwise.
        mended = re.sub(r"(\"[^\"]*\"|'[^']*')|:[ \t]+", lambda found: found[1] or "=", text[start:end])
        needs_quotes = ": " in mended or (flow and "," in mended)
        hint = _line_with(source, start, end, _single_quoted(mended) if needs_quotes else mended)
        message = "`: ` inside an expression makes a YAML mapping of it"
    else:
        hint, message = _quoting(source, start, end), "`: ` inside an unquoted value makes a YAML mapping of it"
    return diagnostic(
        "error",
        "yaml-colon",
        message,
        source.span(place, place + 1),
        "YAML sees a key before this",
        help=hint,
        note="a map in an expression is written with `=`, as in `{Int=int_match}`" if inside else (),
    )


def _tab(source: Source, place: int) -> Diagnostic:
    end = place
    while source.text[end : end + 1] == "\t":
        end += 1
    return diagnostic(
        "error",
        "yaml-tab",
        "a tab stands where YAML needs spaces",
        source.span(place, max(end, place + 1)),
        "a tab",
        help="indent with spaces",
    )


def _bracket(source: Source, start: int, place: int, flow: bool) -> Diagnostic:
    opener = source.text[start]
    what = "list" if opener == "[" else "mapping"
    return diagnostic(
        "error",
        "yaml-bracket",
        f"a value that begins with `{opener}` is a YAML {what}, and this one goes on after it",
        source.span(place, place + 1),
        f"the {what} has ended before this",
        secondary=[Label(source.span(start, start + 1), f"YAML begins a {what} here")],
        help=_quoting(source, start, expression_end(source.text, start, _FLOW_STOPS if flow else "#")),
        note=_QUOTED_NOTE,
    )


def _quote(source: Source, start: int, place: int, flow: bool) -> Diagnostic:
    return diagnostic(
        "error",
        "yaml-quote",
        "a value that begins with a quote ends at the next one, and this one goes on after it",
        source.span(place, place + 1),
        "the quoted text has ended before this",
        secondary=[Label(source.span(start, start + 1), "YAML begins a quoted text here")],
        help=_quoting(source, start, expression_end(source.text, start, _FLOW_STOPS if flow else "#")),
        note=_QUOTED_NOTE,
    )


def _pipe(source: Source, place: int, flow: bool) -> Diagnostic:
    text = source.text
    rest = place + 1
    while text[rest : rest + 1] in (" ", "\t") and rest < len(text):
        rest += 1
    end = expression_end(text, rest, _FLOW_STOPS if flow else "#")
    return diagnostic(
        "error",
        "yaml-pipe",
        f"a value that begins with `{text[place]}` opens a YAML block of text",
        source.span(place, place + 1),
        "a pipeline begins with its first step, not with `|`" if text[place] == "|" else "a block's text begins below",
        help=_line_with(source, place, end, text[rest:end]),
    )


def _indicator(source: Source, place: int, flow: bool) -> Diagnostic:
    character = "a backquote" if source.text[place] == "`" else f"`{source.text[place]}`"
    return diagnostic(
        "error",
        "yaml-indicator",
        f"no unquoted value can begin with {character}",
        source.span(place, place + 1),
        "YAML keeps this character for itself",
        help=_quoting(source, place, expression_end(source.text, place, _FLOW_STOPS if flow else "#")),
    )


def _single_quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _quoting(source: Source, start: int, end: int) -> str:
    return _line_with(source, start, end, _single_quoted(source.text[start:end]))


def _line_with(source: Source, start: int, end: int, mended: str) -> str:
    """The author's line with one part of it rewritten."""
    line_start = source.text.rfind("\n", 0, start) + 1
    line_end = source.text.find("\n", end)
    tail = source.text[end : line_end if line_end >= 0 else len(source.text)].rstrip("\r")
    line = f"{source.text[line_start:start].lstrip()}{mended}{tail}"
    return f"write it so:\n{line if len(line) <= _LONGEST_SHOWN else mended[:_LONGEST_SHOWN]}"
