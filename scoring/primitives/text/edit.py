"""Edit distances of two texts, normalised to similarities from 0 to 1."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from scoring.registry import batch, primitive, table
from scoring.result import Unscored
from scoring.values import Score

# The limit on cells of the distance table of a pair: about two seconds of work.
CELL_LIMIT = 400_000_000


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


def similarities(distance: str, predictions: list[str], references: list[str]) -> Any:
    """Return the normalised similarity, by the named distance, of each prediction and its reference, as an array."""
    import numpy as np
    from rapidfuzz.process import cpdist

    longest = max(map(len, predictions), default=0) * max(map(len, references), default=0)
    if longest > CELL_LIMIT:
        for prediction, reference in zip(predictions, references, strict=True):
            check_size(prediction, reference)
    return cpdist(predictions, references, scorer=similarity_of(distance), dtype=np.float64)


def similarity_table(distance: str, predictions: list[str], references: list[str]) -> Any:
    """Return the normalised similarities, by the named distance, of all pairs: an array with a row per prediction."""
    import numpy as np
    from rapidfuzz.process import cdist

    check_size(max(predictions, key=len, default=""), max(references, key=len, default=""))
    return cdist(predictions, references, scorer=similarity_of(distance), dtype=np.float64)
