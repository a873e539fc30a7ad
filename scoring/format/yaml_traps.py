"""Mistakes that YAML makes of well-meant expressions: each names the trap and shows the line as it should be."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from scoring.diagnostics.diagnostic import Diagnostic, Diagnostics, Label, diagnostic
from scoring.diagnostics.source import Fragment, Source, Span
from scoring.diagnostics.words import shown
from scoring.format.brackets import closes_more, expression_end, unclosed
from scoring.format.nodes import SpecNode
from scoring.format.yaml_advice import line_with, quoting, single_quoted, written
from scoring.late import pattern

if TYPE_CHECKING:
    import yaml

_COMMENT = pattern(r"[ \t]+#([^\r\n]*)")
_LONGEST_LINE = 2000
_FLOW_STOPS = ",}]#"
_QUOTED_NOTE = "in single quotes every character is itself; only `'` is written twice"


# ---- traps in text that YAML accepts, but not as it was meant


def check_comment(node: SpecNode, found: Diagnostics) -> None:
    """` #` inside an expression starts a comment and cuts it off; so do `##` and `#1` after a text, or as a value."""
    text, end = node.span.source.text, node.span.end
    if text[end : end + 1] not in (" ", "\t"):
        return
    comment = _COMMENT.match(text, end)
    if comment and _NO_COMMENT.match(comment[1]):
        start = comment.start(1) - 1 if node.value is None else node.span.start
        found.add(
            diagnostic(
                "error",
                "yaml-hash",
                "` #` starts a comment, and this does not look like one",
                Span(node.span.source, comment.start(1) - 1, comment.start(1)),
                "from here on YAML reads nothing",
                help=quoting(node.span.source, start, _line_end(text, start)),
                note="a comment has a space behind its `#`",
            )
        )
        return
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
                help=quoting(node.span.source, node.span.start, expression_end(text, node.span.start, "#")),
                note=_QUOTED_NOTE,
            )
        )


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return start + len(text[start : end if end >= 0 else len(text)].rstrip())


_NO_COMMENT = pattern(r"#|\d")


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


def check_pair(written: Sequence[SpecNode], found: Diagnostics) -> None:
    """`Answer: B` in a list is a mapping; the name of a step begins with a small letter."""
    if len(written) != 2 or any(node.style != "plain" or not isinstance(node.value, str) for node in written):
        return
    key = written[0]
    if not _STEP.fullmatch(str(key.value)):
        source = key.span.source
        found.add(_colon(source, source.text.index(":", key.span.end), key.span.start, flow=True))


_STEP = pattern(r"[a-z_][\w./-]*")


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
        help=quoting(span.source, span.start, expression_end(span.source.text, span.start, "#")),
    )


def tag(source: Source, start: int) -> Diagnostic:
    """`!` begins a tag."""
    text = source.text
    written = expression_end(text, start, " #,")
    if text[start : start + 1] == "!" and not text.startswith("!!", start):
        hint = quoting(source, start, expression_end(text, start, "#"))
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
    if "escape" in found.words:
        return _escape(source, found.context, place, flow)
    if flow and (cut := _comment_in_flow(source, max(start for start in flows if start < place), place)):
        return cut
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
    if here and (here in "@`%" or (here in ",]}" and not flow and _begins_value(text, place, line_start))):
        return _indicator(source, place, flow)
    if flow and here in ("[", "{", ":") and here:
        start = _flow_expression(text, place, line_start)
        if start is not None:
            return _colon(source, place, start, True) if here == ":" else _comma(source, place, start)
    starts = [match.end() for match in _FLOW_BREAK.finditer(text, line_start, place)]
    if flow and here and here in "[{:" and before == place - 1 and starts:
        return _colon(source, place, starts[-1], True) if here == ":" else _comma(source, place, starts[-1])
    value = (starts[-1] if starts else None) if flow else _value_start(text, line_start)
    if value is None or value > place:
        return found.diagnostic
    if text[value : value + 1] in ("*", "&", "!"):
        return _indicator(source, value, flow)
    return _colon(source, place, value, flow=False) if here == ":" and not flow else found.diagnostic


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
        help=quoting(source, start, expression_end(source.text, start, _FLOW_STOPS), flow=True),
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
        hint = line_with(source, start, end, single_quoted(mended) if needs_quotes else mended)
        message = "`: ` inside an expression makes a YAML mapping of it"
    else:
        hint, message = (
            quoting(source, start, end, flow=flow),
            "`: ` inside an unquoted value makes a YAML mapping of it",
        )
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
        help=quoting(source, start, expression_end(source.text, start, _FLOW_STOPS if flow else "#"), flow=flow),
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
        help=_without_quotes(source, start, expression_end(source.text, start, _FLOW_STOPS if flow else "#"), flow),
        note=_QUOTED_NOTE,
    )


def _without_quotes(source: Source, start: int, end: int, flow: bool) -> str:
    """How to write a quoted text in which its own quotes stand: without them, where they enclose an expression."""
    from scoring.lang.parser import is_formula, pipeline_or_none

    meant = source.text[start:end]
    inner = Fragment.of(meant[1:-1])
    if meant[-1:] == meant[0] and (pipeline_or_none(inner) is not None or is_formula(inner)):
        meant = meant[1:-1]
    return written(source, start, end, meant, flow=flow)


def _escape(source: Source, start: int, place: int, flow: bool) -> Diagnostic:
    """A backslash that begins no escape, in double quotes."""
    text = source.text
    escaped = _DOUBLE_QUOTED.match(text, start)
    end = escaped.end() if escaped else expression_end(text, start)
    inner = text[start + 1 : end - 1] if escaped else text[start + 1 : end]
    return diagnostic(
        "error",
        "syntax-yaml",
        "the backslash begins no escape that YAML knows",
        source.span(place, place + 2),
        "in a double-quoted text",
        help=written(source, start, end, inner.replace('\\"', '"').replace("\\\\", "\\"), flow=flow),
        note="in single quotes and in blocks every backslash is itself",
    )


_DOUBLE_QUOTED = pattern(r'"(?:[^"\\\r\n]|\\[^\r\n])*"')


def _comment_in_flow(source: Source, opened: int, place: int) -> Diagnostic | None:
    """` #` inside `{…}` and `[…]` that cuts off what closes them."""
    for found in _COMMENT.finditer(source.text, opened, place):
        line_start = source.text.rfind("\n", 0, found.start()) + 1
        if not _CLOSER.search(found[1]) or unclosed(source.text[line_start : found.start()]).endswith('"'):
            continue
        hash_ = found.start(1) - 1
        start = max((one.end() for one in _FLOW_BREAK.finditer(source.text, line_start, hash_)), default=hash_)
        end = expression_end(source.text, start, ",}]")
        return diagnostic(
            "error",
            "yaml-hash",
            "` #` starts a comment and cuts this value off",
            source.span(hash_, hash_ + 1),
            "from here on YAML reads nothing",
            help=quoting(source, start, end, flow=True),
            note=_QUOTED_NOTE,
        )
    return None


_CLOSER = pattern(r"[\]}]")


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
        help=line_with(source, place, end, text[rest:end]),
    )


def _indicator(source: Source, place: int, flow: bool) -> Diagnostic:
    character = "a backquote" if source.text[place] == "`" else f"`{source.text[place]}`"
    return diagnostic(
        "error",
        "yaml-indicator",
        f"no unquoted value can begin with {character}",
        source.span(place, place + 1),
        "YAML keeps this character for itself",
        help=quoting(source, place, expression_end(source.text, place, _FLOW_STOPS if flow else "#"), flow=flow),
    )
