"""Builds formulas from the parser's tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from scoring.lang.build import Builder, parts, tokens
from scoring.lang.formula import (
    Binary,
    BinaryOp,
    Bool,
    BooleanOp,
    BoolOp,
    Compare,
    CompareOp,
    Field,
    Formula,
    Function,
    Number,
    ScoreRef,
    Unary,
)

if TYPE_CHECKING:
    from lark import Token, Tree

    Parsed = Tree[Token]


class FormulaBuilder(Builder):
    """Builds one formula."""

    def formula(self, part: Parsed) -> Formula:
        """Any formula."""
        kind = str(part.data)
        if kind == "binary":
            return self.binary(part)
        if kind == "comparison":
            return self.comparison(part)
        if kind in ("formula", "conjunction"):
            return self.boolean("or" if kind == "formula" else "and", part)
        if kind in ("negative", "not"):
            return Unary("-" if kind == "negative" else "not", self.formula(parts(part)[0]), self.span(part))
        return self.function(part) if kind == "function" else self.atom(kind, part)

    def atom(self, kind: str, part: Parsed) -> Formula:
        """A number, a constant, a field, or `score`."""
        span = self.span(part)
        if kind == "positive":
            return Number(self.number(part), span)
        if kind == "field":
            self._check_word(tokens(part)[0])
            return Field(self.name(tokens(part)[0]), span)
        return ScoreRef(span) if kind == "score" else Bool(kind == "true", span)

    def binary(self, part: Parsed) -> Binary:
        """Arithmetic on two formulas."""
        a, b = (self.formula(operand) for operand in parts(part))
        return Binary(cast(BinaryOp, str(tokens(part)[0])), a, b, self.span(part))

    def boolean(self, op: BooleanOp, part: Parsed) -> BoolOp:
        """Formulas joined by one operator."""
        return BoolOp(op, tuple(self.formula(item) for item in parts(part)), self.span(part))

    def comparison(self, part: Parsed) -> Formula:
        """One comparison, or a chain of them, which holds if each of its links holds."""
        operands = [self.formula(operand) for operand in parts(part)]
        links: list[Formula] = []
        for index, sign in enumerate(tokens(part)):
            a, b = operands[index], operands[index + 1]
            span = a.span.to(b.span) if a.span and b.span else None
            links.append(Compare(cast(CompareOp, str(sign)), a, b, span))
        return links[0] if len(links) == 1 else BoolOp("and", tuple(links), self.span(part))

    def function(self, part: Parsed) -> Function:
        """A call of a function."""
        name = tokens(part)[0]
        self._check_word(name)
        arguments = tuple(self.formula(argument) for argument in parts(part))
        return Function(str(name), arguments, self.span(part), self.token_span(name))

    def _check_word(self, word: Token) -> None:
        # Where no operator can stand the lexer takes `and` and `or` for names.
        if word in ("and", "or"):
            self.found.error(
                "syntax-missing-operand",
                f"`{word}` cannot stand here",
                self.token_span(word),
                "expected a number, a field or a function",
                help=f'a field of this name is written "{word}", in quotes',
            )
