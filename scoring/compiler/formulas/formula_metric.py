"""Metrics that are formulas over the data set: the columns that they read, and the statistics of these columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from scoring.compiler.formulas.figure_formula import FigureFormula
from scoring.compiler.formulas.formula import Compiled
from scoring.compiler.formulas.formula_parts import WORDS
from scoring.compiler.formulas.ranges import FigureScale
from scoring.compiler.programs.expression_values import column_of
from scoring.compiler.programs.program import show_path
from scoring.compiler.records.record_reader import Reader, columns_of_place
from scoring.data.json_write import canonical
from scoring.lang import formula as tree
from scoring.lang.evaluation import SCORE, Evaluation, Values, evaluation
from scoring.lang.tree import Path
from scoring.outcomes import NOT_APPLICABLE, UNPARSED
from scoring.ranges import GREATEST, Better, ScoreRange
from scoring.result import NotApplicable, Unscored
from scoring.statistics.accumulators import (
    FoldColumns,
    FormulaGroupings,
    FormulaGroups,
    GroupFold,
    group_unit,
    of_units,
    state_in_group,
    widths,
)
from scoring.statistics.clusters import Member
from scoring.statistics.rows import Rows, taken
from scoring.statistics.statistic import Statistic

Takes: TypeAlias = Literal["number", "given", "key", "answer", "list"]

_NO_SCORE = "no score"
_MISSING: Any = object()


# ---- the metric


class ReadOfRecord(Struct, frozen=True):
    """A value that a formula metric reads from each record; without a compiled formula it is 1 for each record.

    ``part`` is the number of the figure for which it is read, in a figure that names others. ``takes`` says what the
    value is converted to: a number ("number"), 1 or 0 for whether there is a value ("given"), a string that is equal
    for equal values, for group keys and for answers, or a list ("list"). ``items`` is the index of the list from each
    of whose items it is read, -1 if it is read once from a record.
    """

    text: str
    takes: Takes
    compiled: Compiled | None = None
    part: int = 0
    items: int = -1


class FormulaMetric(Struct, frozen=True):
    """A metric that is a formula over accumulators, such as sums over all records; calling it with a table of scored
    records computes its figure.

    ``text`` is the name of the figure, ``figure`` the formula. ``numbers`` and ``texts`` are the columns that the
    accumulators read, the latter with keys and answers. ``scale`` gives the possible values of the figure, given the
    ranges of the fields and, under None, of the records' scores. ``meaning`` is the metric as canonical data for
    digests. ``parsed`` has the readers of paths into the parsed answer; ``better`` says which values of the figure are
    better.
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
    def read_paths(self) -> list[Path]:
        """The paths that the metric reads, each once."""
        known = (one.compiled.paths for one in (*self.numbers, *self.texts) if one.compiled is not None)
        return sorted({path for paths in known for path in paths}, key=show_path)

    @property
    def paths(self) -> list[str]:
        """The paths into the records that the metric reads, as text."""
        return [column_of(path) for path in self.read_paths if path.root != "values"]

    @property
    def values(self) -> dict[str, Path]:
        """The computed values that the metric reads, by the names of the columns that contain them."""
        return {column_of(path): path for path in self.read_paths if path.root == "values"}

    @property
    def reads_records(self) -> bool:
        """Whether the formula reads anything from the records besides the parsed answer."""
        return any(path not in self.parsed for path in self.paths)

    @property
    def columns(self) -> set[str] | None:
        """The top-level keys of records that the metric reads, or None if it may read any."""
        found = [columns_of_place(path) for path in self.paths if path not in self.parsed]
        known = [keys for keys in found if keys is not None]
        return set().union(*known) if len(known) == len(found) else None

    @property
    def groupings(self) -> set[str]:
        """The groupings of the records, each by its key as written; "" for a figure, among others, without groups."""
        keys: dict[int, set[str]] = {fold.part: set() for fold in self.figure.folds}
        for fold in self.figure.folds:
            if isinstance(fold, GroupFold):  # a record may be in several groups of items, and is drawn itself
                keys[fold.part].add(self.texts[fold.key].text if fold.items < 0 else "")
        return {key for found in keys.values() for key in (found or {""})}

    @property
    def grouped(self) -> int | None:
        """The index in ``texts`` of the group keys if groups are resampled; None if records are, or nothing is."""
        keys = (fold.key for fold in self.figure.folds if isinstance(fold, GroupFold) and fold.items < 0)
        return next(keys, None) if len(self.groupings) == 1 else None

    def prepared(self, rows: Rows) -> Rows:
        """Return the table with the group keys, if any, as an additional column, which a resampling can replace."""
        if self.grouped is None or self._keys in rows.columns:
            return rows
        return rows.keyed(self._texts(rows, self.texts[self.grouped]), self._keys)

    @property
    def _keys(self) -> str:
        return f"the groups of {self.formula}"

    def __call__(self, rows: Rows, /) -> Statistic:
        rows = self.prepared(rows)
        columns, known, missing = self._columns(rows)
        used = np.flatnonzero(np.logical_or.reduce([*known.values()]))
        left_out = missing.keys() - set(used.tolist())
        why = dict(Counter(missing[place] for place in sorted(left_out)))
        if not any(self.groupings):
            return self._of_records(rows, columns, used, why)
        columns = columns._replace(numbers=[np.asarray(column).tolist() for column in columns.numbers])
        if self.grouped is None:
            positions = {part: np.flatnonzero(which).tolist() for part, which in known.items()}
            states = [fold.state(columns, positions[fold.part]) for fold in self.figure.folds]
            return FormulaGroupings(self.figure.of, self.figure.folds, states, len(used), why)
        return self._of_groups(columns, used, known, why)

    def _columns(self, rows: Rows) -> tuple[FoldColumns, dict[int, Any], dict[int, str]]:
        """Return the columns, whose numbers are NaN (as arrays) for the records that don't count in their figure; by
        the number of each figure, which records count; and why, by the position of each record that some leave out."""
        missing: dict[int, dict[int, str]] = {}
        numbers = [self._numbers(rows, one, missing.setdefault(one.part, {})) for one in self.numbers]
        for one, column in zip(self.numbers, numbers, strict=True):
            column[list(missing[one.part])] = np.nan
        known = {part: np.zeros(len(rows), dtype=bool) for part in (0, *missing)}
        for one, column in zip(self.numbers, numbers, strict=True):
            known[one.part] |= ~np.isnan(column)
        texts = [self._text_column(rows, place) for place in range(len(self.texts))] if any(self.groupings) else []
        return (
            FoldColumns(numbers, texts),
            known,
            {place: why for one in missing.values() for place, why in one.items()},
        )

    def _of_records(self, rows: Rows, columns: FoldColumns, used: Any, why: Mapping[str, int]) -> Statistic:
        units, folds = [], self.figure.folds
        for fold, width in zip(folds, widths(folds), strict=True):
            assert not isinstance(fold, GroupFold)
            column: Any = columns.numbers[fold.column]
            column = column[used]
            known = ~np.isnan(column)
            units += [np.where(known, column, 0.0), known.astype(np.float64)][:width]
        ids = rows.ids if len(used) == len(rows) else taken(rows.ids, used)
        lines = np.stack(units).T if units else np.zeros((len(used), 0))
        return of_units(folds, self.figure.finish, ids, lines, why)

    def _of_groups(
        self, columns: FoldColumns, used: Any, known: Mapping[int, Any], why: Mapping[str, int]
    ) -> Statistic:
        assert self.grouped is not None
        folds, keys = self.figure.folds, columns.texts[self.grouped]
        members: dict[Any, list[int]] = {}
        lacking = 0
        for position in used.tolist():
            key = keys[position]
            if key is None or (isinstance(key, Member) and key.key is None):
                lacking += 1
            else:
                members.setdefault(key, []).append(position)
        states, parts = {}, known if len(known) > 1 else {}
        for key, positions in members.items():
            of = {part: [place for place in positions if which[place]] for part, which in parts.items()}
            inside = (state_in_group(fold, columns, of.get(fold.part, positions)) for fold in folds)
            states[key] = (len(positions), *inside)
        return FormulaGroups(
            self.figure.finish,
            group_unit,
            {"folds": folds},
            sum(widths(folds)),
            states,
            self._keys,
            lacking,
            why,
            folds=folds,
        )

    # ---- what is read of the records

    def _numbers(self, rows: Rows, one: ReadOfRecord, missing: dict[int, str]) -> Any:
        """Return an array with the number that ``one`` reads from each record; NaN if ``one`` does not apply to the
        record, or has no usable value there.

        In the latter case, the reason is added to ``missing`` under the record's position.
        """
        column = np.full(len(rows), np.nan)
        applicable = (rows.codes != NOT_APPLICABLE).tolist()
        if one.compiled is None or one.takes == "given":
            found = self._evaluated(rows, one) if one.compiled is not None else [1.0] * len(rows)
            for place, value in enumerate(found):
                if applicable[place]:
                    nothing = value is None or value is False or value is _MISSING or type(value) is _Failed
                    column[place] = 0.0 if nothing else 1.0
            return column
        if isinstance(one.compiled.node, tree.Field | tree.ScoreRef):  # an array as it is
            (name,) = _names(one.compiled)
            column = np.array(_scores(rows, name), dtype=np.float64)
            for place in np.flatnonzero(np.isnan(column) & (rows.codes >= UNPARSED)).tolist():
                missing.setdefault(place, _NO_SCORE)
            for place in np.flatnonzero(np.abs(column) > GREATEST).tolist():
                missing.setdefault(place, _why(one, float(column[place])))
                column[place] = np.nan
            return column
        for place, value in enumerate(self._evaluated(rows, one)):
            number = value if type(value) is float else _number(value)
            if number is not None and abs(number) <= GREATEST:
                column[place] = number
            elif value is not _MISSING:
                missing.setdefault(place, value.why if type(value) is _Failed else _why(one, value))
        return column

    def _text_column(self, rows: Rows, place: int) -> Sequence[str | None]:
        """Return the column of strings with the index ``place``; that of the groups may have been replaced."""
        return rows.columns[self._keys] if place == self.grouped else self._texts(rows, self.texts[place])

    def _texts(self, rows: Rows, one: ReadOfRecord) -> list[str | None]:
        """Return the group key or answer that ``one`` reads from each record, as a string that is equal for equal
        values; None for a missing key."""
        found: list[str | None] = []
        if one.compiled is not None and isinstance(one.compiled.node, Path):
            values = rows.column(column_of(one.compiled.node))
            if set(map(type, values)) == {str} and not any(map(str.startswith, values, repeat("="))):
                return list(values)
        for value in self._evaluated(rows, one):
            nothing = value is None or value is _MISSING or type(value) is _Failed
            # A missing answer is an answer of its own: who gave none did not vote with the others.
            found.append(_text(value) if not nothing else None if one.takes == "key" else "=")
        return found

    def _evaluated(self, rows: Rows, one: ReadOfRecord) -> Iterator[Any]:
        """Yield the value that ``one`` reads from each record: `_MISSING` if a field does not apply to the record, a
        `_Failed` if it has no value."""
        compiled = one.compiled
        assert compiled is not None
        if isinstance(compiled.node, Path):  # a column as it is
            absent = _Failed(_absent(compiled.node))
            yield from (absent if value is None else value for value in rows.column(column_of(compiled.node)))
            return
        failed = (rows.codes >= UNPARSED).tolist()
        if isinstance(compiled.node, tree.Field | tree.ScoreRef):  # so are scores
            (name,) = _names(compiled)
            for place, value in enumerate(_scores(rows, name)):
                has_value = value is not None and value == value
                yield value if has_value else _Failed(_NO_SCORE) if failed[place] else _MISSING
            return
        names = [(name, _scores(rows, name)) for name in _names(compiled)]
        paths = [(path, rows.column(column_of(path))) for path in compiled.paths]
        evaluate: Evaluation = evaluation(compiled.node, _OF_COLUMNS)
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
    """The exception for a record that has no value at a path."""


@dataclass(slots=True)
class _Failed:
    """The marker of a record without a value, with the reason why."""

    why: str


def _read(values: Values, name: str) -> Any:
    value = values[name]
    if value is None or value != value:
        raise NotApplicable(name)
    return value


def _read_path(values: Any, path: Path) -> Any:
    value = values[path]
    if value is None:
        raise _Absent(_absent(path))
    return value


def _absent(path: Path) -> str:
    return f"no `{show_path(path)}`"


_OF_COLUMNS = replace(WORDS, read=_read, path=_read_path)


def _names(compiled: Compiled) -> list[str]:
    has_score = any(isinstance(part, tree.ScoreRef) for part in tree.walk_formula(compiled.node))
    return [*sorted(compiled.fields), *([SCORE] if has_score else [])]


def _scores(rows: Rows, name: str) -> list[Any]:
    if name == SCORE or name in rows.fields:
        return list(rows.values(None if name == SCORE else name).tolist())
    return [None if code < 0 else float(code) for code in rows.decided.tolist()]


def _number(value: Any) -> float | None:
    """Return a number or a truth value as a float; None for any other value, and for integers that are too large."""
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, int):
        return float(value) if abs(value) <= GREATEST else None
    return value if isinstance(value, float) else None


def _why(one: ReadOfRecord, value: Any) -> str:
    """Return why a value can't be used as a number, in one of few texts, so that reasons can be counted."""
    if isinstance(value, (int, float)):
        return f"`{one.text}` is {'no number' if value != value else 'too large to count'}"
    return f"`{one.text}` is not a number"


def _text(value: Any) -> str:
    """Return a string that is equal for equal values, where 1.0 equals 1, but true does not equal 1."""
    if type(value) is str:
        return value if value[:1] != "=" else f"={value}"
    return f"={canonical(int(value) if isinstance(value, float) and value.is_integer() else value)}"
