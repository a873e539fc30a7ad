"""Edit distances of two texts, normalised to similarities from 0 to 1."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from scoring.registry import batch, primitive, table, upper_bound
from scoring.result import Unscored
from scoring.values import Score

# The limit on cells of the distance table of a pair: about two seconds of work.
CELL_LIMIT = 400_000_000
# From this many cells on, about 10 ms of work, it pays to compute a bound of the distance first.
LONG = 2_000_000


def check_size(prediction: Any, reference: Any) -> None:
    """Refuse a pair of texts whose distance table would take too long to fill.

    Raises:
        Unscored: when the table would have more than `CELL_LIMIT` cells.
    """
    if len(prediction) * len(reference) > CELL_LIMIT:
        raise Unscored(f"texts of {len(prediction)} and {len(reference)} characters are too long to be aligned")


@cache
def similarity_of(distance: str) -> Any:
    """Return rapidfuzz's normalised similarity function for the distance with the given name.

    The result is cached: even an import statement for a loaded module takes as long as comparing two words.
    """
    import rapidfuzz.distance

    return getattr(rapidfuzz.distance, distance).normalized_similarity


def in_columns(plain: Callable[[str, str], float], distance: str) -> None:
    """Register two batch forms of a comparator: the normalised similarity by the named edit distance of rapidfuzz.

    One is for columns of pairs, the other for all pairs of two lists.
    """

    @batch(plain)
    def _(predictions: list[str], references: list[str]) -> Any:
        return similarities(distance, predictions, references)

    @table(plain)
    def _(predictions: list[str], references: list[str]) -> Any:
        return similarity_table(distance, predictions, references)


@primitive(
    laws=("symmetric", "identity", "bounded"),
    uses=("rapidfuzz",),
    topics=("answers", "text"),
    aka=("edit similarity", "string similarity", "normalized edit distance", "nld", "edit distance similarity"),
)
def levenshtein(prediction: str, reference: str, /) -> Score:
    """Return 1 minus the Levenshtein distance divided by the length of the longer text; two empty texts score 1.

    Examples:
        >>> levenshtein("kitten", "sitting")
        0.5714285714285714

    Raises:
        Unscored: when both texts are so long that aligning them would take seconds.

    Source:
        Levenshtein 1966; the normalisation of ANLS (Biten et al. 2019).
    """
    check_size(prediction, reference)
    similarity: float = similarity_of("Levenshtein")(prediction, reference)
    return similarity


in_columns(levenshtein, "Levenshtein")


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


def similarities(distance: str, predictions: list[str], references: list[str]) -> Any:
    """Return the normalised similarity, by the named distance, of each prediction and its reference, as an array."""
    from rapidfuzz.process import cpdist

    longest = max(map(len, predictions), default=0) * max(map(len, references), default=0)
    if longest > CELL_LIMIT:
        for prediction, reference in zip(predictions, references, strict=True):
            check_size(prediction, reference)
    return cpdist(predictions, references, scorer=similarity_of(distance), dtype=np.float64)


def similarity_table(distance: str, predictions: list[str], references: list[str]) -> Any:
    """Return the normalised similarities, by the named distance, of all pairs: an array with a row per prediction."""
    from rapidfuzz.process import cdist

    check_size(max(predictions, key=len, default=""), max(references, key=len, default=""))
    return cdist(predictions, references, scorer=similarity_of(distance), dtype=np.float64)
