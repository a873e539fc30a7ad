"""Spans that tags of words mark, such as named entities."""

from __future__ import annotations

from typing import Any

from scoring.registry import primitive
from scoring.result import Unparsed
from scoring.values import show_value

_OUTSIDE = "O"
_LETTERS = (*"BIESO",)
_ENDING, _BEGINNING = frozenset("ES"), frozenset("BS")
_CLOSING = frozenset("BSO")


@primitive(topics=("labels", "lists"), aka=("bio tags", "iob", "named entities", "chunks", "spans of tags"))
def tag_spans(tags: list[Any], /) -> list[Any]:
    """Convert a list of tags, one per word, to the spans that they mark, in order.

    A span is `[type, first, last]`, with positions counted from 0. A tag is `O` outside of all spans, or a letter and a
    type, `B-PER`: B begins a span, I continues it, E ends it, S is a span of a single word. A span also begins without
    B or S after `O`, where the type changes, or after an end.

    Raises:
        Unparsed: when an item is not a tag.

    Examples:
        >>> tag_spans(["B-PER", "I-PER", "O", "I-LOC", "B-LOC"])
        [['PER', 0, 1], ['LOC', 3, 3], ['LOC', 4, 4]]

    Source:
        Tjong Kim Sang, Buchholz: Introduction to the CoNLL-2000 Shared Task, and its script conlleval.
    """
    spans: list[Any] = []
    letter, kind, start = _OUTSIDE, "", 0
    for place, tag in enumerate([*tags, _OUTSIDE]):
        if not isinstance(tag, str) or tag[:1] not in _LETTERS:
            raise Unparsed(f"{show_value(tag)} is no tag: it is `O`, or B, I, E or S and a type, such as `B-PER`")
        new, new_kind = tag[:1], tag[1:].split("-", 1)[-1] or "_"
        is_other = new_kind != kind
        if letter != _OUTSIDE and (letter in _ENDING or new in _CLOSING or is_other):
            spans.append([kind, start, place - 1])
        if new != _OUTSIDE and (new in _BEGINNING or letter in _ENDING or letter == _OUTSIDE or is_other):
            start = place
        letter, kind = new, new_kind
    return spans
