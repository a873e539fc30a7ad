"""Comparators of two sets, whose items are equal in the sense of `equal` (true is not 1), and conversions to sets."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from scoring.primitives.parsing.elements import Bare, read_elements
from scoring.registry import Between, primitive
from scoring.values import Score, same_value


def _shared(prediction: frozenset[Any], reference: frozenset[Any]) -> int:
    """Return how many items both sets share; a boolean is not a number, so true does not match 1."""
    common = prediction & reference
    # In Python, True equals 1 and False equals 0, also inside items that are containers.
    has_either = 0 in common or 1 in common
    if not _HOLDERS.isdisjoint(map(type, common)) or (has_either and bool in map(type, (*prediction, *reference))):
        twins = {item: item for item in reference}
        return sum(1 for item in prediction if item in twins and same_value(item, twins[item]))
    return len(common)


_HOLDERS = {tuple, frozenset}


@primitive(
    laws=("symmetric", "identity", "bounded"),
    traits=("by_value",),
    revision=2,
    topics=("lists",),
    aka=("jaccard index", "jaccard similarity"),
)
def jaccard(prediction: frozenset[Any], reference: frozenset[Any], /) -> Score:
    """Return the size of the intersection divided by the size of the union; two empty sets score 1.

    Examples:
        >>> jaccard(frozenset("ab"), frozenset("bc"))
        0.3333333333333333

    Source:
        Jaccard 1901; as used in MEGA-Bench metrics README, jaccard_index.
    """
    shared = _shared(prediction, reference)
    union = len(prediction) + len(reference) - shared
    return shared / union if union else 1.0


@primitive(laws=("bounded",), traits=("by_value",), revision=2, topics=("lists",))
def set_precision(
    prediction: frozenset[Any], reference: frozenset[Any], /, *, empty: Annotated[float, Between(0, 1)] = 0.0
) -> Score:
    """Return the share of the predicted items that are in the reference; two empty sets score 1.

    Args:
        empty: The score of an empty prediction if the reference is not empty.

    Examples:
        >>> set_precision(frozenset("ax"), frozenset("ab")), set_precision(frozenset(), frozenset("a"))
        (0.5, 0.0)

    Source:
        van Rijsbergen, Information Retrieval, 1979; as used in MEGA-Bench metrics README, set_precision.
    """
    if not prediction:
        return empty if reference else 1.0
    return _shared(prediction, reference) / len(prediction)


@primitive(laws=("bounded",), traits=("by_value",), revision=2, topics=("lists",))
def set_recall(
    prediction: frozenset[Any], reference: frozenset[Any], /, *, empty: Annotated[float, Between(0, 1)] = 0.0
) -> Score:
    """Return the share of the reference's items that were predicted; two empty sets score 1.

    Args:
        empty: The score of a prediction that is not empty if the reference is empty.

    Examples:
        >>> set_recall(frozenset("a"), frozenset("ab")), set_recall(frozenset("a"), frozenset())
        (0.5, 0.0)

    Source:
        van Rijsbergen, Information Retrieval, 1979.
    """
    if not reference:
        return empty if prediction else 1.0
    return _shared(prediction, reference) / len(reference)


@primitive(
    laws=("symmetric", "identity", "bounded"),
    traits=("by_value",),
    revision=2,
    topics=("lists", "labels"),
    aka=("dice", "sorensen dice"),
)
def set_f1(prediction: frozenset[Any], reference: frozenset[Any], /) -> Score:
    """Compute the harmonic mean of precision and recall of two sets; two empty sets score 1.

    Examples:
        >>> set_f1(frozenset("ab"), frozenset("bc"))
        0.5

    Source:
        van Rijsbergen, Information Retrieval, 1979; equal to the coefficient of Dice 1945.
    """
    total = len(prediction) + len(reference)
    return 2 * _shared(prediction, reference) / total if total else 1.0


def freeze(value: Any) -> Any:
    """Convert a value so that a set can contain it: lists become tuples, mappings become sets of their entries."""
    if isinstance(value, dict):
        return frozenset((key, freeze(item)) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return tuple(freeze(item) for item in value)
    if isinstance(value, (set, frozenset)):
        return frozenset(freeze(item) for item in value)
    return value


@primitive(revision=2, topics=("lists",), aka=("set",))
def to_set(value: Any, /, *, failed: Literal["empty", "refuse"] = "refuse", bare: Bare = "texts") -> frozenset[Any]:
    """Convert a value to the set of its items: of a list, a set, a mapping's keys, or a text that represents one.

    A text in brackets is read as a JSON or Python literal. If it is not a literal, or has no brackets, it is a list of
    words separated by commas, which stay strings. A single value makes a set of one item. Lists inside the value become
    items of the set as a whole. Of 1 and true, or 0 and false, the set keeps only the first.

    Args:
        failed: The result for a text with an unclosed bracket, or for null: the empty set (empty), or a refusal
            (refuse).

    Examples:
        >>> sorted(to_set("[b, a]")), sorted(to_set([[1, 2], [1, 2]])), to_set("[1,", failed="empty")
        (['a', 'b'], [(1, 2)], frozenset())
        >>> sorted(to_set("1, 2")), to_set("2", bare="literal")
        (['1', '2'], frozenset({2}))

    Raises:
        Unparsed: when the value can't be read as a set, if that is refused.

    Source:
        As used in MEGA-Bench metrics README, Set Comparisons.
    """
    items = read_elements(value, bare, failed, "set")
    try:
        return frozenset(items)
    except TypeError:
        return frozenset(freeze(item) for item in items)
