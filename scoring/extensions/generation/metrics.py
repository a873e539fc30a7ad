"""Data-set metrics of texts: corpus BLEU, chrF and TER through sacrebleu, and CIDEr-D.

Each record is counted once, and the score is computed from the sums of the counts. CIDEr-D measures how well captions
agree with those that several people wrote; words that occur in few references weigh most.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Any, TypeAlias

import numpy as np

from scoring.extensions.generation.sentence_bleu import (
    Smoothing,
    Tokenizer,
    TokenizerDigest,
    TokenizerModel,
    bleu_metric,
)
from scoring.extensions.generation.translation import check_length, chrf_statistics, sacrebleu_metric
from scoring.metrics.summary import AnsweredField, NotCounted, PredictionPath, ReferencePath, counting
from scoring.registry import AtLeast, Between, primitive
from scoring.result import Unscored
from scoring.statistics.grouped import SettledStatistic
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import (
    Statistic,
    SumStatistic,
    added,
    divide,
    missing_details,
    of_sums,
    packed,
    unpacked_counts,
)
from scoring.values import numbered

TextCounts = Callable[[str, list[str]], list[float]]
Read = tuple[str | None, str | None, str | None]
"""The paths of the texts and their references, and the field whose compared values are used if these are None."""


@dataclass(frozen=True, slots=True, eq=False)
class TextStatistic(SumStatistic):
    """The statistic of a corpus metric, computed from counts (of n-grams, words or edits) that are summed over all
    texts; a single very long response may dominate it.
    """

    is_open = True


def _statistic(
    rows: Rows, read: Read, count: TextCounts, score: Callable[[list[float]], float], width: int
) -> Statistic:
    """Return the statistic of a metric, computed from counts of each record that has a reference text.

    A response that is not a string counts as an empty one.

    Args:
        rows: The records.
        read: The path of the predicted text, the path of the reference, and the field; None for the usual ones.
        count: Returns the counts of a text and its references.
        score: Computes the figure from the sums of counts.
        width: The number of counts.
    """

    def finish(*sums: Any) -> Any:
        columns = np.atleast_2d(np.stack([np.asarray(part, dtype=float) for part in sums], axis=-1))
        found = np.array([score(list(row)) if row.any() else np.nan for row in columns])
        return found if np.ndim(sums[0]) else found[0]

    texts, missing = texts_compared(rows, *read)
    units = [count(text, references) for _, text, references in texts]
    return of_sums(finish, [key for key, _, _ in texts], units, width=width, missing=missing, kind=TextStatistic)


def texts_compared(
    rows: Rows, prediction: str | None, reference: str | None, field: str | None
) -> tuple[list[tuple[Any, str, list[str]]], NotCounted]:
    """Return id, answer and reference strings of the records that have references, and how many have none.

    ``prediction`` and ``reference`` are paths in the records; without a path, the values are those that the task
    compares in ``field``. An answer that is not a string counts as an empty one.
    """
    sides = rows.predictions(prediction, field), rows.references(reference, field)
    found: list[tuple[Any, str, list[str]]] = []
    lacking = np.zeros(len(rows), dtype=bool)
    for place, (key, text, expected) in enumerate(zip(rows.ids, *sides, strict=True)):
        references = [one for one in (expected if isinstance(expected, list) else [expected]) if isinstance(one, str)]
        if references:
            found.append((key, text if isinstance(text, str) else "", references))
        lacking[place] = not references
    return found, counting(rows, (lacking, "no reference text"))[1]


@primitive(
    better="higher",
    uses=("ipadic", "mecab-python3", "numpy", "sacrebleu", "sentencepiece"),
    revision=2,
    range=(0.0, 1.0),
    topics=("writing",),
    aka=("bleu", "sacrebleu", "spbleu", "flores200 bleu"),
)
def corpus_bleu(
    rows: Rows,
    /,
    *,
    prediction: PredictionPath = None,
    reference: ReferencePath = None,
    field: AnsweredField = None,
    smooth: Smoothing = "exp",
    tokenizer: Tokenizer = "13a",
    lowercase: bool = False,
    model: TokenizerModel = "",
    digest: TokenizerDigest = "",
) -> Statistic:
    """Return the BLEU of a whole data set as sacrebleu computes it, divided by 100.

    Args:
        lowercase: Whether case is ignored.

    Examples:
        >>> rows = Rows.of_scores([1.0], response=["The dog bit the man."], reference=[["The dog bit the man."]])
        >>> corpus_bleu(rows).value()
        1.0

    Source:
        M. Post, "A call for clarity in reporting BLEU scores", 2018; N. Goyal et al., "The Flores-101 evaluation
        benchmark", 2022, section 5, for spBLEU.
    """
    metric = bleu_metric(smooth, tokenizer, lowercase, model, digest)

    def count(text: str, references: list[str]) -> list[float]:
        found = metric.sentence_score(text, references)
        return [*found.counts, *found.totals, found.sys_len, found.ref_len]

    def score(sums: list[float]) -> float:
        whole = [round(value) for value in sums]
        found = metric.compute_bleu(whole[:4], whole[4:8], whole[8], whole[9], smooth_method=smooth)
        return min(float(found.score) / 100, 1.0)

    return _statistic(rows, (prediction, reference, field), count, score, 10)


@primitive(
    better="higher", uses=("numpy", "sacrebleu"), revision=2, range=(0.0, 1.0), topics=("writing",), aka=("chrf",)
)
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
    """Return the chrF of a whole data set, the F-score of shared character n-grams; `words=2` is chrF++.

    Args:
        characters: The largest n of character n-grams.
        words: The largest n of word n-grams.
        beta: The weight of recall relative to precision.
        lowercase: Whether case is ignored.

    Examples:
        >>> corpus_chrf(Rows.of_scores([1.0], response=["The dog."], reference=["The dog."])).value()
        1.0

    Source:
        M. Popović, "chrF: character n-gram F-score for automatic MT evaluation", 2015.
    """
    metric = sacrebleu_metric("CHRF", char_order=characters, word_order=words, beta=beta, lowercase=lowercase)

    def score(sums: list[float]) -> float:
        found: float = metric._compute_f_score([round(value) for value in sums])
        return min(found / 100, 1.0)

    return _statistic(
        rows, (prediction, reference, field), partial(chrf_statistics, metric), score, 3 * (characters + words)
    )


@primitive(
    better="lower",
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
    """Return the translation edit rate of a whole data set: all edits divided by all words of the references.

    Lower is better. If texts are too long for the search for shifts (over 1,000 words, or words repeated too often),
    their edits are counted without shifts, which never gives fewer.

    Args:
        normalized: Whether the texts are normalised and tokenised first.
        case_sensitive: Whether case counts.

    Examples:
        >>> corpus_ter(Rows.of_scores([1.0], response=["a b c d"], reference=["a b c e"])).value()
        0.25

    Source:
        M. Snover et al., "A study of translation edit rate with targeted human annotation", 2006.
    """
    metric = sacrebleu_metric("TER", normalized=normalized, case_sensitive=case_sensitive)

    def count(text: str, references: list[str]) -> list[float]:
        try:
            check_length(metric, text, references)
        except Unscored:  # left out, it would count as right; unscored, it would leave the whole figure without a value
            return _edits_in_place(metric, text, references)
        found = metric.sentence_score(text, references)
        return [found.num_edits, found.ref_length]

    def score(sums: list[float]) -> float:
        edits, words = sums
        return edits / words if words else float(edits > 0)

    return _statistic(rows, (prediction, reference, field), count, score, 2)


def _edits_in_place(metric: Any, text: str, references: list[str]) -> list[float]:
    """Return the number of word edits without shifts from the text to its nearest reference, and the mean length of the
    references.

    Args:
        metric: The TER of sacrebleu, which splits texts into words.
        text: The predicted text.
        references: Its references.
    """
    from rapidfuzz.distance import Levenshtein

    words, *others = numbered(*(metric._preprocess_segment(one).split() for one in (text, *references)))
    fewest = min(Levenshtein.distance(words, other) for other in others)
    return [float(fewest), sum(map(len, others)) / len(others)]


Grams: TypeAlias = tuple[str, ...]
Captions: TypeAlias = tuple[Any, str, tuple[str, ...]]
"""The id of a record, its text, and its references."""


@dataclass(frozen=True, slots=True, eq=False)
class CaptionStatistic(SettledStatistic):
    """The statistic of CIDEr-D, which collects all texts, because weights of words depend on all references.

    Args:
        captions: The texts and references of the records.
        longest: The largest n of n-grams.
        sigma: The tolerance of differences in length.
        missing: The number of records that don't count, by reason.
    """

    captions: tuple[Captions, ...]
    longest: int
    sigma: float
    missing: Mapping[str, int] = field(default_factory=dict)
    is_smooth = True  # a mean moves little

    def merge(self, other: Any) -> Statistic:
        """Return one statistic of all texts: those of this one and of `other`, from another part of the data set."""
        captions, missing = self.captions + other.captions, added(self.missing, other.missing)
        return replace(self, captions=captions, missing=missing)

    def details(self) -> dict[str, Any]:
        """Return the number of records that don't count, by reason."""
        return missing_details(self.missing)

    def pack(self) -> Any:
        """Return the texts, and the numbers of records that don't count, as plain data that `unpack` reads."""
        texts = [[key, text, list(others)] for key, text, others in self.captions]
        return {"captions": texts, **packed(self.missing)}

    def unpack(self, data: Any) -> Statistic:
        """Return the statistic of the texts in plain data that `pack` returned."""
        captions = tuple((key, str(text), tuple(map(str, others))) for key, text, others in data["captions"])
        return replace(self, captions=captions, missing=unpacked_counts(data))

    def apart(self) -> tuple[Sequence[Any], Any]:
        """Return the ids of the records, and separately their texts as plain data without ids."""
        texts = [[None, text, list(others)] for _, text, others in self.captions]
        return [key for key, _, _ in self.captions], {"captions": texts}

    def rekeyed(self, keys: Sequence[Any]) -> Statistic:
        """Return a copy of the statistic with `keys` in place of the ids of its records, in the same order."""
        known = zip(keys, self.captions, strict=True)
        return replace(self, captions=tuple((key, text, others) for key, (_, text, others) in known))

    def settled(self) -> SumStatistic:
        """Return the mean of the records' scores as a statistic, with word weights that resampling does not change."""
        scores = cider_scores([(text, others) for _, text, others in self.captions], self.longest, self.sigma)
        return of_sums(divide, [key for key, _, _ in self.captions], [(score, 1.0) for score in scores], width=2)


@primitive(
    better="higher",
    range=(0.0, 10.0),
    topics=("writing",),
    aka=("consensus-based image description evaluation", "caption similarity"),
)
def cider(
    rows: Rows,
    /,
    *,
    prediction: PredictionPath = None,
    reference: ReferencePath = None,
    field: AnsweredField = None,
    longest: Annotated[int, Between(1, 20)] = 4,
    sigma: Annotated[float, AtLeast(0.01)] = 6.0,
) -> Statistic:
    """Return the CIDEr-D of a data set of captions, from 0 to 10, as the mean over records.

    Papers print it multiplied by 100 or 10. N-grams of words weigh more if fewer records have them in their references,
    so the score of a record depends on the others, and there must be at least two. Words are split at white space; to
    tokenise texts first, as the released code does, use `penn_words`. Intervals don't change the weights.

    Args:
        longest: The largest n of n-grams of words.
        sigma: The difference in length, in words, that costs a factor of e to the power of -1/2.


    Examples:
        >>> texts = ["a dog runs", "two cats sleep"]
        >>> round(cider(Rows.of_scores([1.0, 1.0], response=texts, reference=texts), longest=2).value(), 6)
        10.0

    Source:
        Vedantam, Zitnick, Parikh: CIDEr: Consensus-based Image Description Evaluation, 2015; its released code.
    """
    texts, missing = texts_compared(rows, prediction, reference, field)
    captions = tuple((key, text, tuple(others)) for key, text, others in texts)
    return CaptionStatistic(captions, longest, sigma, missing)


def cider_scores(captions: Sequence[tuple[str, Sequence[str]]], longest: int, sigma: float) -> list[float]:
    """Return the CIDEr-D of each text against its references; n-grams are weighted by the references of all texts.

    Args:
        captions: Each text with its references.
        longest: The largest n of n-grams.
        sigma: The difference in length, in words, that costs a factor of e to the power of -1/2.

    Examples:
        >>> cider_scores([("a b", ["a b"]), ("c", ["d"])], 1, 6.0)
        [10.0, 0.0]
    """
    frequencies: Counter[Grams] = Counter()
    for _, others in captions:
        frequencies.update({grams for other in others for grams in _counts(other, longest)})
    everything = math.log(len(captions)) if captions else 0.0
    weights = {grams: everything - math.log(count) for grams, count in frequencies.items()}

    def vector(text: str) -> tuple[list[dict[Grams, float]], list[float], int]:
        parts: list[dict[Grams, float]] = [{} for _ in range(longest)]
        length = 0
        for grams, count in _counts(text, longest).items():
            parts[len(grams) - 1][grams] = count * weights.get(grams, everything)
            length += count if len(grams) == 2 else 0  # the released code counts pairs of words as the length
        return parts, [math.sqrt(sum(weight * weight for weight in part.values())) for part in parts], length

    found = []
    for text, others in captions:
        mine = vector(text)
        mean = sum(_similarity(mine, vector(other), sigma) for other in others) / longest / len(others)
        found.append(min(mean * 10.0, 10.0))  # rounding may exceed 10 for equal texts
    return found


def _counts(text: str, longest: int) -> Counter[Grams]:
    words = text.split()
    return Counter(
        tuple(words[at : at + size]) for size in range(1, longest + 1) for at in range(len(words) - size + 1)
    )


def _similarity(one: Any, other: Any, sigma: float) -> float:
    """Return the similarity of a text to a reference: the cosine of their weighted n-grams, summed over n, times a
    penalty for different lengths.

    Args:
        one: The text as weights of n-grams by n, norms of these, and a length.
        other: The reference in the same form.
        sigma: The tolerance of differences in length.
    """
    (parts, norms, length), (others, other_norms, other_length) = one, other
    penalty = math.e ** (-(float(length - other_length) ** 2) / (2 * sigma * sigma))
    found = 0.0
    for part, theirs, norm, other_norm in zip(parts, others, norms, other_norms, strict=True):
        shared = sum(min(weight, theirs[grams]) * theirs[grams] for grams, weight in part.items() if grams in theirs)
        found += (shared / (norm * other_norm) if norm and other_norm else shared) * penalty
    return found
