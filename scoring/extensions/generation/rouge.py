"""ROUGE, which measures how much of a reference text occurs in a predicted one; bit-identical to `rouge_score`.

Words are stemmed by Porter's algorithm with NLTK's extensions. The letters of a word are first converted to a shape of
consonants and vowels ("caresses" -> "cvcvccvc"): every condition of the algorithm concerns a prefix of that shape,
because the kind of a letter depends only on the letters before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial, reduce
from itertools import chain
from operator import or_
from typing import Any, Literal, NamedTuple

from rapidfuzz.distance import LCSseq

from scoring.extensions.generation.shared_grams import (
    LONGEST,
    are_short,
    encode,
    number_tokens,
    shared_count,
    shared_numbers,
)
from scoring.extensions.generation.translation import references_of
from scoring.registry import primitive
from scoring.result import Unscored
from scoring.values import Score

_VOWELS = frozenset("aeiou")
_LONGEST_WORD = 40

_IRREGULAR = {
    "sky": "sky", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie", "news": "news",
    "innings": "inning", "inning": "inning", "outings": "outing", "outing": "outing",
    "cannings": "canning", "canning": "canning", "howe": "howe",
    "proceed": "proceed", "exceed": "exceed", "succeed": "succeed",
}  # fmt: skip

# (suffix, replacement); within a step only the first suffix that matches is used, whether or not its condition holds.
_STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("bli", "ble"),
    ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
    ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"),
    ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"), ("fulli", "ful"),
)  # fmt: skip
_STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate",
    "iti", "ous", "ive", "ize",
)  # fmt: skip


def stem(word: str) -> str:
    """Return the stem of a lower-case word.

    Examples:
        >>> [stem(word) for word in ("caresses", "flies", "dies", "relational", "hopping", "enjoyment")]
        ['caress', 'fli', 'die', 'relat', 'hop', 'enjoy']
    """
    return _cached_stem(word) if len(word) <= _LONGEST_WORD else _stem(word)


def _stem(word: str) -> str:
    if word in _IRREGULAR or len(word) <= 2:
        return _IRREGULAR.get(word, word)
    return reduce(lambda stemmed, step: step(stemmed), _STEPS, word)


_cached_stem = lru_cache(maxsize=65536)(_stem)


def _shape(word: str) -> str:
    """Return the shape of a word: c for each consonant, v for each vowel; y is a vowel after a consonant."""
    kinds = []
    kind = "v"
    for letter in word:
        is_vowel = kind == "c" if letter == "y" else letter in _VOWELS
        kind = "v" if is_vowel else "c"
        kinds.append(kind)
    return "".join(kinds)


def _measure(word: str) -> int:
    """Return Porter's measure m of a word: how often a vowel is followed by a consonant."""
    return _shape(word).count("vc")


def _ends_short(word: str) -> bool:
    """Return True if a word ends in consonant-vowel-consonant (the last not w, x, y), or is just vowel-consonant."""
    shape = _shape(word)
    return shape == "vc" or (shape.endswith("cvc") and word[-1] not in "wxy")


def _plural(word: str) -> str:
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("sses"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix) and "v" in _shape(word[: -len(suffix)]):
            return _tidy(word[: -len(suffix)])
    return word


def _tidy(word: str) -> str:
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if len(word) >= 2 and word[-1] == word[-2] and _shape(word)[-1] == "c":
        return word if word[-1] in "lsz" else word[:-1]
    return word + "e" if _measure(word) == 1 and _ends_short(word) else word


def _final_y(word: str) -> str:
    if word.endswith("y") and len(word) > 2 and _shape(word)[-2] == "c":
        return word[:-1] + "i"
    return word


def _double_suffix(word: str) -> str:
    if word.endswith("alli") and _measure(word[:-4]) > 0:
        return _double_suffix(word[:-2])
    if word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    return _replace(word, _STEP_2)


def _replace(word: str, rules: tuple[tuple[str, str], ...]) -> str:
    for suffix, replacement in rules:
        if word.endswith(suffix):
            root = word[: -len(suffix)]
            return root + replacement if _measure(root) > 0 else word
    return word


def _long_suffix(word: str) -> str:
    suffix = next(filter(word.endswith, _STEP_4), "")
    root = word.removesuffix(suffix)
    return root if suffix and _measure(root) > 1 and (suffix != "ion" or root[-1] in "st") else word


def _final_e(word: str) -> str:
    if not word.endswith("e"):
        return word
    root = word[:-1]
    size = _measure(root)
    return root if size > 1 or (size == 1 and not _ends_short(root)) else word


def _final_l(word: str) -> str:
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


_STEPS: tuple[Callable[[str], str], ...] = (
    _plural, _past, _final_y, _double_suffix, partial(_replace, rules=_STEP_3), _long_suffix, _final_e, _final_l,
)  # fmt: skip


# Every byte but a-z and 0-9 separates tokens; so do characters beyond ASCII, which become "?" first.
_SEPARATE = bytes(code if chr(code).isascii() and chr(code).isalnum() else 32 for code in range(256))
_LONGEST_CACHED = 4_000


def tokens(text: str, stemmer: bool = False) -> list[str]:
    """Return ROUGE's tokens of a text: the runs of a-z and 0-9 in lower case; with `stemmer` words of over 3 letters
    are stemmed.

    Examples:
        >>> tokens("The café's DOORS, 24/7!")
        ['the', 'caf', 's', 'doors', '24', '7']
        >>> tokens("running doors", stemmer=True)
        ['run', 'door']
    """
    found = text.lower().encode("ascii", "replace").translate(_SEPARATE).decode("ascii").split()
    return [stem(token) if len(token) > 3 else token for token in found] if stemmer else found


class Prepared:
    """A text prepared for ROUGE: the list of tokens of each line that is not empty, and of the whole text."""

    __slots__ = ("lines", "tokens")

    def __init__(self, text: str, stemmer: bool) -> None:
        self.lines = (
            [tokens(line, stemmer) for line in text.split("\n") if line] if "\n" in text else [tokens(text, stemmer)]
        )
        self.tokens = self.lines[0] if len(self.lines) == 1 else list(chain.from_iterable(self.lines))


_cached = lru_cache(maxsize=1024)(Prepared)


def _prepare(text: str, stemmer: bool) -> Prepared:
    """Return a text prepared for ROUGE, from a cache of recent ones, because references recur for several
    predictions.
    """
    return _cached(text, stemmer) if len(text) <= _LONGEST_CACHED else Prepared(text, stemmer)


# The positions of a sequence in a longest common subsequence are found with bit-parallel rows. The vertical differences
# of the table of (reference, candidate) are stored as one integer per candidate token: a zero bit at position i means
# that the table grows from row i to row i + 1. This suffices for a backward walk along the same path as in the full
# table, with upward steps preferred. The recurrence: H. Hyyrö, "Bit-parallel LCS-length computation revisited", 2004.


def union_of_subsequences(reference: Sequence[str], candidates: Iterable[Sequence[str]]) -> list[int]:
    """Return, in order, the positions in the reference that belong to its longest common subsequence with at least one
    of the candidates.

    Examples:
        >>> union_of_subsequences(["a", "b", "c", "d"], [["a", "d"], ["x", "c"]])
        [0, 2, 3]
    """
    bits: dict[str, int] = {}
    for place, token in enumerate(reference):
        bits[token] = bits.get(token, 0) | 1 << place
    size = len(reference)
    union = 0
    bits_of = bits.get
    for candidate in candidates:
        matching = [bits_of(token, 0) for token in candidate]
        possible = reduce(or_, matching, 0)
        if possible | union == union:
            continue
        # If only one position matches, it is the subsequence; otherwise the table is needed.
        union |= possible if possible & possible - 1 == 0 else _subsequence(size, matching)
    return [place for place in range(size) if union >> place & 1]


def _subsequence(size: int, matching: list[int]) -> int:
    """Return the positions in a reference that belong to its longest common subsequence with a candidate, as the set
    bits of an integer.

    Args:
        size: The length of the reference.
        matching: For each token of the candidate the positions in the reference of equal tokens, as bits.
    """
    full = (1 << size) - 1
    row = full
    stops = []
    for same in matching:
        if same:
            matches = row & same
            row = ((row + matches) | (row - matches)) & full
        # Going up a column of the table, the walk stops where the tokens match or the table grows.
        stops.append(same | (row ^ full))
    used = 0
    below = full
    for same, stop in zip(reversed(matching), reversed(stops), strict=True):
        halt = (stop & below).bit_length()
        if not halt:
            break
        at = 1 << halt - 1
        below = at - 1
        if same & at:
            used |= at
        else:
            below |= at
    return used


# Bit-parallel matching costs length × length / 64; this limits it to about a second.
MOST_CELLS = 50_000_000_000
# The n of each ROUGE-N, and codes for the variants by subsequences.
_LONGEST_COMMON, _LINE_BY_LINE = 0, -1
_ORDERS = {"rougeL": _LONGEST_COMMON, "rougeLsum": _LINE_BY_LINE, **{f"rouge{n}": n for n in range(1, 10)}}


class Rouge(NamedTuple):
    """A ROUGE score: precision, recall, and their harmonic mean."""

    precision: float
    recall: float
    fmeasure: float


def _scores(hits: int, predicted: int, expected: int) -> Rouge:
    if not hits:
        return Rouge(0.0, 0.0, 0.0)
    precision, recall = hits / predicted, hits / expected
    return Rouge(precision, recall, 2 * precision * recall / (precision + recall))


class _Pair:
    """A prediction and a reference with the scores computed so far, as several variants are needed of most pairs."""

    __slots__ = ("_codes", "_found", "_numbers", "_prediction", "_reference")

    def __init__(self, prediction: str, reference: str, stemmer: bool) -> None:
        self._prediction, self._reference = _prepare(prediction, stemmer), _prepare(reference, stemmer)
        predicted, expected = self._prediction.tokens, [self._reference.tokens]
        if len(predicted) * len(expected[0]) > MOST_CELLS:
            raise Unscored(f"texts of {len(predicted):,} and {len(expected[0]):,} tokens are too long to compare")
        self._codes = encode(predicted, expected) if are_short(predicted, expected) else None
        self._numbers: list[Any] | None = None
        self._found: dict[int, Rouge] = {}

    def score(self, n: int) -> Rouge:
        """Return the ROUGE of the pair, by n-grams of `n` words or, for the codes 0 and -1, by longest common
        subsequences of the whole texts or line by line.
        """
        if n == _LINE_BY_LINE and len(self._prediction.lines) < 2 and len(self._reference.lines) < 2:
            n = _LONGEST_COMMON
        if n not in self._found:
            cut = max(n - 1, 0)
            sizes = len(self._prediction.tokens) - cut, len(self._reference.tokens) - cut
            self._found[n] = _scores(self._hits(n), *sizes)
        return self._found[n]

    def _hits(self, n: int) -> int:
        if n == _LINE_BY_LINE:
            return _union_hits(self._prediction, self._reference)
        if self._codes is not None:
            code, reference = self._codes[0], self._codes[1][0]
            return shared_count(code, reference, n) if n > 0 else LCSseq.similarity(code, reference)
        if n == _LONGEST_COMMON:
            return LCSseq.similarity(self._prediction.tokens, self._reference.tokens)
        if self._numbers is None:
            self._numbers = number_tokens(self._prediction.tokens, [self._reference.tokens])
        return shared_numbers(self._numbers, n, first=n)[0]


_cached_pair = lru_cache(maxsize=1024)(_Pair)


def _pair(prediction: str, reference: str, stemmer: bool) -> _Pair:
    is_cached = len(prediction) <= _LONGEST_CACHED and len(reference) <= _LONGEST_CACHED
    return (_cached_pair if is_cached else _Pair)(prediction, reference, stemmer)


def _union_hits(prediction: Prepared, reference: Prepared) -> int:
    """Return how many tokens of the reference's lines are in a common subsequence with a line of the prediction, each
    token counted at most as often as in the prediction.
    """
    lines = prediction.lines
    used = [line[place] for line in reference.lines for place in union_of_subsequences(line, lines)]
    if len(set(used)) == len(used):
        return len(used)
    available = prediction.tokens.count if len(used) <= LONGEST else Counter(prediction.tokens).__getitem__
    return sum(min(count, available(token)) for token, count in Counter(used).items())


def rouge_of(prediction: str, references: list[str], variant: str, stemmer: bool = False) -> Rouge:
    """Return the ROUGE of the prediction and the reference that gives the best F-measure.


    Raises:
        Unscored: when the variant is unknown.

    Examples:
        >>> rouge_of("the cat sat", ["the cat"], "rouge1")
        Rouge(precision=0.6666666666666666, recall=1.0, fmeasure=0.8)
    """
    if variant not in _ORDERS:
        raise Unscored(f"there is no ROUGE variant {variant!r}")
    n = _ORDERS[variant]
    if len(references) == 1:
        return _pair(prediction, references[0], stemmer).score(n)
    return max([_pair(prediction, text, stemmer).score(n) for text in references], key=lambda one: one.fmeasure)


@primitive(
    laws=("unordered",),
    uses=("numpy", "rapidfuzz"),
    topics=("writing",),
    aka=("rouge-1", "rouge-2", "rouge-l", "rouge-lsum", "rouge score", "summarization", "longest common subsequence"),
)
def rouge(
    prediction: str,
    reference: str | list[str],
    /,
    *,
    variant: Literal[
        "rouge1", "rouge2", "rouge3", "rouge4", "rouge5", "rouge6", "rouge7", "rouge8", "rouge9", "rougeL", "rougeLsum"
    ] = "rougeL",
    stemmer: bool = False,
    measure: Literal["fmeasure", "precision", "recall"] = "fmeasure",
) -> Score:
    """Return the ROUGE of a text against one or several references.

    Tokens are runs of a-z and 0-9 of the lower-cased text, so texts in other scripts have none and score 0. ROUGE-N
    counts shared n-grams, ROUGE-L uses the longest common subsequence of the whole texts, ROUGE-Lsum joins the
    subsequences of their lines. Of several references the one with the best F-measure counts.

    Args:
        variant: The variant of ROUGE.
        stemmer: Whether words of more than three letters are stemmed (Porter).
        measure: The figure that is the score.


    Examples:
        >>> rouge("the cat sat", "the cat", variant="rouge1")
        0.8
        >>> rouge("running doors", ["a door", "run, door!"], variant="rouge2", stemmer=True)
        1.0

    Source:
        C.-Y. Lin, "ROUGE: a package for automatic evaluation of summaries", 2004; as used in
        Valor, text generation metrics.
    """
    value: float = getattr(rouge_of(prediction, references_of(reference), variant, stemmer), measure)
    return value
