"""MEGA-Bench as released: how the words of verse sound, and whether lines scan."""

from __future__ import annotations

import functools
from typing import Any

from scoring.primitives.extras import optional

# Words that the released code pronounces itself, before it asks the dictionary.
_OWN = {
    "'gainst": ["G EH1 N S T", "G EY1 N S T"], "'midst": ["M IH1 D S T"], "'mongst": ["M AH1 NG S T"],
    "'neath": ["N IY1 TH"], "'twixt": ["T W IH1 K S T"], "beguiles": ["B IH0 G AY1 L Z"],
    "cerulean": ["S ER0 UW1 L IY0 AH0 N"], "doggo": ["D AO1 G OW0"], "downtorn": ["D AW1 N T AO2 R N"],
    "enthrall": ["EH0 N TH R AO1 L"], "fam'ly": ["F AE1 M L IY0"], "fiery": ["F AY1 ER0 IY0", "F AY1 R IY0"],
    "flits": ["F L IH1 T S"], "furred": ["F ER1 D"], "kneels": ["N IY1 L Z"], "o'er": ["OW1 ER0"],
    "orbs": ["AO1 R B Z"], "quenched": ["K W EH1 N CH D"], "quietude": ["K W AY1 AH0 T UW0 D"],
    "retold": ["R IY0 T OW1 L D"], "scurries": ["S K ER1 IY0 Z"], "sunbeams": ["S AH1 N B IY2 M Z"],
    "syncs": ["S IH1 NG K S"],
}  # fmt: skip
_AFTER_ED = (" D", " T", " AH0 D", " IH0 D")
_AFTER_S = (" S", " Z")
_AFTER_ES = (" AH0 Z", " IH0 Z")
_IAMBS = {(2, 1), (0, 2), (0, 1), (0, 0), (1, 1), (2, 2)}


@functools.cache
def _dictionary() -> Any:
    return optional("pronouncing", extra="poetry", purpose="the pronunciation of a word")


def _listed(word: str) -> list[str]:
    found: list[str] = _dictionary().phones_for_word(word)
    return found


@functools.lru_cache(maxsize=50_000)
def sounds(word: str) -> tuple[str, ...]:
    """The pronunciations of a word in lower case, as phones with stress marks; none for an unknown one.

    A word that the dictionary lacks is tried by its stem: without `ed`, `s` or `es`, without `un`, and `'way` as a
    clipped `away`. What `'s` ends is never taken apart further.

    Examples:
        >>> sounds("unheated")[-1], sounds("'way"), sounds("cat’s"), sounds("blorptastic")
        ('AH0 N HH IY1 T IH0 D', ('W EY1',), ('K AE1 T Z',), ())
    """
    word = word.replace("’", "'").lower()
    owned = word.endswith("'s")
    if owned:
        word = word.removesuffix("'s")
    found = _OWN.get(word) or _listed(word)
    if found or owned:
        return tuple(phones + (" Z" if owned else "") for phones in found)
    stem, endings = _without_ending(word)
    begins, clipped = "", ""
    if stem.startswith("un"):
        begins, stem = "AH0 N ", stem.removeprefix("un")
    elif stem.startswith("'") and _listed("a" + stem[1:]):
        clipped, stem = "AH0 ", "a" + stem[1:]
    return tuple((begins + phones + ending).removeprefix(clipped) for phones in _listed(stem) for ending in endings)


def _without_ending(word: str) -> tuple[str, tuple[str, ...]]:
    """The stem of a word that the dictionary lacks, and what may sound behind it."""
    if word.endswith("ed"):
        return word.removesuffix("ed"), _AFTER_ED
    if word.endswith("s"):
        if _listed(word[:-1]):
            return word[:-1], _AFTER_S + _AFTER_ES if word.endswith("es") else _AFTER_S
        if word.endswith("es"):
            return word.removesuffix("es"), _AFTER_ES
    return word, ("",)


def _stresses(phones: str) -> tuple[int, ...]:
    return tuple(int(mark) for mark in phones if mark in "012")


def syllables(line: str) -> set[int]:
    """The numbers of syllables that a line may have; none where a word of it is unknown.

    Examples:
        >>> sorted(syllables("the fiery rustles")), syllables("a blorptastic"), syllables("")
        ([5, 6, 7], set(), {0})
    """
    totals = {0}
    for word in line.split():
        totals = {total + len(_stresses(phones)) for total in totals for phones in sounds(word)}
    return totals


def rhymes(word: str) -> set[str]:
    """What a word may end on from its last vowel, stressed or not.

    Examples:
        >>> rhymes("purple") & rhymes("maple")
        {'AH L'}
    """
    return {_from_last_vowel(phones) for phones in sounds(word)}


def _from_last_vowel(phones: str) -> str:
    parts = phones.split()
    vowels = [place for place, phone in enumerate(parts) if phone[-1] in "012"]
    return " ".join(part.rstrip("012") for part in parts[vowels[-1] if vowels else 0 :])


def is_iambic(line: str) -> bool:
    """Whether some pronunciation of a line is a sequence of pairs that may be iambs.

    Any pair may be one but a falling one; an unknown word fits nothing, and a line without words scans.

    Examples:
        >>> is_iambic("because the winter light returned"), is_iambic("running through the winter"), is_iambic("")
        (True, False, True)
    """
    # The stress that waits for its partner, or None where a pair begins.
    open_ends: set[int | None] = {None}
    for word in line.split():
        patterns = {_stresses(phones) for phones in sounds(word)}
        open_ends = {end for held in open_ends for pattern in patterns for end in _after(held, pattern)}
    return None in open_ends


def _after(held: int | None, pattern: tuple[int, ...]) -> set[int | None]:
    """What waits for a partner after one more word; nothing where the word does not fit."""
    if held is not None and not pattern:
        raise IndexError("a word without a vowel has no stress to pair: an error in the released code")
    marks = pattern if held is None else (held, *pattern)
    pairs = zip(marks[::2], marks[1::2], strict=False)
    if not all(pair in _IAMBS for pair in pairs):
        return set()
    return {marks[-1] if len(marks) % 2 else None}
