"""The computed values of rows, at run time: one row's one after the other, those of many rows column by column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from scoring.compiler.expression_values import NO_REFERENCE, NO_RESPONSE, RowValues, read_path, side_of
from scoring.compiler.failures import failure
from scoring.compiler.program import Computed
from scoring.compiler.run import chain_of
from scoring.lang.tree import Path
from scoring.result import Outcome

# What a record's row is while its values are put into it: a dictionary.
_Row: TypeAlias = Any

_WHOLE: dict[str, Callable[[], Outcome]] = {"prediction": NO_RESPONSE, "reference": NO_REFERENCE}


class ValueRunner:
    """Computes one value; a failure is an outcome in its place."""

    def __init__(self, value: Computed, *, nothing_counts: bool) -> None:
        self.name = value.name
        self.digest = value.digest
        self._chain = chain_of(value.program.prediction, side_of(value.head))
        missing = None if nothing_counts or value.head.segments else _WHOLE.get(value.head.root)
        self._start = _starting(value.head, missing)

    def one(self, row: _Row) -> Any:
        """Return the value of one row, which has those that it needs."""
        return self._chain.one(self._start(row), row)

    def column(self, rows: Sequence[_Row]) -> list[Any]:
        """Return the values of many rows."""
        return self._chain.column(list(map(self._start, rows)), rows)


def _starting(head: Path, missing: Callable[[], Outcome] | None) -> Callable[[_Row], Any]:
    """Return what reads the value at the head of a row; where that is nothing, and counts for none, it says so."""
    root = head.root
    if head.segments:

        def read(row: _Row) -> Any:
            try:
                return read_path(head, row)
            except Exception as error:
                return failure(error)

        return read
    if missing is None:
        return lambda row: row.get(root)
    absent = missing

    def read_whole(row: _Row) -> Any:
        value = row.get(root)
        return absent() if value is None else value

    return read_whole


class RowComputer:
    """Computes the values that a program needs, each once, and those that mean the same once.

    Each value stands behind those that it needs; ``nothing_counts`` says that a response or a reference that is not
    there is a value like others.
    """

    def __init__(self, values: Sequence[Computed], *, nothing_counts: bool = False) -> None:
        late: set[str] = set()
        for value in values:
            paths = {value.head, *value.program.own_paths()}
            if any(path.root == "parsed" for path in paths) or any(one.name in late for one in value.before):
                late.add(value.name)
        runners = [ValueRunner(value, nothing_counts=nothing_counts) for value in values]
        self.names = tuple(value.name for value in values if value.is_declared)
        self._early = [one for one in runners if one.name not in late]
        self._late = [one for one in runners if one.name in late]

    def begin(self, row: _Row) -> None:
        """Compute what does not need the parsed answer."""
        row["values"] = {}
        self._fill(self._early, row)

    def finish(self, row: _Row, parsed: Any) -> None:
        """Compute the rest."""
        row["parsed"] = parsed
        self._fill(self._late, row)

    def begin_all(self, rows: Sequence[_Row]) -> dict[str, list[Any]]:
        """Return the same for many rows; gives the columns by the names of the values."""
        for row in rows:
            row["values"] = {}
        return self._columns(self._early, rows)

    def finish_all(self, rows: Sequence[_Row], parsed: Sequence[Any]) -> dict[str, list[Any]]:
        """Return the rest of many rows."""
        for row, answer in zip(rows, parsed, strict=True):
            row["parsed"] = answer
        return self._columns(self._late, rows)

    def named(self, row: _Row) -> dict[str, Any]:
        """Return the values of a row that have names; what failed is None."""
        held = row["values"]
        return {name: None if type(held[name]) is Outcome else held[name] for name in self.names}

    def _fill(self, runners: Sequence[ValueRunner], row: _Row) -> None:
        held, known = row["values"], dict[str, Any]()
        for runner in runners:
            if runner.digest not in known:
                known[runner.digest] = runner.one(row)
            held[runner.name] = known[runner.digest]

    def _columns(self, runners: Sequence[ValueRunner], rows: Sequence[_Row]) -> dict[str, list[Any]]:
        found, known = dict[str, list[Any]](), dict[str, list[Any]]()
        for runner in runners:
            column = known.get(runner.digest)
            if column is None:
                column = known[runner.digest] = runner.column(rows)
            for row, value in zip(rows, column, strict=True):
                row["values"][runner.name] = value
            found[runner.name] = column
        return found


def compute_now(value: Computed, row: RowValues) -> Any:
    """Return a value of a row that does not hold it, or the outcome that says why there is none."""
    return _runner(value).one(row)


@lru_cache(maxsize=1024)
def _runner(value: Computed) -> ValueRunner:
    return ValueRunner(value, nothing_counts=False)
