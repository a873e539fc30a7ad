"""Spans of tags in named schemes, by hand; `tests/parity/test_ring.py` holds them to seqeval."""

from __future__ import annotations

import pytest

from scoring.extensions.sequences.tags import tag_spans
from scoring.result import Unparsed


def test_sound_tags_have_the_same_spans_in_every_scheme() -> None:
    spans = [["PER", 0, 1], ["LOC", 3, 3], ["LOC", 4, 4]]
    assert tag_spans(["B-PER", "I-PER", "O", "B-LOC", "B-LOC"], scheme="iob2") == spans
    assert tag_spans(["I-PER", "I-PER", "O", "I-LOC", "B-LOC"], scheme="iob1") == spans
    assert tag_spans(["B-PER", "E-PER", "O", "S-LOC", "S-LOC"], scheme="iobes") == spans
    assert tag_spans(["B-PER", "L-PER", "O", "U-LOC", "U-LOC"], scheme="bilou") == spans


def test_letters_of_other_schemes_are_refused() -> None:
    for tags in (["S-PER"], ["B-PER", "E-PER"], [3], [""]):
        with pytest.raises(Unparsed, match="it is `O`, or B or I and a type"):
            tag_spans(tags, scheme="iob2")
