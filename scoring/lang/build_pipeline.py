"""Builds pipelines and their values from the parser's tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from scoring.diagnostics.source import Span
from scoring.lang.build import Builder, parts, token_texts, tokens
from scoring.lang.tree import ROOTS, Call, ListValue, Literal, MapValue, Path, Pipeline, Root, Value

if TYPE_CHECKING:
    from lark import Token, Tree

    Parsed = Tree[Token]

_CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_FOREIGN_CONSTANTS = {
    "True": "true",
    "TRUE": "true",
    "False": "false",
    "FALSE": "false",
    "None": "null",
    "NULL": "null",
    "Null": "null",
    "nil": "null",
    "undefined": "null",
}
_ROOTS: dict[str, Root] = {root: root for root in ROOTS}
Named = tuple[str, Span, Value]


class PipelineBuilder(Builder):
    """Builds one expression."""

    def pipeline(self, part: Parsed) -> Pipeline:
        """Steps in order; a pipeline in parentheses that is a step gives its own steps."""
        steps: list[Call] = []
        for step in parts(part):
            steps += self.pipeline(step).steps if step.data == "pipeline" else (self.call(step),)
        self.check_count("steps", len(steps), self.span(part))
        return Pipeline(tuple(steps), self.span(part))

    def call(self, part: Parsed) -> Call:
        """A name with its arguments, those by position first."""
        name_part, *rest = parts(part)
        name, span = "".join(token_texts(name_part)), self.span(name_part)
        self._check_step_name(name, span, has_arguments=bool(rest))
        args: list[Value] = []
        named: list[Named] = []
        for argument in parts(rest[0]) if rest else ():
            if argument.data == "named":
                named.append(self.named(argument))
                continue
            if named:
                self._misplaced(argument, named[-1])
            args.append(self.value(argument))
        self.check_once("argument", [(key, place) for key, place, _ in named])
        kwargs = tuple((key, value) for key, _, value in named)
        keyword_spans = tuple(place for _, place, _ in named)
        return Call(name, tuple(args), kwargs, self.span(part), span, keyword_spans)

    def _check_step_name(self, name: str, span: Span, has_arguments: bool) -> None:
        # Only where an argument can stand does the lexer tell these words from names.
        first = name.split(".", 1)[0]
        if first in _ROOTS:
            self.found.error(
                "syntax-path-as-step",
                f"`{name}` is a value of the record, not a step",
                span,
                "expected the name of a step",
                help=f"a value of the record is an argument of a step, as in `f({name})`; the pair flows in by itself",
            )
        elif first in _CONSTANTS:
            self.found.error(
                "syntax-value-as-step",
                f"`{name}` is a value, not a step",
                span,
                "expected the name of a step",
                help="a value is an argument of a step, as in `f(…)`",
            )
        elif name in _FOREIGN_CONSTANTS and not has_arguments:
            self.found.error(
                "syntax-constant",
                f"`{name}` is not a word of the language",
                span,
                f"write `{_FOREIGN_CONSTANTS[name]}`",
                note="the constants are true, false and null",
            )

    def _misplaced(self, argument: Parsed, before: Named) -> None:
        self.found.error(
            "syntax-positional-after-keyword",
            f"a value without a name follows `{before[0]}=`",
            self.span(argument),
            "needs a name in front",
            help=f"write it before `{before[0]}=`, or give it a name: `name=value`",
        )

    def named(self, part: Parsed) -> Named:
        """`name=value` in a call or in a map."""
        key, value = parts(part)
        word = key.children[0] if key.children else str(key.data).removeprefix("key_")
        name = word if isinstance(word, str) and not key.children else self.name(cast("Token", word))
        return name, self.span(key), self.value(value)

    def value(self, part: Parsed) -> Value:
        """Any argument."""
        kind, span = str(part.data), self.span(part)
        if kind == "pipeline":
            return self.pipeline(part)
        if kind == "path":
            return self.path(part)
        if kind == "text":
            return Literal(self.text(tokens(part)[0]), span)
        if kind == "number":
            return Literal(self.number(part), span)
        if kind == "list":
            return ListValue(tuple(self.value(item) for item in parts(part)), span)
        if kind == "map":
            return self.map(part)
        return Literal(_CONSTANTS[kind], span)

    def map(self, part: Parsed) -> MapValue:
        """`{name=value, …}`, each name once."""
        named = [self.named(item) for item in parts(part)]
        self.check_once("key", [(key, place) for key, place, _ in named])
        items = tuple((key, value) for key, _, value in named)
        return MapValue(items, self.span(part), tuple(place for _, place, _ in named))

    def path(self, part: Parsed) -> Path:
        """A value of the row."""
        root, *segments = parts(part)
        return Path(_ROOTS[str(root.data)], tuple(self.segment(segment) for segment in segments), self.span(part))

    def segment(self, part: Parsed) -> str | int:
        """`.name`, `."any text"` or `[0]`."""
        if part.data == "member":
            return self.name(tokens(part)[0])
        position = self.number(part)
        if isinstance(position, int):
            return position
        self.found.error(
            "syntax-number", "a position in a list is a whole number", self.span(part), "counted from 0, or from -1"
        )
        return 0
