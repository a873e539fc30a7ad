"""Build the syntax trees of pipelines and paths from Lark's parse trees."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from lark import Token
from lark.tree import Meta

from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Fragment, Span
from scoring.lang import limits, tree
from scoring.lang.builder import TreeBuilder
from scoring.lang.formula import Field, Formula, walk_formula
from scoring.lang.printer import value_text
from scoring.lang.tree import ITEM, ROOT_OF, SOFT_ROOTS

_CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_OTHER_CONSTANTS = {
    **dict.fromkeys(("True", "TRUE"), "true"),
    **dict.fromkeys(("False", "FALSE"), "false"),
    **dict.fromkeys(("None", "NULL", "Null", "nil", "undefined"), "null"),
}


class Name(NamedTuple):
    """A name in an expression and its span."""

    text: str
    span: Span


class NamedValue(NamedTuple):
    """A `name=value` pair in a call or in a map."""

    name: Name
    value: tree.Value


class Extent(NamedTuple):
    """The offsets between which a formula stands."""

    start: int
    end: int


_Part = tree.Value | Extent
"""A value whose formulas are not parsed yet, since they may be parts of larger ones."""


def as_value(formula: Formula, fragment: Fragment) -> tree.FormulaText:
    """Return a formula as a value, given its tree and its text."""
    from scoring.lang.formula_printer import print_formula  # what only a formula among the values needs

    names: list[tree.Path | tree.Call] = []
    for part in walk_formula(formula):
        if isinstance(part, tree.Path):
            names.append(part)
        elif isinstance(part, Field):
            names.append(tree.Call(part.name, (), (), part.span, part.span))
    return tree.FormulaText(print_formula(formula), fragment, tuple(names))


class PipelineBuilder(TreeBuilder):
    """A builder that turns Lark's parse tree into a pipeline or path; each method is for the rule with its name.

    ``parse_formula`` parses the formulas among the arguments.
    """

    def __init__(self, parse_formula: Callable[[Fragment], Formula], fragment: Fragment) -> None:
        super().__init__(fragment)
        self._parse_formula = parse_formula

    def scorer(self, _: Meta, parts: list[tree.Pipeline]) -> tree.Pipeline:
        """Return a pipeline; report one without steps."""
        self._check_has_step(parts[0])
        return parts[0]

    def computed(self, meta: Meta, parts: list[_Part]) -> tree.Pipeline:
        """Return the expression of a computed value: a pipeline, which may be a path or a formula alone."""
        (found,) = parts
        if not isinstance(found, tree.Path | tree.Pipeline):
            found = self._formula(Extent(meta.start_pos, meta.end_pos))
        return self.pipeline(meta, [found])

    def chain(self, meta: Meta, parts: tuple[_Part, *tuple[tree.Call | tree.Pipeline, ...]]) -> tree.Pipeline:
        """Return a pipeline as an argument, which may begin with a path or a formula; report one that begins with a
        constant."""
        first, *steps = parts
        value = self._value(first)
        if isinstance(value, tree.Path | tree.FormulaText | tree.Pipeline):
            return self.pipeline(meta, [value, *steps])
        self.found.error(
            "syntax-value-as-step",
            f"`{value_text(value)}` is the same for all records",
            value.span,
            "expected a value of the record",
            help="a constant is an argument of a step, as in `f(…)`",
        )
        return self.pipeline(meta, [*steps])

    def pipeline(
        self, meta: Meta, parts: list[tree.Path | tree.FormulaText | tree.Call | tree.Pipeline]
    ) -> tree.Pipeline:
        """Return the pipeline of some steps, optionally after a path; pipelines in parentheses become their steps."""
        head: tree.Path | tree.FormulaText | None = None
        steps: list[tree.Call] = []
        for index, part in enumerate(parts):
            begins: tree.Path | tree.FormulaText | None = None
            if isinstance(part, tree.Pipeline):
                begins = part.head
                steps += part.steps
            elif isinstance(part, tree.Call):
                steps.append(part)
            else:
                begins = part
            if index == 0:
                head = begins
            elif begins is not None:
                self._refuse_further(begins)
        if len(steps) > limits.STEPS:
            self.found.error(
                "syntax-limit",
                f"a pipeline has at most {limits.STEPS} steps, but this one has {len(steps)}",
                self.span(meta),
                "too long",
                help="give its parts names under `scorers:` of a pack and use the names",
            )
        return tree.Pipeline(tuple(steps), self.span(meta), head)

    def group(self, _: Meta, parts: list[tree.Pipeline]) -> tree.Pipeline:
        """Return a pipeline in parentheses; report one without steps."""
        self._check_has_step(parts[0])
        return parts[0]

    def call(self, meta: Meta, parts: list[Name | NamedValue | _Part]) -> tree.Call:
        """Return a call of a name with its arguments, positional ones first."""
        name, *arguments = parts
        assert isinstance(name, Name)  # by the grammar
        args: list[tree.Value] = []
        keywords: list[NamedValue] = []
        for one in arguments:
            if isinstance(one, NamedValue):
                keywords.append(one)
            elif not isinstance(one, Name):
                args.append(self._value(one))
                self._check_comes_first(args[-1], keywords)
        self._check_step_name(name, has_arguments=bool(arguments))
        self.check_once("argument", [one.name for one in keywords])
        kwargs = tuple((one.name.text, one.value) for one in keywords)
        spans = tuple(one.name.span for one in keywords)
        return tree.Call(name.text, tuple(args), kwargs, self.span(meta), name.span, spans)

    def _name(self, meta: Meta, parts: list[Token]) -> Name:
        return Name("".join(map(self.name, parts)), self.span(meta))

    name_of_step = name_of_item = key = _name

    def named(self, _: Meta, parts: tuple[Name, _Part]) -> NamedValue:
        """Return a `name=value` pair of a call or a map."""
        name, value = parts
        return NamedValue(name, self._value(value))

    def map_value(self, meta: Meta, entries: tuple[NamedValue, ...]) -> tree.MapValue:
        """Return a map such as `{name=value}`; report repeated names."""
        self.check_once("key", [one.name for one in entries])
        items = tuple((one.name.text, one.value) for one in entries)
        return tree.MapValue(items, self.span(meta), tuple(one.name.span for one in entries))

    def literal(self, meta: Meta, parts: list[Token]) -> tree.Literal:
        """Return a text, a number without a sign, or a constant."""
        (token,) = parts
        if token.type == "NUMBER":
            return tree.Literal(self.number(parts), self.span(meta))
        return tree.Literal(self.text(token) if token.type == "TEXT" else _CONSTANTS[token], self.span(meta))

    def negative(self, meta: Meta, parts: tuple[Token, _Part]) -> _Part:
        """Return a number with its sign, or a formula that begins with a minus."""
        value = parts[1].value if isinstance(parts[1], tree.Literal) else None
        if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
            return tree.Literal(-value, self.span(meta))
        return self.formula_text(meta, parts)

    def expression(self, _: Meta, parts: list[_Part | tree.Call]) -> _Part:
        """Return an argument that is a path, a list or a pipeline; a call becomes a pipeline of one step."""
        (found,) = parts
        return tree.Pipeline((found,), found.span) if isinstance(found, tree.Call) else found

    # ---- formulas among arguments

    def formula_text(self, meta: Meta, _: object) -> Extent:
        """Return where a formula stands; it is parsed when it is known not to be part of a larger one."""
        return Extent(meta.start_pos, meta.end_pos)

    def list_value(self, meta: Meta, items: list[_Part]) -> _Part:
        """Return a list such as `[1, 2]`; one with values of the record is a formula."""
        if any(isinstance(one, tree.Path | Extent) for one in items):
            return self.formula_text(meta, items)
        return tree.ListValue(tuple(map(self._value, items)), self.span(meta))

    def group_of(self, meta: Meta, parts: list[_Part]) -> _Part:
        """Return the value that stands in parentheses."""
        (found,) = parts
        return self.formula_text(meta, parts) if isinstance(found, Extent) else found

    def root_path(self, meta: Meta, parts: list[Token]) -> tree.Path:
        """Return a path that consists only of its root, such as `record`."""
        return tree.Path(ROOT_OF[str(parts[0])], (), self.span(meta))

    def member_of(self, meta: Meta, parts: tuple[_Part, Token]) -> _Part:
        """Return a path extended by the name after a dot."""
        of, name = parts
        if isinstance(of, tree.Path):
            return tree.Path(of.root, (*of.segments, self.name(name)), self.span(meta))
        return self.formula_text(meta, parts)

    def item_of(self, meta: Meta, parts: tuple[_Part | tree.Call, _Part]) -> _Part:
        """Return `x[i]`: a longer path if `x` is a path and `i` a constant, otherwise a formula."""
        of, at = parts
        key = at.value if isinstance(at, tree.Literal) else None
        if isinstance(of, tree.Path) and isinstance(key, str | int) and not isinstance(key, bool):
            return tree.Path(of.root, (*of.segments, key), self.span(meta))
        return self.formula_text(meta, parts)

    def _value(self, part: _Part) -> tree.Value:
        """Return a value whose formulas are parsed."""
        return self._formula(part) if isinstance(part, Extent) else part

    def _formula(self, extent: Extent) -> tree.FormulaText:
        """Return the formula at some offsets, parsed by the grammar of formulas; report what is wrong in it."""
        fragment = self.fragment.part(*extent)
        try:
            return as_value(self._parse_formula(fragment), fragment)
        except SpecError as error:
            self.found.extend(error.diagnostics)
            return tree.FormulaText("0", fragment)

    def path(self, meta: Meta, parts: tuple[Token, *tuple[str | int, ...]]) -> tree.Path:
        """Return a path to a value of the record."""
        root, *segments = parts
        return tree.Path(ROOT_OF[str(root)], tuple(segments), self.span(meta))

    def member(self, _: Meta, parts: tuple[Token]) -> str:
        """Return the name after a dot."""
        return self.name(parts[0])

    def position(self, meta: Meta, parts: tuple[Token, ...]) -> int:
        """Return the position in a list that stands in brackets; report one that is too large or not whole."""
        position = self.number([*parts])
        if isinstance(position, int):
            return position
        self.found.error(
            "syntax-number", "a position in a list is a whole number", self.span(meta), "counted from 0, or from -1"
        )
        return 0

    # ---- checks that the grammar can't express

    def _check_has_step(self, found: tree.Pipeline) -> None:
        if not found.steps and found.head is not None and found.head.span is not None:
            self._refuse_path(Name(value_text(found.head), found.head.span))

    def _refuse_further(self, head: tree.Path | tree.FormulaText) -> None:
        self.found.error(
            "syntax-path-as-step",
            f"`{value_text(head)}` is a value of the record, which can only begin a pipeline",
            head.span,
            "the value that flows in would be lost here",
            help="put it first, or write `value_of(…)` if it should replace the value that flows in",
        )

    def _refuse_path(self, name: Name) -> None:
        self.found.error(
            "syntax-path-as-step",
            f"`{name.text}` is a value of the record, not a step",
            name.span,
            "expected the name of a step",
            help=f"a value of the record is an argument of a step, as in `f({name.text})`; the pair flows in anyway",
        )

    def _check_comes_first(self, value: tree.Value, keywords: list[NamedValue]) -> None:
        if keywords:
            before = keywords[-1].name.text
            self.found.error(
                "syntax-positional-after-keyword",
                f"a positional value follows `{before}=`",
                value.span,
                "needs a name in front",
                help=f"write it before `{before}=`, or give it a name: `name=value`",
            )

    def _check_step_name(self, name: Name, *, has_arguments: bool) -> None:
        # The grammar accepts these words as names of steps, since they are special only as arguments.
        first = name.text.split(".", 1)[0]
        if first in ROOT_OF and first not in SOFT_ROOTS and not (name.text == ITEM and has_arguments):
            self._refuse_path(name)
        elif first in _CONSTANTS or first.partition("/")[0] == "not":
            what = "a value" if first in _CONSTANTS else "a word of formulas"
            self.found.error(
                "syntax-value-as-step",
                f"`{name.text}` is {what}, not a step",
                name.span,
                "expected the name of a step",
                help="a value is an argument of a step, as in `f(…)`",
            )
        elif name.text in _OTHER_CONSTANTS and not has_arguments:
            from scoring.diagnostics.meant import Meant

            self.found.error(
                "syntax-constant",
                f"`{name.text}` is not a word of the language",
                name.span,
                f"write `{_OTHER_CONSTANTS[name.text]}`",
                meant=[Meant(name.span, _OTHER_CONSTANTS[name.text])],
                note="the constants are true, false and null",
            )
