"""The edit distance in which swapping two adjacent characters is one edit, normalised to a similarity from 0 to 1."""

from __future__ import annotations

from typing import Any

from scoring.primitives.text.edit import CELL_LIMIT, check_size, similarities, similarity_of
from scoring.registry import batch, primitive, upper_bound
from scoring.values import Score

# From this many cells on, about 10 ms of work, it pays to compute a bound of the distance first.
LONG = 2_000_000


@primitive(
    laws=("symmetric", "identity", "bounded"),
    uses=("rapidfuzz",),
    topics=("answers", "text"),
    aka=("osa distance", "transposition distance"),
)
def damerau_levenshtein(prediction: str, reference: str, /) -> Score:
    """Return 1 minus the Damerau-Levenshtein distance divided by the length of the longer text.

    Swapping two adjacent characters is one edit, and there may be further edits between them (the true distance, not
    the restricted "optimal string alignment"). The distance takes 5 ns for each pair of characters; with a threshold
    in the next step, long texts that can't reach it are not compared.

    Examples:
        >>> damerau_levenshtein("ab", "ba"), damerau_levenshtein("", "")
        (0.5, 1.0)

    Raises:
        Unscored: when both texts are so long that aligning them would take seconds.

    Source:
        Damerau 1964; as used in MEGA-Bench metrics README, near_str_match.
    """
    check_size(prediction, reference)
    similarity: float = similarity_of("DamerauLevenshtein")(prediction, reference)
    return similarity


@upper_bound(damerau_levenshtein)
def _(prediction: str, reference: str) -> float:
    from rapidfuzz.distance import Levenshtein

    cells = len(prediction) * len(reference)
    if not LONG <= cells <= CELL_LIMIT:
        return 1.0
    # Without swaps an edit becomes at most two, and that distance is fast: sixty cells are computed in one step.
    edits = (Levenshtein.distance(prediction, reference) + 1) // 2
    return 1.0 - edits / max(len(prediction), len(reference))


@batch(damerau_levenshtein)
def _(predictions: list[str], references: list[str]) -> Any:
    if max(map(len, predictions)) * max(map(len, references)) >= LONG:
        raise ValueError("texts so long that they go one by one, where their upper bound is looked at first")
    return similarities("DamerauLevenshtein", predictions, references)
