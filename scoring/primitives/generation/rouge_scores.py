"""ROUGE-N, ROUGE-L and ROUGE-Lsum on prepared texts, equal to `rouge_score` to the last bit."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

from scoring.primitives.generation.lcs import union_of_subsequences
from scoring.primitives.generation.rouge_tokens import Prepared
from scoring.primitives.generation.shared_grams import LONGEST, are_short, encode, shared_counts, shared_grams
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
    if not hits:
        return _NOTHING
    precision, recall = hits / predicted, hits / expected
    return Rouge(precision, recall, 2 * precision * recall / (precision + recall))


def against(prediction: Prepared, reference: Prepared, orders: tuple[int, ...]) -> list[Rouge]:
    """The comparison with one reference, by every variant; the variants are given as ``orders_of`` names them.

    Raises:
        Unscored: when the texts are too long to compare.
    """
    predicted, expected = len(prediction.tokens), len(reference.tokens)
    check_size(predicted, expected)
    counts, common = _count(prediction, reference, orders)
    # One line each: ROUGE-Lsum is ROUGE-L.
    longest = _scores(common, predicted, expected)
    found = []
    for n in orders:
        if n > 0:
            found.append(_scores(counts[n - 1], predicted - n + 1, expected - n + 1))
        elif n == LONGEST_COMMON or is_one_line(prediction, reference):
            found.append(longest)
        else:
            found.append(_scores(_union_hits(prediction, reference), predicted, expected))
    return found


LONGEST_COMMON, LINE_BY_LINE = 0, -1
_ORDERS = {"rougeL": LONGEST_COMMON, "rougeLsum": LINE_BY_LINE, **{f"rouge{n}": n for n in range(1, 10)}}


@lru_cache(maxsize=64)
def orders_of(variants: tuple[str, ...]) -> tuple[int, ...]:
    """The n of each ROUGE-N; 0 and -1 stand for the variants by subsequences.

    Raises:
        Unscored: when no variant has this name.
    """
    for variant in variants:
        if variant not in _ORDERS:
            raise Unscored(f"no ROUGE variant is called {variant!r}")
    return tuple(_ORDERS[variant] for variant in variants)


def _count(prediction: Prepared, reference: Prepared, orders: tuple[int, ...]) -> tuple[list[int], int]:
    """Shared n-grams of every order up to the highest, and the length of the longest common subsequence."""
    predicted, expected = prediction.tokens, reference.tokens
    most = max(orders)
    if are_short(predicted, [expected]):
        code, codes = encode(predicted, [expected])
        return shared_counts(code, codes, most), LCSseq.similarity(code, codes[0])
    common = LCSseq.similarity(predicted, expected) if min(orders) <= 0 else 0
    return shared_grams(predicted, [expected], most), common


def is_one_line(prediction: Prepared, reference: Prepared) -> bool:
    """Whether ROUGE-Lsum of the pair is ROUGE-L."""
    return "\n" not in prediction.text and "\n" not in reference.text


def _union_hits(prediction: Prepared, reference: Prepared) -> int:
    """The tokens of the union of subsequences, line by line, none counted more often than the prediction has it."""
    lines = prediction.lines()
    used = [line[place] for line in reference.lines() for place in union_of_subsequences(line, lines)]
    distinct = set(used)
    if len(distinct) == len(used):
        return len(used)
    available = prediction.tokens.count if len(used) <= LONGEST else Counter(prediction.tokens).__getitem__
    return sum(min(count, available(token)) for token, count in Counter(used).items())


def check_size(predicted: int, expected: int) -> None:
    """Refuse a pair whose comparison would take too long.

    Raises:
        Unscored: when the product of the lengths is over the limit.
    """
    if predicted * expected > _MOST_CELLS:
        raise Unscored(f"texts of {predicted:,} and {expected:,} tokens are too long to compare")
