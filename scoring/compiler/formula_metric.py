"""A metric that is a formula over the data set: what it reads of each record, and the statistic that it makes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Literal, TypeAlias

from scoring.compiler.formula import Compiled
from scoring.compiler.formula_run import WORDS
from scoring.compiler.parts import FigureScale
from scoring.compiler.record import Reader, columns_of
from scoring.compiler.row import column_of, show_path
from scoring.data.strict_json import canonical
from scoring.lang.evaluate import SCORE, Evaluation, Values, evaluation
from scoring.lang.tree import Path
from scoring.late import dataclass
from scoring.outcomes import NOT_APPLICABLE, UNPARSED
from scoring.ranges import GREATEST, ScoreRange
from scoring.result import NotApplicable, Unscored
from scoring.statistics.clusters import Member
from scoring.statistics.folds import FoldColumns, FormulaGroups, GroupFold, group_unit, hold_in_group, of_units, widths
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic

from scoring.compiler.figure_formula import FigureFormula  # isort: skip

Takes: TypeAlias = Literal["number", "given", "key", "answer"]

_NO_SCORE = "no score"
_MISSING: Any = object()


@dataclass(frozen=True, slots=True)
class ReadOfRecord:
    """One thing that a formula reads of each record.

    Args:
        text: As it is written.
        takes: What becomes of it: a number; whether there is anything, 1 or 0; a text that is equal
            for equal values, of keys of groups or of answers.
        compiled: How it is computed; None for 1 in each record.
    """

    text: str
    takes: Takes
    compiled: Compiled | None = None


@dataclass(frozen=True, slots=True)
class FormulaMetric:
    """A figure of a formula over accumulators; call it with rows.

    Args:
        text: What the figure is called.
        formula: The formula as it is written.
        figure: What is added up, and what is made of the sums.
        numbers: The columns of numbers that the accumulators read.
        texts: The columns of keys and answers.
        own: What the figure may come to, from the ranges of the fields and, for None, of the records' scores.
        meaning: What it means, as plain data.
        parsed: The readers of its paths that begin at the parsed answer.
    """

    text: str
    formula: str
    figure: FigureFormula
    numbers: tuple[ReadOfRecord, ...]
    texts: tuple[ReadOfRecord, ...]
    own: Callable[[Mapping[str | None, ScoreRange]], FigureScale]
    meaning: Any
    parsed: Mapping[str, Reader] = field(default_factory=dict)

    @property
    def join(self) -> None:
        """It calls no metric."""

    @property
    def reads_compared(self) -> bool:
        """It reads nothing that fields compare."""
        return False

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
        """Whether it looks at the records."""
        return any(path not in self.parsed for path in self.paths)

    @property
    def columns(self) -> set[str] | None:
        """The keys of records that it reads, None where it may read any."""
        found = [columns_of(path) for path in self.paths if path not in self.parsed]
        known = [keys for keys in found if keys is not None]
        return set().union(*known) if len(known) == len(found) else None

    def scale(self, ranges: Mapping[str | None, ScoreRange]) -> FigureScale:
        """What its figure may come to, from the ranges of the fields' scores and, for None, of the records' own."""
        return self.own(ranges)

    @property
    def grouped(self) -> int | None:
        """The column of texts that has the keys of the groups that are drawn; None where records are."""
        return next((fold.key for fold in self.figure.folds if isinstance(fold, GroupFold)), None)

    def prepared(self, rows: Rows) -> Rows:
        """The rows with the keys of its groups as a column, of which others can be put in its place."""
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
        why: dict[str, int] = {}
        for place in sorted(missing):
            why[missing[place]] = why.get(missing[place], 0) + 1
        texts = [
            rows.columns[self._keys] if place == self.grouped else self._texts(rows, one)
            for place, one in enumerate(self.texts)
        ]
        if self.grouped is None:
            return self._of_records(rows, numbers, used, why)
        return self._of_groups(FoldColumns([column.tolist() for column in numbers], texts), used, why)

    def _of_records(self, rows: Rows, numbers: Sequence[Any], used: Any, why: Mapping[str, int]) -> Statistic:
        import numpy as np

        from scoring.statistics.columns import taken

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
        """A column of numbers, NaN where a record is passed over; who has none is noted with the reason."""
        import numpy as np

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
        """A column of texts that tell values apart, None where there is nothing."""
        found = []
        for value in self._evaluated(rows, one):
            nothing = value is None or value is _MISSING or type(value) is _Failed
            # A missing answer is an answer of its own: who gave none did not vote with the others.
            found.append(_text(value) if not nothing else None if one.takes == "key" else "=")
        return found

    def _evaluated(self, rows: Rows, one: ReadOfRecord) -> Iterator[Any]:
        """The value for each record, `_MISSING` where a field does not apply to it, else why it has none."""
        compiled = one.compiled
        assert compiled is not None
        names = [(name, _scores(rows, name)) for name in _names(compiled)]
        paths = [(path, _column(rows, path)) for path in compiled.paths]
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


class _Failed:
    """Stands for the value of a record that has none."""

    __slots__ = ("why",)

    def __init__(self, why: str) -> None:
        self.why = why


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
    from scoring.lang import formula as tree

    has_score = any(isinstance(part, tree.ScoreRef) for part in tree.walk_formula(compiled.node))
    return [*sorted(compiled.fields), *([SCORE] if has_score else [])]


def _scores(rows: Rows, name: str) -> list[Any]:
    if name == SCORE or name in rows.fields:
        return list(rows.values(None if name == SCORE else name).tolist())
    return [None if code < 0 else float(code) for code in rows.decided.tolist()]


def _column(rows: Rows, path: Path) -> Sequence[Any]:
    """The values at a path of the language."""
    return rows.column(column_of(path))


def _number(value: Any) -> float | None:
    """A number or a condition as a float, None for another value."""
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, int):
        return float(value) if abs(value) <= GREATEST else None
    return value if isinstance(value, float) else None


def _why(one: ReadOfRecord, value: Any) -> str:
    """Why a value is none that counts, in words of which there are few."""
    if isinstance(value, (int, float)):
        return f"`{one.text}` is {'no number' if value != value else 'too large to count'}"
    return f"`{one.text}` is no number"


def _text(value: Any) -> str:
    """A text that is equal for equal values: 1.0 is 1, and true is not."""
    if type(value) is str:
        return value if value[:1] != "=" else f"={value}"
    return f"={canonical(int(value) if isinstance(value, float) and value.is_integer() else value)}"


def _used(numbers: Sequence[Any], missing: Mapping[int, str], size: int) -> Any:
    """The places of the records that count: that have what is asked for, and to which any of it applies."""
    import numpy as np

    keep = np.zeros(size, dtype=bool)
    for column in numbers:
        keep |= ~np.isnan(column)
    if missing:
        keep[list(missing)] = False
    return np.flatnonzero(keep)
