"""The stages of scoring a record: each makes one named value from others, and says so once for one record and for many.

A stage runs over a column of records as it runs over one, value by value, unless it has a quicker form for columns.
So what happens to a record is listed in one place, and a new stage needs no second form. A property test over random
tasks holds the two to equal results.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

StageValues: TypeAlias = dict[str, Any]
"""The named values of one record, or the columns of many, while stages run."""

RESPONSE, REFERENCE, ROW_VALUES = "response", "reference", "row"
"""The names of what stages are given; ``row`` has the values that expressions read."""


def value_key(name: str) -> str:
    """Return the name under which stages know a computed value."""
    return f"values.{name}"


def field_key(name: str) -> str:
    """Return the name under which stages know the result of a field."""
    return f"field.{name}"


class Stage(NamedTuple):
    """A stage: the name of what it makes, the names of what it reads, and its function.

    ``one`` takes the values of one record, ``column`` takes columns of them; without the latter, ``one`` is called for
    each record.
    """

    makes: str
    reads: tuple[str, ...]
    one: Callable[..., Any]
    column: Callable[..., Any] | None = None


class Stages:
    """Stages that run one after the other, on one record or on the columns of many.

    Examples:
        >>> stages = Stages([Stage("half", ("n",), lambda n: n / 2), Stage("sum", ("n", "half"), lambda n, m: n + m)])
        >>> stages.one({"n": 4})
        {'n': 4, 'half': 2.0, 'sum': 6.0}
        >>> stages.columns({"n": [4, 6]})["sum"]
        [6.0, 9.0]
    """

    def __init__(self, stages: Iterable[Stage]) -> None:
        self._stages = tuple(stages)
        self._steps = tuple(map(_step, self._stages))

    def one(self, state: StageValues) -> StageValues:
        """Add to the values of one record what the stages make, and return them."""
        for step in self._steps:
            step(state)
        return state

    def columns(self, state: StageValues) -> StageValues:
        """Add to the columns of many records what the stages make, and return them."""
        for makes, reads, one, column in self._stages:
            read = [state[name] for name in reads]
            state[makes] = column(*read) if column is not None else list(map(one, *read))
        return state


def _step(stage: Stage) -> Callable[[StageValues], None]:
    """Return a stage as a function that adds what it makes to the values of one record."""
    makes, one = stage.makes, stage.one
    if len(stage.reads) == 1:
        (only,) = stage.reads

        def run_on_single(state: StageValues) -> None:
            state[makes] = one(state[only])

        return run_on_single
    read = itemgetter(*stage.reads)

    def run(state: StageValues) -> None:
        state[makes] = one(*read(state))

    return run


class ColumnClasses:
    """The classes of the values in columns; each column is looked through once until the batch ends."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, set[type]]] = {}

    def of(self, column: Collection[Any]) -> set[type]:
        """Return the classes of the values in a column."""
        found = self._known.get(id(column))
        if found is None:
            found = self._known[id(column)] = column, set(map(type, column))
        return found[1]

    def forget(self) -> None:
        """Let go of all columns, at the end of a batch."""
        self._known.clear()


class ValueChange(NamedTuple):
    """A change of values of some classes; values of all others stay as they are."""

    of: Collection[type]
    one: Callable[[Any], Any]
    column: Callable[[list[Any]], list[Any]] | None = None


class ValueChanges:
    """Changes that follow one another, of a value that is mostly of a class that none of them is for.

    Examples:
        >>> changes = ValueChanges([ValueChange({bytes}, bytes.decode), ValueChange({type(None)}, lambda nothing: "")])
        >>> changes.one(b"a"), changes.one("b"), changes.column([b"a", "b", None])
        ('a', 'b', ['a', 'b', ''])
    """

    def __init__(self, changes: Iterable[ValueChange]) -> None:
        self._changes = tuple(changes)
        self._classes = frozenset(kind for change in self._changes for kind in change.of)

    def one(self, value: Any) -> Any:
        """Return a value after all changes."""
        if type(value) in self._classes:
            for of, one, _ in self._changes:
                value = one(value) if type(value) in of else value
        return value

    def column(self, values: list[Any]) -> list[Any]:
        """Return many values after all changes."""
        if self._classes.isdisjoint(map(type, values)):
            return values
        for of, one, column in self._changes:
            values = column(values) if column is not None else [one(it) if type(it) in of else it for it in values]
        return values

    def stage(self, name: str) -> list[Stage]:
        """Return the stage that changes what has a name; none if there are no changes."""
        return [Stage(name, (name,), self.one, self.column)] if self._changes else []
