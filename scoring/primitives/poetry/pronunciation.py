"""How English words are pronounced: the CMU dictionary, a few words of verse, and regular endings."""

from __future__ import annotations

import functools
from typing import Any

from scoring.primitives.extras import optional

Phones = tuple[str, ...]

# Contractions of verse and words that the dictionary lacks or gives with one syllable more than verse does.
_OWN = {
    "o'er": ("OW1 ER0",), "e'er": ("EH1 R",), "ne'er": ("N EH1 R",), "'neath": ("N IY1 TH",),
    "neath": ("N IY1 TH",), "'twixt": ("T W IH1 K S T",), "twixt": ("T W IH1 K S T",), "'gainst": ("G EH1 N S T",),
    "'mid": ("M IH1 D",), "'midst": ("M IH1 D S T",), "'mongst": ("M AH1 NG S T",), "'tween": ("T W IY1 N",),
    "'twas": ("T W AA1 Z",), "'tis": ("T IH1 Z",), "'til": ("T IH1 L",), "'round": ("R AW1 N D",),
    "fam'ly": ("F AE1 M L IY0",), "ev'ry": ("EH1 V R IY0",), "cerulean": ("S ER0 UW1 L IY0 AH0 N",),
    "doggo": ("D AO1 G OW0",), "fiery": ("F AY1 ER0 IY0", "F AY1 R IY0"),
}  # fmt: skip
_HISSING = {"S", "Z", "SH", "CH", "JH", "ZH"}
_STOPS = {"T", "D"}


@functools.cache
def _dictionary() -> Any:
    return optional("pronouncing", extra="poetry", purpose="the pronunciation of a word")


def phones_for_word(word: str) -> list[str]:
    """The pronunciations that the dictionary lists."""
    found: list[str] = _dictionary().phones_for_word(word)
    return found


def _listed(word: str) -> list[Phones]:
    listed = [*_OWN.get(word, ()), *phones_for_word(word)]
    return [tuple(phones.split()) for phones in dict.fromkeys(listed)]


@functools.lru_cache(maxsize=50_000)
def pronunciations(word: str) -> tuple[Phones, ...]:
    """All pronunciations of a lower-case word, as phones with stress marks; none where the word is unknown.

    A word with a regular ending that the dictionary lacks is built from its stem.

    Examples:
        >>> pronunciations("cat")
        (('K', 'AE1', 'T'),)
        >>> len(pronunciations("blorptastic"))
        0
    """
    found = _listed(word)
    if found:
        return tuple(found)
    for ending in ("'s", "s", "es"):
        if word.endswith(ending):
            built = [form for stem in _listed(word.removesuffix(ending)) for form in _with_s(stem)]
            if built:
                return tuple(built)
    for ending in ("ed", "d"):
        if word.endswith("ed"):
            built = [_with_d(stem) for stem in _listed(word.removesuffix(ending))]
            if built:
                return tuple(built)
    return ()


def _with_s(stem: Phones) -> list[Phones]:
    forms = [(*stem, "Z")]
    if stem[-1] in _HISSING:
        forms.append((*stem, "IH0", "Z"))
    return forms


def _with_d(stem: Phones) -> Phones:
    return (*stem, "IH0", "D") if stem[-1] in _STOPS else (*stem, "D")


def stresses(phones: Phones) -> str:
    """The stress marks of a pronunciation: one digit a syllable, 1 primary, 2 secondary, 0 none.

    Examples:
        >>> stresses(("HH", "OW0", "T", "EH1", "L"))
        '01'
    """
    return "".join(phone[-1] for phone in phones if phone[-1].isdigit())


def syllable_counts(word: str) -> frozenset[int]:
    """The numbers of syllables that a word may have; empty where it is unknown."""
    return frozenset(len(stresses(phones)) for phones in pronunciations(word))


def _from_vowel(phones: Phones, start: int) -> tuple[str, ...]:
    return tuple(phone.rstrip("012") for phone in phones[start:])


def last_syllables(word: str) -> frozenset[tuple[str, ...]]:
    """What a word ends on from its last vowel: words that share one rhyme loosely (``purple`` and ``maple``)."""
    return frozenset(_from_vowel(phones, _vowels(phones)[-1]) for phones in pronunciations(word) if _vowels(phones))


def rhyming_parts(word: str) -> frozenset[tuple[str, ...]]:
    """What a word ends on from its last stressed vowel: words that share one rhyme."""
    parts = set()
    for phones in pronunciations(word):
        vowels = _vowels(phones)
        stressed = [place for place in vowels if phones[place][-1] in "12"] or vowels
        if stressed:
            parts.add(_from_vowel(phones, stressed[-1]))
    return frozenset(parts)


def _vowels(phones: Phones) -> list[int]:
    return [place for place, phone in enumerate(phones) if phone[-1].isdigit()]
