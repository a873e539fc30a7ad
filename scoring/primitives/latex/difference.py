"""Formulas whose difference is nothing."""

from __future__ import annotations

from typing import Annotated

from scoring.primitives.latex.worker import CALLS_A_SECOND, FormulaError, TooSlow, formulas_cancel
from scoring.registry import Between, primitive
from scoring.result import Unscored
from scoring.values import Score


@primitive(
    uses=("antlr4-python3-runtime", "sympy"), topics=("mathematics",), aka=("minerva", "parse_latex", "simplify")
)
def cancels(prediction: str, reference: str, /, *, seconds: Annotated[float, Between(0.1, 60)] = 5.0) -> Score:
    r"""1 where SymPy reads two LaTeX formulas and simplifies their difference to 0, else 0.

    Formulas are read as they are written, and one that can't be read equals none, not even itself; `equal_formulas`
    is kinder.

    Args:
        seconds: How much SymPy may do, in seconds of a million calls; then the pair is unscored.

    Raises:
        Unscored: when it takes too much work, or the extra ``math`` is not installed.

    Examples:
        >>> cancels("\\frac{1}{2}", "0.5"), cancels("x\\cdot(x+1)", "x^2+x"), cancels("", "")
        (1.0, 1.0, 0.0)

    Source:
        Lewkowycz et al., Minerva, 2022, section 4; lm-evaluation-harness, minerva_math, is_equiv.
    """
    try:
        return float(formulas_cancel(prediction, reference, limit=seconds))
    except TooSlow:
        raise Unscored(
            f"the formulas take more than {seconds * CALLS_A_SECOND:,.0f} calls of SymPy to compare: raise `seconds`"
        ) from None
    except FormulaError:
        return 0.0
