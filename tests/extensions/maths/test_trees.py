"""Trees of formulas, by hand; `tests/parity/test_trees.py` holds the EED score to its released code."""

from __future__ import annotations

from typing import Any

import pytest

import scoring

pytest.importorskip("sympy")
X: Any = ["symbol x"]


@pytest.mark.parametrize(
    ("formula", "tree"),
    [
        ("$x$", X),
        ("2", ["number 2"]),
        ("x + x", ["operator Mul", ["number 2"], X]),
        ("\\sqrt{x^2}", X),
        ("m (x)", ["operator Mul", ["symbol m"], X]),
        ("\\omega_{0} (x)", ["operator Mul", ["symbol omega_0"], X]),
        ("\\sin(x)", ["function sin", X]),
        ("e^{x}", ["function exp", X]),
        ("\\pi", ["number pi"]),
        ("\\dot{x}_0^2", ["operator Pow", ["symbol dotofx_0"], ["number 2"]]),
        ("\\vec x", ["symbol vecofx"]),
        ("\\frac{dU}{dx}", ["symbol Derivative(U, x)"]),
    ],
)
def test_trees_of_formulas(formula: str, tree: Any) -> None:
    assert scoring.parser("formula_tree").parse(formula) == tree


@pytest.mark.parametrize(
    "formula", ["", "(", "x)", "x) + y", "x = 3", "x < 3", "\\int x dx", "é", "(" * 1_000, "x" * 5_000, "\\frac{1}{0}"]
)
def test_what_has_no_tree_is_unparsed(formula: str) -> None:
    with pytest.raises(scoring.Unparsed):
        scoring.parser("formula_tree").parse(formula)


def test_work_is_bounded() -> None:
    scorer = scoring.scorer("formula_tree(seconds=0.1) | subtree_edits")
    hard = "(x+y+z)^{60} + \\sin(x)^{40} \\cos(y)^{40} + \\sqrt{x+\\sqrt{y+\\sqrt{z}}}"
    assert "calls of SymPy" in str(scorer.score(hard, "x").reason)
