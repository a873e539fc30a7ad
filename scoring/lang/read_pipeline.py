"""Reads pipelines and their values."""

from __future__ import annotations

from scoring.diagnostics.source import Span
from scoring.lang import limits, tree
from scoring.lang.printer import value_text
from scoring.lang.reader import Refused, TokenReader
from scoring.lang.tree import ITEM, ROOT_OF, ROOTS, SOFT_ROOTS

_CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_FOREIGN_CONSTANTS = {
    **dict.fromkeys(("True", "TRUE"), "true"),
    **dict.fromkeys(("False", "FALSE"), "false"),
    **dict.fromkeys(("None", "NULL", "Null", "nil", "undefined"), "null"),
}
NamedArgument = tuple[str, Span, tree.Value]


class PipelineReader(TokenReader):
    """Reads one expression."""

    def pipeline(self) -> tree.Pipeline:
        """Steps in order, perhaps behind a path; a pipeline in parentheses that is a step gives its own steps."""
        start = self.index
        if self.is_path():
            return self.headed(self.path(), start)
        head, steps = self.steps()
        return self.rest(start, head, list(steps))

    def computed(self) -> tree.Pipeline:
        """What a value is computed from: a path alone, or any pipeline."""
        start = self.index
        if not self.is_path():
            return self.pipeline()
        head = self.path()
        return self.headed(head, start) if self.token.text == "|" else tree.Pipeline((), self.span(start), head)

    def headed(self, head: tree.Path, start: int) -> tree.Pipeline:
        """The pipeline behind a path, which it works on."""
        if self.take("|"):
            return self.rest(start, head, list(self.further()))
        name, span = self.fragment.text[self.tokens[start].start : self.tokens[self.index - 1].end], self.span(start)
        self._check_step_name(name, span, has_arguments=False, is_path=True)
        return tree.Pipeline((tree.Call(name, (), (), span, span),), span)

    def rest(self, start: int, head: tree.Path | None, steps: list[tree.Call]) -> tree.Pipeline:
        """The pipeline of the steps that were read, and of those that follow."""
        while self.take("|"):
            steps += self.further()
        if len(steps) > limits.STEPS:
            self.found.error(
                "syntax-limit",
                f"a pipeline has at most {limits.STEPS} steps, this has {len(steps)}",
                self.span(start),
                "too long",
                help="give its parts names under `scorers:` of a pack and use the names",
            )
        return tree.Pipeline(tuple(steps), self.span(start), head)

    def steps(self) -> tuple[tree.Path | None, tuple[tree.Call, ...]]:
        """One call, or the steps of a pipeline in parentheses, with the path that it begins with."""
        if not self.take("("):
            return None, (self.call(),)
        inner = self.pipeline()
        self.need(")")
        return inner.head, inner.steps

    def further(self) -> tuple[tree.Call, ...]:
        """The steps of a part that does not come first."""
        head, steps = self.steps()
        if head is not None:
            self.found.error(
                "syntax-path-as-step",
                f"`{value_text(head)}` is a value of the record, which only begins a pipeline",
                head.span,
                "the value that flows would be lost here",
                help="put it first, or write `value_of(…)` where it is meant to take the place of what flows",
            )
        return steps

    def is_path(self) -> bool:
        """Whether the next token begins a path."""
        text = self.token.text
        if text in SOFT_ROOTS:
            return self.is_next(".") or self.is_next("[")
        # The primitive of that name always has an argument: without one, it is the item that a step goes through.
        return text in ROOT_OF and not (text == ITEM and self.is_next("("))

    def call(self) -> tree.Call:
        """A name with its arguments, those by position first."""
        start, name = self.index, self.word()
        while self.token.text in (".", "/"):
            name += self.step().text + self.word()
        name_span = self.span(start)
        args: list[tree.Value] = []
        named: list[NamedArgument] = []
        if self.token.text == "(":
            self.step()
            for _ in self.separated(")"):
                self.argument(args, named)
        self._check_step_name(name, name_span, has_arguments=bool(args or named))
        self.check_once("argument", [(key, place) for key, place, _ in named])
        kwargs = tuple((key, value) for key, _, value in named)
        return tree.Call(name, tuple(args), kwargs, self.span(start), name_span, tuple(place for _, place, _ in named))

    def word(self) -> str:
        """A bare word."""
        if self.token.kind != "word":
            self.wish("a name")
            raise Refused
        return self.step().text

    def argument(self, args: list[tree.Value], named: list[NamedArgument]) -> None:
        """One argument, put where it belongs."""
        start = self.index
        if self.token.kind in ("word", "text"):
            if self.is_next("="):
                named.append(self.named())
                return
            self.wish("`=`", ahead=1)
        args.append(self.value())
        if named:
            before = named[-1][0]
            self.found.error(
                "syntax-positional-after-keyword",
                f"a value without a name follows `{before}=`",
                self.span(start),
                "needs a name in front",
                help=f"write it before `{before}=`, or give it a name: `name=value`",
            )

    def _check_step_name(self, name: str, span: Span, *, has_arguments: bool, is_path: bool = False) -> None:
        # Only where an argument can stand are these words anything but names.
        first = name.split(".", 1)[0]
        if is_path or (first in ROOT_OF and first not in SOFT_ROOTS and not (name == ITEM and has_arguments)):
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

    def named(self) -> NamedArgument:
        """`name=value` in a call or in a map."""
        start, name = self.index, self.name("a name")
        span = self.span(start)
        self.need("=")
        return name, span, self.value()

    def value(self) -> tree.Value:
        """Any argument."""
        self.wish("a value")
        start, token = self.index, self.token
        if self.is_path():
            path = self.path()
            return self.headed(path, start) if self.token.text == "|" else path
        if token.text in ("[", "{"):
            return self.list() if token.text == "[" else self.map()
        if token.text == "-" or token.kind == "number":
            number = self.signed()
            return tree.Literal(number, self.span(start))
        if token.text in _CONSTANTS or token.kind == "text":
            self.step()
            return tree.Literal(self.text(token) if token.kind == "text" else _CONSTANTS[token.text], self.span(start))
        if token.text == "(" or token.kind == "word":
            return self.pipeline()
        raise Refused

    def signed(self) -> int | float:
        """A number with an optional sign."""
        return self.number("-") if self.take("-") else self.number()

    def list(self) -> tree.ListValue:
        """`[1, 2]`."""
        start = self.index
        self.need("[")
        items = [self.value() for _ in self.separated("]")]
        return tree.ListValue(tuple(items), self.span(start))

    def map(self) -> tree.MapValue:
        """`{name=value, …}`, each name once."""
        start = self.index
        self.need("{")
        named = [self.named() for _ in self.separated("}")]
        self.check_once("key", [(key, place) for key, place, _ in named])
        items = tuple((key, value) for key, _, value in named)
        return tree.MapValue(items, self.span(start), tuple(place for _, place, _ in named))

    def path(self) -> tree.Path:
        """A value of the row."""
        start, root = self.index, ROOT_OF.get(self.token.text) if self.is_path() else None
        if root is None:
            self.wish(f"{', '.join(ROOTS[:-1])} or {ROOTS[-1]}")
            raise Refused
        self.step()
        segments: list[str | int] = []
        while (begins := self.take(".")) or self.take("["):
            segments.append(self.name("a name", "a text in quotes") if begins else self.position())
        return tree.Path(root, tuple(segments), self.span(start))

    def position(self) -> int:
        """A position in a list, behind its bracket."""
        start, position = self.index - 1, self.signed()
        self.need("]")
        if isinstance(position, int):
            return position
        self.found.error(
            "syntax-number", "a position in a list is a whole number", self.span(start), "counted from 0, or from -1"
        )
        return 0
