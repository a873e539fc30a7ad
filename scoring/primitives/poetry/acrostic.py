"""Acrostics: the first letters of the lines spell a word."""

from __future__ import annotations

from scoring.primitives.poetry.lines import stanzas, words
from scoring.registry import primitive
from scoring.values import Score


def spelled(poem: str) -> str:
    """The first letters of the lines, a space between stanzas."""
    return " ".join("".join((words(line) or [" "])[0][0] for line in stanza) for stanza in stanzas(poem))


@primitive(traits=("response_alone",), topics=("verse", "instructions"))
def has_acrostic(prediction: str, reference: object, /, *, word: str) -> Score:
    """1 when the first letters of the lines spell the word, else 0; capitals don't matter.

    Args:
        word: What is spelled; a space stands for the gap between two stanzas.

    Examples:
        >>> has_acrostic("Clouds above\\nA tall tree\\nThe sea", None, word="cat")
        1.0

    Source:
        MEGA-Bench, constrained_generation, acrostic.
    """
    return float(spelled(prediction) == word.lower())


@primitive(traits=("response_alone",), topics=("verse", "instructions"))
def has_alliteration(prediction: str, reference: object, /) -> Score:
    """1 when within every line all words start with the same letter, else 0.

    Examples:
        >>> has_alliteration("Peter Piper picked\\nseven shells", None), has_alliteration("two words", None)
        (1.0, 0.0)

    Source:
        MEGA-Bench, constrained_generation, acrostic_alliteration.
    """
    lines = [words(line) for stanza in stanzas(prediction) for line in stanza]
    return float(bool(lines) and all(len({word[0] for word in line}) == 1 for line in lines))
