"""Formulas over pairs of records, such as `pairs(record.segment, mean(order(score) == order(record.human)))`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from scoring.compiler.formulas.formula import Compiled, FormulaCompiler
from scoring.compiler.formulas.formula_metric import Takes
from scoring.compiler.programs.messages import Findings
from scoring.compiler.tasks.accumulated import KINDS, NOTHING_ADDED, UPWARDS, Accumulated, range_of_added
from scoring.errors import InputError
from scoring.lang import formula as tree
from scoring.lang.formula_printer import print_formula
from scoring.lang.tree import Path
from scoring.ranges import UNIT, Growth, ScoreRange, snap_to_whole
from scoring.result import NotApplicable, Unscored
from scoring.statistics.accumulators import FoldColumns, FoldState, GroupFold, RowFold
from scoring.statistics.exact import ExactSum
from scoring.statistics.statistic import Unit

ReadNumber: TypeAlias = Callable[[tree.Formula | None, Takes], tuple[int, ScoreRange, Growth, Any]]
"""Compiles what is read of a record to a column, and returns the index of the column, its range, its way and meaning;
see `AccumulatorCompiler`."""

MOST_RECORDS = 2_000
"""Maximum number of records of a group that are paired, so that no record is in more pairs than these."""

CELLS = 1_000_000
"""Maximum number of pairs that are looked at a time."""

_SIDES = ("first", "second")
_HELP = "as in `pairs(record.segment, mean(order(score) == order(record.human)))`"


# ---- what is added up


class PairFold(RowFold, frozen=True):
    """A sum or mean over all pairs of records, each in both orders.

    Its state has a line of numbers for each record, sorted: what ``columns`` say of it. A record without one of the
    numbers is in no pair.

    Args:
        columns: The indices of the columns of numbers that it reads.
        formula: Returns the numbers of pairs, NaN for one without, given the columns of the first records and of the
            second ones.
    """

    columns: tuple[int, ...] = ()
    formula: Callable[[Sequence[Any], Sequence[Any]], Any] = np.add

    def state(self, columns: FoldColumns, positions: Sequence[int]) -> FoldState:
        """Return the lines of the records at some positions of the columns."""
        numbers = [columns.numbers[column] for column in self.columns]
        lines = (tuple(column[position] for column in numbers) for position in positions)
        return sorted(line for line in lines if not any(map(math.isnan, line)))

    def join(self, one: FoldState, other: FoldState) -> FoldState:
        """Return the merged state of two parts of the records."""
        return sorted([*one, *other])

    def value(self, state: FoldState) -> float:
        """Return the sum or the mean over the pairs of some records, NaN for a mean over none."""
        return _over(self.kind, [self.unit(state)])

    def unpack(self, data: Any) -> FoldState:
        """Return the state from plain data, which is not trusted.

        Raises:
            ValueError: when it is not a state of this fold.
        """
        found = sorted(tuple(map(float, line)) for line in data)
        if any(len(line) != len(self.columns) or not all(map(math.isfinite, line)) for line in found):
            raise ValueError("a record that is not compared by finite numbers")
        return found

    def unit(self, state: FoldState) -> Unit:
        """Return the sum over the pairs of some records, and for a mean their number.

        Raises:
            InputError: when there are more records than are paired.
        """
        size = len(state)
        if size > MOST_RECORDS:
            message = (
                f"`pairs` compares at most {MOST_RECORDS:,} records of a group with one another, and here are {size:,}"
            )
            raise InputError(f"{message}; give it a key with smaller groups")
        lines = np.array(state, dtype=np.float64).reshape(size, len(self.columns))
        total, count, step = ExactSum(), 0, max(1, CELLS // max(size, 1))
        for start in range(0, size, step):
            rows = np.arange(start, min(start + step, size))
            first, second = np.repeat(rows, size), np.tile(np.arange(size), len(rows))
            apart = first != second
            sides = ([*lines[which[apart]].T] for which in (first, second))
            found = np.broadcast_to(self.formula(*sides), int(apart.sum()))
            known = np.array(found[~np.isnan(found)], dtype=np.float64)
            total, count = total.merge(ExactSum.of(known)), count + len(known)
        return (total.value,) if self.kind == "sum" else (total.value, float(count))


class PooledFold(GroupFold, frozen=True):
    """A sum or mean over the pairs of records of one group, of all groups together; it has one `PairFold`."""

    def value(self, state: FoldState) -> float:
        """Return the value of the fold from its state."""
        return _over(self.kind, [self.unit(one) for one in state.values()])

    def unit(self, state: FoldState) -> Unit:
        """Return one group's contribution to a figure, given the state of its fold."""
        return self.folds[0].unit(state[0])


def _over(kind: str, units: Iterable[Unit]) -> float:
    columns = [math.fsum(column) for column in zip(*units, strict=True)] or [0.0, 0.0]
    return columns[0] if kind == "sum" else columns[0] / columns[1] if columns[1] else math.nan


# ---- how it is compiled


def accumulate_pairs(node: tree.Function, key: int, keys: Any, read: ReadNumber, findings: Findings) -> Accumulated:
    """Return the compiled accumulator of a call, such as `mean(order(score) == 1)`, over pairs of records.

    Args:
        node: The call.
        key: The index of the column of texts with the groups; -1 for the pairs of all records.
        keys: The meaning of the key.
        read: Compiles what is read of a record.
        findings: To which mistakes are added.
    """
    if node.name not in ("sum", "mean", "count"):
        message = f"`{node.name}` of pairs is none: they are counted, or added up by `sum` and `mean`"
        findings.error("formula-type", message, node.name_span or node.span, help=_HELP)
        return NOTHING_ADDED
    before = len(findings.diagnostics)
    pairs = _Pairs(read, findings)
    found = pairs.renamed(node.args[0] if node.args else tree.Number(1))
    if not pairs.columns:
        pairs.column(None)
    names = {pairs.name(side, place): one[1] for side in _SIDES for place, one in enumerate(pairs.columns)}
    compiled = FormulaCompiler(names, findings, roots=(), noun="number of a pair").score(found)
    if node.name == "count" and node.args and compiled.kind != "truth" and len(findings.diagnostics) == before:
        findings.error("formula-type", "`count` of pairs takes a condition, or nothing", node.span, help=_HELP)
    if len(findings.diagnostics) > before:
        return NOTHING_ADDED
    columns, ways = tuple(one[0] for one in pairs.columns), {one[2] for one in pairs.columns}
    interval = UNIT if compiled.kind == "truth" else compiled.interval
    leaf: Any = PairFold(KINDS[node.name], columns[0], columns=columns, formula=_OfPairs(compiled).of)
    fold = leaf if key < 0 else PooledFold(leaf.kind, key, (leaf,), leaf.value)
    way: Growth = "still" if ways <= {"still"} else "open"
    meaning = ["pairs", keys, node.name, print_formula(found), [one[3] for one in pairs.columns]]
    return Accumulated(fold, UPWARDS if node.name == "count" else range_of_added(node.name, interval), way, meaning)


@dataclass(slots=True)
class _Pairs:
    """The reader of a formula over a pair of records: ``columns`` are what it reads of either, in words ``texts``."""

    read: ReadNumber
    findings: Findings
    columns: list[tuple[int, ScoreRange, Growth, Any]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def name(self, side: str, place: int) -> str:
        """Return the name that a column has in the formula for the first or the second record; no field has it."""
        return f"{side} #{place}"

    def column(self, formula: tree.Formula | None) -> int:
        """Return the place of what is read of a record, which is read once."""
        text = "" if formula is None else print_formula(formula)
        if text not in self.texts:
            self.columns.append(self.read(formula, "given" if formula is None else "number"))
            self.texts.append(text)
        return self.texts.index(text)

    def renamed(self, node: tree.Formula) -> tree.Formula:
        """Return a formula with `first(x)`, `second(x)` and `order(x)` in terms of names; report what is of one record
        alone."""
        if isinstance(node, tree.Function) and node.name in (*_SIDES, "order"):
            return self._of_records(node)
        if isinstance(node, (tree.Field, tree.ScoreRef, tree.Text, Path)):
            text = print_formula(node)
            message = f"`{text}` is of each record, and here are pairs of them"
            help_text = f"`first({text})`, `second({text})`, or `order({text})`: 1, 0 or -1"
            self.findings.error("formula-type", message, node.span, help=help_text)
            return tree.Number(1, node.span)
        return tree.with_operands(node, [self.renamed(part) for part in tree.operands(node)])

    def _of_records(self, node: tree.Function) -> tree.Formula:
        ties, most = node.args[1:], 2 if node.name == "order" else 1
        if not 1 <= len(node.args) <= most or not all(isinstance(one, tree.Number) for one in ties):
            takes = "one number of each record" if most == 1 else "a number of each record, and by how much it may tie"
            self.findings.error("formula-type", f"`{node.name}` takes {takes}", node.span, help=_HELP)
            return tree.Number(1, node.span)
        place, span = self.column(node.args[0]), node.span
        one, other = (tree.Field(self.name(side, place), span) for side in _SIDES)
        if node.name != "order":
            return one if node.name == "first" else other
        more, less = tree.Compare(">", one, other, span), tree.Compare(">", other, one, span)
        if ties:  # numbers that differ by no more than this tie
            more, less = (replace(side, a=tree.Binary("-", side.a, side.b, span), b=ties[0]) for side in (more, less))
        below = tree.Function("if", (less, _MINUS, tree.Number(0)), span)
        return tree.Function("if", (more, tree.Number(1), below), span)


_MINUS = tree.Unary("-", tree.Number(1))


class _OfPairs(Struct, frozen=True):
    """A compiled formula over pairs, computed for many of them at a time, and one by one where it must be."""

    compiled: Compiled

    def of(self, first: Sequence[Any], second: Sequence[Any]) -> Any:
        """Return the number of each pair, NaN for one without, given the columns of both records."""
        names = {
            f"{side} #{place}": column
            for side, columns in zip(_SIDES, (first, second), strict=True)
            for place, column in enumerate(columns)
        }
        try:
            with np.errstate(all="ignore"):
                found = np.asarray(_arrays(self.compiled.node, names), dtype=np.float64)
            return np.where(np.isfinite(found), found, np.nan)
        except _OneByOne:
            lines = zip(*(column.tolist() for column in names.values()), strict=True)
            return np.array([self._one(dict(zip(names, line, strict=True))) for line in lines], dtype=np.float64)

    def _one(self, values: dict[str, float]) -> float:
        try:
            return float(self.compiled.evaluate(values))
        except (Unscored, NotApplicable, ArithmeticError):
            return math.nan


class _OneByOne(Exception):
    """The exception for a formula with a part that is not computed of arrays."""


def _arrays(node: tree.Formula, names: dict[str, Any]) -> Any:
    """Return the values of a formula for arrays; raise `_OneByOne` if a part of it has no form for them."""
    if isinstance(node, (tree.Number, tree.Bool)):
        return node.value
    if isinstance(node, tree.Field):
        return names[node.name]
    known = isinstance(node, (tree.Binary, tree.Compare, tree.BoolOp, tree.Unary))
    if not (known or (isinstance(node, tree.Function) and node.name in _CALLS)):
        raise _OneByOne
    parts = [_arrays(part, names) for part in tree.operands(node)]
    if isinstance(node, tree.Function):
        return _CALLS[node.name](*parts)
    if isinstance(node, tree.BoolOp):
        return (np.logical_and if node.op == "and" else np.logical_or).reduce(np.broadcast_arrays(*parts))
    if isinstance(node, tree.Unary):
        return np.negative(parts[0]) if node.op == "-" else np.logical_not(parts[0])
    if isinstance(node, tree.Compare):
        sides = zip((node.a, node.b), parts, strict=True)
        parts = [_settled(part) if isinstance(side, tree.Binary) else part for side, part in sides]
    if isinstance(node, (tree.Binary, tree.Compare)) and node.op in _OPERATORS:
        return _OPERATORS[node.op](*parts)
    raise _OneByOne


def _settled(values: Any) -> Any:
    """Return sums and differences that are very near to a whole number as this number, as comparisons have them."""
    near = np.round(values)
    close = np.flatnonzero((np.abs(values - near) <= 1e-9 * np.abs(near)) & (values != near))
    found = np.array(values, dtype=np.float64)
    found[close] = [snap_to_whole(value) for value in found[close].tolist()]
    return found


_CALLS: dict[str, Callable[..., Any]] = {
    "if": np.where,
    "abs": np.abs,
    "min": lambda *parts: np.minimum.reduce(np.broadcast_arrays(*parts)),
    "max": lambda *parts: np.maximum.reduce(np.broadcast_arrays(*parts)),
}
_OPERATORS: dict[str, Callable[..., Any]] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "==": np.equal, "!=": np.not_equal,
    "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal,
}  # fmt: skip
"""The operators that have a value for all numbers; a division may have none, which no array says."""
