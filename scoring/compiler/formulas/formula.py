"""Compile formulas: check names and kinds, compute ranges, find constant conditions, and build closures."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from msgspec import Struct
from msgspec.structs import replace

from scoring.compiler.formulas.formula_parts import (
    ANYTHING,
    WRONG,
    FormulaKind,
    FormulaPart,
    checked_evaluation,
    common_kind,
    each_item,
    formula_kind,
)
from scoring.compiler.programs.messages import Findings, comma_list
from scoring.diagnostics.source import Span
from scoring.lang import formula as tree
from scoring.lang.evaluation import SCORE, Evaluation
from scoring.lang.tree import OF_RECORD, ROOTS, Path, Root
from scoring.lang.words import is_name
from scoring.ranges import EVERYTHING, UNIT, ScoreRange, Truth, apply, as_range, compare_ranges, hull
from scoring.registry import registry
from scoring.values import Type

_WORDS_OF: dict[FormulaKind, str] = {
    "number": "a number",
    "truth": "a condition",
    "text": "a text",
    "list": "a list",
    "any": "a value",
}
LIKE = "fields"
"""The function that expands to all fields whose names match a pattern."""


class Compiled(Struct, frozen=True):
    """A checked formula: its kind, its range, its tree with every name resolved (``node``), and its evaluation.

    ``evaluate`` takes a mapping of scores by field name; it has the record's score under `SCORE`, where the formula may
    use it, and the row that paths read under `ROW`. ``paths`` and ``fields`` are what the formula reads; ``truth`` says
    of a condition whether it is always or never true.
    """

    kind: FormulaKind
    evaluate: Evaluation
    interval: ScoreRange = UNIT
    truth: Truth = "unknown"
    node: tree.Formula = tree.Bool(False)
    paths: frozenset[Path] = frozenset()
    fields: frozenset[str] = frozenset()

    def rounded(self) -> Compiled:
        """Return the formula with the ends of its range rounded to short decimals where they differ only by rounding
        errors.
        """
        return replace(self, interval=self.interval.rounded())


@dataclass(slots=True)
class FormulaCompiler:
    """A compiler of the formulas at one place of a spec, which checks them and reports mistakes.

    ``fields`` has the range of each score that may be named; ``of_score`` is the range of the word `score`, None where
    that is not allowed, as in ``aggregate``. ``values`` has the other words that are allowed, such as computed values,
    each with the path that it stands for and its type. ``roots`` are the words with which paths may begin; ``noun`` is
    what messages call the named scores; ``whole`` is the formula that is being compiled.
    """

    fields: Mapping[str, ScoreRange]
    findings: Findings
    of_score: ScoreRange | None = None
    values: Mapping[str, tuple[Path, Type]] = field(default_factory=dict)
    roots: Collection[Root] = OF_RECORD
    noun: str = "field"
    whole: tree.Formula | None = None

    def number(self, formula: tree.Formula) -> Compiled:
        """Compile a formula that must give a number, and report mistakes in it."""
        return self._compiled(formula, self._number)

    def condition(self, formula: tree.Formula) -> Compiled:
        """Compile a formula that must give a truth value, and report mistakes in it."""
        return self._compiled(formula, self._condition)

    def score(self, formula: tree.Formula) -> Compiled:
        """Compile a formula that gives a number or a condition (true scores 1, false 0), and report mistakes in it."""
        return self._compiled(formula, lambda node: self._part(node, "number", "truth", "any"))

    def value(self, formula: tree.Formula) -> Compiled:
        """Compile a formula that may give a value of any kind, and report mistakes in it."""
        return self._compiled(formula, self._check)

    def _compiled(self, formula: tree.Formula, check: Callable[[tree.Formula], FormulaPart]) -> Compiled:
        before, self.whole = len(self.findings.diagnostics), formula
        found = check(formula)
        is_clean = len(self.findings.diagnostics) == before
        evaluate: Evaluation = checked_evaluation(found.kind, found.node) if is_clean else lambda _: 0.0
        parts = [*tree.walk_formula(found.node)]
        paths = frozenset(part for part in parts if isinstance(part, Path))
        fields = frozenset(part.name for part in parts if isinstance(part, tree.Field))
        return Compiled(found.kind, evaluate, found.interval, found.truth, found.node, paths, fields)

    def _number(self, node: tree.Formula) -> FormulaPart:
        return self._part(node, "number")

    def _condition(self, node: tree.Formula) -> FormulaPart:
        return self._part(node, "truth")

    def _operand(self, node: tree.Formula) -> FormulaPart:
        """Return a checked operand of arithmetic: a number, or a list of numbers, to each of which the operation is
        applied."""
        return self._part(node, "number", "list", "any")

    def _part(self, node: tree.Formula, wanted: FormulaKind, *others: FormulaKind) -> FormulaPart:
        """Return a checked part of a formula, which must be of the kind ``wanted`` or of one in ``others``; other kinds
        are reported. A quoted string is the name of a field."""
        found = self._check(tree.Field(node.value, node.span) if isinstance(node, tree.Text) else node)
        return found if found.kind in others else self._expect(found, wanted, node.span)

    def _check(self, node: tree.Formula) -> FormulaPart:
        if isinstance(node, tree.Number):
            return FormulaPart("number", node, as_range(node.value))
        if isinstance(node, tree.Bool):
            return FormulaPart("truth", node, truth="always" if node.value else "never")
        if isinstance(node, tree.Text):
            return self._text(node)
        if isinstance(node, Path):
            return self._path(node)
        if isinstance(node, (tree.Field, tree.ScoreRef)):
            return self._reference(node)
        if isinstance(node, tree.Function):
            return self._function(node)
        if isinstance(node, tree.ListOf):
            parts = tuple(map(self._check, node.items))
            interval = hull(part.interval for part in parts) if common_kind(parts) == "number" else EVERYTHING
            return FormulaPart("list", replace(node, items=tuple(part.node for part in parts)), interval, parts=parts)
        if isinstance(node, tree.Unary):
            return self._unary(node)
        if isinstance(node, tree.Binary):
            return self._binary(node)
        if isinstance(node, tree.Compare):
            return self._comparison(node)
        return self._boolean(node) if isinstance(node, tree.BoolOp) else self._index(node)

    def _expect(self, found: FormulaPart, kind: FormulaKind, span: Span | None) -> FormulaPart:
        if found.kind == kind:
            return found
        if (found.kind, kind) == ("truth", "number") and found.node is not WRONG.node:
            counted = tree.Function("if", (found.node, tree.Number(1), tree.Number(0)), span)
            ends = {"always": as_range(1), "never": as_range(0), "unknown": UNIT}
            return FormulaPart("number", counted, ends[found.truth])
        # What a record holds is looked at when it is read, and what is wrong was told.
        if found.kind == "any" or found.node is WRONG.node:
            return replace(found, kind=kind)
        self.findings.error(
            "formula-type",
            f"this is {_WORDS_OF[found.kind]}, where {_WORDS_OF[kind]} is required",
            span,
            f"expected {_WORDS_OF[kind]}",
            help=_HELP.get((found.kind, kind), ""),
        )
        return replace(WRONG, kind=kind)

    # ---- names, texts and paths

    def _text(self, node: tree.Text) -> FormulaPart:
        """Return a checked string, where strings are allowed; report it if it could also mean a field whose name needs
        quotes."""
        if node.value in self.fields and not (is_name(node.value) and node.value not in (SCORE, *ROOTS)):
            self.findings.error(
                "formula-type",
                f"`{node.value}` may be a text here, or the field of that name",
                node.span,
                "this could mean either",
                help=f'for the score of the field write `1 * "{node.value}"`; for the text rename the field',
            )
        return FormulaPart("text", node)

    def _path(self, node: Path) -> FormulaPart:
        if not node.segments and node.root in self.fields:
            return self._reference(tree.Field(node.root, node.span))
        if node.root not in self.roots:
            help_text = f"paths begin at: {comma_list(self.roots) or 'none'}"
            self.findings.error("formula-type", f"there is no `{node.root}` in this formula", node.span, help=help_text)
            return WRONG
        return ANYTHING.of(node) if node.root != "values" else self._value(node)

    def _value(self, node: Path) -> FormulaPart:
        """Return the checked part for a path that begins with `values`; the value's name may follow the alias of an
        import."""
        names = [*map(str, node.segments)]
        length = next((size for size in (1, 2) if ".".join(names[:size]) in self.values), None)
        if length is None:
            known = f"values: {comma_list(self.values)}" if self.values else "declare it under `values:`"
            name = ".".join(names)
            self.findings.unknown("unknown-name", f"there is no value `{name}`", node.span, name, self.values, known)
            return WRONG
        path, kind = self.values[".".join(names[:length])]
        rest = node.segments[length:]
        found = replace(path, segments=(*path.segments, *rest), span=node.span)
        return ANYTHING.of(found) if rest else FormulaPart(formula_kind(kind), found, EVERYTHING)

    def _reference(self, node: tree.Field | tree.ScoreRef) -> FormulaPart:
        if isinstance(node, tree.ScoreRef):
            if self.of_score is None:
                message, help_text = "`score` is what this formula defines", f"fields: {comma_list(self.fields)}"
                if self.noun == "value":
                    message = "there is no `score` here"
                    help_text = "that of an item is `item.score`, as in `keep(where=item.score > 0.5)`"
                self.findings.error("unknown-field", message, node.span, help=help_text)
            return FormulaPart("number", node, self.of_score or EVERYTHING)
        if node.name in self.fields:
            return FormulaPart("number", node, self.fields[node.name])
        if node.name in self.values:
            path, kind = self.values[node.name]
            return FormulaPart(formula_kind(kind), replace(path, span=node.span), EVERYTHING)
        from scoring.compiler.programs.suggestions import of_field

        known = [*self.fields, *self.values, *([SCORE] if self.of_score is not None else [])]
        lists = {"fields" if self.noun == "field" else f"{self.noun}s": self.fields, "values": self.values}
        listed = [f"{noun}: {comma_list(names)}" for noun, names in lists.items() if names]
        help_text = "; ".join(listed) if self.fields else "; ".join(filter(None, [of_field(node.name, ()), *listed]))
        if registry.knows(node.name):
            help_text = self._of_step(node.name)
        self.findings.unknown(
            "unknown-field", f"there is no {self.noun} `{node.name}`", node.span, node.name, known, help_text
        )
        return WRONG

    def _of_step(self, name: str) -> str:
        """Return a hint for a formula that uses `name`, a step of pipelines; "" if an error that was already reported
        has this hint."""
        is_reported = any(one.id == "unknown-field" for one in self.findings.diagnostics)
        if pipeline := self._as_pipeline():
            from scoring.diagnostics.meant import Advice

            advice = f"`{name}` is a step of pipelines, and this is a formula: write `{pipeline}`"
            return "" if is_reported else Advice.of(advice, self.whole.span if self.whole else None, pipeline)
        return f"`{name}` is a step of pipelines; a threshold is one, too: `{name} | at_least(0.5)`"

    def _as_pipeline(self) -> str:
        """Return a formula of steps as the pipeline that was meant; "" if there is none."""
        from scoring.compiler.programs.suggestions import of_steps

        return of_steps(self.whole, self.fields) if self.whole is not None else ""

    # ---- operators

    def _unary(self, node: tree.Unary) -> FormulaPart:
        if node.op == "not":
            turned: dict[Truth, Truth] = {"always": "never", "never": "always", "unknown": "unknown"}
            inner = self._condition(node.x)
            return FormulaPart("truth", replace(node, x=inner.node), truth=turned[inner.truth])
        inner = self._operand(node.x)
        return each_item(replace(node, x=inner.node), [inner], lambda ends: ScoreRange(-ends[0].high, -ends[0].low))

    def _binary(self, node: tree.Binary) -> FormulaPart:
        left, right = self._operand(node.a), self._operand(node.b)
        if node.op == "/" and right.interval == ScoreRange(0, 0):
            self.findings.error("formula-type", "this divides by 0", node.b.span, help="divide by another number")
        if left.parts and right.parts and len(left.parts) != len(right.parts):
            message = f"the lists have {len(left.parts)} and {len(right.parts)} numbers"
            self.findings.error("formula-type", message, node.span)
        found = replace(node, a=left.node, b=right.node)
        return each_item(found, [left, right], lambda ranges: _of_pair(found, ranges[0], ranges[1]))

    def _comparison(self, node: tree.Compare) -> FormulaPart:
        if node.op in ("in", "not in"):
            return self._membership(node)
        left, right = self._sides(node)
        found = replace(node, a=left.node, b=right.node)
        if left.kind == right.kind == "number":
            ranges = [
                part.interval.rounded() if isinstance(side, tree.Binary) else part.interval
                for side, part in ((node.a, left), (node.b, right))
            ]
            truth = compare_ranges(node.op, *ranges)
            if truth != "unknown":
                why = f"{left.interval} {node.op} {right.interval} {truth} holds"
                instead = "choose a bound inside the range of the score, or leave the condition out"
                self._constant(node, truth, why, instead)
            return FormulaPart("truth", found, truth=truth)
        if "any" not in (left.kind, right.kind) and WRONG.node not in (left.node, right.node):
            if left.kind != right.kind:
                self._apart(node, f"{_WORDS_OF[left.kind]} is never equal to {_WORDS_OF[right.kind]}")
            elif isinstance(left.node, tree.Text) and isinstance(right.node, tree.Text):
                self._apart(node, "both texts are known")
        return FormulaPart("truth", found)

    def _sides(self, node: tree.Compare) -> tuple[FormulaPart, FormulaPart]:
        """Return both sides of a comparison, checked; only `==` and `!=` accept values that are not numbers."""
        sides = [node.a, node.b]
        names_fields = all(isinstance(side, tree.Text) and side.value in self.fields for side in sides)
        if node.op not in ("==", "!=") or names_fields:
            return self._number(node.a), self._number(node.b)
        parts = [None if isinstance(side, tree.Text) else self._check(side) for side in sides]
        # Beside a number a text in quotes is the name of a field, beside anything else it is the text.
        is_number = any(part is not None and part.kind == "number" for part in parts)
        left, right = (
            part if part is not None else self._number(side) if is_number else self._check(side)
            for side, part in zip(sides, parts, strict=True)
        )
        return left, right

    def _apart(self, node: tree.Compare, why: str) -> None:
        self._constant(node, "never" if node.op == "==" else "always", why, "compare values that can be equal")

    def _constant(self, node: tree.Compare, truth: Truth, why: str, help: str) -> None:
        verdict = "can never fail" if truth == "always" else "can never hold"
        self.findings.error("constant-condition", f"this condition {verdict}", node.span, why, help=help)

    def _membership(self, node: tree.Compare) -> FormulaPart:
        left, right = self._check(node.a), self._check(node.b)
        if right.kind in ("number", "truth") and right is not WRONG:
            message = f"nothing is `in` {_WORDS_OF[right.kind]}"
            help_text = 'write a list, as in `record.kind in ["a", "b"]`, or a text'
            self.findings.error("formula-type", message, node.b.span, "expected a list or a text", help=help_text)
        elif right.kind == "text" and left.kind not in ("text", "any"):
            message = f"{_WORDS_OF[left.kind]} is never in a text"
            self.findings.error("formula-type", message, node.a.span, "expected a text")
        return FormulaPart("truth", replace(node, a=left.node, b=right.node))

    def _boolean(self, node: tree.BoolOp) -> FormulaPart:
        parts = [self._condition(item) for item in node.items]
        found, truths = replace(node, items=tuple(part.node for part in parts)), {part.truth for part in parts}
        decides: Truth = "never" if node.op == "and" else "always"
        if decides in truths:
            return FormulaPart("truth", found, truth=decides)
        return FormulaPart("truth", found, truth=truths.pop() if len(truths) == 1 else "unknown")

    def _index(self, node: tree.Index) -> FormulaPart:
        holder, at = self._check(node.x), self._check(node.at)
        if holder.kind in ("number", "truth") and holder.node is not WRONG.node:
            message = f"{_WORDS_OF[holder.kind]} has no items"
            self.findings.error("formula-type", message, node.x.span, "expected a list")
        elif at.kind in ("truth", "list") or (isinstance(at.node, tree.Number) and at.node.value % 1):
            from scoring.lang.formula_printer import print_formula  # what only a report needs

            what = _WORDS_OF[at.kind] if at.kind != "number" else print_formula(at.node)
            message = f"{what} is not a position"
            self.findings.error("formula-type", message, node.at.span, "expected a whole number or a key")
        found = tree.item_of(holder.node, at.node, node.span)
        if holder.kind == "text":
            return FormulaPart("text", found)
        kind = common_kind(holder.parts) if holder.parts else "any"
        bounds = holder.parts[0].interval.hull(*(part.interval for part in holder.parts)) if kind == "number" else UNIT
        return FormulaPart(kind, found, bounds)

    # ---- functions

    def _function(self, node: tree.Function) -> FormulaPart:
        from scoring.lang.functions import FUNCTIONS, wrong_count  # what only a formula that calls one needs

        if node.name == LIKE:
            return self._fields_like(node)
        if node.name not in FUNCTIONS and node.name != "if":
            known = [*FUNCTIONS, "if", LIKE]
            message, span = f"formulas have no function `{node.name}`", node.name_span or node.span
            from scoring.diagnostics.meant import Advice

            theirs = self._as_pipeline()
            advice = f"`{node.name}` is a step of pipelines: write `{theirs}`" if theirs else ""
            help_text: str = Advice.of(advice, self.whole.span if self.whole else None, theirs)
            help_text = help_text or f"functions: {comma_list(known)}"
            self.findings.unknown("unknown-function", message, span, node.name, known, help_text)
            return WRONG
        wrong = wrong_count(node)
        if wrong:
            self.findings.error("formula-type", wrong, node.span, help=f"here it has {len(node.args)}")
            return WRONG
        return self._choice(node) if node.name == "if" else self._call(node)

    def _choice(self, node: tree.Function) -> FormulaPart:
        test, then, other = self._condition(node.args[0]), self._check(node.args[1]), self._check(node.args[2])
        both = then, other
        if common_kind(both) == "any" and "any" not in (then.kind, other.kind):
            both = (self._number(node.args[1]), self._number(node.args[2]))
        found = replace(node, args=(test.node, *(part.node for part in both)))
        one, two = (part.interval for part in both)
        intervals = {"always": one, "never": two, "unknown": one.hull(two)}
        return FormulaPart(common_kind(both), found, intervals[test.truth])

    def _call(self, node: tree.Function) -> FormulaPart:
        from scoring.compiler.formulas.formula_calls import call_range
        from scoring.lang.functions import FUNCTIONS

        takes = FUNCTIONS[node.name].takes
        if takes == "any":
            parts = [self._check(item) for item in node.args]
        elif takes == "numbers":
            parts = [self._operand(item) for item in node.args]
        else:
            first, *others = node.args
            parts = [self._operand(first), *(self._number(item) for item in others)]
        found = replace(node, args=tuple(part.node for part in parts))
        before = len(self.findings.diagnostics)
        bounds = call_range(node, parts, self.findings)
        if len(self.findings.diagnostics) > before:
            return WRONG
        return each_item(found, parts, lambda _: bounds) if takes == "number" else FormulaPart("number", found, bounds)

    def _fields_like(self, node: tree.Function) -> FormulaPart:
        """Return the list of the scores of all fields that match a call such as `fields("p*")`; report a call without
        any."""
        from scoring.compiler.formulas.formula_calls import is_like

        wanted = node.args[0] if len(node.args) == 1 else None
        if not isinstance(wanted, tree.Text):
            help_text = 'as in `mean(fields("p*"))`; `*` stands for any letters'
            self.findings.error("formula-type", f"`{LIKE}` takes one text", node.span, help=help_text)
            return WRONG
        names = [name for name in self.fields if is_like(name, wanted.value)]
        if not names:
            message, help_text = f"no {self.noun} matches `{wanted.value}`", f"fields: {comma_list(self.fields)}"
            self.findings.error("unknown-field", message, wanted.span, help=help_text)
            return WRONG
        return self._check(tree.ListOf(tuple(tree.Field(name, node.span) for name in names), node.span))


def _of_pair(node: tree.Binary, left: ScoreRange, right: ScoreRange) -> ScoreRange:
    """Return the range of the result of a binary operation (``node``), given the ranges of its operands; it is narrower
    if the operands are the same formula."""
    if node.a == node.b and left.is_finite:
        if node.op == "*":
            return left.square()
        if node.op in "-/":
            return as_range(0.0 if node.op == "-" else 1.0)
    return apply(node.op, left, right)


_HELP: dict[tuple[FormulaKind, FormulaKind], str] = {
    ("number", "truth"): "compare it, for example `score >= 0.8`",
    ("text", "number"): "`length(…)` is how many characters it has; compare texts with `==` and `in`",
    ("list", "number"): "`sum(…)`, `max(…)`, `length(…)` and `argmax(…)` turn a list into a number",
    ("text", "truth"): 'compare it, for example `record.kind == "a"`',
    ("list", "truth"): "compare it, or ask whether something is `in` it",
}
