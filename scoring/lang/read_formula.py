"""Reads formulas, loosest first: `or`, `and`, `not`, comparisons, sums, products, minus."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import cast

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
    UnaryOp,
)
from scoring.lang.reader import TokenReader
from scoring.lang.scan import END, Token

_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


class FormulaReader(TokenReader):
    """Reads one formula."""

    def formula(self) -> Formula:
        """Any formula."""
        return self.joined("or", partial(self.joined, "and", partial(self.prefixed, "not", self.comparison)))

    def joined(self, op: BooleanOp, part: Callable[[], Formula]) -> Formula:
        """Formulas joined by one operator."""
        start, items = self.index, [part()]
        while self.take(op):
            items.append(part())
        return items[0] if len(items) == 1 else BoolOp(op, tuple(items), self.span(start))

    def prefixed(self, op: UnaryOp, part: Callable[[], Formula]) -> Formula:
        """A formula behind an operator that may stand many times, or not at all."""
        start = self.index
        while self.token.text == op:
            self.step()
        operand, found = self.index, part()
        for place in range(operand - 1, start - 1, -1):
            found = Unary(op, found, self.span(place))
        return found

    def comparison(self) -> Formula:
        """A sum, one comparison, or a chain of them, which holds if each of its links holds."""
        start, left = self.index, self.sum()
        links: list[Formula] = []
        while self.token.text in _COMPARISONS:
            sign, right = cast(CompareOp, self.step().text), self.sum()
            links.append(Compare(sign, left, right, left.span.to(right.span) if left.span and right.span else None))
            left = right
        self.wish("a comparison")
        return BoolOp("and", tuple(links), self.span(start)) if len(links) > 1 else links[0] if links else left

    def sum(self) -> Formula:
        """Products, added or subtracted from the left."""
        return self.arithmetic("+-", partial(self.arithmetic, "*/", partial(self.prefixed, "-", self.atom)))

    def arithmetic(self, signs: str, part: Callable[[], Formula]) -> Formula:
        """Operands of operators of equal strength, read from the left."""
        start, left = self.index, part()
        while self.token is not END and self.token.text in tuple(signs):
            sign = cast(BinaryOp, self.step().text)
            left = Binary(sign, left, part(), self.span(start))
        self.wish("arithmetic")
        return left

    def atom(self) -> Formula:
        """A number, a constant, a field, `score`, a call of a function, or a formula in parentheses."""
        self.wish("a number, a field or a function")
        start, token = self.index, self.token
        if token.kind == "number":
            value = self.number()
            return Number(value, self.span(start))
        if token.text == "(":
            self.step()
            inner = self.formula()
            self.need(")")
            return inner
        if token.kind not in ("word", "text"):
            raise self.refused()
        self.step()
        if token.text in ("true", "false"):
            return Bool(token.text == "true", self.span(start))
        if token.text == "score":
            return ScoreRef(self.span(start))
        self._check_word(token)
        if token.kind == "word" and self.token.text == "(":
            return self.function(start)
        return Field(self.text(token) if token.kind == "text" else token.text, self.span(start))

    def function(self, start: int) -> Function:
        """The call of a function, behind its name."""
        name_span = self.span(start)
        self.need("(")
        arguments: list[Formula] = []
        while not self.take(")"):
            arguments.append(self.formula())
            if not self.take(","):
                self.need(")")
                break
        return Function(self.tokens[start].text, tuple(arguments), self.span(start), name_span)

    def _check_word(self, word: Token) -> None:
        # Where no operator can stand, `and` and `or` are read as names, and said to be none.
        if word.text in ("and", "or"):
            self.found.error(
                "syntax-missing-operand",
                f"`{word.text}` cannot stand here",
                self.fragment.span(word.start, word.end),
                "expected a number, a field or a function",
                help=f'a field of this name is written "{word.text}", in quotes',
            )
