"""Find how texts go on after the same words: the shipped specs, and the rest of the text itself.

This is prediction by partial matching (Cleary and Witten, IEEE Transactions on Communications 32(4), 1984) over two
texts, as editors of programs use it: what a project repeats says more than what the language allows (Hellendoorn and
Devanbu, ESEC/FSE 2017).
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cache, cached_property, lru_cache
from typing import TypeAlias

from scoring.extensions.editors.habits import spec_files_below
from scoring.format.shipped import data_folder
from scoring.lazy_pattern import lazy_pattern

CONTINUATIONS = (
    "in shipped specs", "words before it in shipped specs", "in this text", "words before it in this text", "in both",
)  # fmt: skip
"""The signs, in order: logarithms of how likely a name is after what stands before, and how much of that was met."""
_TOKEN = lazy_pattern(r"""["'](?:[^"'\\\n|]|\\[^\n|]){0,80}["']|[\w./]+|[^\w\s>-]""")
_CUT = "\0"
"""Stands between two texts: nothing goes on after it."""
_MOST_BEFORE = 8
_NEAR = 30_000
"""The most characters of a text that are read on each side of the place."""
_UNSEEN = 1e-3
_SHORT = 300
"""The most characters of a line whose tokens are kept."""


class Continuations:
    """Texts in which is found what comes after given words.

    Args:
        texts: The texts.

    Attributes:
        many: How many texts there are.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        each = [tokens_of(text) for text in texts]
        self.many = len(each)
        self._tokens = [token for tokens in each for token in (*tokens, _CUT)]
        self._places: dict[str, list[int]] = defaultdict(list)
        for place, token in enumerate(self._tokens[:-1]):
            self._places[token].append(place)

    @cached_property
    def counts(self) -> Counter[str]:
        """Count how often each token is in the texts."""
        return Counter(self._tokens)

    @cached_property
    def texts(self) -> Counter[str]:
        """Count in how many of the texts each token is, and with a `/` behind it each package."""
        found, start = Counter[str](), 0
        for end in self._places_of_cuts():
            tokens = {*self._tokens[start:end]}
            found.update(tokens | {f"{token.partition('/')[0]}/" for token in tokens if "/" in token})
            start = end + 1
        return found

    def _places_of_cuts(self) -> list[int]:
        return [place for place, token in enumerate(self._tokens) if token == _CUT]

    def after(self, before: Sequence[str]) -> list[Counter[str]]:
        """Return what comes after the last token, after the last two, and so on, each with how often it does."""
        found = [Counter[str]() for _ in range(_MOST_BEFORE)]
        tokens, most = self._tokens, min(len(before), _MOST_BEFORE)
        for place in self._places.get(before[-1], ()) if before else ():
            count = 1
            while count < most and count <= place and tokens[place - count] == before[-1 - count]:
                count += 1
            for level in found[:count]:
                level[tokens[place + 1]] += 1
        return found


class ContinuationSigns:
    """The signs for the name at a place in a text: what follows the same words in the shipped specs and in the text.

    Args:
        before: The text before the place.
        behind: The text behind the expression.
        shipped: The shipped specs.
    """

    def __init__(self, before: str, behind: str, shipped: Continuations) -> None:
        last = tokens_of(before[-_NEAR:])
        there = shipped.after(last)
        here = Continuations((before[-_NEAR:], behind[:_NEAR])).after(last)
        both = [one + other + other for one, other in zip(there, here, strict=True)]
        self._levels = [_counted(levels) for levels in (there, here, both)]

    def signs(self, name: str) -> tuple[float, ...]:
        """Return what speaks for a name, in the order of `CONTINUATIONS`."""
        there, here, both = self._levels
        return _share(there, name), _length(there, name), _share(here, name), _length(here, name), _share(both, name)


def tokens_of(text: str) -> list[str]:
    """Return the words and signs of a text; quoted ones, unless they hold a pipeline, are all the same.

    Examples:
        >>> tokens_of('parse: find("a+") | lower')
        ['parse', ':', 'find', '(', '"', ')', '|', 'lower']
    """
    return [token for line in text.split("\n") for token in _tokens_in(line)]


def _tokens_in(line: str) -> Sequence[str]:
    """Return the tokens of a line; those of short lines are kept, since an editor asks again and again about a text."""
    return _kept_tokens(line) if len(line) <= _SHORT else _read_tokens(line)


def _read_tokens(line: str) -> tuple[str, ...]:
    return tuple('"' if token[0] in "\"'" else token for token in _TOKEN.findall(line))


_kept_tokens = lru_cache(maxsize=4000)(_read_tokens)


@cache
def shipped_continuations() -> Continuations:
    """Return the shipped specs, as texts in which is found what comes after given words."""
    return Continuations(path.read_text("utf-8") for path in spec_files_below(data_folder("specs")))


_Level: TypeAlias = tuple[Counter[str], int, float]
"""The tokens after so many words, how many they are, and how often the share after fewer words counts."""


def _counted(levels: Iterable[Counter[str]]) -> list[_Level]:
    return [(counts, counts.total(), len(counts) / 2) for counts in levels if counts]


def _share(levels: Iterable[_Level], name: str) -> float:
    """Return the logarithm of the share of a name: of more tokens before it, smoothed by that of fewer."""
    share = _UNSEEN
    for counts, total, smooth in levels:
        share = (counts.get(name, 0) + smooth * share) / (total + smooth)
    return math.log(share)


def _length(levels: Iterable[_Level], name: str) -> float:
    """Return how many of the tokens before the place have stood before a name."""
    return float(sum(1 for _ in itertools.takewhile(lambda level: name in level[0], levels)))
