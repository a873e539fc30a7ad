"""Findings about the traps of YAML for well-meant texts: each names the trap, and shows the line as it should be."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from scoring.diagnostics.diagnostic import Diagnostic, Label, diagnostic
from scoring.diagnostics.meant import Advice
from scoring.diagnostics.source import Source, Span
from scoring.diagnostics.words import shown
from scoring.format.brackets import unclosed
from scoring.format.nodes import SpecNode
from scoring.format.yaml_advice import expression_end, line_end, line_with, quoting, replacement_advice, single_quoted

FLOW_STOPS = ",}]#"
_NAMES_OF_ESCAPES = {
    "b": "a backspace", "f": "a form feed", "v": "a vertical tab", "a": "a bell", "e": "an escape character",
    "t": "a tab", "r": "a carriage return", "n": "a newline",
}  # fmt: skip
_QUOTED_NOTE = "in single quotes every character is literal; only `'` is doubled"
_BACKSLASH_NOTE = "in single quotes and in blocks every backslash is literal"


class _Trap(NamedTuple):
    """The texts of the finding for one trap; `{}` stands for the offending text, `opened` labels the value's start."""

    message: str
    label: str
    note: str = ""
    opened: str = ""


_TRAPS = {
    "yaml-comma": _Trap(
        "`{}` ends an unquoted value inside `{{…}}` and `[…]`",
        "YAML ends the value here",
        "in block style, one entry a line, the expression needs no quotes",
        "the value begins here",
    ),
    "yaml-hash": _Trap(
        "` #` starts a comment and cuts this value off", "YAML ignores everything from here on", _QUOTED_NOTE
    ),
    "yaml-bracket": _Trap(
        "a value that begins with `{}` is a YAML {what}, but this one continues after it",
        "the {what} has ended before this",
        _QUOTED_NOTE,
        "YAML begins a {what} here",
    ),
    "yaml-quote": _Trap(
        "a value that begins with a quote ends at the next one, but this one continues after it",
        "the quoted text has ended before this",
        _QUOTED_NOTE,
        "YAML begins a quoted text here",
    ),
    "yaml-indicator": _Trap("no unquoted value can begin with {}", "YAML reserves this character"),
    "yaml-tab": _Trap("there is a tab where YAML needs spaces", "a tab"),
    "yaml-tag": _Trap("specs have no YAML tags", "`!` begins a tag"),
    "yaml-unknown-alias": _Trap("{} repeats a value that no `&` defines", "`*` begins a YAML alias"),
    "syntax-yaml": _Trap("the backslash does not begin a YAML escape", "in a double-quoted text", _BACKSLASH_NOTE),
}


def trap(id: str, span: Span, help: str, *words: str, start: int = -1, **more: str) -> Diagnostic:
    """Return the finding for a trap, with texts filled from `words` and `more`; the misread value begins at `start`."""
    message, label, note, opened = (text.format(*words, **more) for text in _TRAPS[id])
    secondary = [Label(span.source.span(start, start + 1), opened)] if opened else []
    return diagnostic("error", id, message, span, label, secondary=secondary, help=help, note=note)


def quoted_value(source: Source, start: int, flow: bool) -> str:
    """Return advice to quote the expression that begins at an offset; `flow` says that it is in `{…}` or `[…]`."""
    return quoting(source, start, expression_end(source.text, start, FLOW_STOPS if flow else "#"), flow=flow)


def hash_trap(node: SpecNode, span: Span) -> Diagnostic:
    """Return the finding for a `#` at `span`, after or in place of the value of `node`, which begins no comment."""
    source, text = span.source, span.source.text
    start = span.start if node.value is None else node.span.start
    return diagnostic(
        "error",
        "yaml-hash",
        "` #` starts a comment, and this does not look like one",
        span,
        "YAML ignores everything from here on",
        help=quoting(source, start, start + len(text[start : line_end(text, start)].rstrip())),
        note="a comment has a space after its `#`",
    )


def cut_off(node: SpecNode, span: Span) -> Diagnostic:
    """Return the finding for a ` #` at `span` that cuts off the expression in `node`."""
    return trap("yaml-hash", span, quoted_value(span.source, node.span.start, flow=False))


def escape_trap(node: SpecNode, escape: re.Match[str], flow: bool) -> Diagnostic:
    """Return the finding for an escape in the double-quoted text of `node` that reads as a control character."""
    source, text = node.span.source, node.span.text
    place = node.span.start + escape.start()
    inner = text[1:-1].replace("\\\\", "\\").replace('\\"', '"')
    return diagnostic(
        "error",
        "yaml-escape",
        f"in double quotes {shown(escape[0])} is {_NAMES_OF_ESCAPES[escape[1]]}",
        Span(source, place, place + 2),
        "YAML reads this before we do",
        help=replacement_advice(source, node.span.start, node.span.end, inner, flow=flow or "\n" in text),
        note=_BACKSLASH_NOTE,
    )


def kept_line_ends(node: SpecNode, every: bool = False) -> Iterator[Diagnostic]:
    """Yield findings for one-line patterns written as blocks with `|` or `>`, which keep an unintended line end.

    Args:
        node: The arguments, written as data.
        every: Whether to check the node itself whatever its name; otherwise only values named `pattern` are checked.
    """
    waiting = [(node, every)]
    while waiting:
        node, every = waiting.pop()
        waiting += [(one, every or name == "pattern") for name, one in node.entries.items()]
        waiting += [(one, False) for one in node.items]
        value = node.value if every and isinstance(node.value, str) and node.style in ("literal", "folded") else ""
        if value.find("\n") == len(value) - 1 > 0:
            place, mark = node.span.start, node.span.text[0]
            span = node.span.source.span(place, place + 1)
            yield diagnostic(
                "error",
                "yaml-line-end",
                f"this text ends with a newline, which `{mark}` keeps",
                span,
                "of a text of one line",
                help=Advice.of(f"write `{mark}-`, which drops it", span, f"{mark}-", is_source=True, is_sure=False),
                note="if the newline is intended, write the text in double quotes, with `\\n` at its end",
            )


def unknown_alias(span: Span) -> Diagnostic:
    """Return the finding for a value that begins with `*`, which YAML reads as an unknown alias."""
    text = span.source.text
    flow = bool(unclosed(text[text.rfind("\n", 0, span.start) + 1 : span.start]))
    return trap("yaml-unknown-alias", span, quoted_value(span.source, span.start, flow=flow), shown(span.text))


def tag_finding(source: Source, start: int) -> Diagnostic:
    """Return the finding for a value that begins with `!`, which YAML reads as a tag."""
    text = source.text
    hint = "leave the tag out; to make a text of the value, put it in quotes"
    if text[start : start + 1] == "!" and not text.startswith("!!", start):
        hint = quoted_value(source, start, flow=False)
    return trap("yaml-tag", source.span(start, expression_end(text, start, " #,")), hint)


def comma_trap(source: Source, place: int, start: int) -> Diagnostic:
    """Return the finding for a character, such as a comma, that ends an unquoted value in `{…}` or `[…]` too early."""
    span = source.span(place, place + 1)
    return trap("yaml-comma", span, quoted_value(source, start, flow=True), source.text[place : place + 1], start=start)


def colon_trap(source: Source, place: int, start: int, flow: bool) -> Diagnostic:
    """Return the finding for a `: ` at `place` in a value that begins at `start`."""
    text = source.text
    end = expression_end(text, start, FLOW_STOPS if flow else "#")
    opened = unclosed(text[start:place])
    inside = bool(opened) and not opened.endswith('"')
    if inside:
        # Text in quotes stays unchanged; only the colons of a map are replaced.
        mended = re.sub(r"(\"[^\"]*\"|'[^']*')|:[ \t]+", lambda found: found[1] or "=", text[start:end])
        needs_quotes = ": " in mended or (flow and "," in mended)
        hint = line_with(source, start, end, single_quoted(mended) if needs_quotes else mended)
    else:
        hint = quoting(source, start, end, flow=flow)
    if text.startswith("lambda ", start):
        from scoring.lang.mistake import mistakes

        row = next(one for one in mistakes() if one.id == "syntax-lambda")
        return diagnostic("error", row.id, row.message, source.span(start, start + 6), row.label, help=row.help)
    return diagnostic(
        "error",
        "yaml-colon",
        f"`: ` inside an {'expression' if inside else 'unquoted value'} turns it into a YAML mapping",
        source.span(place, place + 1),
        "YAML sees a key before this",
        help=hint,
        note="a map in an expression is written with `=`, as in `{Int=int_match}`" if inside else (),
    )
