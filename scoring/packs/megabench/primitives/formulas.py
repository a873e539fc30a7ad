"""MEGA-Bench as released: formulas that are mathematically equal, alone or inside a text."""

from __future__ import annotations

import re
import unicodedata

from scoring.packs.megabench.primitives.text import same_simple_text
from scoring.packs.megabench.primitives.zero import zero_on_error
from scoring.primitives.latex.worker import FormulaError, TooSlow, formulas_equal, too_large
from scoring.registry import primitive
from scoring.values import Score

_LIMIT = 15.0
_ENVIRONMENT = re.compile(r"\\(?:begin|end)\{.*?\}(?:\[[^\[\]]*\])?")
_DELIMITERS = (re.compile(r"\\[()]"), re.compile(r"\\[\[\]]"))
_OUTSIDE_SUBSCRIPT = re.compile(r"\\overline\{([^}]*)\}_([^{}\\ ]*)")
_GREEK = re.compile("[α-ωΑ-Ω]")
_MACRON = "\u0304"
# Exceptions after which the released code compares the texts; any other counts 0.
_TEXT_INSTEAD = ("LaTeXParsingError", "SympifyError", "TypeError", "NotImplementedError", "TooLarge")


def _normalised(formula: str) -> str:
    text = _overlined(formula.replace("\\bar", "\\overline"))
    text = _OUTSIDE_SUBSCRIPT.sub(r"\\overline{\1_\2}", text)
    text = _ENVIRONMENT.sub("", _GREEK.sub(_command, text))
    for pattern in _DELIMITERS:
        text = pattern.sub("", text)
    return text


def _overlined(text: str) -> str:
    """Letters with a macron as commands; a macron that stands alone goes over whatever stands before it."""
    parts: list[str] = []
    for character in text:
        apart = unicodedata.normalize("NFD", character) if character.isalpha() else character
        if character == _MACRON:
            parts[-1] = f"\\overline{{{parts[-1]}}}"  # nothing before it: an error in the released code, 0
        elif apart[1:2] == _MACRON:
            parts.append(f"\\overline{{{apart[0]}}}")
        else:
            parts.append(character)
    return "".join(parts)


def _command(found: re.Match[str]) -> str:
    """A Greek letter as its command; a final sigma is an error in the released code, 0."""
    if found[0] == "ς":
        raise KeyError(found[0])
    word = unicodedata.name(found[0]).split()[-1].replace("LAMDA", "LAMBDA").lower()
    return "\\" + (word if found[0].islower() else word.capitalize()) + " "


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
    """The texts outside ``$...$`` joined without a space, and the formulas joined with one; commas go.

    The last dollar without a partner is text; alone behind a formula, or with nothing else, it is an empty formula.
    """
    parts = text.split("$")
    if len(parts) % 2 == 0:
        rest = "$".join(parts[-2:])
        parts[-2:] = ["", "", ""] if rest == "$" else [rest]
    plain = "".join(part.strip() for part in parts[::2])
    return plain.replace(",", ""), " ".join(part.strip() for part in parts[1::2]).replace(",", "")


def _same_text_with_formulas(prediction: str, reference: str) -> float:
    (text, formulas), (wanted_text, wanted_formulas) = map(_texts_and_formulas, (prediction, reference))
    return float(same_simple_text(text, wanted_text) and same_formula(formulas, wanted_formulas))


@primitive(uses=("antlr4-python3-runtime", "sympy"), revision=2)
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


@primitive(uses=("antlr4-python3-runtime", "sympy"), revision=2)
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
