"""Compile formulas over a data set, such as `exp(-sum(record.logprob) / sum(record.tokens))`.

Such a formula has three levels: figures outside accumulators, what is read from each record inside an accumulator, and
the figure of each group inside `per(key, …)`. Each level is an ordinary formula in which different names are allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from functools import partial
from typing import Any

from msgspec.structs import replace

from scoring.compiler.formulas.direction import Directions, as_weight, better_of, goodness
from scoring.compiler.formulas.figure_formula import FigureFormula, placed
from scoring.compiler.formulas.formula import Compiled, FormulaCompiler
from scoring.compiler.formulas.formula_metric import FormulaMetric, ReadOfRecord, Takes
from scoring.compiler.formulas.ranges import EITHER_WAY, FigureScale
from scoring.compiler.identity.meaning import formula_meaning
from scoring.compiler.programs.expression_values import column_of
from scoring.compiler.programs.messages import Findings, comma_list
from scoring.compiler.tasks.accumulated import (
    KINDS,
    NOTHING_ADDED,
    UPWARDS,
    Accumulated,
    FigureLevel,
    is_accumulator,
    is_there,
    name_of_figure,
    range_of_added,
    reads_score,
)
from scoring.compiler.tasks.compiled_parts import PASSED, MetricNames, parsed_readers
from scoring.format.measures import ACCUMULATORS, NamedMetric
from scoring.lang import formula as tree
from scoring.lang import limits
from scoring.lang.formula_printer import print_formula
from scoring.lang.functions import FUNCTIONS
from scoring.lang.places import PARSED
from scoring.lang.tree import ITEM, OF_RECORD, Path, Pipeline
from scoring.ranges import EVERYTHING, UNIT, Growth, ScoreRange, hull
from scoring.registry.extension import service
from scoring.statistics.accumulators import GroupFold, RowFold

PER, ITEMS, PAIRS = "per", "items", "pairs"
_SEVERAL = frozenset({"min", "max", "sum", "mean"})
"""Accumulators that are functions of numbers as well when they are called with several arguments."""
_PER_EXAMPLE = "as in `mean(per(record.figure, min(score)))`"
_EXAMPLE = "`mean(score)`, `sum(record.tokens)`, `count(score >= 0.5)`"
_ITEMS_EXAMPLE = "as in `items(record.slots, mean(item.right))`"
_PAIRS_EXAMPLE = "as in `pairs(record.segment, mean(order(score) == order(record.human)))`"


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
        # Lists whose items are added up; within `items`, the index of its list, for columns and for accumulators.
        self._lists: list[ReadOfRecord] = []
        self._list = self._items_of = -1
        # Within `pairs`, the index of the column with its groups, -1 for none, and the meaning of the key.
        self._paired: tuple[int, Any] | None = None
        self._has_pairs = False

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
        kind: Callable[..., FormulaMetric] = FormulaMetric
        if self._lists or self._has_pairs:
            kind = partial(service("metrics-of-items", "`items`"), lists=tuple(self._lists))
        found = kind(entry.name, entry.text, level.figure, *columns, scale, level.meaning, better=better)
        parsed = [column_of(path) for path in found.read_paths if path.root == PARSED]
        return replace(found, parsed=parsed_readers(parsed))

    def _scales(
        self, formula: tree.Formula, level: FigureLevel
    ) -> Callable[[Mapping[str | None, ScoreRange]], FigureScale]:
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

    def _scale(self, level: FigureLevel, ranges: Mapping[str | None, ScoreRange]) -> FigureScale:
        read = [one.compiled for one in self._numbers if one.compiled is not None]
        fields = {name for one in read for name in one.fields if name in ranges}
        has_score = any(map(reads_score, read))
        scores = [ranges[name] for name in sorted(fields)] + ([ranges.get(None, EVERYTHING)] if has_score else [])
        interval = hull(scores) if scores else UNIT
        open_ = EITHER_WAY if level.way == "open" else ""
        if not open_ and level.way != "still" and not interval.is_finite:
            open_ = f"a score may lie anywhere in {interval}"
        return FigureScale(level.interval, interval, open_, level.way)

    # ---- figures of all records, and of a group

    def _level(self, formula: tree.Formula, kind: str) -> FigureLevel:
        """Compile a formula over accumulators; ``kind`` is "number", or "score" if a condition is allowed, too."""
        added: list[Accumulated] = []

        def visit(node: tree.Formula) -> tree.Formula:
            self._operations += 1
            if isinstance(node, tree.Function):
                if node.name in (ITEMS, PAIRS):
                    return self._items(node, visit) if node.name == ITEMS else self._pairs(node, visit)
                if is_accumulator(node):
                    added.append(self._of_part(self._of_list(self._fold(node))))
                    return tree.Field(placed(len(added) - 1), node.span)
                if not self._is_function(node):
                    return tree.Number(1, node.span)
            elif isinstance(node, (tree.Field, tree.Text)) and name_of_figure(node) in self._names.figures:
                return self._figure(node, visit)
            elif isinstance(node, tree.Field) and not self._is_of_record(node.name):
                self._unknown(node)
                return tree.Number(1, node.span)
            elif isinstance(node, (tree.Field, tree.ScoreRef, tree.Text, Path)):
                each = "item" if isinstance(node, Path) and node.root == ITEM else "record"
                message = f"`{print_formula(node)}` is of each {each}, and this figure is of many"
                self._findings.error("formula-type", message, node.span, "add it up", help=f"as in {_EXAMPLE}")
                return tree.Number(1, node.span)
            return tree.with_operands(node, [visit(part) for part in tree.operands(node)])

        before = len(self._findings.diagnostics)
        found = visit(formula)
        if not added and len(self._findings.diagnostics) == before:
            message, label = "this adds nothing up", "it is the same for all data"
            self._findings.error("formula-type", message, formula.span, label, help=f"as in {_EXAMPLE}")
        if len(self._findings.diagnostics) > before:  # what is in error makes no sense of the rest
            found, added = tree.Field(placed(0)), [NOTHING_ADDED]
        known = {placed(number): one.interval for number, one in enumerate(added)}
        compiler = FormulaCompiler(known, self._findings, roots=())
        compiled = compiler.number(found) if kind == "number" else compiler.score(found)
        return FigureLevel(FigureFormula(compiled, tuple(one.fold for one in added)), tuple(added), self._quality)

    def _figure(self, node: tree.Field | tree.Text, visit: Callable[[tree.Formula], tree.Formula]) -> tree.Formula:
        """Return the tree of the figure that a formula names, whose accumulators `visit` compiles; report a name that
        can't stand for a figure here.

        Each figure is a part of its own, since a record that one leaves out may count in another.
        """
        name, formula = name_of_figure(node), self._names.figures[name_of_figure(node)]
        problem, help_text = "", f"as in {_EXAMPLE}"
        if name in self._active:
            way = " -> ".join(f"`{one}`" for one in [*self._active, name])
            problem, help_text = f"`{name}` is defined by itself: {way}", "let one of them name no other"
        elif formula is None:
            problem = f"`{name}` is a metric that is called, and a formula names other formulas alone"
        elif self._list >= 0 or self._paired is not None:
            what = "items of a list" if self._list >= 0 else "pairs of records"
            problem = f"`{name}` is a figure of all records, and here are {what}"
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

    def _of_part(self, one: Accumulated) -> Accumulated:
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
            known = [*sorted(ACCUMULATORS), PER, ITEMS, PAIRS, *FUNCTIONS, "if"]
            self._findings.unknown(
                "unknown-function",
                f"formulas over a data set have no function `{node.name}`",
                span,
                node.name,
                known,
                f"what adds up: {comma_list([*sorted(ACCUMULATORS), PER, ITEMS, PAIRS])}; "
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

    def _fold(self, node: tree.Function) -> Accumulated:
        if self._paired is not None:
            over: Accumulated = service("pairs-of-records", "`pairs`")(
                node, *self._paired, self._number, self._findings
            )
            return over
        if node.name == "majority":
            key, answer = self._text(node.args[0], "answer")
            column, interval, way, value = self._number(node.args[1], "number")
            fold = RowFold("majority", column, key, items=self._items_of)
            return Accumulated(fold, interval, way, ["majority", answer, value])
        (argument,) = node.args or (None,)
        if isinstance(argument, tree.Function) and argument.name == PER:
            return self._groups(node, argument)
        is_count = node.name == "count"
        column, interval, way, value = self._number(argument, "given" if is_count else "number")
        fold, meaning = RowFold(KINDS[node.name], column, items=self._items_of), [node.name, value]
        if is_count:
            return Accumulated(fold, UPWARDS, way, meaning, UNIT, argument is None)
        each = interval if node.name == "sum" else None
        return Accumulated(fold, range_of_added(node.name, interval), way, meaning, each)

    def _groups(self, node: tree.Function, per: tree.Function) -> Accumulated:
        """Compile the call ``node`` of an accumulator over groups, with the call ``per`` as its argument, such as
        `mean(per(record.domain, mean(score)))`."""
        if len(per.args) != 2:
            message = "`per` takes a key and a figure of each group"
            self._findings.error("formula-type", message, per.span, help=_PER_EXAMPLE)
            return NOTHING_ADDED
        key, keys = self._text(per.args[0], "key")
        items, self._items_of = self._items_of, -1  # within a group its items are what is added up
        if items >= 0:
            self._check_key(per.args[0], self._texts[key].compiled)
        self._groups_around += 1
        inner = self._level(per.args[1], "score")
        self._groups_around -= 1
        self._items_of = items
        figure, interval, way = inner.figure, inner.interval, inner.way
        meaning, of = [node.name, "per", keys, inner.meaning], figure.of
        if node.name == "count" and figure.compiled.kind != "truth":
            way, interval = "still", UPWARDS
            of = partial(is_there, figure)
        fold = GroupFold(KINDS[node.name], key, figure.folds, of, items=items)
        return Accumulated(fold, UPWARDS if node.name == "count" else range_of_added(node.name, interval), way, meaning)

    def _items(self, node: tree.Function, visit: Callable[[tree.Formula], tree.Formula]) -> tree.Formula:
        """Return the tree of the figure over the items of a list, which a call of `items` has as its second argument
        and `visit` compiles; report a call that has no such list."""
        if not self._begins(node, (2,), "a list of each record and a figure over its items", _ITEMS_EXAMPLE):
            return tree.Number(1, node.span)
        before = len(self._findings.diagnostics)
        compiled = self._compiler().value(self._with_pass(node.args[0]))
        is_list = compiled.kind in ("any", "list") and compiled.paths
        if len(self._findings.diagnostics) == before and not is_list:
            message = f"`{print_formula(node.args[0])}` is no list of each record"
            self._findings.error("formula-type", message, node.args[0].span, "expected a list", help=_ITEMS_EXAMPLE)
        if not is_list:
            return tree.Number(1, node.span)
        known = [(one.part, one.compiled and one.compiled.node) for one in self._lists]
        if (self._part, compiled.node) not in known:
            known.append((self._part, compiled.node))
            self._lists.append(ReadOfRecord(print_formula(node.args[0]), "list", compiled, self._part))
        self._list = self._items_of = known.index((self._part, compiled.node))
        found = visit(node.args[1])
        self._list = self._items_of = -1
        return found

    def _pairs(self, node: tree.Function, visit: Callable[[tree.Formula], tree.Formula]) -> tree.Formula:
        """Return the tree of the figure over pairs of records, which a call of `pairs` has as its last argument and
        `visit` compiles; a first one is the key of the groups within which records are paired."""
        if not self._begins(node, (1, 2), "a key and a figure over pairs of records", _PAIRS_EXAMPLE):
            return tree.Number(1, node.span)
        self._paired = self._text(node.args[0], "key") if len(node.args) == 2 else (-1, None)
        self._has_pairs = True
        found = visit(node.args[-1])
        self._paired = None
        return found

    def _begins(self, node: tree.Function, sizes: Container[int], takes: str, help_text: str) -> bool:
        """Tell whether a call of `items` or `pairs` has one of some numbers of arguments, and stands within neither; if
        not, report it, by what it takes."""
        within = ITEMS if self._list >= 0 else PAIRS if self._paired is not None else ""
        if not within and len(node.args) in sizes:
            return True
        message = f"`{node.name}` stands within `{within}`" if within else f"`{node.name}` takes {takes}"
        self._findings.error("formula-type", message, node.span, help="let it stand alone" if within else help_text)
        return False

    def _of_list(self, one: Accumulated) -> Accumulated:
        """Return an accumulator whose meaning has the list over whose items it is, if it is over any."""
        listed = self._lists[one.fold.items].compiled if one.fold.items >= 0 else None
        return replace(one, meaning=[ITEMS, formula_meaning(listed.node), one.meaning]) if listed is not None else one

    def _check_key(self, node: tree.Formula, key: Compiled | None) -> None:
        """Report a key of groups of items that is the same for all items of a record."""
        if key is not None and not any(path.root == ITEM for path in key.paths):
            message = f"`{print_formula(node)}` is the same for all items of a record"
            help_text = "`per` around `items` groups records: `mean(per(record.document, items(record.slots, …)))`"
            self._findings.error("formula-type", message, node.span, "a key of items reads `item`", help=help_text)

    # ---- what is read of each record

    def _number(self, node: tree.Formula | None, takes: Takes) -> tuple[int, ScoreRange, Growth, Any]:
        """Compile an expression that gives a number for each record, and add it to the columns that the metric reads.

        Return the index of its column, the range of its values, how it changes when scores grow, and its meaning. For
        None, the column has a 1 for each record. ``takes`` is "number", or "given" for 1 or 0 for whether there is a
        value.
        """
        if node is None:
            self._numbers.append(ReadOfRecord("", "given", None, self._part, self._list))
            return len(self._numbers) - 1, ScoreRange(1.0, 1.0), "still", None
        resolved, compiler = self._with_pass(node), self._compiler()
        is_field = isinstance(resolved, tree.Text) and resolved.value in self._ranges
        compiled = compiler.number(resolved) if is_field else compiler.value(resolved)
        if compiled.kind == "truth":
            takes = "number"
        elif takes == "number" and compiled.kind in ("text", "list"):
            compiled = compiler.number(resolved)
        self._numbers.append(ReadOfRecord(print_formula(node), takes, compiled, self._part, self._list))
        way: Growth = "still" if takes == "given" else self._way(compiled)
        interval = {"truth": UNIT, "any": EVERYTHING}.get(compiled.kind, compiled.interval)
        return len(self._numbers) - 1, interval, way, formula_meaning(compiled.node)

    def _text(self, node: tree.Formula, takes: Takes) -> tuple[int, Any]:
        """Compile a group key or an answer, as ``takes`` says, and add it to the columns of strings that the metric
        reads.

        Return the index of its column, and its meaning.
        """
        compiled = self._compiler().value(self._with_pass(node))
        if not (compiled.paths or compiled.fields or reads_score(compiled)):
            message = "this is the same for all records"
            self._findings.error("formula-type", message, node.span, help="as in `record.figure`")
        self._texts.append(ReadOfRecord(print_formula(node), takes, compiled, self._part, self._list))
        return len(self._texts) - 1, formula_meaning(compiled.node)

    def _compiler(self, findings: Findings | None = None) -> FormulaCompiler:
        names = self._names
        fields = {name: interval for name, interval in self._ranges.items() if name is not None}
        fields |= {PASSED: UNIT} if names.no_pass is None and PASSED not in fields else {}
        score = self._ranges.get(None, EVERYTHING)
        roots = OF_RECORD if self._list < 0 else (*OF_RECORD, ITEM)
        return FormulaCompiler(fields, findings or self._findings, of_score=score, values=names.values, roots=roots)

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
            node.name in (PER, ITEMS, PAIRS) or node.name in ACCUMULATORS - _SEVERAL or self._is_of_one_score(node)
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
