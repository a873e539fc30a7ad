"""MEGA-Bench as released: the words of a phrase, parted as in the Penn Treebank, nouns as WordNet's lemmas.

The released code asks NLTK for both. Here the rules of the tokenizer are written out, and the lemmas come from a rule
and a list of what WordNet 3.0 says else; a word that neither the list nor the pronouncing dictionary has may differ.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

from scoring.primitives.constraints.holding import sentences

_LEMMAS = Path(__file__).parent.parent / "lemmas.txt"
_SIBILANT = ("ches", "shes", "xes", "sses", "zzes")

# What is set apart from its neighbours, in the order of the Treebank rules; the text is in lower case.
_OPENING = [
    (re.compile("([«“‘„]|`+)"), r" \1 "),
    (re.compile(r'^"'), "``"),
    (re.compile("(``)"), r" \1 "),
    (re.compile(r"""([ (\[{<])("|'{2})"""), r"\1 `` "),
    (re.compile(r"(?<!\w)(')(?!(?:re|ve|ll|m|t|s|d|n)\b)(?=\w)"), r"\1 "),
]
_POINTS = [
    (re.compile("""([^.])(\\.)([])}>"'»”’ ]*+)\\s*$"""), r"\1 \2 \3 "),
    (re.compile(r"([:,])([^\d])"), r" \1 \2"),
    (re.compile(r"([:,])$"), r" \1 "),
    (re.compile(r"\.{2,}"), r" \g<0> "),
    (re.compile("[;@#$%&]"), r" \g<0> "),
    (re.compile(r"""([^.])(\.)([])}>"']*+)\s*$"""), r"\1 \2\3 "),
    (re.compile("[?!]"), r" \g<0> "),
    (re.compile("([^'])' "), r"\1 ' "),
    (re.compile("[*]"), r" \g<0> "),
    (re.compile(r"[][(){}<>]"), r" \g<0> "),
    (re.compile("--"), " -- "),
]
_CLOSING = [
    (re.compile("([»”’])"), r" \1 "),
    (re.compile("''"), " '' "),
    (re.compile('"'), " '' "),
    (re.compile(r"\s+"), " "),
    (re.compile("([^' ])('[sS]|'[mM]|'[dD]|') "), r"\1 \2 "),
    (re.compile("([^' ])('ll|'re|'ve|n't) "), r"\1 \2 "),
    (re.compile(r"\b(can)(not)\b"), r" \1 \2 "),
    (re.compile(r"\b(d)('ye)\b"), r" \1 \2 "),
    (re.compile(r"\b(gim|lem)(me)\b"), r" \1 \2 "),
    (re.compile(r"\b(gon)(na)\b"), r" \1 \2 "),
    (re.compile(r"\b(got)(ta)\b"), r" \1 \2 "),
    (re.compile(r"\b(more)('n)\b"), r" \1 \2 "),
    (re.compile(r"\b(wan)(na)(?=\s)"), r" \1 \2 "),
    (re.compile(r" ('t)(is|was)\b"), r" \1 \2 "),
]


def released_tokens(text: str) -> list[str]:
    """The tokens of one sentence in lower case.

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
    """A text in lower case, nouns as their lemmas, one space between tokens.

    Examples:
        >>> lemmas("Two puppies; ICE-CREAM wolves!")
        'two puppy ; ice-cream wolf !'
    """
    return " ".join(
        released_lemma(token) for sentence in sentences(phrase.lower()) for token in released_tokens(sentence)
    )


@functools.cache
def _listed() -> dict[str, str]:
    text = _LEMMAS.read_text(encoding="utf-8")
    _, pairs, same = text.split("\n\n")
    found = {word: word for word in same.split()}
    for pair in pairs.split(";"):
        form, lemma = pair.split()
        found[form] = lemma
    return found


def released_lemma(word: str) -> str:
    """The lemma of a token in lower case, taken for a noun.

    Examples:
        >>> [released_lemma(word) for word in ("boxes", "geese", "was", "glass", "leaves", "appears", "1990s")]
        ['box', 'goose', 'wa', 'glass', 'leaf', 'appears', '1990s']
    """
    return _listed().get(word) or (_by_rule(word) if word.isascii() and word.isalpha() else word)


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
