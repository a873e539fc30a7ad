"""MEGA-Bench as released: comparing numbers, angles, phrases, and formulas, alone or inside a text."""

from __future__ import annotations

import contextlib
import math
import re
import unicodedata
from numbers import Number
from typing import Any

import numpy as np

from scoring.extensions.maths.worker import FormulaError, TooSlow, formula_text, formulas_equal, is_formula_too_large
from scoring.extensions.structure.arithmetic import NotArithmetic, as_float, evaluate_expression
from scoring.lazy_pattern import lazy_pattern
from scoring.packs.megabench_upstream.answer import iterable_of
from scoring.packs.megabench_upstream.fields import zero_on_error
from scoring.packs.megabench_upstream.text import same_simple_text, same_simplified, simplified
from scoring.primitives.parsing.literal import read_literal
from scoring.registry import primitive
from scoring.result import NotApplicable, Unscored
from scoring.values import Score, show_type


@primitive
def megabench_upstream_relative_closeness(prediction: Any, reference: Any, /) -> Score:
    """Return 1 minus the relative error, at least 0; the reference must be a number written as a string.

    Examples:
        >>> megabench_upstream_relative_closeness("9", "10")
        0.9

    Source:
        MEGA-Bench, released code, number_rel_diff_ratio.
    """
    found: Any = (
        _literal(prediction) if isinstance(prediction, str) or not isinstance(prediction, Number) else prediction
    )
    if type(found) is not float and not isinstance(found, Number):
        return 0.0
    wanted = _literal(reference)
    return max(0.0, 1 - math.fabs((found - wanted) / wanted))  # complex numbers raise


@primitive
def megabench_upstream_positive_int_match(prediction: Any, reference: Any, /) -> Score:
    """Return 1 if two integers written as strings are equal, else 0; not applicable if both are 0 or less.

    Examples:
        >>> megabench_upstream_positive_int_match("2", "2"), megabench_upstream_positive_int_match(2, "2")
        (1.0, 0.0)

    Source:
        MEGA-Bench, released code, positive_int_match.
    """
    if not isinstance(prediction, str):
        return 0.0
    try:
        found = read_literal(prediction)
    except (SyntaxError, ValueError):
        return 0.0
    if not reference:
        return 0.0
    wanted = _literal(reference)
    if not isinstance(wanted, int):
        raise Unscored("the released code fails here: the reference is not an integer")
    if not isinstance(found, int):
        return 0.0
    if found <= 0 and wanted <= 0:
        raise NotApplicable("both integers are 0 or less", mark=-1.0)
    return float(found == wanted)


def _literal(value: Any) -> Any:
    """Return the value that the released code reads from a string; raise Unscored for any other type."""
    if not isinstance(value, str):
        raise Unscored(f"the released code fails here: it reads texts only, and this is {show_type(value)}")
    return read_literal(value)


def _number(text: str) -> Any:
    return read_literal(text.lstrip(" \t"))


def _complex_window(difference: complex) -> Any:
    """Return the complex score 1 - c / 0.1 of a complex difference d.

    c is the root of d², clipped to the range from 0 to 0.1 in NumPy's order of complex numbers.
    """
    with np.errstate(all="ignore"):
        return complex(1 - np.clip(np.sqrt(difference**2), 0.0, 0.1) / 0.1)


@primitive(range=(-math.inf, math.inf), uses=("numpy",), revision=2)
@zero_on_error
def megabench_upstream_windowed_difference(prediction: object, reference: object, /) -> Score:
    """Return 1 for equal numbers, falling to 0 at a difference of 0.1; a prediction that is not a string scores 0.

    A complex number as response would give a complex score, which can't be averaged. The released code stops there;
    here the record is left unscored.

    Examples:
        >>> megabench_upstream_windowed_difference("0.5", "0.5"), megabench_upstream_windowed_difference(0.5, "0.5")
        (1.0, 0.0)

    Source:
        MEGA-Bench, released code, normalized_rmse.
    """
    if not isinstance(prediction, str) or not isinstance(reference, str):
        raise TypeError("the released code reads texts only")
    difference = _number(prediction) - _number(reference)
    is_complex = isinstance(difference, complex)
    found: float = _complex_window(difference) if is_complex else 1 - min(abs(difference), 0.1) / 0.1
    return found


def _is_plain(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e15


def _of_arrays(angles: list[Any], targets: list[Any]) -> Any:
    """Return the score of `megabench_upstream_angle_sequence` for two lists of equal length; 0 for empty ones.

    By NumPy's rules, items may also be lists, booleans, infinities or complex numbers.
    The sum is over all elements of the difference, which NumPy may broadcast to more dimensions, and the divisor is the
    length of the list: ``[[1], [2]]`` against ``[1, 2]`` are four differences divided by two.
    """
    if not targets:
        return 0.0
    with np.errstate(all="ignore"):  # an overflow counts as the maximum difference
        total = np.sqrt((np.array(angles) - np.array(targets)) ** 2).sum() / len(targets)
        score = 1 - np.clip(total, 0.0, 10.0) / 10
    return 0.0 if math.isnan(score.real) else score.item()


@primitive(range=(-math.inf, math.inf), uses=("numpy",), revision=2)
@zero_on_error
def megabench_upstream_angle_sequence(prediction: object, reference: object, /) -> Score:
    """Return 1 minus a tenth of the absolute differences of two lists, summed and divided by the lists' length.

    The score is at least 0, and complex for complex numbers. Lists of different lengths, and empty ones, score 0. Items
    that are lists are combined by NumPy's rules of broadcasting, so there may be more differences than items: in the
    second example these are 0, 1, 1 and 0, whose sum is divided by 2.

    Examples:
        >>> megabench_upstream_angle_sequence("90, 45", "[90, 40]")
        0.75
        >>> megabench_upstream_angle_sequence("[[1], [2]]", "1, 2")
        0.9

    Source:
        MEGA-Bench, released code, angle_seq_float_rmse (which is no root mean square).
    """
    angles, targets = iterable_of(list, prediction), iterable_of(list, reference)
    if len(angles) != len(targets):
        return 0.0
    if angles and all(map(_is_plain, angles)) and all(map(_is_plain, targets)):
        mean = math.fsum(abs(one - other) for one, other in zip(angles, targets, strict=True)) / len(angles)
        return 1 - min(mean, 10) / 10
    found: float = _of_arrays(angles, targets)
    return found


@primitive
@zero_on_error
def megabench_upstream_any_phrase(prediction: object, reference: Any, /) -> Score:
    """Return 1 if the response is a phrase of the reference's list, but for case, spaces, hyphens and stops, else 0.

    Examples:
        >>> megabench_upstream_any_phrase("Ice-cream", "[sorbet, ice cream]")
        1.0

    Source:
        MEGA-Bench, released code, multi_ref_phrase.
    """
    phrases = iterable_of(list, reference.replace("，", ","))
    response = simplified(str(prediction))
    return float(any(same_simplified(response, simplified(str(phrase))) for phrase in phrases))


_BRACKETS = (("\\(", "\\)"), ("\\[", "\\]"))
# The text after the first sign that is followed by any, up to the end of that line.
_ASSIGNED = lazy_pattern(r"(?:=|≈|\\approx)\s*(.+)")
_BOXED = lazy_pattern(r"\\boxed\{((?:[^{}]|\{[^{}]*\})*)\}")
# A number that the released parser and float() read alike; with more digits the parser rounds.
_PLAIN = lazy_pattern(r"-?(?=[\d,.]{1,15}$)[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?")
_UNITS = ("$", "¥", "°C", " C", "°")
# The only name without a side effect that the released evaluation can see.
_NAMES = {"E": 2.718}


def _without_units(text: str) -> str:
    text = re.sub(r"(?<![\d}])\\?π", "3.14", text.replace("\\pi", "π"))
    text = re.sub(r"(?<=\d)\\?π", "*3.14", text).replace("%", "/100")
    for unit in _UNITS:
        text = text.replace(unit, "")
    return text


def _value(written: str) -> Any:
    """Return the number, list or tuple that the released code reads from a text (``written``), None if it reads none.

    Units are removed first, and the text may be a formula or arithmetic.
    """
    text = _without_units(written)
    if _PLAIN.fullmatch(text):
        return as_float(text.replace(",", ""))
    with contextlib.suppress(FormulaError):  # otherwise the text itself is tried
        text = formula_text(text, limit=5.0)
    found = as_float(text)
    if found is not None:
        return found
    try:
        value = evaluate_expression(text, _NAMES)
    except NotArithmetic:
        return None
    return value if isinstance(value, (list, tuple)) else as_float(value)


def _close(prediction: Any, reference: Any) -> bool:
    try:
        slack = abs(reference) * 0.01
        return bool(reference - slack <= prediction <= reference + slack)
    except TypeError:
        return False


def _same_numbers(prediction: Any, reference: Any) -> bool:
    if not isinstance(reference, list):
        return _close(prediction, reference)
    if not isinstance(prediction, list) or len(prediction) != len(reference):
        return False
    pairs = zip(sorted(prediction), sorted(reference), strict=True)
    return all(_close(one, other) for one, other in pairs)


def _after_sign(text: str) -> str:
    for opening, closing in _BRACKETS:
        text = "\n".join(_without_pairs(line, opening, closing) for line in text.split("\n"))
    found = _ASSIGNED.search(text)
    return found[1].strip() if found else text


def _without_pairs(line: str, opening: str, closing: str) -> str:
    """Return the line without the delimiters of its formulas; a delimiter without a partner stays."""
    kept: list[str] = []
    place = 0
    while True:
        start = line.find(opening, place)
        end = line.find(closing, start + len(opening)) if start >= 0 else -1
        if end < 0:
            return "".join([*kept, line[place:]])
        kept += [line[place:start], line[start + len(opening) : end]]
        place = end + len(closing)


def _same(response: str, target: str) -> float:
    response, target = _after_sign(response), _after_sign(target)
    wanted = _value(target)
    found = None if wanted is None else _value(response)
    if found is None or wanted is None:
        return float(same_simple_text(response, target))
    return float(_same_numbers(found, wanted))


def _content(text: str) -> str:
    found = _BOXED.search(text)
    return found[1] if found else text


@primitive(uses=("antlr4-python3-runtime", "sympy"), revision=2)
@zero_on_error
def megabench_upstream_single_number(prediction: object, reference: object, /) -> Score:
    """Return 1 for a number within 1 % of the reference's, else 0; if either is not a number, for loosely equal text.

    Expressions that the released code evaluates as Python are evaluated here by a small arithmetic interpreter.

    Examples:
        >>> megabench_upstream_single_number("x = 5.04", "5"), megabench_upstream_single_number("5.06", "5")
        (1.0, 0.0)

    Source:
        MEGA-Bench, released code, general_single_numerical_match.
    """
    if not isinstance(reference, str):
        raise TypeError("the released code takes a text as reference")
    return _same(str(prediction), reference)


@primitive(uses=("antlr4-python3-runtime", "sympy"), revision=2)
@zero_on_error
def megabench_upstream_boxed_number(prediction: object, reference: Any, /) -> Score:
    """Return the result of ``megabench_upstream_single_number`` for the content of the first box of each side.

    Examples:
        >>> megabench_upstream_boxed_number("so \\\\boxed{5.04}", "5")
        1.0

    Source:
        MEGA-Bench, released code, boxed_single_numerical_match.
    """
    return _same(_content(str(prediction)), _content(reference))


_ENVIRONMENT = lazy_pattern(r"\\(?:begin|end)\{.*?\}(?:\[[^\[\]]*\])?")
_DELIMITERS = (lazy_pattern(r"\\[()]"), lazy_pattern(r"\\[\[\]]"))
_OUTSIDE_SUBSCRIPT = lazy_pattern(r"\\overline\{([^}]*)\}_([^{}\\ ]*)")
_GREEK = lazy_pattern("[α-ωΑ-Ω]")
_MACRON = "\u0304"
# Exceptions after which the released code compares the strings; after any other the score is 0.
_TEXT_INSTEAD = ("LaTeXParsingError", "SympifyError", "TypeError", "NotImplementedError", "TooLarge")


def _normalised(formula: str) -> str:
    text = _overlined(formula.replace("\\bar", "\\overline"))
    text = _OUTSIDE_SUBSCRIPT.sub(r"\\overline{\1_\2}", text)
    text = _ENVIRONMENT.sub("", _GREEK.sub(_command, text))
    for pattern in _DELIMITERS:
        text = pattern.sub("", text)
    return text


def _overlined(text: str) -> str:
    """Return a text with each letter that has a macron (ā) replaced by LaTeX, `\\overline{a}`; a combining macron
    applies to the part before it, a letter or such a command."""
    parts: list[str] = []
    for character in text:
        apart = unicodedata.normalize("NFD", character) if character.isalpha() else character
        if character == _MACRON:
            parts[-1] = f"\\overline{{{parts[-1]}}}"  # an IndexError if nothing precedes it: as in the released code, 0
        elif apart[1:2] == _MACRON:
            parts.append(f"\\overline{{{apart[0]}}}")
        else:
            parts.append(character)
    return "".join(parts)


def _command(found: re.Match[str]) -> str:
    """Return the LaTeX command for the Greek letter that was found; raise KeyError for a final sigma, as released."""
    if found[0] == "ς":
        raise KeyError(found[0])
    word = unicodedata.name(found[0]).split()[-1].replace("LAMDA", "LAMBDA").lower()
    return "\\" + (word if found[0].islower() else word.capitalize()) + " "


def _same_formula(prediction: str, reference: str) -> bool:
    """Return whether two formulas are equal by the released code's rules."""
    if is_formula_too_large(prediction) or is_formula_too_large(reference):
        return same_simple_text(prediction, reference)
    first, second = _normalised(prediction), _normalised(reference)
    try:
        return formulas_equal(first, second, limit=15.0) is True
    except FormulaError as error:
        if isinstance(error, TooSlow) or error.kind in _TEXT_INSTEAD:
            return same_simple_text(first, second)
        return False


def _texts_and_formulas(text: str) -> tuple[str, str]:
    """Return the text outside ``$...$``, joined without a space, and the formulas, joined with one, without commas.

    A last dollar without a partner is text; if no text is next to it on either side, it is an empty formula.
    """
    parts = text.split("$")
    if len(parts) % 2 == 0:
        rest = "$".join(parts[-2:])
        parts[-2:] = ["", "", ""] if rest == "$" else [rest]
    plain = "".join(part.strip() for part in parts[::2])
    return plain.replace(",", ""), " ".join(part.strip() for part in parts[1::2]).replace(",", "")


@primitive(uses=("antlr4-python3-runtime", "sympy"), revision=2)
@zero_on_error
def megabench_upstream_formulas_equal(prediction: object, reference: object, /) -> Score:
    """Return 1 for two LaTeX formulas that are mathematically equal; if one can't be read, for loosely equal text.

    Examples:
        >>> megabench_upstream_formulas_equal("2x + x", "3x")
        1.0

    Source:
        MEGA-Bench, released code, latex_expr_equality.
    """
    if not isinstance(prediction, str) or not isinstance(reference, str):
        return 0.0
    return float(_same_formula(prediction, reference))


@primitive(uses=("antlr4-python3-runtime", "sympy"), revision=2)
@zero_on_error
def megabench_upstream_text_with_formulas_equal(prediction: object, reference: object, /) -> Score:
    """Return 1 if the texts are loosely equal and the formulas between dollars, as one expression, are equal; else 0.

    Examples:
        >>> megabench_upstream_text_with_formulas_equal("so $2x + x$ holds", "So $3x$ holds.")
        1.0

    Source:
        MEGA-Bench, released code, text_with_latex_expr_equality.
    """
    if not isinstance(prediction, str) or not isinstance(reference, str):
        return 0.0
    (text, formulas), (wanted_text, wanted_formulas) = map(_texts_and_formulas, (prediction, reference))
    return float(same_simple_text(text, wanted_text) and _same_formula(formulas, wanted_formulas))
