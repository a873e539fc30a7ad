"""The differences of two nested values, path by path, which explain the score of `equal`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, zip_longest
from typing import Any, NamedTuple

from scoring.primitives.text.compare import equal
from scoring.registry import explains
from scoring.result import MISSING
from scoring.values import key_of, numbered, same_value

MOST_SHOWN = 200
"""The limit on differences that are reported."""
# Lists with more pairs of items than this are compared position by position.
_MOST_PAIRS = 1_000_000


class ValueDifference(NamedTuple):
    """A path at which two values differ, with both values there; `MISSING` where one has none."""

    path: str
    prediction: Any
    reference: Any


def _value_differences(prediction: Any, reference: Any) -> Iterator[ValueDifference]:
    """Yield the differences of two values in order: keys are matched by name, lists of different lengths are aligned.

    Examples:
        >>> [
        ...     (one.path, one.prediction, one.reference)
        ...     for one in _value_differences({"a": [1, 3]}, {"a": [1, 2, 3], "b": "x"})
        ... ]
        [('a[1]', MISSING, 2), ('b', MISSING, 'x')]
    """
    waiting = [ValueDifference("", prediction, reference)]
    while waiting:
        one = waiting.pop()
        if isinstance(one.prediction, dict) and isinstance(one.reference, dict):
            waiting += [*_of_mappings(one)][::-1]
        elif isinstance(one.prediction, list | tuple) and type(one.prediction) is type(one.reference):
            waiting += [*_of_lists(one)][::-1]
        elif not _same(one.prediction, one.reference):
            yield one


@explains(equal)
def difference_lines(prediction: Any, reference: Any) -> list[dict[str, Any]]:
    """Return the number of differences of two collections, and each one, as lines of `explain`; [] for other values."""
    kinds = (dict, list, tuple)
    if not (isinstance(prediction, kinds) and isinstance(reference, kinds)):
        return []
    found = [*islice(_value_differences(prediction, reference), MOST_SHOWN + 1)]
    count = f"more than {MOST_SHOWN}" if len(found) > MOST_SHOWN else str(len(found))
    lines: list[dict[str, Any]] = [{"stage": "differences", "value": count}]
    for one in found[:MOST_SHOWN]:
        where = one.path or "the whole"
        if one.prediction is MISSING:
            lines.append({"stage": f"{where} is missing", "reference": one.reference})
        elif one.reference is MISSING:
            lines.append({"stage": f"{where} is too much", "prediction": one.prediction})
        else:
            lines.append({"stage": where, "prediction": one.prediction, "reference": one.reference})
    return lines


def _same(one: Any, other: Any) -> bool:
    return one is not MISSING and other is not MISSING and same_value(one, other)


def _of_mappings(one: ValueDifference) -> Iterator[ValueDifference]:
    for key in (*one.reference, *(key for key in one.prediction if key not in one.reference)):
        name = str(key)[:80]
        path = f"{one.path}.{name}" if one.path else name
        yield ValueDifference(path, one.prediction.get(key, MISSING), one.reference.get(key, MISSING))


def _of_lists(one: ValueDifference) -> Iterator[ValueDifference]:
    mine, theirs = one.prediction, one.reference
    if len(mine) == len(theirs) or len(mine) * len(theirs) > _MOST_PAIRS:
        for place, (item, other) in enumerate(zip_longest(mine, theirs, fillvalue=MISSING)):
            yield ValueDifference(f"{one.path}[{place}]", item, other)
        return
    from rapidfuzz.distance import Levenshtein

    for code in Levenshtein.opcodes(*numbered(map(key_of, mine), map(key_of, theirs))):
        if code.tag != "equal":
            here = mine[code.src_start : code.src_end]
            there = theirs[code.dest_start : code.dest_end]
            for at, (item, other) in enumerate(zip_longest(here, there, fillvalue=MISSING)):
                place = code.src_start + at if other is MISSING else code.dest_start + at
                yield ValueDifference(f"{one.path}[{place}]", item, other)
