"""Values as trees: reading them into nodes with a kind and a number of leaves, and refusing unsupported values."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypeVar

from scoring.depth import DEEPEST, TooDeep
from scoring.result import Unscored
from scoring.values import show_type

K = TypeVar("K", bound=Hashable)
TreeKind: TypeAlias = Literal["none", "leaf", "list", "dict", "one_of"]

ANY_OF = "$any_of"
"""The key that marks a one-of in JSON; in Python, a one-of is a tuple."""


@dataclass(slots=True)
class TreeNode:
    """A nested value, or a part of one, as a node of a tree: its kind, its number of leaves (``length``), its parts.

    ``children`` are the items of a list or the options of a one-of, a set of alternatives in a reference; ``keys`` are
    the values of a dictionary. None counts as one leaf, and a one-of as its largest option.
    """

    kind: TreeKind
    value: Any
    length: int
    children: list[TreeNode]
    keys: dict[Any, TreeNode]

    @property
    def is_empty(self) -> bool:
        """Whether the part is empty: None, or an empty list, dictionary or string."""
        return self.value is None or is_empty(self.value)


def is_empty(value: Any) -> bool:
    """Return whether a value is None, or an empty list, dictionary or string.

    Examples:
        >>> [is_empty(value) for value in (None, {}, [], "", " ", 0, False)]
        [True, True, True, True, False, False, False]
    """
    return value is None or (isinstance(value, (dict, list, str)) and not value)


NONE = TreeNode("none", None, 1, [], {})


def build_tree(value: Any, *, is_reference: bool, depth: int = 0) -> TreeNode:
    """Convert a value, at the given depth within a larger one, to a tree, and return its root.

    Raises:
        Unscored: for an empty one-of, a one-of in a prediction, a value of another type, or too much nesting.

    Examples:
        >>> build_tree({"a": ["x", None], "b": ("one", ["two", "three"])}, is_reference=True).length
        4
    """
    if value is None:
        return NONE
    if isinstance(value, (str, int, float)):
        return TreeNode("leaf", value, 1, [], {})
    if depth >= DEEPEST:
        raise TooDeep(_side(is_reference))
    if isinstance(value, list):
        items = [build_tree(item, is_reference=is_reference, depth=depth + 1) for item in value]
        return TreeNode("list", value, sum(item.length for item in items), items, {})
    options = options_of(value)
    if options is not None:
        return _one_of(value, options, is_reference, depth)
    if isinstance(value, dict):
        keys = {key: build_tree(item, is_reference=is_reference, depth=depth + 1) for key, item in value.items()}
        return TreeNode("dict", value, sum(item.length for item in keys.values()), [], keys)
    raise Unscored(f"{_side(is_reference)} holds a value that no tree has: {show_type(value)}")


def leaf_pairs(reference: TreeNode, prediction: TreeNode) -> int:
    """Return an upper bound on the pairs of leaves to compare: all pairs for two lists, but key by key for mappings.

    Examples:
        >>> one, other = (build_tree({"a": ["x", "y"], "b": 1}, is_reference=True) for _ in "12")
        >>> leaf_pairs(one, other)
        5
    """
    if reference.kind == "one_of":
        return sum(leaf_pairs(option, prediction) for option in reference.children)
    if reference.kind == prediction.kind == "dict":
        keys = reference.keys.items()
        return sum(leaf_pairs(own, prediction.keys[key]) for key, own in keys if key in prediction.keys)
    return reference.length * prediction.length if reference.kind == prediction.kind == "list" else 1


def indexes_by(names: Iterable[K]) -> dict[K, list[int]]:
    """Return, for each distinct name, the list of its positions."""
    groups: dict[K, list[int]] = {}
    for place, name in enumerate(names):
        groups.setdefault(name, []).append(place)
    return groups


def options_of(value: Any) -> tuple[Any, ...] | None:
    """Return the options of a one-of (a set of alternatives in a reference), or None for any other value.

    Examples:
        >>> options_of(("a", "b")), options_of({"$any_of": ["a", "b"]}), options_of(["a"])
        (('a', 'b'), ('a', 'b'), None)
    """
    if isinstance(value, tuple):
        return value
    if isinstance(value, dict) and len(value) == 1 and isinstance(value.get(ANY_OF), list):
        return tuple(value[ANY_OF])
    return None


def _one_of(value: Any, options: tuple[Any, ...], is_reference: bool, depth: int) -> TreeNode:
    if not is_reference:
        raise Unscored("the prediction holds a one-of, which only a reference may hold")
    if not options:
        raise Unscored("the reference holds a one-of without options")
    read_options = [build_tree(option, is_reference=True, depth=depth + 1) for option in options]
    flat = [part for option in read_options for part in (option.children if option.kind == "one_of" else [option])]
    return TreeNode("one_of", value, max(option.length for option in flat), flat, {})


def _side(is_reference: bool) -> str:
    return "the reference" if is_reference else "the prediction"
