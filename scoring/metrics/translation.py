"""Corpus BLEU, chrF and TER through sacrebleu: what each record adds is counted once, the score is made of the sums."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any, Literal

from scoring.late import np
from scoring.metrics.summary import AnsweredField, PredictionPath, ReferencePath, texts_compared
from scoring.primitives.generation.translation import (
    bleu_metric,
    check_length,
    chrf_metric,
    chrf_statistics,
    ter_metric,
)
from scoring.registry import AtLeast, Between, primitive
from scoring.result import Unscored
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic, of_sums
from scoring.values import numbered

Count = Callable[[str, list[str]], list[float]]
Read = tuple[str | None, str | None, str | None]
"""Where the texts and their references are: two paths, and the field that is meant where they are None."""


def _statistic(rows: Rows, read: Read, count: Count, score: Callable[[list[float]], float], width: int) -> Statistic:
    """The sums over the records that have a reference text; a response that is no text counts as an empty one."""

    def finish(*sums: Any) -> Any:
        columns = np.atleast_2d(np.stack([np.asarray(part, dtype=float) for part in sums], axis=-1))
        found = np.array([score(list(row)) if row.any() else np.nan for row in columns])
        return found if np.ndim(sums[0]) else found[0]

    texts = list(texts_compared(rows, *read))
    units = [count(text, references) for _, text, references in texts]
    return of_sums(finish, [key for key, _, _ in texts], units, width=width)


@primitive(uses=("numpy", "sacrebleu"), revision=2, range=(0.0, 1.0), topics=("writing",), aka=("bleu", "sacrebleu"))
def corpus_bleu(
    rows: Rows,
    /,
    *,
    prediction: PredictionPath = None,
    reference: ReferencePath = None,
    field: AnsweredField = None,
    smooth: Literal["exp", "floor", "add-k", "none"] = "exp",
    tokenizer: Literal["13a", "intl", "char", "none"] = "13a",
    lowercase: bool = False,
) -> Statistic:
    """BLEU of a whole data set as sacrebleu computes it, over 100.

    Args:
        smooth: What stands for a precision of 0.
        tokenizer: The tokenizer, by sacrebleu's name.
        lowercase: Whether case is ignored.

    Examples:
        >>> rows = Rows.of_scores([1.0], response=["The dog bit the man."], reference=[["The dog bit the man."]])
        >>> corpus_bleu(rows).value()
        1.0

    Source:
        M. Post, "A call for clarity in reporting BLEU scores", 2018.
    """
    metric = bleu_metric(smooth, tokenizer, lowercase)

    def count(text: str, references: list[str]) -> list[float]:
        found = metric.sentence_score(text, references)
        return [*found.counts, *found.totals, found.sys_len, found.ref_len]

    def score(sums: list[float]) -> float:
        whole = [round(value) for value in sums]
        found = metric.compute_bleu(whole[:4], whole[4:8], whole[8], whole[9], smooth_method=smooth)
        return min(float(found.score) / 100, 1.0)

    return _statistic(rows, (prediction, reference, field), count, score, 10)


@primitive(uses=("numpy", "sacrebleu"), revision=2, range=(0.0, 1.0), topics=("writing",), aka=("chrf",))
def corpus_chrf(
    rows: Rows,
    /,
    *,
    prediction: PredictionPath = None,
    reference: ReferencePath = None,
    field: AnsweredField = None,
    characters: Annotated[int, Between(1, 100)] = 6,
    words: Annotated[int, Between(0, 100)] = 0,
    beta: Annotated[int, AtLeast(1)] = 2,
    lowercase: bool = False,
) -> Statistic:
    """Score a whole data set by chrF, the F-score of shared character n-grams; `words=2` is chrF++.

    Args:
        characters: The longest character n-grams.
        words: The longest word n-grams.
        beta: How much recall weighs.
        lowercase: Whether case is ignored.

    Examples:
        >>> corpus_chrf(Rows.of_scores([1.0], response=["The dog."], reference=["The dog."])).value()
        1.0

    Source:
        M. Popović, "chrF: character n-gram F-score for automatic MT evaluation", 2015.
    """
    metric = chrf_metric(characters, words, beta, lowercase)

    def count(text: str, references: list[str]) -> list[float]:
        return chrf_statistics(metric, text, references)

    def score(sums: list[float]) -> float:
        found: float = metric._compute_f_score([round(value) for value in sums])
        return min(found / 100, 1.0)

    return _statistic(rows, (prediction, reference, field), count, score, 3 * (characters + words))


@primitive(
    uses=("numpy", "rapidfuzz", "sacrebleu"),
    revision=3,
    range=(0.0, math.inf),
    topics=("writing",),
    aka=("ter", "translation edit rate"),
)
def corpus_ter(
    rows: Rows,
    /,
    *,
    prediction: PredictionPath = None,
    reference: ReferencePath = None,
    field: AnsweredField = None,
    normalized: bool = False,
    case_sensitive: bool = False,
) -> Statistic:
    """Translation edit rate of a whole data set: all edits over all words of the references. Low is good.

    Of texts that are too long for the search for shifts (over 1,000 words, or 100,000 pairs of words of a text and its
    reference) the edits are counted without shifts, which are never fewer.

    Args:
        normalized: Whether the texts are normalised and tokenised first.
        case_sensitive: Whether case counts.

    Examples:
        >>> corpus_ter(Rows.of_scores([1.0], response=["a b c d"], reference=["a b c e"])).value()
        0.25

    Source:
        M. Snover et al., "A study of translation edit rate with targeted human annotation", 2006.
    """
    metric = ter_metric(normalized, case_sensitive)

    def count(text: str, references: list[str]) -> list[float]:
        try:
            check_length(metric, text, references)
        except Unscored:  # left out, it would be as good as right; unscored, it would end the figure of all others
            return _edits_in_place(metric, text, references)
        found = metric.sentence_score(text, references)
        return [found.num_edits, found.ref_length]

    def score(sums: list[float]) -> float:
        edits, words = sums
        return edits / words if words else float(edits > 0)

    return _statistic(rows, (prediction, reference, field), count, score, 2)


def _edits_in_place(metric: Any, text: str, references: list[str]) -> list[float]:
    """Insertions, deletions and substitutions of words against the reference that takes fewest, and its mean length."""
    from rapidfuzz.distance import Levenshtein

    words, *others = numbered(*(metric._preprocess_segment(one).split() for one in (text, *references)))
    fewest = min(Levenshtein.distance(words, other) for other in others)
    return [float(fewest), sum(map(len, others)) / len(others)]
