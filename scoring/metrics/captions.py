"""CIDEr-D: how well captions say what several people wrote; words that few references have count most."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, TypeAlias

from scoring.late import dataclass
from scoring.metrics.summary import AnsweredField, PredictionPath, ReferencePath, texts_compared
from scoring.registry import AtLeast, Between, primitive
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import SettledStatistic, Statistic, SumStatistic, divide, of_sums

Grams: TypeAlias = tuple[str, ...]
Captions: TypeAlias = tuple[Any, str, tuple[str, ...]]
"""The id of a record, its text, and its references."""


@dataclass(frozen=True, slots=True, eq=False)
class CaptionStatistic(SettledStatistic):
    """The texts of all records: what a word counts is only known when all references are.

    Args:
        captions: Those of each part of the data.
        longest: The longest n-grams.
        sigma: How much a difference in length costs.
    """

    captions: tuple[Captions, ...]
    longest: int
    sigma: float

    def merge(self, other: Any) -> Statistic:
        """The texts of both parts."""
        return replace(self, captions=self.captions + other.captions)

    def pack(self) -> Any:
        """The texts."""
        return {"captions": [[key, text, list(others)] for key, text, others in self.captions]}

    def unpack(self, data: Any) -> Statistic:
        """The statistic of such texts."""
        captions = tuple((key, str(text), tuple(map(str, others))) for key, text, others in data["captions"])
        return replace(self, captions=captions)

    def settled(self) -> SumStatistic:
        """What each record adds, with the words counted over all references, which resamples leave as they are."""
        scores = cider_scores([(text, others) for _, text, others in self.captions], self.longest, self.sigma)
        return of_sums(divide, [key for key, _, _ in self.captions], [(score, 1.0) for score in scores], width=2)

    @property
    def is_smooth(self) -> bool:
        """A mean moves little."""
        return True


@primitive(
    range=(0.0, 10.0), topics=("writing",), aka=("consensus-based image description evaluation", "caption similarity")
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
    """CIDEr-D of a data set of captions, from 0 to 10: the mean over records, where papers print it times 100 or 10.

    N-grams of words are weighed by how few records have them in their references, so the figure of a record depends on
    the others, and needs at least two. Words are what stands between white space: where the released code cuts texts
    by a tokenizer, `penn_words` goes before. Intervals leave the weights as they are.

    Args:
        longest: The longest n-grams, in words.
        sigma: How many words of difference in length cost a factor of e to the power of -1/2.

    Examples:
        >>> texts = ["a dog runs", "two cats sleep"]
        >>> round(cider(Rows.of_scores([1.0, 1.0], response=texts, reference=texts), longest=2).value(), 6)
        10.0

    Source:
        Vedantam, Zitnick, Parikh: CIDEr: Consensus-based Image Description Evaluation, 2015; its released code.
    """
    texts = texts_compared(rows, prediction, reference, field)
    return CaptionStatistic(tuple((key, text, tuple(others)) for key, text, others in texts), longest, sigma)


def cider_scores(captions: Sequence[tuple[str, Sequence[str]]], longest: int, sigma: float) -> list[float]:
    """CIDEr-D of each text against its references.

    Examples:
        >>> cider_scores([("a b", ["a b"]), ("c", ["d"])], 1, 6.0)
        [10.0, 0.0]
    """
    held: Counter[Grams] = Counter()
    for _, others in captions:
        held.update({grams for other in others for grams in _counts(other, longest)})
    everything = math.log(len(captions)) if captions else 0.0
    weights = {grams: everything - math.log(count) for grams, count in held.items()}

    def vector(text: str) -> tuple[list[dict[Grams, float]], list[float], int]:
        parts: list[dict[Grams, float]] = [{} for _ in range(longest)]
        length = 0
        for grams, count in _counts(text, longest).items():
            parts[len(grams) - 1][grams] = count * weights.get(grams, everything)
            length += count if len(grams) == 2 else 0  # the released code takes pairs of words for the length
        return parts, [math.sqrt(sum(weight * weight for weight in part.values())) for part in parts], length

    found = []
    for text, others in captions:
        mine = vector(text)
        mean = sum(_similarity(mine, vector(other), sigma) for other in others) / longest / len(others)
        found.append(min(mean * 10.0, 10.0))  # rounding lifts what is equal above it
    return found


def _counts(text: str, longest: int) -> Counter[Grams]:
    words = text.split()
    return Counter(
        tuple(words[at : at + size]) for size in range(1, longest + 1) for at in range(len(words) - size + 1)
    )


def _similarity(one: Any, other: Any, sigma: float) -> float:
    """The clipped cosine of two texts, summed over the lengths of n-grams."""
    (parts, norms, length), (others, other_norms, other_length) = one, other
    penalty = math.e ** (-(float(length - other_length) ** 2) / (2 * sigma * sigma))
    found = 0.0
    for part, theirs, norm, other_norm in zip(parts, others, norms, other_norms, strict=True):
        shared = sum(min(weight, theirs[grams]) * theirs[grams] for grams, weight in part.items() if grams in theirs)
        found += (shared / (norm * other_norm) if norm and other_norm else shared) * penalty
    return found
