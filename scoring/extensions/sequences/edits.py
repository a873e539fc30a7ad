"""Comparators by the edits that turn one list into another, such as the word error rate of speech recognition."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

from scoring.registry import explains, primitive
from scoring.result import Unscored
from scoring.values import Score, key_of, numbered

MOST_PAIRS = 400_000_000
"""The limit on pairs of items of two lists that are aligned."""


def _distance(prediction: list[Any], reference: list[Any]) -> int:
    distance: int = _measures().distance(*_comparable(prediction, reference))
    return distance


@cache
def _measures() -> Any:
    """Return rapidfuzz's module, cached, since even an import of a loaded module takes as long as comparing two
    words."""
    from rapidfuzz.distance import Levenshtein

    return Levenshtein


def _comparable(prediction: list[Any], reference: list[Any]) -> Sequence[Sequence[Any]]:
    """Return two lists in a form that rapidfuzz compares item by item, or raise Unscored if they are too long.

    rapidfuzz compares hashes. Those of different texts differ, but True and 1, or -1 and -2, have equal ones, so lists
    with other items than texts are replaced by lists of numbers, equal ones for equal items. Lists of single characters
    are replaced by texts, which it compares without hashes.
    """
    pairs = len(prediction) * len(reference)
    if pairs > MOST_PAIRS:
        sizes = f"{len(prediction):,} and {len(reference):,}"
        raise Unscored(f"lists of {sizes} items have {pairs:,} pairs; at most {MOST_PAIRS:,} are aligned")
    try:
        one, other = "".join(prediction), "".join(reference)
    except TypeError:
        return numbered(map(key_of, prediction), map(key_of, reference))
    are_single = len(one) == len(prediction) and len(other) == len(reference)
    return (one, other) if are_single and [*one] == prediction and [*other] == reference else (prediction, reference)


# The edits from the reference to the prediction, in the usual terms.
_OPERATIONS = {"equal": "kept", "replace": "substituted", "delete": "deleted", "insert": "inserted"}


def _operations(prediction: list[Any], reference: list[Any]) -> Any:
    """Return rapidfuzz's runs of items that are kept or edited on the way from the reference to the prediction.

    Of several shortest alignments it has one. Which one depends on the direction: this is the one of jiwer.
    """
    theirs, mine = _comparable(reference, prediction)
    return _measures().opcodes(theirs, mine)


def _alignment(prediction: list[Any], reference: list[Any]) -> list[dict[str, Any]]:
    """Return the lines that `explain` shows: the number of edits of each kind, then a shortest alignment of two lists.

    There is a line for each run of items that are kept, substituted, deleted or inserted.
    """
    lines: list[dict[str, Any]] = []
    counts = dict.fromkeys(("substituted", "deleted", "inserted"), 0)
    for code in _operations(prediction, reference):
        name = _OPERATIONS[code.tag]
        theirs, mine = reference[code.src_start : code.src_end], prediction[code.dest_start : code.dest_end]
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
    """Return the minimum number of insertions, deletions and substitutions that turn one list into the other.

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
    """Return the edits per item of the reference: the word error rate (WER) for words, CER for characters.

    The rate can exceed 1 if the prediction is longer than the reference. Two empty lists have the rate 0.

    Raises:
        Unscored: when only the reference is empty, or both lists are so long that aligning them would take seconds.

    Examples:
        >>> edit_rate("the cat sat".split(), "a cat sat down".split())
        0.5

    Source:
        Morris, Maier, Green, From WER and RIL to MER and WIL, 2004.
    """
    if not reference and prediction:
        raise Unscored("the reference has no items, so there is no rate for each of them")
    return _distance(prediction, reference) / len(reference) if reference else 0.0


@primitive(
    range=(0.0, math.inf),
    traits=("by_value",),
    uses=("rapidfuzz",),
    topics=("speech", "lists"),
    aka=("hits", "match error rate", "mer", "word information lost", "wil", "word information preserved", "wip"),
)
def item_hits(prediction: list[Any], reference: list[Any], /) -> Score:
    """Return the number of items that a shortest alignment of two lists keeps: the hits of speech recognition.

    With H hits, E edits (`item_edits`), and N and P items of the reference and the prediction, E + H - P items are
    deleted, E + H - N inserted and N + P - E - 2 H substituted. Sums over all records give the match error rate
    E / (E + H), the word information preserved H² / (N P), and the word information lost, 1 less that. Where several
    alignments are shortest, the hits are those of the one from the reference to the prediction that jiwer takes.

    Raises:
        Unscored: when both lists are so long that aligning them would take seconds.

    Examples:
        >>> item_hits("the cat sat".split(), "a cat sat down".split())
        2.0

    Source:
        Morris, Maier, Green, From WER and RIL to MER and WIL, 2004; ties as in jiwer 4.0.0.
    """
    runs = _operations(prediction, reference)
    return float(sum(run.src_end - run.src_start for run in runs if run.tag == "equal"))


explains(item_hits)(_alignment)
explains(item_edits)(_alignment)
explains(edit_rate)(_alignment)
