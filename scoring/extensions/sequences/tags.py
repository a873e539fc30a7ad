"""Spans that tags of words mark, such as named entities."""

from __future__ import annotations

from typing import Any, Literal

from scoring.registry import primitive
from scoring.result import Unparsed
from scoring.values import show_value

_OUTSIDE = "O"
_LETTERS = "BIES"
_ENDING, _BEGINNING = frozenset("ES"), frozenset("BS")
_CLOSING = frozenset("BSO")


# By scheme: the letters of its tags, those that alone begin a span, those that go on with one, and those that end it.
_SCHEMES = {
    "iob1": ("BI", "", "I", "BI"),
    "iob2": ("BI", "B", "I", "BI"),
    "iobes": ("BIES", "BS", "IE", "ES"),
    "bilou": ("BILU", "BU", "IL", "LU"),
}


@primitive(
    topics=("labels", "lists"),
    aka=("bio tags", "iob", "iobes", "bioes", "bilou", "named entities", "chunks", "spans of tags"),
)
def tag_spans(tags: list[Any], /, *, scheme: Literal["any", "iob1", "iob2", "iobes", "bilou"] = "any") -> list[Any]:
    """Convert a list of tags, one per word, to the spans that they mark, in order.

    A span is `[type, first, last]`, with positions counted from 0. A tag is `O` outside of all spans, or a letter and a
    type, `B-PER`: B begins a span, I continues it, E ends it, S is a span of a single word. A span also begins without
    B or S after `O`, where the type changes, or after an end.

    Args:
        scheme: How strictly tags are read. By default as above, whatever their scheme. In a named scheme only spans
            that it allows count: in `iob2` each begins with B; in `iobes` (B, I, E, or S alone) and `bilou` (B, I, L,
            or U alone) each is closed, too; in `iob1` each begins with I, or with B right after a span of its type.

    Raises:
        Unparsed: when an item is not a tag, or has a letter that is not of the scheme.

    Examples:
        >>> tag_spans(["B-PER", "I-PER", "O", "I-LOC", "B-LOC"])
        [['PER', 0, 1], ['LOC', 3, 3], ['LOC', 4, 4]]
        >>> tag_spans(["B-PER", "I-PER", "O", "I-LOC", "B-LOC"], scheme="iob2")
        [['PER', 0, 1], ['LOC', 4, 4]]
        >>> tag_spans(["B-PER", "E-PER", "S-LOC", "B-LOC", "O"], scheme="iobes")
        [['PER', 0, 1], ['LOC', 2, 2]]

    Source:
        Tjong Kim Sang, Buchholz: Introduction to the CoNLL-2000 Shared Task, and its script conlleval; for named
        schemes seqeval 1.2.2 with `mode="strict"`.
    """
    if scheme != "any":
        return _strict(tags, scheme)
    spans: list[Any] = []
    letter, kind, start = _OUTSIDE, "", 0
    for place, tag in enumerate([*tags, _OUTSIDE]):
        new, new_kind = _parts(tag, _LETTERS)
        is_other = new_kind != kind
        if letter != _OUTSIDE and (letter in _ENDING or new in _CLOSING or is_other):
            spans.append([kind, start, place - 1])
        if new != _OUTSIDE and (new in _BEGINNING or letter in _ENDING or letter == _OUTSIDE or is_other):
            start = place
        letter, kind = new, new_kind
    return spans


def _parts(tag: Any, letters: str) -> tuple[str, str]:
    """Return the letter and the type of a tag, which is `O` or begins with one of ``letters``.

    Raises:
        Unparsed: when it is no such tag.
    """
    if not isinstance(tag, str) or tag[:1] not in (*letters, _OUTSIDE):
        known = f"{', '.join(letters[:-1])} or {letters[-1]}"
        raise Unparsed(f"{show_value(tag)} is no tag: it is `O`, or {known} and a type, such as `B-PER`")
    return tag[:1], tag[1:].split("-", 1)[-1] or "_"


def _strict(tags: list[Any], scheme: str) -> list[Any]:
    """Return the spans that a scheme allows."""
    letters, begins, goes_on, ends = _SCHEMES[scheme]
    read = [*(_parts(tag, letters) for tag in tags), (_OUTSIDE, "_")]
    spans: list[Any] = []
    place = 0
    while place < len(tags):
        first, (letter, kind) = place, read[place]
        place += 1
        if letter not in begins and not (scheme == "iob1" and _begins_in_iob1(read, first)):
            continue
        # Only after B and I can a span go on.
        while read[place - 1][0] in "BI" and read[place][0] in goes_on and read[place][1] == kind:
            place += 1
        last, (after, other) = read[place - 1][0], read[place]
        # In seqeval's `iob1` a last B does not end where a B of another type follows, which the scheme does not allow.
        if last in ends and not (scheme == "iob1" and last == after == "B" and other != kind):
            spans.append([kind, first, place - 1])
    return spans


def _begins_in_iob1(read: list[tuple[str, str]], place: int) -> bool:
    """Say whether a span begins at a place: with I, or with B if the tag before has the same type."""
    letter, kind = read[place]
    before, before_kind = read[place - 1] if place else (_OUTSIDE, "_")
    return letter == "I" or (letter == "B" and before != _OUTSIDE and before_kind == kind)
