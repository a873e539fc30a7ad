"""Find what a text's words say of the next step: how many of them a candidate's name and its summary are made of.

Rare words say more than common ones, by their inverse document frequency among the candidates (Sparck Jones, Journal of
Documentation 28(1), 1972). Runs of four letters find `unfence` by "fences".
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache

from scoring.extensions.editors.candidates import NextName
from scoring.lazy_pattern import lazy_pattern

_PLACES = ("keys", "doc", "file", "arguments", "expression")
_MEASURES = ("words of the name", "letters of the name", "words of the summary")
WORDING = (
    *(f"{measure} in the {place}" for place in _PLACES for measure in _MEASURES),
    *(f"{measure} in the {place}, less than the best" for place in _PLACES for measure in _MEASURES[1:]),
)
"""The signs, in order; behind those of all places are differences to the best candidate."""
_WORD = lazy_pattern(r"[a-z]{2,}")
_COMMON = frozenset({
    "an", "and", "are", "as", "at", "be", "by", "for", "in", "is", "it", "its", "no", "not", "of", "on", "or", "that",
    "the", "this", "to", "with",
})  # fmt: skip
_ENDINGS = ("ing", "ed", "es", "s")
_LETTERS = 4
_LONGEST = 4000


class Wording:
    """The words around one place, compared with those of all candidates.

    Args:
        candidates: The candidates.
        places: The words of the keys that lead to the place, of the texts that describe it, of the file's own, of the
            arguments that are open, and of the expression before it.
    """

    def __init__(self, candidates: Sequence[NextName], *places: Iterable[str]) -> None:
        known = [_words_of(one.name, one.documentation, one.aka) for one in candidates]
        names, letters, summaries = (_rarities([words[kind] for words in known]) for kind in range(3))
        there = [_Place([stem for word in place for stem in stems(word)], summaries) for place in places]
        rows = []
        for name, runs, summary in known:
            weights = [(word, weight * summaries[word]) for word, weight in summary.items()]
            size = math.sqrt(sum(weight * weight for _, weight in weights))
            row = list[float]()
            for place in there:
                row += (_share(name, place.words, names), _share(runs, place.letters, letters))
                row.append(place.likeness(weights, size))
            rows.append(row)
        compared = [at for at in range(len(_MEASURES) * len(there)) if at % len(_MEASURES)]
        best = [(at, max((row[at] for row in rows), default=0.0)) for at in compared]
        self._signs = {
            (one.name, one.kind): (*row, *(row[at] - most for at, most in best))
            for one, row in zip(candidates, rows, strict=True)
        }

    def signs(self, one: NextName) -> tuple[float, ...]:
        """Return what speaks for a candidate, in the order of `WORDING`."""
        return self._signs[one.name, one.kind]


class _Place:
    """The words of one place, with their weights in summaries."""

    def __init__(self, words: Sequence[str], rarity: Mapping[str, float]) -> None:
        self.words = frozenset(words)
        self.letters = frozenset(_runs(words))
        self._weights = {word: weight * rarity.get(word, 1.0) for word, weight in _counted(words).items()}
        self._size = math.sqrt(sum(weight * weight for weight in self._weights.values()))

    def likeness(self, weights: Iterable[tuple[str, float]], size: float) -> float:
        """Return the cosine of the angle between the words of a summary and those of the place."""
        if not size or not self._size:
            return 0.0
        mine = self._weights
        return sum(weight * mine[word] for word, weight in weights if word in mine) / (size * self._size)


def stems(text: str) -> list[str]:
    """Return the words of a text in lower case without endings of English, and without the commonest.

    Examples:
        >>> stems("Code fences around either of them are ignored")
        ['code', 'fenc', 'around', 'either', 'them', 'ignor']
    """
    words = (word for word in _WORD.findall(text[:_LONGEST].lower()) if word not in _COMMON)
    return [next((word[: -len(end)] for end in _ENDINGS if word.endswith(end) and len(word) > len(end) + 2), word)
            for word in words]  # fmt: skip


@lru_cache(maxsize=5000)
def _words_of(name: str, summary: str, aka: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str], dict[str, float]]:
    """Return the stems of a name, their runs of letters, and the stems of the name with its summary, each weighed."""
    own = stems(name.rpartition(".")[2].rpartition("/")[2].replace("_", " "))
    return frozenset(own), frozenset(_runs(own)), _counted((*own, *stems(summary), *stems(" ".join(aka))))


def _runs(words: Iterable[str]) -> list[str]:
    return [
        marked[at : at + _LETTERS]
        for marked in (f"^{word}$" for word in words)
        for at in range(max(len(marked) - 3, 1))
    ]


def _counted(words: Iterable[str]) -> dict[str, float]:
    """Return how much each word counts by how often it comes."""
    return {word: 1 + math.log(count) for word, count in Counter(words).items()}


def _rarities(every: Collection[Iterable[str]]) -> Mapping[str, float]:
    """Return the inverse document frequency of each word, as a logarithm."""
    counts = Counter(itertools.chain.from_iterable(every))
    return {word: math.log((len(every) + 1) / (count + 0.5)) for word, count in counts.items()}


def _share(words: frozenset[str], others: frozenset[str], rarity: Mapping[str, float]) -> float:
    """Return the share of words that are among others, the rare ones counting more."""
    shared = words & others
    total = math.fsum(map(rarity.__getitem__, words))
    return math.fsum(map(rarity.__getitem__, shared)) / total if shared else 0.0
