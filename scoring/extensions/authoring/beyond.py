"""Findings behind a mistake for which a file can't be read: those of the text with that mistake mended."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec.structs import replace

from scoring.diagnostics.diagnostic import Diagnostic, Fix, Label, SpecError
from scoring.diagnostics.source import Source, Span
from scoring.format.read import read_text

MOST_ROUNDS = 20
"""The most mistakes of reading that are mended one after the other."""


class MendedText:
    """A text with edits, and for each of its positions the position in the text as the author wrote it."""

    def __init__(self, source: Source) -> None:
        self._author = source
        self._back = [*range(len(source.text) + 1)]
        self._lines: set[int] = set()
        self.text = source.text

    def apply(self, fix: Fix) -> None:
        """Replace a part of the text."""
        start, end = fix.span.start, fix.span.end
        self._lines.update(self._lines_of(self._place(fix.span)))
        self.text = f"{self.text[:start]}{fix.text}{self.text[end:]}"
        self._back[start:end] = [self._back[start]] * len(fix.text)

    def is_about_rest(self, finding: Diagnostic) -> bool:
        """Return whether a finding is about lines without edits; others may come from how a mistake was mended."""
        span = finding.span
        if span is None or span.source.name != self._author.name:  # about no place, or about a pack that it imports
            return span is not None
        return self._lines.isdisjoint(self._lines_of(self._place(span)))

    def _lines_of(self, span: Span) -> range:
        text = self._author.text
        return range(text.count("\n", 0, span.start), text.count("\n", 0, span.end) + 1)

    def back(self, finding: Diagnostic) -> Diagnostic:
        """Return a finding about the text at its place in the author's text, with those fixes that fit there."""
        fixes = (replace(fix, span=self._place(fix.span)) for fix in finding.fixes if self._is_kept(fix.span))
        labels = [self._label(label) for label in (finding.primary, *finding.secondary)]
        return replace(finding, primary=labels[0], secondary=(*labels[1:],), fixes=(*fixes,), meant=())

    def _label(self, label: Label) -> Label:
        is_own = label.span is not None and label.span.source.name == self._author.name
        return Label(self._place(label.span), label.text) if is_own and label.span is not None else label

    def _place(self, span: Span) -> Span:
        return self._author.span(self._back[span.start], self._back[span.end])

    def _is_kept(self, span: Span) -> bool:
        """Return whether the part of the text is as the author wrote it."""
        return self._place(span).text == span.text


def findings_beyond(
    source: Source, findings: Sequence[Diagnostic], maker: Callable[[Source], Callable[[Diagnostic], Iterable[Fix]]]
) -> Iterator[Diagnostic]:
    """Yield the findings about a text that can't be read that are found once its known mistakes are mended.

    Args:
        source: The text.
        findings: The findings for which it can't be read.
        maker: A function of a text, which returns a function of a finding about it, which returns its fixes.
    """
    from scoring.api.specs import check_text

    mended, found = MendedText(source), [*findings]
    fixes = maker(source)
    for _ in range(MOST_ROUNDS):
        sure = [made for one in found if len(made := [*fixes(one)]) == 1 and made[0].is_safe]
        if not sure:
            return
        mended.apply(max((one[0] for one in sure), key=lambda fix: fix.span.start))
        try:
            read_text(mended.text, source.name)
        except SpecError as error:
            then = [*error.diagnostics]
            if _begin(then) <= _begin(found):
                return
            found = then
            fixes = maker(Source(source.name, mended.text))
            more = filter(mended.is_about_rest, found)
            yield from (mended.back(replace(one, fixes=(*fixes(one),))) for one in more)
            continue
        yield from map(mended.back, filter(mended.is_about_rest, check_text(mended.text, path=source.name)))
        return


def _begin(found: Sequence[Diagnostic]) -> int:
    return min((one.span.start for one in found if one.span is not None), default=0)
