"""MEGA-Bench as released: Damerau-Levenshtein similarity of texts or lists, BLEU with its arguments swapped, and
GLEU of Chinese words.
"""

from __future__ import annotations

from typing import Any

from rapidfuzz.distance import DamerauLevenshtein

from scoring.packs.megabench.primitives.fields import zero_on_error
from scoring.primitives.generation.bleu import corpus_bleu, gleu
from scoring.primitives.text.chinese import chinese_words
from scoring.primitives.text.edit import check_size, similarities
from scoring.registry import batch, primitive
from scoring.values import Score


@primitive(uses=("rapidfuzz",))
def megabench_upstream_similarity(prediction: Any, reference: Any, /) -> Score:
    """Damerau-Levenshtein similarity of two texts, or of two lists item by item.

    Examples:
        >>> megabench_upstream_similarity("ab", "ba"), megabench_upstream_similarity(["x"], ["x", "y"])
        (0.5, 0.5)

    Source:
        MEGA-Bench, released code, normalized_similarity_damerau_levenshtein.
    """
    if type(prediction) is str is type(reference):
        check_size(prediction, reference)
        return DamerauLevenshtein.normalized_similarity(prediction, reference)
    if isinstance(reference, str) and not isinstance(prediction, str):
        return 0.0
    if hasattr(prediction, "__len__") and hasattr(reference, "__len__"):
        check_size(prediction, reference)
    return DamerauLevenshtein.normalized_similarity(prediction, reference)


@batch(megabench_upstream_similarity)
def _(predictions: list[Any], references: list[Any]) -> Any:
    if {*map(type, predictions), *map(type, references)} != {str}:
        raise TypeError("lists are compared one by one")
    return similarities("DamerauLevenshtein", predictions, references)


@primitive(uses=("numpy", "rapidfuzz"))
@zero_on_error
def megabench_upstream_swapped_bleu(prediction: object, reference: object, /) -> Score:
    """BLEU of the reference against the response: the released code swaps the two. Mixed types give 0.

    Examples:
        >>> megabench_upstream_swapped_bleu("the cat sat", "the cat sat on the mat today") > 0
        True
        >>> megabench_upstream_swapped_bleu("the cat sat on the mat today", "the cat sat")
        0.0

    Source:
        MEGA-Bench, released code, bleu.
    """
    if isinstance(prediction, str) and isinstance(reference, str):
        return corpus_bleu([reference], [prediction])
    if isinstance(prediction, (list, tuple)) and isinstance(reference, (list, tuple)):
        # The released library pairs the segments up to the end of the shorter list.
        size = min(len(prediction), len(reference))
        return corpus_bleu(list(reference)[:size], list(prediction)[:size])
    return 0.0


@primitive(uses=("jieba", "numpy", "rapidfuzz"))
def megabench_upstream_chinese_gleu(prediction: object, reference: object, /) -> Score:
    """GLEU over the words of two Chinese texts, cut as for search; anything but two texts is 0.

    Examples:
        >>> megabench_upstream_chinese_gleu(None, "今天")
        0.0

    Source:
        MEGA-Bench, released code, gleu_cn.
    """
    if not isinstance(prediction, str) or not isinstance(reference, str):
        return 0.0
    return gleu(chinese_words(prediction, mode="search"), chinese_words(reference, mode="search"))
