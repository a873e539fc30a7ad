"""Metrics that are formulas over the data set: what they read of each record, and their statistics."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from scoring.compiler.expression_values import column_of, show_path
from scoring.compiler.formula import Compiled
from scoring.compiler.formula_calls import WORDS
from scoring.compiler.ranges import FigureScale
from scoring.compiler.record_reader import Reader, columns_of
from scoring.data.json_write import canonical
from scoring.lang import formula as tree
from scoring.lang.functions import SCORE, Evaluation, Values, evaluation
from scoring.lang.tree import Path
from scoring.outcomes import NOT_APPLICABLE, UNPARSED
from scoring.ranges import GREATEST, Better, ScoreRange
from scoring.result import NotApplicable, Unscored
from scoring.statistics.accumulators import (
    Fold,
    FoldColumns,
    FormulaGroups,
    GroupFold,
    fold_values,
    group_unit,
    hold_in_group,
    of_units,
    widths,
)
from scoring.statistics.clusters import Member
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Finish, Statistic, divide

Takes: TypeAlias = Literal["number", "given", "key", "answer"]

_NO_SCORE = "no score"
_MISSING: Any = object()


# ---- what a formula makes of its sums: of plain numbers, and of arrays of them, which resamples come as


def placed(number: int) -> str:
    """Return the name of the accumulator with some number in a formula over figures; no field can have that name."""
    return f"#{number}"


@dataclass(frozen=True, slots=True)
class FigureFormula:
    """A formula in which `placed` names accumulators by their number."""

    compiled: Compiled
    folds: tuple[Fold, ...]

    def of(self, values: Sequence[float]) -> float:
        """Return the value of the formula, NaN if it has none."""
        try:
            found = float(self.compiled.evaluate({placed(number): value for number, value in enumerate(values)}))
        except (Unscored, NotApplicable, ArithmeticError):
            return math.nan
        return found if abs(found) <= GREATEST else math.nan

    @property
    def finish(self) -> Finish:
        """The figure from the columns of its units, added up."""
        folds, of = self.folds, self.of
        if self._ratio():
            return divide
        arrays = _array_form(self.compiled.node)

        def finish(*columns: Any) -> Any:
            values = fold_values(folds, columns, divide)
            return of(values) if isinstance(columns[0], float) else arrays(values) if arrays else _each(of, *values)

        return finish

    def _ratio(self) -> bool:
        """Tell whether the formula is a mean or a quotient of two sums, for which intervals of proportions are
        known."""
        node = self.compiled.node
        wanted: tree.Formula = tree.Field(placed(0))
        if [fold.kind for fold in self.folds] == ["sum", "sum"]:
            return node == tree.Binary("/", wanted, tree.Field(placed(1)))
        return [fold.kind for fold in self.folds] == ["mean"] and node == wanted


def _each(function: Callable[..., float], *columns: Any) -> Any:
    """Return a function of plain numbers, number by number."""
    values = [column.tolist() for column in np.broadcast_arrays(*columns)]
    return np.array([function(one) for one in zip(*values, strict=True)], dtype=np.float64)


def _array_form(node: tree.Formula) -> Callable[[Sequence[Any]], Any] | None:
    """Return a formula over arrays, to the bit as over plain numbers; None for one that has conditions or looks
    things up."""
    known = (tree.Number, tree.Field, tree.Unary, tree.Binary)
    for part in tree.walk_formula(node):
        is_known = isinstance(part, known) or (isinstance(part, tree.Function) and part.name in _OF_ARRAYS)
        if not is_known or (isinstance(part, tree.Unary) and part.op != "-"):
            return None
    operators: dict[str, Callable[[Any, Any], Any]] = {
        "+": np.add,
        "-": np.subtract,
        "*": np.multiply,
        "/": lambda above, below: divide(above, np.asarray(below)),
    }
    words = replace(WORDS, functions=_OF_ARRAYS, operators=operators, number=lambda value: value)
    evaluate: Evaluation = evaluation(node, words)

    def of(values: Sequence[Any]) -> Any:
        with np.errstate(all="ignore"):
            found = evaluate({placed(number): value for number, value in enumerate(values)})
            return np.where(np.abs(found) <= GREATEST, found, np.nan)

    return of


def _by_one(function: Callable[[float], float]) -> Callable[[Sequence[Any]], Any]:
    """Return a function of Python's own, which gives the same bits on every machine and for arrays of any length."""

    def plain(value: float) -> float:
        try:
            return function(value)
        except (ValueError, OverflowError):
            return math.nan

    def of(arguments: Sequence[Any]) -> Any:
        (values,) = arguments
        return np.array([plain(value) for value in np.ravel(values).tolist()], dtype=np.float64)

    return of


_OF_ARRAYS: dict[str, Callable[[Sequence[Any]], Any]] = {
    "exp": _by_one(math.exp),
    "log": _by_one(math.log),
    "sqrt": _by_one(math.sqrt),
    "abs": lambda arguments: abs(arguments[0]),
    "min": lambda arguments: np.minimum.reduce(np.broadcast_arrays(*arguments)),
    "max": lambda arguments: np.maximum.reduce(np.broadcast_arrays(*arguments)),
}


# ---- the metric


@dataclass(frozen=True, slots=True)
class ReadOfRecord:
    """One thing that a formula reads of each record; without a compiled formula it is 1 in each.

    ``takes`` says what becomes of it: a number; whether there is anything, 1 or 0; a text that is equal for equal
    values, of keys of groups or of answers.
    """

    text: str
    takes: Takes
    compiled: Compiled | None = None


@dataclass(frozen=True, slots=True)
class FormulaMetric:
    """A figure of a formula over accumulators; call it with rows.

    ``text`` is what the figure is called, ``figure`` what is added up, and what is made of the sums. ``numbers`` and
    ``texts`` are the columns that the accumulators read, the latter of keys and answers. ``scale`` gives what the
    figure may come to, from the ranges of the fields and, for None, of the records' scores; ``parsed`` has the readers
    of its paths that begin at the parsed answer; ``better`` says which of its values are.
    """

    text: str
    formula: str
    figure: FigureFormula
    numbers: tuple[ReadOfRecord, ...]
    texts: tuple[ReadOfRecord, ...]
    scale: Callable[[Mapping[str | None, ScoreRange]], FigureScale]
    meaning: Any
    parsed: Mapping[str, Reader] = field(default_factory=dict)
    better: Better = None
    # It calls no metric, and reads nothing that fields compare.
    join: ClassVar[None] = None
    reads_compared: ClassVar[bool] = False

    @property
    def places(self) -> list[Path]:
        """The paths that it reads, each once."""
        known = (one.compiled.paths for one in (*self.numbers, *self.texts) if one.compiled is not None)
        return sorted({path for paths in known for path in paths}, key=show_path)

    @property
    def paths(self) -> list[str]:
        """The paths into the records that it reads, as JMESPaths."""
        return [column_of(path) for path in self.places if path.root != "values"]

    @property
    def values(self) -> dict[str, Path]:
        """The computed values that it reads, by the columns that hold them."""
        return {column_of(path): path for path in self.places if path.root == "values"}

    @property
    def reads_records(self) -> bool:
        """Whether the formula reads the records."""
        return any(path not in self.parsed for path in self.paths)

    @property
    def columns(self) -> set[str] | None:
        """The keys of records that it reads, None where it may read any."""
        found = [columns_of(path) for path in self.paths if path not in self.parsed]
        known = [keys for keys in found if keys is not None]
        return set().union(*known) if len(known) == len(found) else None

    @property
    def grouped(self) -> int | None:
        """The column with the keys of the groups that are resampled; None if records are resampled."""
        return next((fold.key for fold in self.figure.folds if isinstance(fold, GroupFold)), None)

    def prepared(self, rows: Rows) -> Rows:
        """Return the rows with the keys of its groups as a column, which can be replaced."""
        if self.grouped is None or self._keys in rows.columns:
            return rows
        return rows.keyed(self._texts(rows, self.texts[self.grouped]), self._keys)

    @property
    def _keys(self) -> str:
        return f"the groups of {self.formula}"

    def __call__(self, rows: Rows, /) -> Statistic:
        rows = self.prepared(rows)
        missing: dict[int, str] = {}
        numbers = [self._numbers(rows, one, missing) for one in self.numbers]
        used = _used(numbers, missing, len(rows))
        why = dict(Counter(missing[place] for place in sorted(missing)))
        texts = [
            rows.columns[self._keys] if place == self.grouped else self._texts(rows, one)
            for place, one in enumerate(self.texts)
        ]
        if self.grouped is None:
            return self._of_records(rows, numbers, used, why)
        return self._of_groups(FoldColumns([column.tolist() for column in numbers], texts), used, why)

    def _of_records(self, rows: Rows, numbers: Sequence[Any], used: Any, why: Mapping[str, int]) -> Statistic:
        from scoring.statistics.rows import taken

        units, folds = [], self.figure.folds
        for fold, width in zip(folds, widths(folds), strict=True):
            assert not isinstance(fold, GroupFold)
            column = numbers[fold.column][used]
            known = ~np.isnan(column)
            units += [np.where(known, column, 0.0), known.astype(np.float64)][:width]
        ids = rows.ids if len(used) == len(rows) else taken(rows.ids, used)
        lines = np.stack(units).T if units else np.zeros((len(used), 0))
        return of_units(folds, self.figure.finish, ids, lines, why)

    def _of_groups(self, columns: FoldColumns, used: Any, why: Mapping[str, int]) -> Statistic:
        assert self.grouped is not None
        folds, keys = self.figure.folds, columns.texts[self.grouped]
        places: dict[Any, list[int]] = {}
        lacking = 0
        for place in used.tolist():
            key = keys[place]
            if key is None or (isinstance(key, Member) and key.key is None):
                lacking += 1
            else:
                places.setdefault(key, []).append(place)
        held = {
            key: (len(members), *(hold_in_group(fold, columns, members) for fold in folds))
            for key, members in places.items()
        }
        return FormulaGroups(
            self.figure.finish,
            group_unit,
            {"folds": folds},
            sum(widths(folds)),
            held,
            self._keys,
            lacking,
            why,
            folds=folds,
        )

    # ---- what is read of the records

    def _numbers(self, rows: Rows, one: ReadOfRecord, missing: dict[int, str]) -> Any:
        """Return a column of numbers, NaN where a record is passed over; who has none is noted with the reason."""
        column = np.full(len(rows), np.nan)
        applicable = (rows.codes != NOT_APPLICABLE).tolist()
        if one.compiled is None or one.takes == "given":
            found = self._evaluated(rows, one) if one.compiled is not None else [1.0] * len(rows)
            for place, value in enumerate(found):
                if applicable[place]:
                    nothing = value is None or value is False or value is _MISSING or type(value) is _Failed
                    column[place] = 0.0 if nothing else 1.0
            return column
        for place, value in enumerate(self._evaluated(rows, one)):
            number = value if type(value) is float else _number(value)
            if number is not None and abs(number) <= GREATEST:
                column[place] = number
            elif value is not _MISSING:
                missing.setdefault(place, value.why if type(value) is _Failed else _why(one, value))
        return column

    def _texts(self, rows: Rows, one: ReadOfRecord) -> list[str | None]:
        """Return a column of strings, equal for equal values, None for missing ones."""
        found = []
        for value in self._evaluated(rows, one):
            nothing = value is None or value is _MISSING or type(value) is _Failed
            # A missing answer is an answer of its own: who gave none did not vote with the others.
            found.append(_text(value) if not nothing else None if one.takes == "key" else "=")
        return found

    def _evaluated(self, rows: Rows, one: ReadOfRecord) -> Iterator[Any]:
        """Yield the value for each record, `_MISSING` where a field does not apply to it, else why it has none."""
        compiled = one.compiled
        assert compiled is not None
        names = [(name, _scores(rows, name)) for name in _names(compiled)]
        paths = [(path, rows.column(column_of(path))) for path in compiled.paths]
        evaluate: Evaluation = evaluation(compiled.node, _OF_COLUMNS)
        failed = (rows.codes >= UNPARSED).tolist()
        for place in range(len(rows)):
            values: dict[Any, Any] = {key: column[place] for key, column in (*names, *paths)}
            try:
                yield evaluate(values)
            except NotApplicable:
                yield _Failed(_NO_SCORE) if failed[place] else _MISSING
            except _Absent as error:
                yield _Failed(str(error))
            except Unscored:
                yield _Failed(f"`{one.text}` has no value")


class _Absent(Unscored):
    """A record has nothing at a path."""


@dataclass(slots=True)
class _Failed:
    """Marks the value of a record that has none."""

    why: str


def _read(values: Values, name: str) -> Any:
    value = values[name]
    if value is None or value != value:
        raise NotApplicable(name)
    return value


def _read_path(values: Any, path: Path) -> Any:
    value = values[path]
    if value is None:
        raise _Absent(f"no `{show_path(path)}`")
    return value


_OF_COLUMNS = replace(WORDS, read=_read, path=_read_path)


def _names(compiled: Compiled) -> list[str]:
    has_score = any(isinstance(part, tree.ScoreRef) for part in tree.walk_formula(compiled.node))
    return [*sorted(compiled.fields), *([SCORE] if has_score else [])]


def _scores(rows: Rows, name: str) -> list[Any]:
    if name == SCORE or name in rows.fields:
        return list(rows.values(None if name == SCORE else name).tolist())
    return [None if code < 0 else float(code) for code in rows.decided.tolist()]


def _number(value: Any) -> float | None:
    """Return a number or a condition as a float, None for another value."""
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, int):
        return float(value) if abs(value) <= GREATEST else None
    return value if isinstance(value, float) else None


def _why(one: ReadOfRecord, value: Any) -> str:
    """Return why a value is none that counts, in words of which there are few."""
    if isinstance(value, (int, float)):
        return f"`{one.text}` is {'no number' if value != value else 'too large to count'}"
    return f"`{one.text}` is not a number"


def _text(value: Any) -> str:
    """Return a string that is equal for equal values: 1.0 equals 1, and true does not."""
    if type(value) is str:
        return value if value[:1] != "=" else f"={value}"
    return f"={canonical(int(value) if isinstance(value, float) and value.is_integer() else value)}"


def _used(numbers: Sequence[Any], missing: Mapping[int, str], size: int) -> Any:
    """Return the positions of the records that count: those that have every value that is read, and to which one
    applies."""
    keep = np.zeros(size, dtype=bool)
    for column in numbers:
        keep |= ~np.isnan(column)
    if missing:
        keep[list(missing)] = False
    return np.flatnonzero(keep)
