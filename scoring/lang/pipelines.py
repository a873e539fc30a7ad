"""Build the syntax trees of pipelines and paths from Lark's parse trees."""

from __future__ import annotations

from typing import NamedTuple

from lark import Token, v_args
from lark.tree import Meta

from scoring.diagnostics.source import Span
from scoring.lang import limits, tree
from scoring.lang.builder import TreeBuilder
from scoring.lang.printer import value_text
from scoring.lang.tree import ITEM, ROOT_OF, SOFT_ROOTS

_CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_FOREIGN_CONSTANTS = {
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


@v_args(meta=True)
class PipelineBuilder(TreeBuilder):
    """A builder that turns Lark's parse tree into a pipeline or path; each method is for the rule with its name."""

    def scorer(self, _: Meta, parts: list[tree.Pipeline]) -> tree.Pipeline:
        """Return a pipeline; report one without steps."""
        self._check_has_step(parts[0])
        return parts[0]

    def computed(self, _: Meta, parts: list[tree.Pipeline]) -> tree.Pipeline:
        """Return the expression of a computed value: a pipeline, which may be a path alone."""
        return parts[0]

    def pipeline(self, meta: Meta, parts: list[tree.Path | tree.Call | tree.Pipeline]) -> tree.Pipeline:
        """Return the pipeline of some steps, optionally after a path; pipelines in parentheses become their steps."""
        head: tree.Path | None = None
        steps: list[tree.Call] = []
        for index, part in enumerate(parts):
            begins = part if isinstance(part, tree.Path) else part.head if isinstance(part, tree.Pipeline) else None
            if index == 0:
                head = begins
            elif begins is not None:
                self._refuse_further(begins)
            if not isinstance(part, tree.Path):
                steps += part.steps if isinstance(part, tree.Pipeline) else (part,)
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

    def call(self, meta: Meta, parts: list[Name | NamedValue | tree.Value]) -> tree.Call:
        """Return a call of a name with its arguments, positional ones first."""
        name, *arguments = parts
        assert isinstance(name, Name)  # by the grammar
        args: list[tree.Value] = []
        keywords: list[NamedValue] = []
        for one in arguments:
            if isinstance(one, NamedValue):
                keywords.append(one)
            elif not isinstance(one, Name):
                args.append(one)
                self._check_comes_first(one, keywords)
        self._check_step_name(name, has_arguments=bool(arguments))
        self.check_once("argument", [one.name for one in keywords])
        kwargs = tuple((one.name.text, one.value) for one in keywords)
        spans = tuple(one.name.span for one in keywords)
        return tree.Call(name.text, tuple(args), kwargs, self.span(meta), name.span, spans)

    def _name(self, meta: Meta, parts: list[Token]) -> Name:
        return Name("".join(map(self.name, parts)), self.span(meta))

    name_of_step = name_of_item = key = _name

    def named(self, _: Meta, parts: tuple[Name, tree.Value]) -> NamedValue:
        """Return a `name=value` pair of a call or a map."""
        return NamedValue(*parts)

    def expression(self, _: Meta, parts: list[tree.Pipeline]) -> tree.Value:
        """Return a pipeline as an argument; one that is a path alone becomes that path."""
        (found,) = parts
        return found if found.steps or found.head is None else found.head

    def literal(self, meta: Meta, parts: list[Token]) -> tree.Literal:
        """Return a text, a number with an optional sign, or a constant."""
        last = parts[-1]
        if last.type == "NUMBER":
            return tree.Literal(self.number(parts), self.span(meta))
        return tree.Literal(self.text(last) if last.type == "TEXT" else _CONSTANTS[last], self.span(meta))

    def list_value(self, meta: Meta, items: list[tree.Value]) -> tree.ListValue:
        """Return a list such as `[1, 2]`."""
        return tree.ListValue(tuple(items), self.span(meta))

    def map_value(self, meta: Meta, entries: tuple[NamedValue, ...]) -> tree.MapValue:
        """Return a map such as `{name=value}`; report repeated names."""
        self.check_once("key", [one.name for one in entries])
        items = tuple((one.name.text, one.value) for one in entries)
        return tree.MapValue(items, self.span(meta), tuple(one.name.span for one in entries))

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

    def _refuse_further(self, head: tree.Path) -> None:
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
        elif first in _CONSTANTS:
            self.found.error(
                "syntax-value-as-step",
                f"`{name.text}` is a value, not a step",
                name.span,
                "expected the name of a step",
                help="a value is an argument of a step, as in `f(…)`",
            )
        elif name.text in _FOREIGN_CONSTANTS and not has_arguments:
            self.found.error(
                "syntax-constant",
                f"`{name.text}` is not a word of the language",
                name.span,
                f"write `{_FOREIGN_CONSTANTS[name.text]}`",
                note="the constants are true, false and null",
            )
