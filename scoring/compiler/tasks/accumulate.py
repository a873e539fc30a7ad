"""Compile formulas over a data set, such as `exp(-sum(record.logprob) / sum(record.tokens))`.

Such a formula has three levels: figures outside accumulators, what is read from each record inside an accumulator, and
the figure of each group inside `per(key, …)`. Each level is an ordinary formula in which different names are allowed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from scoring.compiler.formulas.direction import Directions, as_weight, better_of, goodness
from scoring.compiler.formulas.figure_formula import FigureFormula, placed
from scoring.compiler.formulas.formula import Compiled, FormulaCompiler
from scoring.compiler.formulas.formula_metric import FormulaMetric, ReadOfRecord, Takes
from scoring.compiler.formulas.ranges import EITHER_WAY, FigureScale
from scoring.compiler.identity.meaning import formula_meaning
from scoring.compiler.programs.expression_values import column_of
from scoring.compiler.programs.messages import Findings, comma_list
from scoring.compiler.tasks.compiled_parts import PASSED, MetricNames, parsed_readers
from scoring.format.measures import ACCUMULATORS, NamedMetric
from scoring.lang import formula as tree
from scoring.lang import limits
from scoring.lang.functions import FUNCTIONS
from scoring.lang.places import PARSED
from scoring.lang.printer import print_formula
from scoring.lang.tree import Path, Pipeline
from scoring.ranges import EVERYTHING, UNIT, Growth, ScoreRange, hull
from scoring.statistics.accumulators import Fold, FoldKind, GroupFold, RowFold

PER = "per"
_SEVERAL = frozenset({"min", "max", "sum", "mean"})
"""Accumulators that are functions of numbers as well when they are called with several arguments."""
_PER_EXAMPLE = "as in `mean(per(record.figure, min(score)))`"
_EXAMPLE = "`mean(score)`, `sum(record.tokens)`, `count(score >= 0.5)`"


@dataclass(frozen=True, slots=True)
class _Added:
    """A compiled accumulator: its statistic (`fold`), its range, how it changes when scores grow (`way`), and its
    canonical data for digests (`meaning`).

    ``each`` is the range of what one record may add to a sum, None if the accumulator is not a sum; ``is_all`` is true
    if the accumulator counts every record.
    """

    fold: Fold
    interval: ScoreRange
    way: Growth
    meaning: Any
    each: ScoreRange | None = None
    is_all: bool = False


@dataclass(frozen=True, slots=True)
class _Level:
    """A compiled formula over accumulators, either of all records or, inside `per`, of one group."""

    figure: FigureFormula
    added: tuple[_Added, ...]
    quality: bool = False

    @property
    def meaning(self) -> list[Any]:
        """The formula and its accumulators as plain data, for the digest of the meaning."""
        return ["formula", formula_meaning(self.figure.compiled.node), [one.meaning for one in self.added]]

    @property
    def interval(self) -> ScoreRange:
        """The range of possible values of the figure.

        A sum divided by the count of all records gets the range of one record's value, although both parts are
        unbounded.
        """
        node = self.figure.compiled.node
        if isinstance(node, tree.Binary) and node.op == "/" and len(self.added) == 2:
            above, below = self.added
            if below.is_all and above.each is not None and node.a == tree.Field(placed(0)):
                return above.each.hull(0.0)
        return self.figure.compiled.interval

    @property
    def way(self) -> Growth:
        """The change of the figure when scores grow, or, if ``quality`` is set, when scores get better."""
        interval_of = as_weight if self.quality else lambda interval: interval
        names = {placed(number): one.way for number, one in enumerate(self.added)}
        ranges = {placed(number): one.interval for number, one in enumerate(self.added)}
        return Directions(
            lambda node: names.get(node.name, "open") if isinstance(node, tree.Field) else "still",
            lambda node: interval_of(FormulaCompiler(ranges, Findings(), roots=()).value(node).interval),
        ).of(self.figure.compiled.node)


class AccumulatorCompiler:
    """A compiler of one formula over a data set to a metric; mistakes are added to the findings."""

    def __init__(self, names: MetricNames, findings: Findings, *, quality: bool = False) -> None:
        self._names = names
        self._quality = quality  # ways then tell what better scores do, and not what higher ones do
        self._ranges = names.ranges or {}
        self._findings = findings
        self._numbers: list[ReadOfRecord] = []
        self._texts: list[ReadOfRecord] = []
        # The figures that were read: of each its part, its tree, and the number of operations in it.
        self._named: dict[str, tuple[int, tree.Formula, int]] = {}
        self._active: list[str] = []
        self._part = self._parts = self._operations = self._groups_around = 0

    def metric(self, entry: NamedMetric) -> FormulaMetric | None:
        """Return the metric of a named formula; None if the formula has a mistake, which is reported."""
        assert not isinstance(entry.what, Pipeline)
        before = len(self._findings.diagnostics)
        self._active.append(entry.name)
        level = self._level(entry.what, "number")
        if len(self._findings.diagnostics) > before:
            return None
        columns, scale = (tuple(self._numbers), tuple(self._texts)), self._scales(entry.what, level)
        way = AccumulatorCompiler(self._names, Findings(), quality=True)._level(entry.what, "number").way
        better = self._names.better_of(entry.name, better_of(way))
        found = FormulaMetric(entry.name, entry.text, level.figure, *columns, scale, level.meaning, better=better)
        parsed = [column_of(path) for path in found.read_paths if path.root == PARSED]
        return replace(found, parsed=parsed_readers(parsed))

    def _scales(self, formula: tree.Formula, level: _Level) -> Callable[[Mapping[str | None, ScoreRange]], FigureScale]:
        """Return a function that gives the range of a figure, compiled to ``level``, from the ranges of the scores by
        name.

        The ranges have to be passed because a suite learns those of its tasks' scores only at run time.
        """
        known = self._scale(level, self._ranges)

        def of(ranges: Mapping[str | None, ScoreRange]) -> FigureScale:
            if all(ranges.get(name) == interval for name, interval in self._ranges.items()):
                return known
            again = AccumulatorCompiler(replace(self._names, ranges=ranges), Findings())
            return again._scale(again._level(formula, "number"), ranges)

        return of

    def _scale(self, level: _Level, ranges: Mapping[str | None, ScoreRange]) -> FigureScale:
        read = [one.compiled for one in self._numbers if one.compiled is not None]
        fields = {name for one in read for name in one.fields if name in ranges}
        has_score = any(map(_reads_score, read))
        scores = [ranges[name] for name in sorted(fields)] + ([ranges.get(None, EVERYTHING)] if has_score else [])
        interval = hull(scores) if scores else UNIT
        open_ = EITHER_WAY if level.way == "open" else ""
        if not open_ and level.way != "still" and not interval.is_finite:
            open_ = f"a score may lie anywhere in {interval}"
        return FigureScale(level.interval, interval, open_, level.way)

    # ---- figures of all records, and of a group

    def _level(self, formula: tree.Formula, kind: str) -> _Level:
        """Compile a formula over accumulators; ``kind`` is "number", or "score" if a condition is allowed, too."""
        added: list[_Added] = []

        def visit(node: tree.Formula) -> tree.Formula:
            self._operations += 1
            if isinstance(node, tree.Function):
                if _is_accumulator(node):
                    added.append(self._of_part(self._fold(node)))
                    return tree.Field(placed(len(added) - 1), node.span)
                if not self._is_function(node):
                    return tree.Number(1, node.span)
            elif isinstance(node, (tree.Field, tree.Text)) and _name_of(node) in self._names.figures:
                return self._figure(node, visit)
            elif isinstance(node, tree.Field) and not self._is_of_record(node.name):
                self._unknown(node)
                return tree.Number(1, node.span)
            elif isinstance(node, (tree.Field, tree.ScoreRef, tree.Text, Path)):
                message = f"`{print_formula(node)}` is of each record, and this figure is of many"
                self._findings.error("formula-type", message, node.span, "add it up", help=f"as in {_EXAMPLE}")
                return tree.Number(1, node.span)
            return tree.with_operands(node, [visit(part) for part in tree.operands(node)])

        before = len(self._findings.diagnostics)
        found = visit(formula)
        if not added and len(self._findings.diagnostics) == before:
            message, label = "this adds nothing up", "it is the same for all data"
            self._findings.error("formula-type", message, formula.span, label, help=f"as in {_EXAMPLE}")
        if len(self._findings.diagnostics) > before:  # what is in error makes no sense of the rest
            found, added = tree.Field(placed(0)), [_NOTHING]
        known = {placed(number): one.interval for number, one in enumerate(added)}
        compiler = FormulaCompiler(known, self._findings, roots=())
        compiled = compiler.number(found) if kind == "number" else compiler.score(found)
        return _Level(FigureFormula(compiled, tuple(one.fold for one in added)), tuple(added), self._quality)

    def _figure(self, node: tree.Field | tree.Text, visit: Callable[[tree.Formula], tree.Formula]) -> tree.Formula:
        """Return the tree of the figure that a formula names, whose accumulators `visit` compiles; report a name that
        can't stand for a figure here.

        Each figure is a part of its own, since a record that one leaves out may count in another.
        """
        name, formula = _name_of(node), self._names.figures[_name_of(node)]
        problem, help_text = "", f"as in {_EXAMPLE}"
        if name in self._active:
            way = " -> ".join(f"`{one}`" for one in [*self._active, name])
            problem, help_text = f"`{name}` is defined by itself: {way}", "let one of them name no other"
        elif formula is None:
            problem = f"`{name}` is a metric that is called, and a formula names other formulas alone"
        elif self._groups_around:
            problem = f"`{name}` is a figure of all records, and here is a group"
        elif self._operations > limits.STEPS:
            problem = f"with the figures that it names, this has more than {limits.STEPS} operations"
            help_text = "let figures name fewer others"
        if problem or formula is None:
            self._findings.error("formula-type", problem, node.span, help=help_text)
            return tree.Number(1, node.span)
        if name not in self._named:
            outer, before = self._part, self._operations
            self._parts += 1
            self._part = self._parts
            self._active.append(name)
            found = visit(formula)
            self._active.pop()
            self._named[name] = self._part, found, self._operations - before
            self._part = outer
        else:
            self._operations += self._named[name][2]
        return self._named[name][1]

    def _is_of_record(self, name: str) -> bool:
        return name in self._ranges or name in self._names.values or name == PASSED

    def _unknown(self, node: tree.Field) -> None:
        """Report a name outside of accumulators that is neither a figure nor a value of each record."""
        known = [name for name in self._names.figures if name not in self._active]
        listed = f"figures: {comma_list(known)}" if known else f"what is added up is a figure, as in {_EXAMPLE}"
        self._findings.unknown(
            "unknown-field", f"there is no figure `{node.name}`", node.span, node.name, known, listed
        )

    def _of_part(self, one: _Added) -> _Added:
        """Return an accumulator that knows the figure that it belongs to, if that is a named one."""
        if not self._part:
            return one
        return replace(one, fold=replace(one.fold, part=self._part), meaning=["figure", self._part, one.meaning])

    def _is_function(self, node: tree.Function) -> bool:
        """Tell whether a call is of a function that can be applied to figures; if not, report the call."""
        if node.name in FUNCTIONS or node.name == "if":
            return True
        span = node.name_span or node.span
        if node.name == PER:
            message = "`per` has a figure for each group, which something must add up"
            self._findings.error("formula-type", message, span, help=_PER_EXAMPLE)
        elif node.name in ACCUMULATORS:
            self._arguments(node)
        else:
            known = [*sorted(ACCUMULATORS), PER, *FUNCTIONS, "if"]
            self._findings.unknown(
                "unknown-function",
                f"formulas over a data set have no function `{node.name}`",
                span,
                node.name,
                known,
                f"what adds up: {comma_list([*sorted(ACCUMULATORS), PER])}; "
                f"functions: {comma_list([*FUNCTIONS, 'if'])}",
            )
        return False

    # ---- accumulators

    def _arguments(self, node: tree.Function) -> None:
        wanted = {
            "majority": "an answer and a number: `majority(values.letter, score)`",
            "count": "one condition, or nothing",
        }
        self._findings.error(
            "formula-type",
            f"`{node.name}` takes {wanted.get(node.name, 'one number of each record')}",
            node.span,
            help=f"here it has {len(node.args)} arguments",
        )

    def _fold(self, node: tree.Function) -> _Added:
        if node.name == "majority":
            key, answer = self._text(node.args[0], "answer")
            column, interval, way, value = self._number(node.args[1], "number")
            return _Added(RowFold("majority", column, key), interval, way, ["majority", answer, value])
        (argument,) = node.args or (None,)
        if isinstance(argument, tree.Function) and argument.name == PER:
            return self._groups(node, argument)
        is_count = node.name == "count"
        column, interval, way, value = self._number(argument, "given" if is_count else "number")
        fold, meaning = RowFold(_KINDS[node.name], column), [node.name, value]
        if is_count:
            return _Added(fold, _UP, way, meaning, UNIT, argument is None)
        return _Added(fold, _added(node.name, interval), way, meaning, interval if node.name == "sum" else None)

    def _groups(self, node: tree.Function, per: tree.Function) -> _Added:
        """Compile the call ``node`` of an accumulator over groups, with the call ``per`` as its argument, such as
        `mean(per(record.domain, mean(score)))`."""
        if len(per.args) != 2:
            message = "`per` takes a key and a figure of each group"
            self._findings.error("formula-type", message, per.span, help=_PER_EXAMPLE)
            return _NOTHING
        key, keys = self._text(per.args[0], "key")
        self._groups_around += 1
        inner = self._level(per.args[1], "score")
        self._groups_around -= 1
        figure, interval, way = inner.figure, inner.interval, inner.way
        meaning, of = [node.name, "per", keys, inner.meaning], figure.of
        if node.name == "count" and figure.compiled.kind != "truth":
            way, interval = "still", _UP
            of = partial(_is_there, figure)
        fold = GroupFold(_KINDS[node.name], key, figure.folds, of)
        return _Added(fold, _UP if node.name == "count" else _added(node.name, interval), way, meaning)

    # ---- what is read of each record

    def _number(self, node: tree.Formula | None, takes: Takes) -> tuple[int, ScoreRange, Growth, Any]:
        """Compile an expression that gives a number for each record, and add it to the columns that the metric reads.

        Return the index of its column, the range of its values, how it changes when scores grow, and its meaning. For
        None, the column has a 1 for each record. ``takes`` is "number", or "given" for 1 or 0 for whether there is a
        value.
        """
        if node is None:
            self._numbers.append(ReadOfRecord("", "given", part=self._part))
            return len(self._numbers) - 1, ScoreRange(1.0, 1.0), "still", None
        resolved, compiler = self._with_pass(node), self._compiler()
        is_field = isinstance(resolved, tree.Text) and resolved.value in self._ranges
        compiled = compiler.number(resolved) if is_field else compiler.value(resolved)
        if compiled.kind == "truth":
            takes = "number"
        elif takes == "number" and compiled.kind in ("text", "list"):
            compiled = compiler.number(resolved)
        self._numbers.append(ReadOfRecord(print_formula(node), takes, compiled, self._part))
        way: Growth = "still" if takes == "given" else self._way(compiled)
        interval = {"truth": UNIT, "any": EVERYTHING}.get(compiled.kind, compiled.interval)
        return len(self._numbers) - 1, interval, way, formula_meaning(compiled.node)

    def _text(self, node: tree.Formula, takes: Takes) -> tuple[int, Any]:
        """Compile a group key or an answer, as ``takes`` says, and add it to the columns of strings that the metric
        reads.

        Return the index of its column, and its meaning.
        """
        compiled = self._compiler().value(self._with_pass(node))
        if not (compiled.paths or compiled.fields or _reads_score(compiled)):
            message = "this is the same for all records"
            self._findings.error("formula-type", message, node.span, help="as in `record.figure`")
        self._texts.append(ReadOfRecord(print_formula(node), takes, compiled))
        return len(self._texts) - 1, formula_meaning(compiled.node)

    def _compiler(self, findings: Findings | None = None) -> FormulaCompiler:
        names = self._names
        fields = {name: interval for name, interval in self._ranges.items() if name is not None}
        fields |= {PASSED: UNIT} if names.no_pass is None and PASSED not in fields else {}
        score = self._ranges.get(None, EVERYTHING)
        return FormulaCompiler(fields, findings or self._findings, of_score=score, values=names.values)

    def _with_pass(self, node: tree.Formula) -> tree.Formula:
        """Return the formula with `passed` replaced by the pass condition, unless a field is named `passed`.

        An accumulator inside the formula is reported, since the formula is evaluated for a single record.
        """
        if isinstance(node, tree.Field) and node.name == PASSED and PASSED not in self._ranges:
            if self._names.no_pass is None:
                return tree.Compare("==", node, tree.Number(1), node.span)
            if PASSED not in self._names.values:
                message = f"`passed` says whether a record passes, and {self._names.no_pass.why}"
                help_text = "write the condition itself, such as `count(score >= 0.8)`"
                self._findings.error("missing-key", message, node.span, help=help_text)
                return tree.Number(1, node.span)
        if isinstance(node, tree.Function) and (
            node.name == PER or node.name in ACCUMULATORS - _SEVERAL or self._is_of_one_score(node)
        ):
            self._findings.error(
                "formula-type",
                f"`{node.name}` adds up records, and here is one",
                node.name_span or node.span,
                help="inside an accumulator stands what is read of one record, or one `per(key, …)`",
            )
            return tree.Number(1, node.span)
        return tree.with_operands(node, [self._with_pass(part) for part in tree.operands(node)])

    def _is_of_one_score(self, node: tree.Function) -> bool:
        """Tell whether `sum`, `mean`, `min` or `max` is called on a single score rather than on a list from
        the record.
        """
        if node.name not in _SEVERAL or len(node.args) != 1:
            return False
        (argument,) = node.args
        is_field = isinstance(argument, tree.Field) and (argument.name in self._ranges or argument.name == PASSED)
        return is_field or isinstance(argument, tree.ScoreRef)

    def _way(self, compiled: Compiled) -> Growth:
        def leaf(node: tree.Formula) -> Growth:
            if not isinstance(node, (tree.Field, tree.ScoreRef)):
                return "still"
            scores = self._names.scores
            return goodness(scores.get(getattr(node, "name", None), "higher")) if self._quality else "up"

        quiet = self._compiler(Findings())
        interval_of = as_weight if self._quality else lambda interval: interval
        return Directions(leaf, lambda node: interval_of(quiet.value(node).interval)).of(compiled.node)


def _name_of(node: tree.Field | tree.Text) -> str:
    return node.name if isinstance(node, tree.Field) else node.value


def _is_accumulator(node: tree.Function) -> bool:
    """Tell whether a call accumulates over records; `min(a, b)` of two figures does not, but is the smaller
    of the two.
    """
    if node.name == "majority":
        return len(node.args) == 2
    return node.name in ACCUMULATORS and len(node.args) in ((0, 1) if node.name == "count" else (1,))


def _added(name: str, interval: ScoreRange) -> ScoreRange:
    """Return the range of the accumulator ``name``, such as `sum`, of values within a range."""
    if name != "sum":
        return interval
    return ScoreRange(-math.inf if interval.low < 0 else 0.0, math.inf if interval.high > 0 else 0.0)


def _is_there(figure: FigureFormula, values: Sequence[float]) -> float:
    """Return 1 if ``figure`` has a value for a group, else NaN; ``values`` are those of the group's accumulators."""
    return 1.0 if not math.isnan(found := figure.of(values)) else found


def _reads_score(compiled: Compiled) -> bool:
    return any(isinstance(part, tree.ScoreRef) for part in tree.walk_formula(compiled.node))


_UP = ScoreRange(0.0, math.inf)
_KINDS: dict[str, FoldKind] = {"sum": "sum", "count": "sum", "mean": "mean", "min": "min", "max": "max"}
_NOTHING = _Added(RowFold("sum", 0), EVERYTHING, "open", None)
