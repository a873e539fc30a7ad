"""ROUGE-N, ROUGE-L and ROUGE-Lsum on prepared texts, equal to `rouge_score` to the last bit."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

from scoring.primitives.generation.grams import shared
from scoring.primitives.generation.lcs import union_of_subsequences
from scoring.primitives.generation.rouge_tokens import Prepared
from scoring.result import Unscored

# Bit-parallel matching costs length × length / 64; this bounds it to about a second.
_MOST_CELLS = 50_000_000_000


class Rouge(NamedTuple):
    """Precision, recall and their harmonic mean."""

    precision: float
    recall: float
    fmeasure: float


_NOTHING = Rouge(0.0, 0.0, 0.0)


def _scores(hits: int, predicted: int, expected: int) -> Rouge:
    precision = hits / predicted if predicted else 0.0
    recall = hits / expected if expected else 0.0
    total = precision + recall
    return Rouge(precision, recall, 2 * precision * recall / total if total > 0 else 0.0)


def rouge_n(prediction: Prepared, reference: Prepared, n: int) -> Rouge:
    """Shared n-grams, each counted as often as it occurs in both."""
    predicted, expected = prediction.grams(n), reference.grams(n)
    return _scores(shared(predicted, expected), predicted[0], expected[0])


def rouge_l(prediction: Prepared, reference: Prepared) -> Rouge:
    """The longest common subsequence of the whole texts."""
    predicted, expected = prediction.tokens, reference.tokens
    if not predicted or not expected:
        return _NOTHING
    check_size(len(predicted), len(expected))
    return _scores(LCSseq.similarity(predicted, expected), len(predicted), len(expected))


def is_one_line(prediction: Prepared, reference: Prepared) -> bool:
    """Whether ROUGE-Lsum of the pair is ROUGE-L."""
    return "\n" not in prediction.text and "\n" not in reference.text


def rouge_lsum(prediction: Prepared, reference: Prepared) -> Rouge:
    """The union of common subsequences line by line; with one line on each side it is ROUGE-L."""
    predicted, expected = len(prediction.tokens), len(reference.tokens)
    if not predicted or not expected:
        return _NOTHING
    if is_one_line(prediction, reference):
        return rouge_l(prediction, reference)
    check_size(predicted, expected)
    left, wanted = Counter(prediction.tokens), Counter(reference.tokens)
    lines = prediction.lines()
    hits = 0
    for line in reference.lines():
        for place in union_of_subsequences(line, lines):
            token = line[place]
            if left[token] > 0 and wanted[token] > 0:
                hits += 1
                left[token] -= 1
                wanted[token] -= 1
    return _scores(hits, predicted, expected)


def check_size(predicted: int, expected: int) -> None:
    """Refuse a pair whose comparison would take too long.

    Raises:
        Unscored: when the product of the lengths is over the limit.
    """
    if predicted * expected > _MOST_CELLS:
        raise Unscored(f"texts of {predicted:,} and {expected:,} tokens are too long to compare")
