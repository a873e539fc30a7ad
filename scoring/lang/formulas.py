"""Build the syntax trees of formulas from Lark's parse trees."""

from __future__ import annotations

from typing import Any, cast

from lark import Token
from lark.tree import Meta

from scoring.lang import formula as tree
from scoring.lang.builder import TreeBuilder
from scoring.lang.formula import Formula
from scoring.lang.tree import ROOT_OF, Path


class FormulaBuilder(TreeBuilder):
    """A builder that turns Lark's parse tree into a formula; each method is for the grammar rule with its name."""

    def any_of(self, meta: Meta, items: list[Formula]) -> Formula:
        """Return formulas joined by `or`."""
        return tree.BoolOp("or", tuple(items), self.span(meta))

    def all_of(self, meta: Meta, items: list[Formula]) -> Formula:
        """Return formulas joined by `and`."""
        return tree.BoolOp("and", tuple(items), self.span(meta))

    def comparison(self, meta: Meta, parts: list[Any]) -> Formula:
        """Return a comparison; a chain `a < b < c` becomes comparisons joined by `and`."""
        left, *rest = parts
        links: list[Formula] = []
        for symbol, right in zip(rest[::2], rest[1::2], strict=True):
            op = cast(tree.CompareOp, " ".join(symbol.split()))  # `not in` may be split over two lines
            span = left.span.to(right.span) if left.span and right.span else None
            links.append(tree.Compare(op, left, right, span))
            left = right
        return tree.BoolOp("and", tuple(links), self.span(meta)) if len(links) > 1 else links[0]

    def binary(self, meta: Meta, parts: tuple[Formula, Token, Formula]) -> Formula:
        """Return an arithmetic operation on two formulas."""
        left, symbol, right = parts
        return tree.Binary(cast(tree.BinaryOp, str(symbol)), left, right, self.span(meta))

    def unary(self, meta: Meta, parts: tuple[Token, Formula]) -> Formula:
        """Return a formula preceded by `-` or `not`."""
        symbol, operand = parts
        return tree.Unary(cast(tree.UnaryOp, str(symbol)), operand, self.span(meta))

    def amount(self, meta: Meta, parts: list[Token]) -> Formula:
        """Return the number in a token, which has no sign."""
        return tree.Number(self.number(parts), self.span(meta))

    def truth(self, meta: Meta, parts: list[Token]) -> Formula:
        """Return `true` or `false`."""
        return tree.Bool(parts[0] == "true", self.span(meta))

    def score(self, meta: Meta, _: list[Token]) -> Formula:
        """Return the reference to the score of the record."""
        return tree.ScoreRef(self.span(meta))

    def words(self, meta: Meta, parts: list[Token]) -> Formula:
        """Return a quoted string."""
        return tree.Text(self.text(parts[0]), self.span(meta))

    def field(self, meta: Meta, parts: list[Token]) -> Formula:
        """Return the reference to the score of a field, or to a value."""
        self._check_name(parts[0])
        return tree.Field(str(parts[0]), self.span(meta))

    def function(self, meta: Meta, parts: tuple[Token, *tuple[Formula, ...]]) -> Formula:
        """Return a call such as `min(a, b)`."""
        name, *args = parts
        self._check_name(name)
        return tree.Function(str(name), tuple(args), self.span(meta), self.span(name))

    def items(self, meta: Meta, items: list[Formula]) -> Formula:
        """Return a list of formulas."""
        return tree.ListOf(tuple(items), self.span(meta))

    def index(self, meta: Meta, parts: tuple[Formula, Formula]) -> Formula:
        """Return the item `x[i]` of a list or mapping."""
        return tree.item_of(*parts, self.span(meta))

    def whole(self, meta: Meta, parts: list[Token]) -> Formula:
        """Return a path that consists only of its root, such as `record`."""
        return Path(ROOT_OF[str(parts[0])], (), self.span(meta))

    def attribute(self, meta: Meta, parts: tuple[Formula, Token]) -> Formula:
        """Return a path extended by the name after a dot."""
        found, name = parts
        return tree.item_of(found, tree.Text(self.name(name), self.span(name)), self.span(meta))

    def _check_name(self, word: Token) -> None:
        # Where no operator is possible, `and` and `or` are parsed as names, and reported here.
        if word in ("and", "or"):
            self.found.error(
                "syntax-missing-operand",
                f"`{word}` is not allowed here",
                self.span(word),
                "expected a number, a field or a function",
                help=f'a field of this name is written "{word}", in quotes',
            )
