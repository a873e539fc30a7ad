"""Edits that turn one list into another: over words, what speech and text recognition report."""

from __future__ import annotations

import math
from typing import Any

from scoring.registry import primitive, tells
from scoring.result import Unscored
from scoring.values import Score, key_of, numbered

MOST_PAIRS = 400_000_000
"""Pairs of items that two lists may have to be aligned."""


def _distance(prediction: list[Any], reference: list[Any]) -> int:
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.distance(*_numbered(prediction, reference))


def _numbered(prediction: list[Any], reference: list[Any]) -> list[list[int]]:
    """Both lists with a number in place of each item, the same for the same."""
    pairs = len(prediction) * len(reference)
    if pairs > MOST_PAIRS:
        sizes = f"{len(prediction):,} and {len(reference):,}"
        raise Unscored(f"lists of {sizes} items have {pairs:,} pairs; at most {MOST_PAIRS:,} are aligned")
    return numbered(map(key_of, prediction), map(key_of, reference))


# What has become of the reference, in the words of the field.
_OPERATIONS = {"equal": "kept", "replace": "substituted", "delete": "inserted", "insert": "deleted"}


def _alignment(prediction: list[Any], reference: list[Any]) -> list[dict[str, Any]]:
    """One of the shortest ways from the reference to the prediction, stretch by stretch, and how many edits it has."""
    from rapidfuzz.distance import Levenshtein

    lines: list[dict[str, Any]] = []
    counts = dict.fromkeys(("substituted", "deleted", "inserted"), 0)
    for code in Levenshtein.opcodes(*_numbered(prediction, reference)):
        name = _OPERATIONS[code.tag]
        mine, theirs = prediction[code.src_start : code.src_end], reference[code.dest_start : code.dest_end]
        if name != "kept":
            counts[name] += max(len(mine), len(theirs))
        sides = {"prediction": mine, "reference": theirs} if name == "substituted" else {"value": mine or theirs}
        lines.append({"stage": name, **sides})
    edits = ", ".join(f"{count} {name}" for name, count in counts.items())
    return [{"stage": "edits", "value": f"{edits}; {len(reference)} in the reference"}, *lines]


@primitive(
    better="lower",
    range=(0.0, math.inf),
    traits=("by_value",),
    laws=("symmetric",),
    uses=("rapidfuzz",),
    topics=("lists", "speech"),
    aka=("edit distance", "word edits"),
)
def item_edits(prediction: list[Any], reference: list[Any], /) -> Score:
    """Count the fewest insertions, deletions and substitutions that turn one list into the other.

    Raises:
        Unscored: when both lists are so long that aligning them would take seconds.

    Examples:
        >>> item_edits("the cat sat".split(), "a cat sat down".split())
        2.0

    Source:
        Levenshtein 1966, over items in place of characters.
    """
    return float(_distance(prediction, reference))


@primitive(
    better="lower",
    range=(0.0, math.inf),
    traits=("by_value",),
    uses=("rapidfuzz",),
    topics=("speech", "writing", "lists"),
    aka=("wer", "word error rate", "cer", "character error rate", "phoneme error rate"),
)
def edit_rate(prediction: list[Any], reference: list[Any], /) -> Score:
    """Edits for each item of the reference: over words the word error rate (WER), over characters that of characters.

    It exceeds 1 where the prediction is longer. Two empty lists have the rate 0.

    Raises:
        Unscored: when the reference alone is empty, or both lists are so long that aligning them would take seconds.

    Examples:
        >>> edit_rate("the cat sat".split(), "a cat sat down".split())
        0.5

    Source:
        Morris, Maier, Green, From WER and RIL to MER and WIL, 2004.
    """
    if not reference and prediction:
        raise Unscored("the reference has no items, so there is no rate for each of them")
    return _distance(prediction, reference) / len(reference) if reference else 0.0


tells(item_edits)(_alignment)
tells(edit_rate)(_alignment)
