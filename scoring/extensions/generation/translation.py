"""Sentence scores of machine translation computed by sacrebleu: chrF and TER (extra ``translation``)."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from functools import cache
from typing import Annotated, Any, Literal

from scoring.extensions.extras import optional
from scoring.registry import AtLeast, Between, primitive
from scoring.result import Unscored
from scoring.values import Score

_MOST_WORDS = 1_000
MOST_SHIFTS = 1_000_000
"""Pairs of equal words near each other, times words, that TER may search for shifts of blocks: a few seconds."""
_SHIFTED = 50
"""Words over which sacrebleu shifts a block at most."""


def references_of(reference: str | list[str]) -> list[str]:
    """Return the references as a list: the given list, or a list of the single string.

    Raises:
        Unscored: when the list is empty.
    """
    texts = [reference] if isinstance(reference, str) else list(reference)
    if not texts:
        raise Unscored("there is no reference text")
    return texts


@cache
def sacrebleu_metric(kind: Literal["BLEU", "CHRF", "TER"], **settings: Any) -> Any:
    """Return sacrebleu's metric of the given kind with the given settings; equal calls return one object."""
    return getattr(optional("sacrebleu", extra="translation", purpose="a sentence score of sacrebleu"), kind)(
        **settings
    )


def chrf_statistics(metric: Any, prediction: str, references: list[str]) -> list[float]:
    """Return chrF's counts of n-grams of a text, of the reference that fits it best, and of those that both have, for
    each n.
    """
    prepared = metric._extract_reference_info([metric._preprocess_segment(text) for text in references])
    found: list[float] = metric._compute_segment_statistics(metric._preprocess_segment(prediction), prepared)
    return found


def check_length(metric: Any, prediction: str, references: list[str]) -> None:
    """Check that TER's search for shifts would not take too long for the given texts.

    Words are split as by TER, whose normalisation may make every punctuation mark a word.

    Raises:
        Unscored: when a text has over 1,000 words, or repeats words too often.
    """
    longest = max(len(text) for text in (prediction, *references))
    if longest * longest * _SHIFTED <= MOST_SHIFTS:  # a single character may be a word
        return
    words, *others = (metric._preprocess_segment(text).split() for text in (prediction, *references))
    longest = max(map(len, (words, *others)))
    if longest > _MOST_WORDS:
        raise Unscored(f"a text of {longest:,} words is too long for TER: at most {_MOST_WORDS:,} are compared")
    work = max(len(words) * _pairs_nearby(words, other) for other in others)
    if work > MOST_SHIFTS:
        raise Unscored(
            f"{len(words):,} repeated words have too many blocks to be shifted for TER: {work:,} "
            f"pairs, and at most {MOST_SHIFTS:,} are tried"
        )


def _pairs_nearby(words: list[str], others: list[str]) -> int:
    """Return the number of pairs of equal words, one of each text, whose positions are close enough for a shift
    in TER.
    """
    positions: dict[str, list[int]] = {}
    for position, word in enumerate(others):
        positions.setdefault(word, []).append(position)
    return sum(
        bisect_right(found, position + _SHIFTED) - bisect_left(found, position - _SHIFTED)
        for position, word in enumerate(words)
        if (found := positions.get(word))
    )


@primitive(laws=("spaceless",), uses=("sacrebleu",), topics=("writing",), aka=("chrf++", "character n-gram f-score"))
def chrf(
    prediction: str,
    reference: str | list[str],
    /,
    *,
    characters: Annotated[int, Between(1, 100)] = 6,
    words: Annotated[int, Between(0, 100)] = 0,
    beta: Annotated[int, AtLeast(1)] = 2,
    lowercase: bool = False,
) -> Score:
    """Return the chrF, the F-score of shared character n-grams; with `words=2` it is chrF++.

    Args:
        characters: The largest n of character n-grams.
        words: The largest n of word n-grams.
        beta: The weight of recall relative to precision.
        lowercase: Whether case is ignored.

    Examples:
        >>> chrf("The dog bit the man.", "The dog bit the man.")
        1.0

    Source:
        M. Popović, "chrF: character n-gram F-score for automatic MT evaluation", 2015.
    """
    metric = sacrebleu_metric("CHRF", char_order=characters, word_order=words, beta=beta, lowercase=lowercase)
    score: float = metric.sentence_score(prediction, references_of(reference)).score
    return min(score / 100, 1.0)


@primitive(
    better="lower",
    range=(0.0, math.inf),
    uses=("sacrebleu",),
    revision=2,
    topics=("writing",),
    aka=("translation edit rate", "translation error rate"),
)
def ter(
    prediction: str, reference: str | list[str], /, *, normalized: bool = False, case_sensitive: bool = False
) -> Score:
    """Return the translation edit rate: edits and shifts of blocks per word of the reference; lower is better.

    It may exceed 1.

    Args:
        normalized: Whether the texts are normalised and tokenised first.
        case_sensitive: Whether case counts.

    Examples:
        >>> ter("a b c d", "a b c e")
        0.25

    Source:
        M. Snover et al., "A study of translation edit rate with targeted human annotation", 2006.
    """
    references = references_of(reference)
    metric = sacrebleu_metric("TER", normalized=normalized, case_sensitive=case_sensitive)
    check_length(metric, prediction, references)
    score: float = metric.sentence_score(prediction, references).score
    return score / 100
