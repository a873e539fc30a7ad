"""Render findings for people: the line of the file with carets under it, and advice."""

from __future__ import annotations

from collections.abc import Iterable

from scoring.diagnostics.diagnostic import Diagnostic, Diagnostics, Label
from scoring.diagnostics.render.snippet import WIDEST, Mark, Paint, snippet
from scoring.diagnostics.source import Source
from scoring.diagnostics.visible import visible
from scoring.diagnostics.words import counted


def render_as_text(diagnostics: Iterable[Diagnostic], color: bool = False, widest: int = WIDEST) -> str:
    """Return findings as text for people, sorted by location, with their number at the end.

    Of longer lines of a source than `widest` characters, the part with the mistake is drawn.

    Examples:
        >>> from scoring.diagnostics.source import Source
        >>> found = Diagnostics()
        >>> span = Source("a.yaml", "kind: task\\nscore: numbr").span(18, 23)
        >>> found.error("unknown-name", "nothing is called `numbr`", span, "did you mean `number`?")
        >>> print(render_as_text(found))
        error[unknown-name]: nothing is called `numbr`
         --> a.yaml:2:8
          |
        2 | score: numbr
          |        ^^^^^ did you mean `number`?
        <BLANKLINE>
        Found 1 error in 1 file
    """
    found = Diagnostics(diagnostics).sorted()
    if not found:
        return ""
    paint = Paint(color, widest)
    return "\n\n".join([*(_one(diagnostic, paint) for diagnostic in found), summary(found)])


def summary(found: Iterable[Diagnostic]) -> str:
    """Return a sentence with the numbers of errors, warnings and files.

    Examples:
        >>> summary([Diagnostic("unused-field", "warning", "no use")])
        'Found 1 warning'
    """
    found = list(found)
    errors = sum(diagnostic.severity == "error" for diagnostic in found)
    parts = [counted(errors, "error")] if errors or not found else []
    if len(found) > errors:
        parts.append(counted(len(found) - errors, "warning"))
    files = {diagnostic.span.source.name for diagnostic in found if diagnostic.span}
    place = f" in {counted(len(files), 'file')}" if files else ""
    return f"Found {' and '.join(parts)}{place}"


def _one(diagnostic: Diagnostic, paint: Paint) -> str:
    head = paint(diagnostic.severity, f"{diagnostic.severity}[{diagnostic.id}]")
    lines = [f"{head}: {paint('bold', visible(diagnostic.message))}"]
    lines.extend(_locations(diagnostic, paint))
    lines.extend(_advice("help", text, paint) for text in diagnostic.help)
    lines.extend(_advice("note", text, paint) for text in diagnostic.note)
    return "\n".join(lines)


def _locations(diagnostic: Diagnostic, paint: Paint) -> list[str]:
    """Return the lines of a snippet for each file that has a label, that of the primary label first."""
    files: dict[Source, list[Mark]] = {}
    labels: list[tuple[Label, bool]] = [(diagnostic.primary, True)]
    labels += [(label, False) for label in diagnostic.secondary]
    for label, primary in labels:
        if label.span is not None:
            mark = Mark(label.span, label.text, diagnostic.severity if primary else "secondary")
            files.setdefault(label.span.source, []).append(mark)
    gutter = max((len(str(mark.span.line)) for marks in files.values() for mark in marks), default=1)
    lines: list[str] = []
    for marks in files.values():
        lines.extend(snippet(marks, gutter, "-->" if not lines else ":::", paint))
    if diagnostic.span is None and diagnostic.primary.text:
        lines.insert(0, f"  {visible(diagnostic.primary.text)}")
    return lines


def _advice(word: str, text: str, paint: Paint) -> str:
    first, *others = advice_lines(text)
    return "\n".join([f"{paint(word, word)}: {first}", *(f"      {line}" for line in others)])


def advice_lines(text: str) -> list[str]:
    r"""Return the lines of an advice: one, or two if the first ends with a colon, of which the second is to be copied.

    After `write it like this:` more lines may follow. Any other newline belongs to a name in the text and is escaped.

    Examples:
        >>> advice_lines("write it like this:\nscore: |-\n  equal"), advice_lines("there is `a\nhelp: b`")
        (['write it like this:', 'score: |-', '  equal'], ['there is `a\\nhelp: b`'])
    """
    head, colon, copied = text.partition(":\n")
    if not colon:
        return [visible(text)]
    return [visible(f"{head}:"), *map(visible, copied.split("\n") if head == "write it like this" else [copied])]
