"""Explain errors of the YAML parser: the trap that a value fell into, or else the parser's message in our words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from scoring.diagnostics.diagnostic import Diagnostic, Label, diagnostic
from scoring.diagnostics.source import Fragment, Source
from scoring.diagnostics.words import shown
from scoring.format.brackets import unclosed
from scoring.format.yaml_advice import expression_end, line_start, line_with, quoting, replacement_advice
from scoring.format.yaml_findings import FLOW_STOPS, colon_trap, comma_trap, quoted_value, trap
from scoring.format.yaml_traps import COMMENT
from scoring.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    import yaml

_LONGEST_LINE = 2000
_FLOW_BREAK = lazy_pattern(r"[{\[][ \t]*|,[ \t]+|:[ \t]+")
_HEAD = lazy_pattern(r"[ \t]*(?:-[ \t]+)*(?:(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s:#\"'{\[][^:#\n]*):[ \t]+)?")
_DOUBLE_QUOTED = lazy_pattern(r'"(?:[^"\\\r\n]|\\[^\r\n])*"')
_CLOSER = lazy_pattern(r"[\]}]")
_INDENTATION = "is the indentation of this line right?"
# Parts of the parser's messages (in libyaml's and PyYAML's wording) → message, label, help, and the location to show:
# "problem" for the position at which it stopped, "context" for the start of the construct that it was reading.
_TABLE: tuple[tuple[tuple[str, ...], str, str, str, str], ...] = (
    (("end of stream", "document indicator"), "this quoted text is never closed", "it begins here", "", "context"),
    (
        ("escape",),
        "the backslash does not begin a YAML escape",
        "in a double-quoted text",
        "put the text in single quotes, where a backslash is literal",
        "problem",
    ),
    (("expected ':'",), "this line is not a `key: value` pair", "expected `:` after the key", "", "context"),
    (("',' or '}'",), "expected `,` or `}`", "", "", "problem"),
    (("',' or ']'",), "expected `,` or `]`", "", "", "problem"),
    (("mapping values are not allowed",), "a key is not allowed here", _INDENTATION, "", "problem"),
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
    (("<document start>",), "the text continues after its value", "nothing may follow here", "", "problem"),
)


def explain_yaml_error(source: Source, begin: int, error: yaml.MarkedYAMLError, flows: Sequence[int]) -> Diagnostic:
    """Return the finding for an error of the YAML parser: the known mistake behind it, or else its own message.

    Args:
        source: The file.
        begin: The offset in it of the text that was parsed.
        error: The error.
        flows: The offsets of the open `{` and `[`.
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
        ((), f"this is not valid YAML: {shown(words)}", "", "", "problem"),
    )
    point = context if at == "context" else place
    span = source.span(point, min(point + 1, len(source.text)))
    opened = [Label(source.span(context, context + 1), "opened here")] if "',' or" in words else []
    return diagnostic("error", "syntax-yaml", message, span, label, help=hint, secondary=opened)


class _Stop(Struct, frozen=True):
    """The position at which the YAML parser stopped, with its surroundings, from which known mistakes are recognised.

    Args:
        source: The file.
        place: The offset at which the parser stopped.
        context: The start of the construct that it was reading.
        words: The parser's message.
        flows: The offsets of the open `{` and `[`.
        line: The start of the line.
        opened: The offset of the last open `{` or `[` before the position.
        before: The offset of the last character before the position that is not white space.
        breaks: The offsets on the line at which values may begin inside `{…}` and `[…]`.
    """

    source: Source
    place: int
    context: int
    words: str
    flows: Sequence[int]
    line: int
    opened: int | None
    before: int
    breaks: Sequence[int]

    @classmethod
    def of(cls, source: Source, place: int, context: int, words: str, flows: Sequence[int]) -> _Stop:
        """Return the stop at the offset `place`, with its surroundings on the line."""
        line = line_start(source.text, place)
        opened = max((start for start in flows if start < place), default=None)
        before = line + len(source.text[line:place].rstrip(" \t")) - 1
        breaks = [match.end() for match in _FLOW_BREAK.finditer(source.text, line, place)]
        return cls(source, place, context, words, flows, line, opened, before, breaks)

    @property
    def flow(self) -> bool:
        """Whether a `{` or `[` is open."""
        return self.opened is not None

    @property
    def here(self) -> str:
        """The character at which the parser stopped; "" at the end of the text."""
        return self.source.text[self.place : self.place + 1]

    @property
    def previous(self) -> str:
        """The last character on the line before the stop that is not white space; "" if there is none."""
        return self.source.text[self.before] if self.before >= self.line else ""

    @property
    def value(self) -> int | None:
        """The start offset of the value in which the parser stopped, None if unknown."""
        start = (self.breaks[-1] if self.breaks else None) if self.flow else _value_start(self.source.text, self.line)
        return start if start is not None and start <= self.place else None


def _trapped(source: Source, place: int, context: int, words: str, flows: Sequence[int]) -> Diagnostic | None:
    """Return the finding of the first known mistake that matches where the parser stopped; None if none does."""
    if place - line_start(source.text, place) > _LONGEST_LINE:
        return None
    stop = _Stop.of(source, place, context, words, flows)
    return next((found for shape in _SHAPES if (found := shape(stop)) is not None), None)


# ---- the shapes of traps: each returns its finding if it matches, else None


def _unknown_escape(stop: _Stop) -> Diagnostic | None:
    r"""Detect `"\d+"`: a backslash in double quotes that is not an escape."""
    return _escape(stop.source, stop.context, stop.place, stop.flow) if "escape" in stop.words else None


def _cut_by_comment(stop: _Stop) -> Diagnostic | None:
    """Detect `{a: b #}`: a comment that cuts off the end of a mapping or a list."""
    return None if stop.opened is None else _comment_in_flow(stop.source, stop.opened, stop.place)


def _tab(stop: _Stop) -> Diagnostic | None:
    """Detect a tab where YAML needs spaces."""
    if "tab" not in stop.words and stop.here != "\t":
        return None
    rest = stop.source.text[stop.place :]
    tabs = max(len(rest) - len(rest.lstrip("\t")), 1)
    return trap("yaml-tab", stop.source.span(stop.place, stop.place + tabs), "indent with spaces")


def _behind_bracket(stop: _Stop) -> Diagnostic | None:
    """Detect `key: [a] | b`: a value that begins as a list or a mapping, with text after the closing bracket."""
    if stop.previous not in ("]", "}") or stop.here in (":", ""):
        return None
    opener = _opener(stop.source.text, stop.before, stop.line)
    if opener is None or not _begins_value(stop.source.text, opener, stop.line):
        return None
    return _bracket(stop.source, opener, stop.place, any(start < opener for start in stop.flows))


def _behind_quote(stop: _Stop) -> Diagnostic | None:
    """Detect `key: "a" in b`: a value that begins as a quoted text, with text after the closing quote."""
    text = stop.source.text
    if stop.previous not in ("'", '"') or stop.here in (":", ""):
        return None
    quotes = (at for at in range(stop.line, stop.before) if text[at] == stop.previous)
    quote = next((at for at in quotes if _begins_value(text, at, stop.line)), None)
    return None if quote is None else _quote(stop.source, quote, stop.place, stop.flow)


def _leading_pipe(stop: _Stop) -> Diagnostic | None:
    """Detect `key: | lower`: a value that opens a block of text."""
    return _pipe(stop.source, stop.place, stop.flow) if stop.here in ("|", ">") else None


def _reserved(stop: _Stop) -> Diagnostic | None:
    """Detect `key: @a` or `key: ]`: a value that begins with a character reserved by YAML."""
    stray = stop.here in (",", "]", "}") and not stop.flow and _begins_value(stop.source.text, stop.place, stop.line)
    return _indicator(stop.source, stop.place, stop.flow) if stop.here in ("@", "`", "%") or stray else None


def _cut_in_flow(stop: _Stop) -> Diagnostic | None:
    """Detect `{a: f(x, y)}`: a comma, a colon or a bracket that ends an unquoted value inside `{…}` and `[…]`."""
    if not stop.flow or stop.here not in ("[", "{", ":"):
        return None
    start = _flow_expression(stop.source.text, stop.place, stop.line)
    if start is None and stop.before == stop.place - 1 and stop.breaks:
        start = stop.breaks[-1]
    if start is None:
        return None
    if stop.here == ":":
        return colon_trap(stop.source, stop.place, start, True)
    return comma_trap(stop.source, stop.place, start)


def _leading_indicator(stop: _Stop) -> Diagnostic | None:
    """Detect `key: *a b`: a value that begins as an alias, an anchor or a tag."""
    value = stop.value
    if value is None or stop.source.text[value : value + 1] not in ("*", "&", "!"):
        return None
    return _indicator(stop.source, value, stop.flow)


def _colon_in_value(stop: _Stop) -> Diagnostic | None:
    """Detect `key: f(a: b)`: a colon that turns the text before it into a key."""
    if stop.here != ":" or stop.flow or stop.value is None:
        return None
    return colon_trap(stop.source, stop.place, stop.value, flow=False)


_SHAPES = (
    _unknown_escape,
    _cut_by_comment,
    _tab,
    _behind_bracket,
    _behind_quote,
    _leading_pipe,
    _reserved,
    _cut_in_flow,
    _leading_indicator,
    _colon_in_value,
)
"""The shapes in the order in which they are tried; earlier ones are more specific."""


def _opener(text: str, closer: int, line: int) -> int | None:
    level = 0
    for place in range(closer, line - 1, -1):
        level += (text[place] in "]})") - (text[place] in "[{(")
        if level == 0:
            return place
    return None


def _begins_value(text: str, place: int, line: int) -> bool:
    """Return whether a value begins at an offset: after `key:`, `-`, a comma or an opening bracket."""
    head = text[line:place].rstrip(" \t")
    return not head or head[-1] in ":-,[{"


def _flow_expression(text: str, place: int, line: int) -> int | None:
    """Return the offset where the unquoted expression begins that has a round bracket open at the offset ``place``;
    None if there is none in the line that starts at the offset ``line``."""
    level = 0
    for index in range(place - 1, line - 1, -1):
        level += (text[index] == ")") - (text[index] == "(")
        if level < 0:
            return max((match.end() for match in _FLOW_BREAK.finditer(text, line, index)), default=None)
    return None


def _value_start(text: str, line: int) -> int | None:
    """Return the offset of the value in the `key: value` or `- value` line that starts at ``line``, None for others."""
    match = _HEAD.match(text, line)
    return match.end() if match and match.end() > line and match.group().strip() else None


# ---- the findings


def _bracket(source: Source, start: int, place: int, flow: bool) -> Diagnostic:
    opener = source.text[start]
    what = "list" if opener == "[" else "mapping"
    span = source.span(place, place + 1)
    return trap("yaml-bracket", span, quoted_value(source, start, flow), opener, start=start, what=what)


def _quote(source: Source, start: int, place: int, flow: bool) -> Diagnostic:
    """Return the finding for text at `place` after a quoted text at `start`; the advice unquotes an expression."""
    from scoring.lang.parser import is_formula, pipeline_or_none

    end = expression_end(source.text, start, FLOW_STOPS if flow else "#")
    text = source.text[start:end]
    inner = Fragment.of(text[1:-1])
    if text[-1:] == text[0] and (pipeline_or_none(inner) is not None or is_formula(inner)):
        text = inner.text
    hint = replacement_advice(source, start, end, text, flow=flow)
    return trap("yaml-quote", source.span(place, place + 1), hint, start=start)


def _escape(source: Source, start: int, place: int, flow: bool) -> Diagnostic:
    """Return the finding for a backslash in double quotes that is not an escape."""
    text = source.text
    escaped = _DOUBLE_QUOTED.match(text, start)
    end = escaped.end() if escaped else expression_end(text, start)
    inner = text[start + 1 : end - 1] if escaped else text[start + 1 : end]
    hint = replacement_advice(source, start, end, inner.replace('\\"', '"').replace("\\\\", "\\"), flow=flow)
    return trap("syntax-yaml", source.span(place, place + 2), hint)


def _comment_in_flow(source: Source, opened: int, place: int) -> Diagnostic | None:
    """Return the finding for a ` #` between two offsets that cuts off the end of `{…}` or `[…]`, None without one."""
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
