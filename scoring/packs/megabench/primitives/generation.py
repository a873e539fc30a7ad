"""MEGA-Bench as released: BLEU with its arguments swapped, and GLEU of Chinese words."""

from __future__ import annotations

from scoring.packs.megabench.primitives.zero import zero_on_error
from scoring.primitives.generation.gleu import gleu
from scoring.primitives.generation.mteval import corpus_bleu
from scoring.primitives.text.chinese import chinese_words
from scoring.registry import primitive
from scoring.values import Score


def _swapped_bleu(prediction: object, reference: object) -> float:
    if isinstance(prediction, str) and isinstance(reference, str):
        return corpus_bleu([reference], [prediction])
    if isinstance(prediction, (list, tuple)) and isinstance(reference, (list, tuple)):
        # The released library pairs the segments up to the end of the shorter list.
        size = min(len(prediction), len(reference))
        return corpus_bleu(list(reference)[:size], list(prediction)[:size])
    return 0.0


@primitive(uses=("numpy", "rapidfuzz"))
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
    return zero_on_error(_swapped_bleu, prediction, reference)


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
