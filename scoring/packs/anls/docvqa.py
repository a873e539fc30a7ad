"""The similarity computed by the evaluation script on which published DocVQA results are based."""

from __future__ import annotations

from rapidfuzz.distance import Levenshtein

from scoring.primitives.text.edges import collapse_spaces
from scoring.primitives.text.edit import check_size
from scoring.registry import primitive
from scoring.values import Score


@primitive(uses=("rapidfuzz",), revision=2)
def docvqa_upstream_similarity(prediction: str, reference: str, /) -> Score:
    """Return 1 minus the Levenshtein distance of two strings, divided by the length of the longer one.

    The distance is that of the strings in lower case with single spaces, but the length is that of the upper-case
    string with all its spaces: padding with spaces raises the score, and ß counts twice. İ, which is two characters in
    lower case, can make the distance greater than the length; that is no similarity, 0.

    Examples:
        >>> docvqa_upstream_similarity("ra", "ga"), docvqa_upstream_similarity("ra        ", "ga")
        (0.5, 0.9)

    Raises:
            Unscored: when both strings are so long that aligning them would take seconds.

    Source:
        Public copies of the evaluation script of the Robust Reading Competition, task DocVQA.
    """
    check_size(prediction, reference)
    longest = max(len(prediction.upper()), len(reference.upper()))
    if longest == 0:
        return 1.0
    distance = Levenshtein.distance(collapse_spaces(prediction.lower()), collapse_spaces(reference.lower()))
    return max(0.0, 1.0 - distance / longest)
