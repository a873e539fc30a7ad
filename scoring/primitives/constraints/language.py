"""Which language a text is written in."""

from __future__ import annotations

import functools
from pathlib import Path
from threading import Lock
from typing import Annotated, Any

from scoring.primitives.extras import optional
from scoring.registry import Between, primitive
from scoring.result import Unparsed
from scoring.values import Score

MOST_CHARACTERS = 200_000
"""Characters of a text that are looked at: the detector goes by its first 10,000, links and addresses aside."""
_loading = Lock()


@functools.cache
def _detectors() -> Any:
    library = optional("langdetect.detector_factory", extra="instructions", purpose="telling a text's language")
    factory = library.DetectorFactory()
    # In the order of their names, and not in that of the file system: the sums of floats depend on it.
    profiles = sorted(Path(library.PROFILES_DIRECTORY).iterdir())
    factory.load_json_profile([profile.read_text("utf-8") for profile in profiles if not profile.name.startswith(".")])
    return factory


def _detected(text: str) -> str | None:
    """The language of a text; None where it has no letters that any language is known by."""
    with _loading:
        detector = _detectors().create()
    detector.seed = 0  # it draws what it looks at: the same for the same text
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
    """The language that most of a text is written in, as a code of ISO 639-1: `en`, `pt`, `zh-cn`.

    The detector draws n-grams at random; here the same text gives the same language always.

    Raises:
        Unparsed: when the text has no letters that any language is known by.

    Examples:
        >>> language("Das ist ein kurzer Satz, den jeder versteht.")
        'de'

    Source:
        N. Shuyo, "Language detection library for Java", 2010, as the package langdetect has it.
    """
    found = _detected(text)
    if found is None:
        raise Unparsed("no language can be told from this text: it has too few letters")
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
    """1 where a text is written in a language, else 0.

    Args:
        language: The code of the language, as `language` gives it.
        undetected: The score of a text whose language can't be told.

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
