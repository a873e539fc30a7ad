"""The stages of scoring a record: each computes one named value from others, for one record or for a column of them.

A stage runs over a column of records as it runs over one, value by value, unless it has a quicker form for columns. So
the stages of scoring are listed in one place, and a new stage needs no second form. A property test over random tasks
checks that both forms have equal results.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

from scoring.result import Outcome

StageValues: TypeAlias = dict[str, Any]
"""The named values of one record, or the columns of many, while stages run."""

RESPONSE, REFERENCE, ROW_VALUES = "response", "reference", "row"
"""The names of what stages are given; ``row`` has the values that expressions read."""

RowValues: TypeAlias = Mapping[str, Any]
NO_ROW: RowValues = {}
NO_REFERENCE = Outcome.unscored("the record has no reference")
NO_RESPONSE = Outcome.unscored("the record has no response")


def value_key(name: str) -> str:
    """Return the name that the computed value ``name`` has in the inputs and outputs of stages."""
    return f"values.{name}"


def field_key(name: str) -> str:
    """Return the name that the result of the field ``name`` has in the inputs and outputs of stages."""
    return f"field.{name}"


class Stage(NamedTuple):
    """A step in the scoring of a record: the name of its output (``makes``), the names of its inputs, and its function.

    ``one`` takes the inputs of one record, ``column`` takes columns of inputs; without the latter, ``one`` is called
    for each record.
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
        """Run the stages on one record: add their outputs to ``state``, its values by name, and return it."""
        for step in self._steps:
            step(state)
        return state

    def columns(self, state: StageValues) -> StageValues:
        """Run the stages on many records: add their outputs to ``state``, columns of values by name, and return it."""
        for makes, reads, one, column in self._stages:
            read = [state[name] for name in reads]
            state[makes] = column(*read) if column is not None else list(map(one, *read))
        return state


def _step(stage: Stage) -> Callable[[StageValues], None]:
    """Return a stage as a function that adds its output to the values of one record."""
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
    """A cache of the Python classes that occur in columns of values, until the end of a batch."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, set[type]]] = {}

    def of(self, column: Collection[Any]) -> set[type]:
        """Return the classes of the values in a column, which is searched only once."""
        found = self._known.get(id(column))
        if found is None:
            found = self._known[id(column)] = column, set(map(type, column))
        return found[1]

    def forget(self) -> None:
        """Remove all columns from the cache, at the end of a batch."""
        self._known.clear()


class ValueChange(NamedTuple):
    """A conversion of the values of some classes (``of``), for one value or, optionally, for a column of values."""

    of: Collection[type]
    one: Callable[[Any], Any]
    column: Callable[[list[Any]], list[Any]] | None = None


class ValueChanges:
    """Conversions that follow one another, each applied to values of its classes; most values are of no such class.

    Examples:
        >>> changes = ValueChanges([ValueChange({bytes}, bytes.decode), ValueChange({type(None)}, lambda nothing: "")])
        >>> changes.one(b"a"), changes.one("b"), changes.column([b"a", "b", None])
        ('a', 'b', ['a', 'b', ''])
    """

    def __init__(self, changes: Iterable[ValueChange]) -> None:
        self._changes = tuple(changes)
        self._classes = frozenset(kind for change in self._changes for kind in change.of)

    def one(self, value: Any) -> Any:
        """Return a value after all conversions."""
        if type(value) in self._classes:
            for of, one, _ in self._changes:
                value = one(value) if type(value) in of else value
        return value

    def column(self, values: list[Any]) -> list[Any]:
        """Return many values after all conversions."""
        if self._classes.isdisjoint(map(type, values)):
            return values
        for of, one, column in self._changes:
            values = column(values) if column is not None else [one(it) if type(it) in of else it for it in values]
        return values

    def stage(self, name: str) -> list[Stage]:
        """Return a list with the stage that converts the value called ``name``; [] if there are no conversions."""
        return [Stage(name, (name,), self.one, self.column)] if self._changes else []
