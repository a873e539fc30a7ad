"""The computed values of rows, at run time: stages that compute each value and put it into the row."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any, TypeAlias

from scoring.compiler.formulas.formula_parts import ROW
from scoring.compiler.programs.expression_values import read_path, side_of
from scoring.compiler.programs.failures import failure
from scoring.compiler.programs.program import Computed, RowFormula
from scoring.compiler.programs.stages import NO_REFERENCE, NO_RESPONSE, ROW_VALUES, RowValues, Stage, value_key
from scoring.compiler.records.record_reader import itself
from scoring.compiler.running.run import chain_of
from scoring.lang.tree import Path
from scoring.result import Outcome

# What a record's row is while its values are put into it: a dictionary.
_Row: TypeAlias = Any

_WHOLE = {"prediction": NO_RESPONSE, "reference": NO_REFERENCE}


class ValueRunner:
    """Runs the steps that compute one value from a row; if one fails, the result is an outcome that states why."""

    def __init__(self, value: Computed, *, nothing_counts: bool) -> None:
        self._chain = chain_of(value.program.prediction, side_of(value.head))
        missing = None if nothing_counts or value.head.segments else _WHOLE.get(value.head.root)
        formula = value.program.formula
        self._start = _starting(value.head, missing) if formula is None else partial(_formula_value, formula)

    def one(self, row: _Row) -> Any:
        """Return the value for one row, which must already contain the computed values that this one reads."""
        return self._chain.one(self._start(row), row)

    def column(self, rows: Sequence[_Row]) -> list[Any]:
        """Return the value for each of many rows, see `one`."""
        return self._chain.column(list(map(self._start, rows)), rows)


def _formula_value(formula: RowFormula, row: _Row) -> Any:
    """Return the value of a formula for a row, or an outcome with the reason why it has none."""
    try:
        found = formula.evaluate({ROW: row})
    except Exception as error:
        return failure(error)
    if isinstance(found, float) and not math.isfinite(found):
        return Outcome.unscored(f"the formula gives {found}, which is not a finite number")
    return found


def _starting(head: Path, missing: Outcome | None) -> Callable[[_Row], Any]:
    """Return a function that reads the value at ``head`` from a row, or an outcome if it can't be read; it reads a
    response or reference that is None as ``missing``."""
    root = head.root
    if head.segments:

        def read(row: _Row) -> Any:
            try:
                return read_path(head, row)
            except Exception as error:
                return failure(error)

        return read

    def read_whole(row: _Row) -> Any:
        value = row.get(root)
        return missing if value is None else value

    return read_whole


def value_stages(values: Sequence[Computed], *, nothing_counts: bool) -> tuple[list[Stage], list[Stage]]:
    """Return the stages that compute values and put each into the row: those before the parse stage, and those after
    it.

    Values with the same meaning are computed once, each after those that it needs. If ``nothing_counts``, a missing
    response or reference is read as None; otherwise, values computed from it have no score.
    """
    early, late = [Stage(ROW_VALUES, (ROW_VALUES,), _without_values)], list[Stage]()
    names_of_late, known = set[str](), dict[tuple[bool, str], str]()
    for value in values:
        paths = {value.head, *value.program.own_paths()}
        is_late = any(path.root == "parsed" for path in paths) or any(one.name in names_of_late for one in value.before)
        if is_late:
            names_of_late.add(value.name)
        key = value_key(value.name)
        same = known.setdefault((is_late, value.digest), key)
        if same == key:
            runner = ValueRunner(value, nothing_counts=nothing_counts)
            made = Stage(key, (ROW_VALUES,), runner.one, runner.column)
        else:
            made = Stage(key, (same,), itself, itself)
        (late if is_late else early).extend(
            (made, Stage(ROW_VALUES, (ROW_VALUES, key), partial(_with_value, value.name)))
        )
    return early, late


def _without_values(row: _Row) -> _Row:
    row["values"] = {}
    return row


def _with_value(name: str, row: _Row, value: Any) -> _Row:
    row["values"][name] = value
    return row


def compute_now(value: Computed, row: RowValues) -> Any:
    """Return a computed value for a row that does not contain it yet, or an outcome with the reason if a step fails."""
    return _runner(value).one(row)


@lru_cache(maxsize=1024)
def _runner(value: Computed) -> ValueRunner:
    return ValueRunner(value, nothing_counts=False)
