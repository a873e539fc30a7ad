"""BLEU as the machine-translation campaigns compute it: the 13a tokenizer, whole corpora, exponential smoothing."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from scoring.primitives.generation.chunks import Chunks
from scoring.primitives.generation.shared_grams import shared_grams
from scoring.registry import primitive
from scoring.result import Unscored
from scoring.values import Score

ORDERS = 4
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
# In order: symbols stand alone; a full stop or comma stays in a number only; a dash after a digit stands alone.
_RULES = (
    (re.compile(r"([!-&(-+:-@\[-`{-~/])"), r" \1 "),
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)


def tokens_13a(text: str) -> list[str]:
    """The tokens of a segment by the rules of mteval-v13a.

    Examples:
        >>> tokens_13a("It's 3.14, not 3-4!")
        ["It's", '3.14', ',', 'not', '3', '-', '4', '!']
    """
    return _chunks.tokens(text.rstrip().replace("<skipped>", "").replace("-\n", ""))


def _cut(chunk: str) -> list[str]:
    """The rules look at the neighbours of a sign, and what lies beyond a space is a space to all of them."""
    for entity, character in _ENTITIES:
        chunk = chunk.replace(entity, character)
    line = f" {chunk} "
    for pattern, replacement in _RULES:
        line = pattern.sub(replacement, line)
    return line.split()


_chunks = Chunks(_cut)


def corpus_bleu(hypotheses: Sequence[str], references: Sequence[str], *, effective_order: bool = False) -> float:
    """BLEU of some hypotheses against one reference each, in [0, 1]."""
    matched, total = [0] * ORDERS, [0] * ORDERS
    length = target_length = 0
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        tokens, targets = tokens_13a(hypothesis), tokens_13a(reference)
        length, target_length = length + len(tokens), target_length + len(targets)
        for place, shared in enumerate(shared_grams(tokens, [targets], ORDERS)):
            matched[place] += shared
            total[place] += max(len(tokens) - place, 0)
    if not any(matched):
        return 0.0
    brevity = 1.0 if length >= target_length else math.exp(1 - target_length / length)
    return min(1.0, brevity * _mean_precision(matched, total, effective_order))


def _mean_precision(matched: list[int], total: list[int], effective_order: bool) -> float:
    """The geometric mean of the precisions; the k-th order without a match counts as half of the one before."""
    logs, smoothing = [], 1.0
    for hits, size in zip(matched, total, strict=True):
        if not size:
            break
        if not hits:
            smoothing *= 2
        logs.append(math.log(hits / size if hits else 1 / (smoothing * size)))
    if len(logs) < ORDERS and not effective_order:
        return 0.0
    return math.exp(math.fsum(logs) / len(logs))


@primitive(uses=("numpy", "rapidfuzz"), topics=("writing",), aka=("mteval", "13a bleu"))
def mteval_bleu(prediction: str | list[str], reference: str | list[str], /, *, effective_order: bool = False) -> Score:
    """BLEU as sacreBLEU gives it by default, divided by 100: 13a tokens, 1- to 4-grams, exponential smoothing.

    Two lists are one corpus: their counts are added up before the precisions are taken.

    Args:
        effective_order: Leave out the orders that a short prediction can't have; otherwise a prediction of fewer
            than four tokens scores 0, an exact one too.

    Examples:
        >>> round(mteval_bleu("the cat sat on the mat", "the cat sat on a mat"), 4)
        0.5373
        >>> mteval_bleu("a cat", "a cat"), mteval_bleu("a cat", "a cat", effective_order=True)
        (0.0, 1.0)

    Source:
        Post 2018, "A Call for Clarity in Reporting BLEU Scores"; smoothing: Chen and Cherry 2014, method 3.
    """
    hypotheses = [prediction] if isinstance(prediction, str) else list(prediction)
    references = [reference] if isinstance(reference, str) else list(reference)
    if len(hypotheses) != len(references) or not hypotheses:
        raise Unscored(f"{len(hypotheses)} predicted segments against {len(references)}: BLEU pairs them one to one")
    return corpus_bleu(hypotheses, references, effective_order=effective_order)
