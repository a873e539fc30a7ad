"""Named texts and spans of them; the only module that converts an offset to a line and a column."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property

from msgspec import Struct

from scoring.value_base import PartlyCompared


class Source(Struct, frozen=True, dict=True):
    """A text with a name, such as a file's; offsets into it count code points.

    Examples:
        >>> Source("a.yaml", "kind: task\\nname: x").line_column(17)
        (2, 7)
    """

    name: str
    text: str

    def __repr__(self) -> str:
        return f"Source(name={self.name!r})"

    @cached_property
    def _line_starts(self) -> list[int]:
        # Only "\n" ends a line: PyYAML and str.splitlines also split at U+0085 and U+2028, editors do not.
        starts = [0]
        found = self.text.find("\n")
        while found >= 0:
            starts.append(found + 1)
            found = self.text.find("\n", found + 1)
        return starts

    def line_column(self, offset: int) -> tuple[int, int]:
        """Return the line and column of an offset, both counted from 1; outside offsets are clipped."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    @property
    def line_count(self) -> int:
        """The number of lines of the text; the empty text has one."""
        return len(self._line_starts)

    def line_start(self, line: int) -> int:
        """Return the offset at which a line (from 1) begins."""
        return self._line_starts[line - 1]

    def line_text(self, line: int) -> str:
        """Return a line (from 1) without its line break."""
        start = self._line_starts[line - 1]
        end = self._line_starts[line] - 1 if line < self.line_count else len(self.text)
        return self.text[start:end].removesuffix("\r")

    def span(self, start: int, end: int) -> Span:
        """Return the part of the text from `start` up to, not including, `end`."""
        return Span(self, start, end)


class Span(Struct, frozen=True):
    """A part of a source: offsets in code points, the end not included.

    Examples:
        >>> span = Source("a.yaml", "kind: tsk").span(6, 9)
        >>> span.text, str(span)
        ('tsk', 'a.yaml:1:7')
    """

    source: Source
    start: int
    end: int

    @property
    def text(self) -> str:
        """The text between the two offsets."""
        return self.source.text[self.start : self.end]

    @property
    def line(self) -> int:
        """The line, from 1, on which the span begins."""
        return self.source.line_column(self.start)[0]

    @property
    def column(self) -> int:
        """The column, from 1, at which the span begins."""
        return self.source.line_column(self.start)[1]

    def to(self, other: Span) -> Span:
        """Return the span from the beginning of this one to the end of the other."""
        return Span(self.source, min(self.start, other.start), max(self.end, other.end))

    def __str__(self) -> str:
        return f"{self.source.name}:{self.line}:{self.column}"


class Fragment(PartlyCompared, frozen=True, eq=False):
    """A text embedded in a source, such as an expression in a YAML scalar.

    Args:
        text: The decoded text, with escapes and line folding undone.
        whole: The span of the text in the source, including quotes.
        starts: For each character of `text`, the offset in the source at which it begins.
        ends: For each character of `text`, the offset in the source at which it ends. Without `starts` and `ends`, the
            span of every part is that of the whole.

    Examples:
        >>> file = Source("a.yaml", 'score: "lower | equal"')
        >>> fragment = Fragment("lower | equal", file.span(7, 22), range(8, 21), range(9, 22))
        >>> str(fragment.span(8, 13))
        'a.yaml:1:17'
    """

    aside = ("starts", "ends")
    text: str
    whole: Span
    starts: Sequence[int] | None = None
    ends: Sequence[int] | None = None

    @classmethod
    def of(cls, text: str, name: str = "<expression>") -> Fragment:
        """Return the fragment for a separate text that is not part of any file; messages call it `name`."""
        size = len(text)
        return cls(text, Span(Source(name, text), 0, size), range(size), range(1, size + 1))

    @property
    def source(self) -> Source:
        """The source that contains the text."""
        return self.whole.source

    def part(self, start: int, end: int) -> Fragment:
        """Return the fragment of the characters from `start` up to `end`."""
        starts, ends = (None if places is None else places[start:end] for places in (self.starts, self.ends))
        return Fragment(self.text[start:end], self.span(start, end), starts, ends)

    def span(self, start: int, end: int) -> Span:
        """Return the span in the source of the characters from `start` up to `end`; it is empty for equal offsets."""
        size = len(self.text)
        if self.starts is None or self.ends is None or not size:
            return self.whole
        start, end = min(max(start, 0), size), min(max(end, 0), size)
        first = self.starts[start] if start < size else self.ends[-1]
        return Span(self.source, first, self.ends[end - 1] if end > start else first)
