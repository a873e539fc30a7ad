"""Reads formulas, loosest first: `or`, `and`, `not`, comparisons, sums, products, minus, items of lists."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import cast

from scoring.diagnostics.source import Fragment
from scoring.lang import formula as tree
from scoring.lang.formula import Formula
from scoring.lang.reader import Refused, TokenReader
from scoring.lang.scan import END, Token, check_operators
from scoring.lang.tree import ROOT_OF, SOFT_ROOTS, Path

_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=", "in")


class FormulaReader(TokenReader):
    """Reads one formula."""

    entry = "formula"

    def __init__(self, fragment: Fragment, entry: str = "") -> None:
        super().__init__(fragment, entry)
        check_operators(fragment, self.tokens)

    def formula(self) -> Formula:
        """Any formula."""
        return self.joined("or", partial(self.joined, "and", partial(self.prefixed, "not", self.comparison)))

    def joined(self, op: tree.BooleanOp, part: Callable[[], Formula]) -> Formula:
        """Formulas joined by one operator."""
        start, items = self.index, [part()]
        while self.take(op):
            items.append(part())
        return items[0] if len(items) == 1 else tree.BoolOp(op, tuple(items), self.span(start))

    def prefixed(self, op: tree.UnaryOp, part: Callable[[], Formula]) -> Formula:
        """A formula behind an operator that may stand many times, or not at all."""
        start = self.index
        while self.token.text == op:
            self.step()
        operand, found = self.index, part()
        for place in range(operand - 1, start - 1, -1):
            found = tree.Unary(op, found, self.span(place))
        return found

    def comparison(self) -> Formula:
        """A sum, one comparison, or a chain of them, which holds if each of its links holds."""
        start, left = self.index, self.sum()
        links: list[Formula] = []
        while (sign := self.sign()) is not None:
            right = self.sum()
            links.append(
                tree.Compare(sign, left, right, left.span.to(right.span) if left.span and right.span else None)
            )
            left = right
        self.wish("a comparison")
        return tree.BoolOp("and", tuple(links), self.span(start)) if len(links) > 1 else links[0] if links else left

    def sign(self) -> tree.CompareOp | None:
        """The sign of a comparison, `in` and `not in` among them, if one is next."""
        if self.token.text == "not" and self.is_next("in"):
            self.step()
            self.step()
            return "not in"
        return cast(tree.CompareOp, self.step().text) if self.token.text in _COMPARISONS else None

    def sum(self) -> Formula:
        """Products, added or subtracted from the left."""
        return self.arithmetic("+-", partial(self.arithmetic, "*/", partial(self.prefixed, "-", self.place)))

    def arithmetic(self, signs: str, part: Callable[[], Formula]) -> Formula:
        """Operands of operators of equal strength, read from the left."""
        start, left = self.index, part()
        while self.token is not END and self.token.text in tuple(signs):
            sign = cast(tree.BinaryOp, self.step().text)
            left = tree.Binary(sign, left, part(), self.span(start))
        self.wish("arithmetic")
        return left

    def place(self) -> Formula:
        """An atom, with the positions and names behind it that lead into what it holds: `record.p[0]`, `x[i]`."""
        start, root = self.index, ROOT_OF.get(self.token.text)
        if root in SOFT_ROOTS and not (self.is_next(".") or self.is_next("[")):
            root = None
        if root is not None:
            self.step()
        found: Formula = self.atom() if root is None else Path(root, (), self.span(start))
        while (is_name := root is not None and self.take(".")) or self.token.text == "[":
            place = self.index = self.index + (not is_name)
            at = tree.Text(self.name("a name", "a text in quotes"), self.span(place)) if is_name else self.formula()
            if not is_name:
                self.need("]")
            found = tree.item_of(found, at, self.span(start))
        return found

    def atom(self) -> Formula:
        """A number, a text, a constant, a field, `score`, a call, a list, or a formula in parentheses."""
        self.wish("a number, a field or a function")
        start, token = self.index, self.token
        if token.kind == "number":
            value = self.number()
            return tree.Number(value, self.span(start))
        if token.text == "(":
            self.step()
            inner = self.formula()
            self.need(")")
            return inner
        if token.text == "[":
            self.step()
            return tree.ListOf(self.formulas("]"), self.span(start))
        if token.kind not in ("word", "text"):
            raise Refused
        self.step()
        if token.text in ("true", "false"):
            return tree.Bool(token.text == "true", self.span(start))
        if token.text == "score":
            return tree.ScoreRef(self.span(start))
        if token.kind == "text":
            return tree.Text(self.text(token), self.span(start))
        self._check_word(token)
        if self.token.text == "(":
            name_span = self.span(start)
            self.step()
            return tree.Function(token.text, self.formulas(")"), self.span(start), name_span)
        return tree.Field(token.text, self.span(start))

    def formulas(self, closer: str) -> tuple[Formula, ...]:
        """The formulas up to a closing bracket, behind the opening one."""
        return tuple([self.formula() for _ in self.separated(closer)])

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
