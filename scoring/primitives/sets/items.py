"""Comparators of two sets, whose items are equal as for `equal` (a boolean is no number), and transforms into one."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from scoring.primitives.parsing.elements import Bare, read_elements
from scoring.registry import Between, primitive
from scoring.values import Score, same_value


def _shared(prediction: frozenset[Any], reference: frozenset[Any]) -> int:
    """Return how many items both hold; a boolean is no number, so true in the one is not 1 in the other."""
    common = prediction & reference
    # Python takes true for 1 and false for 0; items that hold others may hold them, too.
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
    """The size of the intersection over the size of the union; two empty sets score 1.

    Examples:
        >>> jaccard(frozenset("ab"), frozenset("bc"))
        0.3333333333333333

    Source:
        Jaccard 1901; as used in MEGA-Bench metrics README, jaccard_index.
    """
    shared = _shared(prediction, reference)
    union = len(prediction) + len(reference) - shared
    return shared / union if union else 1.0


@primitive(laws=("bounded",), traits=("by_value",), revision=2, topics=("lists",), aka=("set precision",))
def precision(
    prediction: frozenset[Any], reference: frozenset[Any], /, *, empty: Annotated[float, Between(0, 1)] = 0.0
) -> Score:
    """The share of the predicted items that the reference holds; two empty sets score 1.

    Args:
        empty: The score of an empty prediction where the reference holds something.

    Examples:
        >>> precision(frozenset("ax"), frozenset("ab")), precision(frozenset(), frozenset("a"))
        (0.5, 0.0)

    Source:
        van Rijsbergen, Information Retrieval, 1979; as used in MEGA-Bench metrics README, set_precision.
    """
    if not prediction:
        return empty if reference else 1.0
    return _shared(prediction, reference) / len(prediction)


@primitive(laws=("bounded",), traits=("by_value",), revision=2, topics=("lists",), aka=("set recall",))
def recall(
    prediction: frozenset[Any], reference: frozenset[Any], /, *, empty: Annotated[float, Between(0, 1)] = 0.0
) -> Score:
    """The share of the reference's items that were predicted; two empty sets score 1.

    Args:
        empty: The score of a prediction that holds something where the reference is empty.

    Examples:
        >>> recall(frozenset("a"), frozenset("ab")), recall(frozenset("a"), frozenset())
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
    aka=("set f1", "dice", "sorensen dice"),
)
def f1(prediction: frozenset[Any], reference: frozenset[Any], /) -> Score:
    """The harmonic mean of precision and recall of two sets; two empty sets score 1.

    Examples:
        >>> f1(frozenset("ab"), frozenset("bc"))
        0.5

    Source:
        van Rijsbergen, Information Retrieval, 1979; equal to the coefficient of Dice 1945.
    """
    total = len(prediction) + len(reference)
    return 2 * _shared(prediction, reference) / total if total else 1.0


def freeze(value: Any) -> Any:
    """Return a hashable form of a value: lists become tuples, mappings become sets of their entries."""
    if isinstance(value, dict):
        return frozenset((key, freeze(item)) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return tuple(freeze(item) for item in value)
    if isinstance(value, (set, frozenset)):
        return frozenset(freeze(item) for item in value)
    return value


@primitive(revision=2, topics=("lists",), aka=("set",))
def to_set(value: Any, /, *, failed: Literal["empty", "refuse"] = "refuse", bare: Bare = "texts") -> frozenset[Any]:
    """The set of a value's items: of a list, a set, a mapping's keys, or a text that represents one of them.

    A text in brackets is read as a JSON or Python literal; where it is none, and without brackets, it is a list of
    words between commas, which stay texts. A single value is a set of one. Lists within the set are items like any
    other. Of 1 and true, or 0 and false, a set holds one only, the first.

    Args:
        failed: What a text with an unclosed bracket, or no value at all, gives: the empty set, or a refusal.

    Examples:
        >>> sorted(to_set("[b, a]")), sorted(to_set([[1, 2], [1, 2]])), to_set("[1,", failed="empty")
        (['a', 'b'], [(1, 2)], frozenset())
        >>> sorted(to_set("1, 2")), to_set("2", bare="literal")
        (['1', '2'], frozenset({2}))

    Raises:
        Unparsed: when the value can't be read as a set.

    Source:
        As used in MEGA-Bench metrics README, Set Comparisons.
    """
    return frozenset(freeze(item) for item in read_elements(value, bare, failed, "set"))


@primitive(topics=("lists",))
def as_set(items: list[Any], /) -> frozenset[Any]:
    """The set of a list's items. Of 1 and true, or 0 and false, a set holds one only, the first.

    Examples:
        >>> as_set(["a", "a"])
        frozenset({'a'})
    """
    try:
        return frozenset(items)
    except TypeError:
        return frozenset(freeze(item) for item in items)


@primitive(topics=("quirks",))
def strip_end_of_items(items: frozenset[Any], /, *, characters: str) -> frozenset[Any]:
    """The set with the given characters taken off the end of every text; other items as they are.

    Args:
        characters: What is taken off.

    Examples:
        >>> strip_end_of_items(frozenset({"Qh5#"}), characters="+#")
        frozenset({'Qh5'})
    """
    return frozenset(item.rstrip(characters) if isinstance(item, str) else item for item in items)
