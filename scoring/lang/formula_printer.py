"""Print the canonical text of a formula, as `lang.printer` does that of a pipeline."""

from __future__ import annotations

from itertools import pairwise

from scoring.lang import formula as nodes
from scoring.lang.formula import Formula
from scoring.lang.printer import print_pipeline, value_text
from scoring.lang.tree import FIXED_ROOTS, SOFT_ROOTS, Path, Pipeline
from scoring.lang.words import FORMULA_WORDS, is_name, quote, text_literal

# Operator precedence; an operand of lower precedence is written in parentheses.
_OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _MINUS, _ATOM = range(8)
_BINDING = {"or": _OR, "and": _AND, "+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT}
_RISING, _FALLING = frozenset({"<", "<="}), frozenset({">", ">="})


def print_expression(tree: Pipeline | Formula, width: int | None = None) -> str:
    """Return the canonical text of a pipeline, in lines of at most `width` characters if given, or of a formula."""
    return print_pipeline(tree, width) if isinstance(tree, Pipeline) else print_formula(tree)


def print_formula(tree: Formula) -> str:
    """Return the canonical text of a formula on one line, with as few parentheses as operator precedence allows.

    Examples:
        >>> from scoring.lang.parser import parse_formula
        >>> print_formula(parse_formula("(a+b)*2 >= .5 and not(c)".replace(" .", " 0.")))
        '(a + b) * 2 >= 0.5 and not c'
    """
    if isinstance(tree, nodes.Number):
        return repr(tree.value)
    if isinstance(tree, nodes.Bool):
        return "true" if tree.value else "false"
    if isinstance(tree, nodes.ScoreRef):
        return "score"
    if isinstance(tree, nodes.Field):
        is_word = is_name(tree.name) and tree.name not in FORMULA_WORDS and tree.name not in FIXED_ROOTS
        return tree.name if is_word else quote(tree.name)
    if isinstance(tree, nodes.Text):
        return text_literal(tree.value)
    if isinstance(tree, Path):
        return value_text(tree)
    if isinstance(tree, nodes.Function):
        return f"{tree.name}({', '.join(map(print_formula, tree.args))})"
    if isinstance(tree, nodes.ListOf):
        return f"[{', '.join(map(print_formula, tree.items))}]"
    if isinstance(tree, nodes.Index):
        # `values[0]` is a path, but `(values)[0]` is an item of the value of a field with that name.
        of = _operand(tree.x, _ATOM)
        return f"{f'({of})' if isinstance(tree.x, nodes.Field) and of in SOFT_ROOTS else of}[{print_formula(tree.at)}]"
    return _operation_text(tree)


def _operation_text(tree: nodes.Unary | nodes.Binary | nodes.Compare | nodes.BoolOp) -> str:
    if isinstance(tree, nodes.Unary):
        if tree.op == "-":
            return f"-{_operand(tree.x, _MINUS)}"
        # Python reads `not a < b` as we do, but people often do not: the comparison is put in parentheses. Another
        # `not` needs none; with them, nested ones could exceed the limit on brackets, so the text could not be parsed.
        is_not = isinstance(tree.x, nodes.Unary) and tree.x.op == "not"
        return f"not {print_formula(tree.x) if is_not else _operand(tree.x, _SUM)}"
    if isinstance(tree, nodes.Binary):
        binding = _BINDING[tree.op]
        # Operators of equal precedence are left-associative, so the right operand needs a higher precedence.
        return f"{_operand(tree.a, binding)} {tree.op} {_operand(tree.b, binding + 1)}"
    if isinstance(tree, nodes.Compare):
        return f"{_operand(tree.a, _SUM)} {tree.op} {_operand(tree.b, _SUM)}"
    links = _chain(tree)
    if links:
        return _operand(links[0].a, _SUM) + "".join(f" {link.op} {_operand(link.b, _SUM)}" for link in links)
    return f" {tree.op} ".join(_operand(item, _BINDING[tree.op] + 1) for item in tree.items)


def _operand(tree: Formula, least: int) -> str:
    text = print_formula(tree)
    return text if _binding(tree) >= least else f"({text})"


def _binding(tree: Formula) -> int:
    if isinstance(tree, nodes.Unary):
        return _NOT if tree.op == "not" else _MINUS
    if isinstance(tree, nodes.Binary):
        return _BINDING[tree.op]
    if isinstance(tree, nodes.Compare):
        return _COMPARE
    if isinstance(tree, nodes.BoolOp):
        return _COMPARE if _chain(tree) else _BINDING[tree.op]
    return _ATOM


def _chain(tree: nodes.BoolOp) -> list[nodes.Compare]:
    """Return the comparisons of `0.2 <= x and x < 0.8`, which is written `0.2 <= x < 0.8`; empty if not a chain."""
    links = [item for item in tree.items if isinstance(item, nodes.Compare)]
    if tree.op != "and" or len(links) < len(tree.items):
        return []
    operators = {link.op for link in links}
    if not (operators <= _RISING or operators <= _FALLING):
        return []
    return links if all(a.b == b.a for a, b in pairwise(links)) else []
