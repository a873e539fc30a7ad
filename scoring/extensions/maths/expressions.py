"""Trees of formulas."""

from __future__ import annotations

from typing import Annotated, Any

from scoring.extensions.maths.formulas import closed, tidied
from scoring.extensions.maths.worker import CALLS_A_SECOND, FormulaError, TooSlow, tree_of_formula
from scoring.lazy_pattern import lazy_pattern
from scoring.registry import Between, primitive
from scoring.result import Unparsed, Unscored

# A letter, perhaps with an index, before a bracket, where SymPy's parser would read a function.
_GREEK = (
    "alpha|beta|gamma|delta|epsilon|varepsilon|zeta|eta|theta|vartheta|iota|kappa|lambda|mu|nu|xi|rho|sigma|tau|upsilon"
    "|phi|varphi|chi|psi|omega|Gamma|Delta|Theta|Lambda|Xi|Pi|Sigma|Phi|Psi|Omega|pi|hbar"
)
_FACTOR = lazy_pattern(rf"((?:(?<![a-zA-Z\\])[a-zA-Z]|\\(?:{_GREEK}))(?:_(?:\{{[^{{}}]*\}}|\w))?)\s*(?=\()")


@primitive(
    revision=2,
    uses=("antlr4-python3-runtime", "sympy"),
    topics=("mathematics",),
    aka=("expression tree", "sympy tree", "syntax tree of a formula"),
)
def formula_tree(formula: str, /, *, seconds: Annotated[float, Between(0.1, 60)] = 5.0) -> list[Any]:
    r"""Return the tree of a LaTeX formula as SymPy simplifies it, each node a list of a label and its subtrees.

    Labels are `number 2`, `symbol x`, `operator Add` (or `Mul`, `Pow`) and `function sin`; `e` and `\\pi` are numbers,
    and a letter before a bracket is a factor. The formula is simplified as if all its letters stood for positive
    numbers. `subtree_edits` compares such trees.

    Args:
        seconds: The limit of work by SymPy, in units of a million calls, about a second.

    Raises:
        Unparsed: when it can't be parsed, or has other parts than these, such as relations and integrals.
        Unscored: when simplifying takes too much work, or the extra ``math`` is not installed.

    Examples:
        >>> formula_tree("\\frac{x}{2} + x")
        ['operator Mul', ['number 3/2'], ['symbol x']]

    Source:
        Qiu et al.: PHYBench: Holistic evaluation of physical perception and reasoning in large language models,
        arXiv:2504.16074; SymPy's parser of LaTeX and ``simplify``.
    """
    text = _FACTOR.sub(r"\1 \\cdot ", tidied(formula))
    try:
        if not closed(text):
            raise FormulaError("a bracket is not closed, or closes none")
        return tree_of_formula(text, limit=seconds)
    except TooSlow:
        calls = f"{seconds * CALLS_A_SECOND:,.0f} calls of SymPy"
        raise Unscored(f"the formula takes more than {calls} to simplify: raise `seconds`") from None
    except FormulaError:
        raise Unparsed(f"not a formula that has a tree: {formula[:60]!r}") from None
