"""Sentence BLEU with weights and smoothing, bit-identical to NLTK's; BLEU as machine translation campaigns compute it;
and GLEU.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from itertools import chain
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Struct

from scoring.extensions.generation.shared_grams import shared_grams
from scoring.extensions.generation.translation import references_of
from scoring.lazy_pattern import lazy_pattern
from scoring.ranges import UNIT, ScoreRange
from scoring.registry import AtLeast, bounds, primitive
from scoring.result import Unscored
from scoring.values import Score

# About twenty megabytes at most; longer chunks are not words and are not cached.
_MOST, _LONGEST = 50_000, 40


class Chunks(dict[str, list[str]]):
    """A cache of the tokens of each chunk, a stretch of text without white space; a chunk is tokenised when first
    needed. The function that tokenises it also takes several, with a space between them.

    Examples:
        >>> Chunks(lambda chunk: chunk.split("-")).tokens("a-b c a-b")
        ['a', 'b', 'c', 'a', 'b']
    """

    def __init__(self, cut: Callable[[str], list[str]]) -> None:
        super().__init__()
        self._cut = cut

    def __missing__(self, chunk: str) -> list[str]:
        found = self._cut(chunk)
        if len(chunk) <= _LONGEST:
            if len(self) >= _MOST:
                self.clear()
            self[chunk] = found
        return found

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of a text: those of its chunks, one after another.

        A text of more different chunks than are cached is tokenised as a whole, which takes less time.
        """
        chunks = text.split()
        if len(chunks) > _MOST and len({*chunks}) > _MOST:
            return self._cut(" ".join(chunks))
        return list(chain.from_iterable(map(self.__getitem__, chunks)))


# The methods of smoothing are those of Chen and Cherry. Precisions are exact fractions wherever they are in NLTK, so
# that rounding happens only once, when the logarithm is taken.
MatchCount: TypeAlias = tuple[int, int]
Precision: TypeAlias = float | Fraction
_EPSILON, _ALPHA, _K = 0.1, 5, 5


class GramMatches(Struct, frozen=True):
    """The numbers of n-grams that smoothing uses: for every order (n), and for 5-grams, how many match and how many
    there are; and the length of the text in tokens.
    """

    counts: list[MatchCount]
    fifth: MatchCount
    length: int


def _geometric(counts: Iterable[MatchCount]) -> list[Precision]:
    """Return the smoothed precision for each order (n) of n-grams, given the numbers of matches and of all n-grams.

    The first order without a match counts as half a match, each further one as half as much as the one before.
    """
    found: list[Precision] = []
    zeros = 0
    for matched, total in counts:
        zeros += not matched
        found.append(matched / total if matched else 1 / (2**zeros * total))
    return found


def _by_length(matches: GramMatches) -> list[Precision]:
    found: list[Precision] = []
    zeros = 0
    for matched, total in matches.counts:
        if matched or matches.length <= 1:
            found.append(Fraction(matched, total))
        else:
            zeros += 1
            found.append(1 / (2**zeros * _K / math.log(matches.length)) / total)
    return found


def _averaged(precisions: Sequence[Precision], matches: GramMatches) -> list[Precision]:
    previous: Precision = precisions[0] + 1
    found: list[Precision] = []
    for precision, after in zip(precisions, [*precisions[1:], Fraction(*matches.fifth)], strict=True):
        previous = (previous + precision + after) / 3
        found.append(previous)
    return found


def _interpolated(matches: GramMatches) -> list[Precision]:
    counts = matches.counts
    if len(counts) < 3 or not counts[2][0]:
        raise Unscored("smoothing method6 needs a shared trigram")
    found: list[Precision] = [Fraction(*counts[0]), Fraction(*counts[1])]
    for order, (matched, _) in enumerate(counts[2:], start=3):
        before, last = found[-2], found[-1]
        prior: Precision = 0.0 if before == 0 else last**2 / before
        found.append((matched + _ALPHA * prior) / (max(matches.length - order + 1, 0) + _ALPHA))
    return found


_SMOOTHING: dict[str, Callable[[GramMatches], list[Precision]]] = {
    "none": lambda found: [matched / total if matched else sys.float_info.min for matched, total in found.counts],
    "method1": lambda found: [matched / total if matched else _EPSILON / total for matched, total in found.counts],
    "method2": lambda found: [
        (matched + 1) / (total + 1) if place else matched / total for place, (matched, total) in enumerate(found.counts)
    ],
    "method3": lambda found: _geometric(found.counts),
    "method4": _by_length,
    "method5": lambda found: _averaged([Fraction(*count) for count in found.counts], found),
    "method6": _interpolated,
    "method7": lambda found: _averaged(_by_length(found), found),
}


_LONGEST_CACHED = 4_000
_MOST_ORDERS = 100
# A word, an amount of dollars, or a run of anything but spaces and full stops; full stops disappear.
_WORDS = r"\w+|\$[\d]+|[^\s\.]+"
_ASCII_WORDS = lazy_pattern(_WORDS, re.ASCII)


@cache
def _find_words() -> Callable[[str], list[str]]:
    """Return a function that finds words with the package `regex`, as NLTK does: combining accents are part of them."""
    import regex

    find: Callable[[str], list[str]] = regex.compile(_WORDS).findall
    return find


def bleu_tokens(text: str) -> list[str]:
    """Return the tokens of a text: words, numbers and punctuation other than full stops, with case kept.

    Examples:
        >>> bleu_tokens("It costs $40, e.g. here.")
        ['It', 'costs', '$40', ',', 'e', 'g', 'here']

    Source:
        NLTK, as used in Valor, BLEU.
    """
    # These four characters are white space for `split`, but part of a token for NLTK.
    if "\x1c" in text or "\x1d" in text or "\x1e" in text or "\x1f" in text:
        return _cut(text)
    return _chunks.tokens(text)


def _cut(text: str) -> list[str]:
    return _ASCII_WORDS.findall(text) if text.isascii() else _find_words()(text)


_chunks = Chunks(_cut)
_cached = lru_cache(maxsize=1024)(bleu_tokens)


def _tokens(text: str, tokenizer: str) -> list[str]:
    if tokenizer != "words":
        return text.split()
    return _cached(text) if len(text) <= _LONGEST_CACHED else bleu_tokens(text)


def _count_matching_grams(prediction: list[str], references: list[list[str]], orders: int) -> list[MatchCount]:
    """Return, for each order (n) from 1 to `orders`, how many n-grams of the prediction the references cover, and how
    many it has (at least 1).
    """
    length, found = len(prediction), shared_grams(prediction, references, orders)
    return [(matched, length - place if length > place else 1) for place, matched in enumerate(found)]


def closest_length(length: int, references: list[list[str]]) -> int:
    """Return the length of the reference whose length is nearest to `length`; of two equally near ones the smaller."""
    if len(references) == 1:
        return len(references[0])
    return min((abs(len(one) - length), len(one)) for one in references)[1]


def brevity_penalty(length: int, closest: int) -> float:
    """Return the factor that reduces the score of a text of `length` tokens if that is less than `closest`, the length
    of its reference; else 1.

    Examples:
        >>> brevity_penalty(12, 12), brevity_penalty(0, 12)
        (1.0, 0.0)
    """
    if length > closest:
        return 1.0
    return math.exp(1 - closest / length) if length else 0.0


def _combine_precisions(found: GramMatches, closest: int, weights: tuple[float, ...], smoothing: str) -> float:
    """Return the BLEU of counted n-grams: the weighted geometric mean of their smoothed precisions, times the brevity
    penalty; 0 without any common word.
    """
    if not found.counts[0][0]:
        return 0.0
    precisions = _SMOOTHING[smoothing](found)
    logs = [weight * math.log(p) for weight, p in zip(weights, precisions, strict=True) if p > 0]
    return brevity_penalty(found.length, closest) * math.exp(min(math.fsum(logs), _LARGEST))


_LARGEST = math.log(sys.float_info.max)


@primitive(uses=("numpy", "rapidfuzz", "regex"), revision=2, topics=("writing",), aka=("bleu score",))
def bleu(
    prediction: str,
    reference: str | list[str],
    /,
    *,
    weights: tuple[float, ...] = (0.25, 0.25, 0.25, 0.25),
    smoothing: Literal["none", "method1", "method2", "method3", "method4", "method5", "method6", "method7"] = "none",
    tokenizer: Literal["words", "whitespace"] = "words",
    floor: Annotated[float, AtLeast(0)] = 1e-9,
) -> Score:
    """Return the BLEU of one text against one or several references.

    An n-gram counts at most as often as in the reference that has most of it; the brevity penalty uses the reference of
    the nearest length. Without smoothing the score is 0 if an order of n-grams has no match. Smoothing methods 5 and 7
    give up to 1.117 with the usual weights; method 6 and negative weights may give more.

    Args:
        weights: The weight of each order of n-grams, from 1 up.
        smoothing: The replacement for a precision of 0, by its name in NLTK.
        tokenizer: The tokenizer: `words` drops full stops and splits off punctuation, `whitespace` splits at spaces.
        floor: The threshold below which a result becomes 0.


    Examples:
        >>> bleu("the cat sat on the mat", "the cat sat on the mat")
        1.0
        >>> bleu("the cat sat", ["a dog", "the cat"], weights=(0.5, 0.5))
        0.5773502691896257
        >>> bleu("the cat sat", "the cat sat")
        0.0

    Source:
        K. Papineni et al., "BLEU: a method for automatic evaluation of machine translation", 2002; as used in
        Valor, BLEU.
    """
    orders = tuple(weights)
    if not orders or len(orders) > _MOST_ORDERS:
        raise Unscored(f"BLEU needs 1 to {_MOST_ORDERS} weights, not {len(orders)}")
    texts = references_of(reference)
    predicted, references = _tokens(prediction, tokenizer), [_tokens(text, tokenizer) for text in texts]
    length = len(predicted)
    fifth = _count_matching_grams(predicted, references, 5)[4] if smoothing in ("method5", "method7") else (0, 1)
    found = GramMatches(_count_matching_grams(predicted, references, len(orders)), fifth, length)
    value = _combine_precisions(found, closest_length(length, references), orders, smoothing)
    return 0.0 if value < floor else value


@bounds(bleu)
def _(*, weights: Sequence[float] | None, smoothing: str | None, **_: Any) -> ScoreRange:
    if weights is None or smoothing in (None, "method6") or min(weights, default=0.0) < 0:
        # Method 6 extrapolates a precision from the two before it, without an upper bound.
        return ScoreRange(0.0, math.inf)
    if smoothing not in ("method5", "method7"):
        return UNIT
    logs, highest = [], Fraction(2)
    for weight in (
        weights
    ):  # each precision is averaged with both neighbours; that before the first is larger than the first by 1
        highest = (highest + 2) / 3
        logs.append(weight * math.log(highest))
    return ScoreRange(0.0, math.exp(min(math.fsum(logs), _LARGEST)))


ORDERS = 4
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
# In order: symbols are separate tokens; full stops and commas, too, except within a number; a dash after a digit, too.
_RULES = (
    (lazy_pattern(r"([!-&(-+:-@\[-`{-~/])"), r" \1 "),
    (lazy_pattern(r"([^0-9])([.,])"), r"\1 \2 "),
    (lazy_pattern(r"([.,])([^0-9])"), r" \1 \2"),
    (lazy_pattern(r"([0-9])(-)"), r"\1 \2 "),
)


def tokens_13a(text: str) -> list[str]:
    """Return the tokens of a segment by the rules of mteval-v13a.

    Examples:
        >>> tokens_13a("It's 3.14, not 3-4!")
        ["It's", '3.14', ',', 'not', '3', '-', '4', '!']
    """
    return _chunks_13a.tokens(text.rstrip().replace("<skipped>", "").replace("-\n", ""))


def _cut_13a(chunk: str) -> list[str]:
    """Return the tokens of a chunk of text without white space, or of several with a space between them, by the rules
    of mteval-v13a.

    Chunks can be tokenised separately, because the rules only look at the neighbours of a character.
    """
    for entity, character in _ENTITIES:
        chunk = chunk.replace(entity, character)
    line = f" {chunk} "
    for pattern, replacement in _RULES:
        line = pattern.sub(replacement, line)
    return line.split()


_chunks_13a = Chunks(_cut_13a)


def compute_corpus_bleu(
    hypotheses: Sequence[str], references: Sequence[str], *, effective_order: bool = False
) -> float:
    """Return the BLEU, from 0 to 1, of all hypotheses together as one corpus, with one reference for each.

    Args:
        hypotheses: The predicted texts.
        references: The reference of each.
        effective_order: Whether to leave out orders of n-grams for which all texts are too short; otherwise the BLEU is
            then 0.
    """
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
    return min(1.0, brevity_penalty(length, target_length) * _mean_precision(matched, total, effective_order))


def _mean_precision(matched: list[int], total: list[int], effective_order: bool) -> float:
    """Return the geometric mean of the precisions of all orders that have n-grams; 0 if an order has none and
    `effective_order` is false.

    Args:
        matched: The number of matching n-grams of each order.
        total: The number of all n-grams of each order.
        effective_order: Whether orders without n-grams are left out.
    """
    counts = [(hits, size) for hits, size in zip(matched, total, strict=True) if size]
    if len(counts) < ORDERS and not effective_order:
        return 0.0
    return math.exp(math.fsum(map(math.log, _geometric(counts))) / len(counts))


@primitive(uses=("numpy", "rapidfuzz"), topics=("writing",), aka=("mteval", "13a bleu"))
def mteval_bleu(prediction: str | list[str], reference: str | list[str], /, *, effective_order: bool = False) -> Score:
    """Return sacreBLEU's default BLEU divided by 100: 13a tokens, 1- to 4-grams, exponential smoothing.

    Two lists are one corpus: their counts are added up before the precisions are computed.

    Args:
        effective_order: Whether to leave out the orders for which a prediction is too short; otherwise any prediction
            of fewer than four tokens scores 0, even an exact one.


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
    return compute_corpus_bleu(hypotheses, references, effective_order=effective_order)


@primitive(laws=("symmetric", "bounded"), uses=("numpy", "rapidfuzz"), topics=("writing",), aka=("google bleu",))
def gleu(prediction: list[str], reference: list[str], /, *, most: Annotated[int, AtLeast(1)] = 4) -> Score:
    """Return the number of shared 1- to 4-grams divided by the larger of the two totals; 0 for two empty lists.

    Args:
        most: The largest n.

    Examples:
        >>> gleu(["a", "b"], ["a", "c"])
        0.3333333333333333

    Source:
        Wu et al. 2016, "Google's Neural Machine Translation System", section 5.2.
    """
    size = max(len(prediction), len(reference))
    larger = sum(size - place for place in range(min(most, size)))
    return sum(shared_grams(prediction, [reference], min(most, size))) / larger if larger else 0.0
