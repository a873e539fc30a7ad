"""MEGA-Bench as released: formulas that are mathematically equal, alone or inside a text."""

from __future__ import annotations

import re

from scoring.packs.megabench.primitives.text import same_simple_text
from scoring.packs.megabench.primitives.zero import zero_on_error
from scoring.primitives.latex.plain import GREEK, overlined
from scoring.primitives.latex.worker import FormulaError, TooSlow, formulas_equal, too_large
from scoring.registry import primitive
from scoring.values import Score

_LIMIT = 15.0
_ENVIRONMENT = re.compile(r"\\(?:begin|end)\{[^{}]*\}(?:\[[^\[\]]*\])?")
_DELIMITERS = re.compile(r"\\[()\[\]]")
_OUTSIDE_SUBSCRIPT = re.compile(r"\\overline\{(.*?)\}_(.)")
# Exceptions after which the released code compares the texts; any other counts 0.
_TEXT_INSTEAD = ("LaTeXParsingError", "TypeError", "NotImplementedError", "TooLarge")


def _normalised(formula: str) -> str:
    text = _ENVIRONMENT.sub("", formula.replace("\\bar", "\\overline"))
    text = _DELIMITERS.sub("", text)
    text = _OUTSIDE_SUBSCRIPT.sub(r"\\overline{\1_\2}", overlined(text))
    return "".join(GREEK.get(character, character) for character in text)


def same_formula(prediction: str, reference: str) -> bool:
    """Whether two formulas are equal as the released code sees them."""
    if too_large(prediction) or too_large(reference):
        return same_simple_text(prediction, reference)
    first, second = _normalised(prediction), _normalised(reference)
    try:
        return formulas_equal(first, second, limit=_LIMIT) is True
    except FormulaError as error:
        if isinstance(error, TooSlow) or error.kind in _TEXT_INSTEAD:
            return same_simple_text(first, second)
        return False


def _texts_and_formulas(text: str) -> tuple[str, str]:
    """The texts outside ``$...$`` joined without a space, and the formulas joined with one; commas go."""
    parts = text.split("$")
    if len(parts) % 2 == 0:  # the last dollar has no partner
        parts[-2:] = ["$".join(parts[-2:])]
    plain = "".join(part.strip() for part in parts[::2])
    return plain.replace(",", ""), " ".join(parts[1::2]).replace(",", "")


def _same_text_with_formulas(prediction: str, reference: str) -> float:
    (text, formulas), (wanted_text, wanted_formulas) = map(_texts_and_formulas, (prediction, reference))
    return float(same_simple_text(text, wanted_text) and same_formula(formulas, wanted_formulas))


@primitive(uses=("antlr4-python3-runtime", "sympy"))
def megabench_upstream_formulas_equal(prediction: object, reference: object, /) -> Score:
    """1 for two LaTeX formulas that are mathematically equal; where one can't be read, loosely equal text.

    Examples:
        >>> megabench_upstream_formulas_equal("2x + x", "3x")
        1.0

    Source:
        MEGA-Bench, released code, latex_expr_equality.
    """
    if not isinstance(prediction, str) or not isinstance(reference, str):
        return 0.0
    return float(zero_on_error(same_formula, prediction, reference))


@primitive(uses=("antlr4-python3-runtime", "sympy"))
def megabench_upstream_text_with_formulas_equal(prediction: object, reference: object, /) -> Score:
    """1 when the texts agree loosely and the formulas between dollars, taken as one expression, are equal.

    Examples:
        >>> megabench_upstream_text_with_formulas_equal("so $2x + x$ holds", "So $3x$ holds.")
        1.0

    Source:
        MEGA-Bench, released code, text_with_latex_expr_equality.
    """
    if not isinstance(prediction, str) or not isinstance(reference, str):
        return 0.0
    return zero_on_error(_same_text_with_formulas, prediction, reference)
