"""The YAML parser's own complaints in our words, at the place where the author should look."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.diagnostics.diagnostic import Diagnostic, Label, diagnostic
from scoring.diagnostics.source import Source
from scoring.diagnostics.words import shown
from scoring.late import dataclass

if TYPE_CHECKING:
    import yaml

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
    (
        ("mapping values are not allowed",),
        "a key can't stand here",
        "is the indentation of this line right?",
        "",
        "problem",
    ),
    (
        (
            "expected key",
            "<block end>",
            "'-' indicator",
            "sequence entries are not allowed",
            "mapping keys are not allowed",
        ),
        "this does not fit the lines before it",
        "is the indentation of this line right?",
        "",
        "problem",
    ),
    (("cannot start any token",), "no value can begin with this character", "", "put the value in quotes", "problem"),
    (("<document start>",), "the text goes on after its value", "nothing may follow here", "", "problem"),
)


@dataclass(frozen=True)
class YamlProblem:
    """Where the parser gave up, what it said, and the finding made of it."""

    place: int
    context: int
    words: str
    diagnostic: Diagnostic


def problem(source: Source, begin: int, error: yaml.MarkedYAMLError) -> YamlProblem:
    """Describe an error of the parser; `begin` is where the text given to it starts in the source."""
    marks = [mark.index + begin for mark in (error.problem_mark, error.context_mark) if mark]
    last = len(source.text)
    place = min(marks[0], last) if marks else last
    context = min(error.context_mark.index + begin, last) if error.context_mark else place
    words = error.problem or ""
    if "block scalar" in (error.context or ""):
        place = context
    message, label, hint, at = _worded(words)
    point = context if at == "context" else place
    opened = [Label(source.span(context, context + 1), "opened here")] if words.find("',' or") >= 0 else []
    return YamlProblem(
        place,
        context,
        words,
        diagnostic(
            "error",
            "syntax-yaml",
            message,
            source.span(point, min(point + 1, last)),
            label,
            help=hint,
            secondary=opened,
        ),
    )


def _worded(words: str) -> tuple[str, str, str, str]:
    for needles, message, label, hint, at in _TABLE:
        if any(needle in words for needle in needles):
            return message, label, hint, at
    return f"this is no YAML: {shown(words)}", "", "", "problem"
