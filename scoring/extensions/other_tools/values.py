"""Words of other tools for values that are chosen from a list."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from scoring.diagnostics.words import plain_name
from scoring.lazy_pattern import lazy_pattern

_PARTS = lazy_pattern(r"[^\W_]+")


def values_of_others(word: str, members: Iterable[str]) -> tuple[str, ...]:
    """Return the values of a list that another tool may call by a word: those that the word names, else those that
    it contains or is a part of, as `wilson_score` contains `wilson`.

    Args:
        word: What was written; a number as it stands in the file.
        members: The values that may be chosen.

    Examples:
        >>> values_of_others("ignore", ["unscored", "zero"]), values_of_others("wilson score", ["wilson", "normal"])
        (('unscored',), ('wilson',))
        >>> values_of_others("bootstrap", ["auto", "bca", "percentile"]), values_of_others("blue", ["first", "last"])
        (('bca', 'percentile'), ())
    """
    known, plain = [*members], plain_name(word)
    if named := tuple(one for one in known if plain in _words_for().get(one, ())):
        return named
    parts = {*_PARTS.findall(word.lower())}
    within = tuple(one for one in known if one and {*_PARTS.findall(one.lower())} <= parts)
    return within or tuple(one for one in known if parts and parts < {*_PARTS.findall(one.lower())})


@cache
def _words_for() -> dict[str, frozenset[str]]:
    rows = tomllib.loads(Path(__file__).with_name("values.toml").read_text("utf-8"))
    return {ours: frozenset(map(plain_name, words)) for ours, words in rows.items()}
