"""Steps over the items of a list: expressions are evaluated for each item, with a row that contains the item.

A primitive with the trait ``items`` names the list in its parameter ``over``; its pipeline ``score``, and every number
that is computed per item, can read the item. The rest of the row stays as it is, so an inner step of this kind hides
the item of the outer one. The number of items is bounded over all nested lists together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from scoring.compiler.programs.failures import error_of, failure
from scoring.compiler.programs.stages import NO_ROW, RowValues
from scoring.depth import has_fresh_stack
from scoring.lang.tree import ITEM
from scoring.registry.model import Primitive
from scoring.registry.pairs import PairIndices, PairScores
from scoring.result import NotApplicable, Outcome, Unparsed, Unscored

MAX_ITEMS = 10_000
"""The most items of one step; also the most items of all lists within its items together."""


class ItemRow(Mapping[str, Any]):
    """A row of a record that also contains the current item of a list, under the name `item`."""

    __slots__ = ("_row", "around", "item")

    def __init__(self, row: RowValues, item: Any, around: int) -> None:
        self._row, self.item, self.around = row, item, around

    def __getitem__(self, root: str) -> Any:
        return self.item if root == ITEM else self._row[root]

    def get(self, root: str, default: Any = None) -> Any:
        """Return the item, or a value of the row, by its name; ``default`` if the row has no value of this name."""
        return self.item if root == ITEM else self._row.get(root, default)

    def __iter__(self) -> Iterator[str]:
        return iter({**dict.fromkeys(self._row), ITEM: None})

    def __len__(self) -> int:
        return len([*self])


class OfItem:
    """An expression that is evaluated for each item of a list: a scorer, called with prediction, reference and item, or
    a value, called with the item."""

    __slots__ = ("_evaluate", "_many", "_row", "around", "text")

    def __init__(
        self,
        evaluate: Callable[..., Any],
        row: RowValues = NO_ROW,
        around: int = 1,
        many: Callable[..., list[Outcome]] | None = None,
        text: str = "",
    ) -> None:
        self._evaluate, self._row, self.around, self._many, self.text = evaluate, row, around, many, text

    def bind(self, row: RowValues, around: int) -> OfItem:
        """Return the expression bound to one row; ``around`` is the number of items of this list, times those of the
        lists around it."""
        return OfItem(self._evaluate, row, around, self._many, self.text)

    def row(self, item: Any) -> ItemRow:
        """Return the row to which the expression is bound, extended by an item."""
        return ItemRow(self._row, item, self.around)

    def __call__(self, *values: Any) -> Any:
        *pair, item = values
        try:
            return self._evaluate(*pair, self.row(item))
        except (Unscored, Unparsed, NotApplicable):
            raise
        except Exception as error:
            if type(error) is RecursionError and not has_fresh_stack():
                raise
            # The step that asks puts the item's place before the reason, which is found here, where it happened.
            raise error_of(failure(error)) from None

    def column(self, predictions: list[Any], references: list[Any], rows: list[ItemRow]) -> list[Outcome]:
        """Return the outcomes of many pairs of prediction and reference, each with its own row."""
        assert self._many is not None
        return self._many(predictions, references, rows)


def item_pipelines(
    primitive: Primitive, keywords: dict[str, Any], readers: dict[str, Callable[[RowValues], Any]]
) -> dict[str, OfItem]:
    """Return, by parameter, the arguments of a step that are evaluated per item, and remove them from both maps: from
    the ``keywords``, which contain pipelines ready to run, and from the ``readers``, which read arguments from a row.
    """
    found: dict[str, OfItem] = {}
    for param in primitive.params:
        name = param.name
        if param.pipeline is not None and param.pipeline.of_item and name in keywords:
            runner = keywords.pop(name)
            found[name] = OfItem(runner.run, many=runner.outcomes, text=runner.text)
        elif param.of_item and name in readers:
            found[name] = OfItem(readers.pop(name))
    return found


def bound_to_items(pipelines: Mapping[str, OfItem], over: Sequence[Any], row: RowValues) -> dict[str, OfItem]:
    """Return expressions, by parameter name, bound to a row and to the list `over` for whose items they are evaluated.

    Raises:
        Unscored: when there are too many items.
    """
    # How many items there are at most, together with those of the lists around them.
    outer = row.around if isinstance(row, ItemRow) else 1
    around = max(len(over), 1) * outer  # a step over what flows in names no list, and bounds nothing
    if around > MAX_ITEMS:
        within = f" within {outer:,}" if outer > 1 else ""
        raise Unscored(f"a list of {len(over):,} items{within} is too long to go through: at most {MAX_ITEMS:,}")
    return {name: one.bind(row, around) for name, one in pipelines.items()}


RowForm: TypeAlias = Callable[[list[Any], list[Any], list[dict[str, Any]]], list[Any]]
Settle: TypeAlias = Callable[[RowValues], tuple[list[Any], dict[str, Any]]]


def by_rows(
    form: RowForm, settle: Settle, left: Sequence[Any], right: Sequence[Any], rows: Sequence[RowValues]
) -> list[Any]:
    """Return the results of a batch form for pairs of values, each with its own row; failures become outcomes.

    ``form`` takes lists of left values, right values and settings; ``settle`` returns the step's arguments for a row. A
    pair with an outcome among its values gets this outcome.
    """
    results: list[Any] = [one if type(one) is Outcome else other for one, other in zip(left, right, strict=True)]
    indices: list[int] = []
    settled: list[dict[str, Any]] = []
    for index, (one, other, row) in enumerate(zip(left, right, rows, strict=True)):
        if type(one) is Outcome or type(other) is Outcome:
            continue
        try:
            settled.append(settle(row)[1])
            indices.append(index)
        except Exception as error:  # a setting that this row does not have, or not rightly
            results[index] = failure(error)
    found = form([left[index] for index in indices], [right[index] for index in indices], settled)
    for index, score in zip(indices, found, strict=True):
        results[index] = failure(score) if isinstance(score, Exception) else score
    return results


def over_rows(form: RowForm, settle: Settle, row: RowValues, left: list[Any], right: list[Any]) -> Any:
    """Return a function that scores pairs of positions in the columns ``left`` and ``right``, all with one row, by a
    batch form; for ``form`` and ``settle`` see `by_rows`."""

    def score(pairs: PairIndices) -> PairScores:
        lefts, rights = [left[at] for at in pairs.rows.tolist()], [right[at] for at in pairs.columns.tolist()]
        found = by_rows(form, settle, lefts, rights, [row] * len(lefts))
        failed = {place: one for place, one in enumerate(found) if type(one) is Outcome}
        return PairScores(np.array([np.nan if type(one) is Outcome else one for one in found], dtype=float), failed)

    return score
