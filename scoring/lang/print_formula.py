"""The canonical text of a formula: as few parentheses as the reading order allows."""

from __future__ import annotations

from itertools import pairwise

from scoring.lang.formula import Binary, Bool, BoolOp, Compare, Field, Formula, Function, Number, ScoreRef, Unary
from scoring.lang.words import FORMULA_WORDS, is_name, quote

# How tightly each kind holds together; an operand that holds less tightly stands in parentheses.
_OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _MINUS, _ATOM = range(8)
_BINDING = {"or": _OR, "and": _AND, "+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT}
_RISING, _FALLING = frozenset({"<", "<="}), frozenset({">", ">="})


def formula_text(tree: Formula) -> str:
    """The canonical text of any formula."""
    if isinstance(tree, Number):
        return repr(tree.value)
    if isinstance(tree, Bool):
        return "true" if tree.value else "false"
    if isinstance(tree, ScoreRef):
        return "score"
    if isinstance(tree, Field):
        return tree.name if is_name(tree.name) and tree.name not in FORMULA_WORDS else quote(tree.name)
    if isinstance(tree, Function):
        return f"{tree.name}({', '.join(formula_text(argument) for argument in tree.args)})"
    return _operation_text(tree)


def _operation_text(tree: Unary | Binary | Compare | BoolOp) -> str:
    if isinstance(tree, Unary):
        # Python reads `not a < b` as we do, people often do not: the comparison gets its parentheses.
        return f"not {_operand(tree.x, _SUM)}" if tree.op == "not" else f"-{_operand(tree.x, _MINUS)}"
    if isinstance(tree, Binary):
        binding = _BINDING[tree.op]
        # Operators of equal strength are read from the left, so the right operand must hold more tightly.
        return f"{_operand(tree.a, binding)} {tree.op} {_operand(tree.b, binding + 1)}"
    if isinstance(tree, Compare):
        return f"{_operand(tree.a, _SUM)} {tree.op} {_operand(tree.b, _SUM)}"
    return _chain_text(tree) or f" {tree.op} ".join(_operand(item, _BINDING[tree.op] + 1) for item in tree.items)


def _operand(tree: Formula, least: int) -> str:
    text = formula_text(tree)
    return text if _binding(tree) >= least else f"({text})"


def _binding(tree: Formula) -> int:
    if isinstance(tree, Unary):
        return _NOT if tree.op == "not" else _MINUS
    if isinstance(tree, Binary):
        return _BINDING[tree.op]
    if isinstance(tree, Compare):
        return _COMPARE
    if isinstance(tree, BoolOp):
        return _COMPARE if _chain(tree) else _BINDING[tree.op]
    return _ATOM


def _chain(tree: BoolOp) -> list[Compare]:
    """The links of `0.2 <= x and x < 0.8`, which is written `0.2 <= x < 0.8`; empty if it is no chain."""
    links = [item for item in tree.items if isinstance(item, Compare)]
    if tree.op != "and" or len(links) < len(tree.items):
        return []
    signs = {link.op for link in links}
    if not (signs <= _RISING or signs <= _FALLING):
        return []
    return links if all(a.b == b.a for a, b in pairwise(links)) else []


def _chain_text(tree: BoolOp) -> str:
    links = _chain(tree)
    if not links:
        return ""
    return _operand(links[0].a, _SUM) + "".join(f" {link.op} {_operand(link.b, _SUM)}" for link in links)
