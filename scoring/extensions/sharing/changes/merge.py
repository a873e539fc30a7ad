"""Merging of two trees node by node, so that any of the changes between them can be made without the others.

A `TreeMerger` walks two trees in parallel: mappings by key, steps and lists by an alignment, calls by the names of
their arguments, formulas by their operands. Where they differ it records a `TreeEdit` and keeps both sides. The result
is a function of the edits to make: with none of them it returns the old tree, with all of them the new one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from scoring.compiler.identity.meaning import canonical_form
from scoring.format.measures import NamedMetric
from scoring.lang.formula import (
    Binary,
    Bool,
    BoolOp,
    Compare,
    Field,
    Function,
    Index,
    ListOf,
    Number,
    ScoreRef,
    Text,
    Unary,
    operands,
    with_operands,
)
from scoring.lang.tree import Call, ListValue, MapValue, Path, Pipeline
from scoring.lang.tree import Literal as LiteralValue

EditKind: TypeAlias = Literal["changed", "added", "removed", "moved", "reordered", "renamed"]
EditPlace: TypeAlias = tuple[str, ...]
Chosen: TypeAlias = Collection[int]

FORMULAS = (Number, Bool, Text, Field, ScoreRef, Function, Unary, Binary, Compare, BoolOp, ListOf, Index)
"""Nodes that only formulas have; paths occur in expressions too."""
MOST_PAIRS = 40_000
"""So many pairs of items are looked at to align two lists; beyond it what differs is one change."""
# The similarity of two steps with the same name and different arguments; that of equal steps is 1.
_NAMESAKES = 0.6


class AbsentSide:
    """The type of `ABSENT`, which takes the place of a node in the version that lacks it."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = AbsentSide()


class TreeEdit(Struct, frozen=True):
    """One difference between two trees.

    Args:
        place: The path of the node, as names: keys of the file, steps, parameters.
        kind: The kind of change.
        old: The old node; `ABSENT` if it was added.
        new: The new node; `ABSENT` if it was removed.
        file: The name of the pack that contains it; "" in the spec itself.
    """

    place: EditPlace
    kind: EditKind
    old: Any
    new: Any
    file: str = ""


Merged: TypeAlias = Callable[[Chosen], Any]
"""Two trees as one: gives, for any set of edits, the tree in which just these are made."""


def keep_value(value: Any) -> Merged:
    """Return a merged tree (a function from the numbers of the edits made to a tree) that always returns `value`."""
    return lambda chosen: value


def _choose_side(number: int, old: Any, new: Any) -> Merged:
    """Return a merged tree (a function from the numbers of the edits made to a tree), which returns `new` if `number`
    is among these edits, else `old`."""
    return lambda chosen: new if number in chosen else old


def named_parts(
    build: Callable[[dict[str, Any]], Any],
    parts: Mapping[str, Merged],
    before: Iterable[str],
    after: Iterable[str],
    order: int | None = None,
) -> Merged:
    """Return merged parts joined to one merged tree (a function from the numbers of the edits made to a tree).

    Args:
        build: Makes the tree from its parts by name.
        parts: The merged parts by name.
        before: The names in the old order.
        after: The names in the new order.
        order: The number of the edit that changes the order of names; None if the order does not matter and the new one
            is used.
    """
    orders = tuple(dict.fromkeys((*before, *after))), tuple(dict.fromkeys((*after, *before)))

    def made(chosen: Chosen) -> Any:
        found = {name: parts[name](chosen) for name in orders[order is None or order in chosen]}
        return build({name: value for name, value in found.items() if value is not ABSENT})

    return made


class TreeMerger:
    """A merger of pairs of trees, an old and a new one each, which collects the edits between them.

    Attributes:
        edits: The edits found so far; the number of an edit is its index here.
        file: The name of the pack whose trees are being merged.
        idle: The numbers of edits that change no tree: they add or remove something that has no effect until it is
            used.
        pairs: Whole expressions, formulas and long texts that differ, for display side by side.
    """

    def __init__(self) -> None:
        self.edits: list[TreeEdit] = []
        self.file = ""
        self.pairs: list[TreeEdit] = []
        self.idle: set[int] = set()
        self._is_inside = False

    def merge(self, old: Any, new: Any, place: EditPlace = ()) -> Merged:
        """Record the edits between two trees, and return a function from the numbers of the edits made to a tree.

        Args:
            old: The old tree.
            new: The new tree.
            place: The path of both in the file, as names.
        """
        if trees_equal(old, new):
            return keep_value(new)
        if self._is_inside or not _is_whole(old, new):
            return self._merged(old, new, place)
        self._is_inside = True
        count = len(self.edits)
        found = self._merged(old, new, place)
        self._is_inside = False
        if len(self.edits) > count:
            self.pairs.append(TreeEdit(place, "changed", old, new, self.file))
        return found

    def _merged(self, old: Any, new: Any, place: EditPlace) -> Merged:
        if old is ABSENT or new is ABSENT:
            return self._choice(place, "added" if old is ABSENT else "removed", old, new)
        if isinstance(old, dict) and isinstance(new, dict):
            return self.entries(old, new, place, dict)
        if isinstance(old, Pipeline) and isinstance(new, Pipeline):
            return self._pipeline(old, new, place)
        if isinstance(old, Call) and isinstance(new, Call) and old.name == new.name:
            args = self._series(old.args, new.args, place, tuple)
            kwargs = self.entries(dict(old.kwargs), dict(new.kwargs), place, lambda found: tuple(found.items()))
            return lambda chosen: Call(new.name, args(chosen), kwargs(chosen))
        if isinstance(old, ListValue) and isinstance(new, ListValue):
            return self._series(old.items, new.items, place, lambda items: ListValue(tuple(items)))
        if isinstance(old, MapValue) and isinstance(new, MapValue):
            sides = dict(old.items), dict(new.items)
            return self.entries(*sides, place, lambda found: MapValue(tuple(found.items())), ordered=True)
        if isinstance(old, NamedMetric) and isinstance(new, NamedMetric) and old.name == new.name:
            inner = self.merge(old.what, new.what, place)
            return lambda chosen: NamedMetric(new.name, inner(chosen))
        if isinstance(old, (list, tuple)) and isinstance(new, (list, tuple)):
            return self._series(old, new, place, list)
        if isinstance(old, FORMULAS) and isinstance(new, FORMULAS) and _one_shape(old, new):
            pairs = zip(operands(old), operands(new), strict=True)
            parts = [self.merge(one, other, place) for one, other in pairs]
            return lambda chosen: with_operands(new, [part(chosen) for part in parts])
        return self._choice(place, "changed", old, new)

    def entries(
        self,
        old: Mapping[str, Any],
        new: Mapping[str, Any],
        place: EditPlace,
        build: Callable[[dict[str, Any]], Any],
        *,
        ordered: bool = False,
        names: Mapping[str, EditPlace] | None = None,
    ) -> Merged:
        """Return two mappings merged entry by entry into one merged tree; an entry that only one of them has is an
        edit.

        Args:
            old: The parts of the old side.
            new: The parts of the new side.
            place: The path of the node that contains them.
            build: Makes the node of its parts.
            ordered: Whether their order may matter.
            names: The paths of those parts whose path is not `place` and their name.
        """
        found = {
            name: self.merge(old.get(name, ABSENT), new.get(name, ABSENT), (names or {}).get(name, (*place, name)))
            for name in dict.fromkeys((*new, *old))
        }
        return named_parts(build, found, old, new, self.order([*old], [*new], place) if ordered else None)

    def order(self, old: Sequence[str], new: Sequence[str], place: EditPlace) -> int | None:
        """Record an edit if the names that two lists have in common are in another order, and return its number; None
        if the order is equal.

        Args:
            old: The old names.
            new: The new names.
            place: The path of the node whose parts are named.
        """
        common, now = [name for name in old if name in new], [name for name in new if name in old]
        return None if common == now else self.note(place, "reordered", ", ".join(common), ", ".join(now))

    def note(self, place: EditPlace, kind: EditKind, old: Any, new: Any) -> int:
        """Record an edit with these properties (see `TreeEdit`), and return its number."""
        self.edits.append(TreeEdit(place, kind, old, new, self.file))
        return len(self.edits) - 1

    def _choice(self, place: EditPlace, kind: EditKind, old: Any, new: Any) -> Merged:
        return _choose_side(self.note(place, kind, old, new), old, new)

    # ---- expressions

    def _pipeline(self, old: Pipeline, new: Pipeline, place: EditPlace) -> Merged:
        head = self.merge(old.head or ABSENT, new.head or ABSENT, place)
        steps = self._series(old.steps, new.steps, place, tuple)

        def made(chosen: Chosen) -> Pipeline:
            found = head(chosen)
            return Pipeline(steps(chosen), None, None if found is ABSENT else found)

        return made

    # ---- lists

    def _series(
        self, old: Sequence[Any], new: Sequence[Any], place: EditPlace, build: Callable[[list[Any]], Any]
    ) -> Merged:
        gaps = list(align_lists(old, new))
        moved = self._moved(gaps, place)
        runs: list[Callable[[Chosen], Sequence[Any]]] = []
        counts: dict[str, int] = {}
        for pair, gone, come in gaps:
            runs += self._gap(gone, come, place, moved)
            if pair is not None:
                before, after = pair
                name = _name_of_item(after)
                counts[name] = counts.get(name, 0) + 1
                step = (*place, name if counts[name] == 1 else f"{name}#{counts[name]}")
                # An unnamed item and an expression in a list add no name to the path.
                step = place if not name or isinstance(after, Pipeline) else step
                runs.append(_single(self.merge(before, after, step)))
        return lambda chosen: build([item for run in runs for item in run(chosen)])

    def _moved(self, gaps: Sequence[ItemGap], place: EditPlace) -> dict[int, int]:
        """Record an edit for each item that moved in a list, and return the numbers of these edits by the `id` of the
        old and of the new item.

        Args:
            gaps: The alignment of the old and the new list.
            place: The path of the list.
        """
        come = [item for _, _, items in gaps for item in items]
        found: dict[int, int] = {}
        for item in (item for _, items, _ in gaps for item in items):
            twin = next((other for other in come if id(other) not in found and trees_equal(item, other)), None)
            if twin is not None and isinstance(item, (Call, NamedMetric, Pipeline)):
                found[id(item)] = found[id(twin)] = self.note((*place, _name_of_item(item)), "moved", item, twin)
        return found

    def _gap(
        self, gone: Sequence[Any], come: Sequence[Any], place: EditPlace, moved: Mapping[int, int]
    ) -> Iterator[Merged]:
        left = [item for item in gone if id(item) not in moved]
        right = [item for item in come if id(item) not in moved]
        number = -1
        if left or right:
            kind: EditKind = "changed" if left and right else "removed" if left else "added"
            sides = (ABSENT if not items else items[0] if len(items) == 1 else tuple(items) for items in (left, right))
            name = _name_of_item(left[0] if left else right[0])
            number = self.note((*place, name) if name and kind != "changed" else place, kind, *sides)
        for item in gone:
            yield _choose_side(moved.get(id(item), number), (item,), ())
        for item in come:
            yield _choose_side(moved.get(id(item), number), (), (item,))


def _single(item: Merged) -> Merged:
    return lambda chosen: (item(chosen),)


ItemGap: TypeAlias = tuple[tuple[Any, Any] | None, Sequence[Any], Sequence[Any]]
"""A pair of items that are one item, and before it what only one of the sides has."""


def _is_whole(old: Any, new: Any) -> bool:
    """Return True if a reader sees two values each as one text: both are expressions or formulas, or strings of which
    one has several lines."""
    if isinstance(old, str) and isinstance(new, str):
        return "\n" in old or "\n" in new
    return all(isinstance(side, (Pipeline, Path, *FORMULAS)) for side in (old, new))


def trees_equal(old: Any, new: Any) -> bool:
    """Return True if two trees are equal; 1 and 1.0 are not, because steps that accept any value distinguish them.

    Examples:
        >>> trees_equal(0.8, 0.80), trees_equal(1, 1.0), trees_equal(1, True), trees_equal([1], [1, 2])
        (True, False, False, False)
    """
    if old is ABSENT or new is ABSENT:
        return old is new
    if isinstance(old, LiteralValue) and isinstance(new, LiteralValue):
        old, new = old.value, new.value
    if isinstance(old, dict) and isinstance(new, dict):
        return list(old) == list(new) and all(trees_equal(old[name], new[name]) for name in old)
    if isinstance(old, (list, tuple)) and isinstance(new, (list, tuple)):
        return len(old) == len(new) and all(map(trees_equal, old, new))
    return type(old) is type(new) and bool(canonical_form(old, exact=True) == canonical_form(new, exact=True))


def _name_of_item(item: Any) -> str:
    """Return the name by which an item of a list is known in paths: that of a step, a metric or an expression's first
    step, or its `path`; "" if it has none."""
    if isinstance(item, (Call, NamedMetric)):
        return item.name
    if isinstance(item, Pipeline):
        return item.steps[0].name if item.steps else ""
    return str(item["path"]) if isinstance(item, dict) and isinstance(item.get("path"), str) else ""


def _alike(old: Any, new: Any) -> float:
    if trees_equal(old, new):
        return 1.0
    name = _name_of_item(old)
    return _NAMESAKES if name and name == _name_of_item(new) and type(old) is type(new) else 0.0


def align_lists(old: Sequence[Any], new: Sequence[Any]) -> Iterator[ItemGap]:
    """Yield the matching items of two lists in pairs, each with the unmatched items of both sides that precede it.

    Unmatched items that precede no found match come with None in place of a pair.
    """
    begin = _common(zip(old, new, strict=False))
    end = _common(zip(reversed(old[begin:]), reversed(new[begin:]), strict=False))
    for pair in zip(old[:begin], new[:begin], strict=True):
        yield pair, (), ()
    left, right = old[begin : len(old) - end], new[begin : len(new) - end]
    last = (0, 0)
    for one, other in _pairs(left, right):
        yield (left[one], right[other]), left[last[0] : one], right[last[1] : other]
        last = one + 1, other + 1
    yield None, left[last[0] :], right[last[1] :]
    for pair in zip(old[len(old) - end :], new[len(new) - end :], strict=True):
        yield pair, (), ()


def _common(pairs: Iterable[tuple[Any, Any]]) -> int:
    """Return the number of pairs with two equal trees at the beginning, up to the first pair that differs."""
    return sum(1 for _ in takewhile(lambda pair: trees_equal(*pair), pairs))


def _pairs(old: Sequence[Any], new: Sequence[Any]) -> list[tuple[int, int]]:
    """Return the alignment of two lists with the largest total similarity, as pairs of an old and a new index in
    increasing order; empty if the lists are too long.

    Among equally good alignments the choice does not depend on which list is the old one.
    """
    if len(old) * len(new) > MOST_PAIRS:
        return []
    if repr(old) > repr(new):
        return [(one, other) for other, one in _pairs_of(new, old)]
    return _pairs_of(old, new)


def _pairs_of(old: Sequence[Any], new: Sequence[Any]) -> list[tuple[int, int]]:
    likeness = [[_alike(one, other) for other in new] for one in old]
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for one in reversed(range(len(old))):
        for other in reversed(range(len(new))):
            paired = best[one + 1][other + 1] + likeness[one][other]
            best[one][other] = max(best[one + 1][other], best[one][other + 1], paired)
    found: list[tuple[int, int]] = []
    one = other = 0
    while one < len(old) and other < len(new):
        like = likeness[one][other]
        if like and best[one][other] == best[one + 1][other + 1] + like:
            found.append((one, other))
            one, other = one + 1, other + 1
        elif best[one][other] == best[one + 1][other]:
            one += 1
        else:
            other += 1
    return found


def _one_shape(old: Any, new: Any) -> bool:
    """Return True if two nodes of a formula are the same operation or function on equally many operands, so that only
    their operands can differ."""
    if type(old) is not type(new) or not operands(old) or len(operands(old)) != len(operands(new)):
        return False
    return all(getattr(old, word, None) == getattr(new, word, None) for word in ("op", "name"))
