"""MEGA-Bench as released: one number, as a formula or in a box, within 1 % of the reference."""

from __future__ import annotations

import contextlib
import re
from typing import Any

from scoring.packs.megabench.primitives.text import same_simple_text
from scoring.packs.megabench.primitives.zero import zero_on_error
from scoring.primitives.latex.evaluate import NotArithmetic, as_float, evaluate
from scoring.primitives.latex.worker import FormulaError, formula_text
from scoring.registry import primitive
from scoring.values import Score

_BRACKETS = (("\\(", "\\)"), ("\\[", "\\]"))
# What follows the first sign that anything follows, up to the end of that line.
_ASSIGNED = re.compile(r"(?:=|≈|\\approx)\s*(.+)")
_BOXED = re.compile(r"\\boxed\{((?:[^{}]|\{[^{}]*\})*)\}")
# A number as the released parser reads it and float() too; with more digits the parser rounds.
_PLAIN = re.compile(r"-?(?=[\d,.]{1,15}$)[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?")
_ZERO_POINT = re.compile(r"0*\.0*")
_UNITS = ("$", "¥", "°C", " C", "°")
# The only name without a side effect that the released evaluation sees.
_NAMES = {"E": 2.718}
_LIMIT = 5.0


def _without_units(text: str) -> str:
    text = re.sub(r"(?<![\d}])\\?π", "3.14", text.replace("\\pi", "π"))
    text = re.sub(r"(?<=\d)\\?π", "*3.14", text).replace("%", "/100")
    for unit in _UNITS:
        text = text.replace(unit, "")
    return text


def _number(written: str) -> Any:
    """A number, a list or a tuple; None where the released code finds neither."""
    text = _without_units(written)
    if _PLAIN.fullmatch(text):
        return as_float(text.replace(",", ""))
    with contextlib.suppress(FormulaError):  # else the text itself is tried
        text = formula_text(text, limit=_LIMIT)
    found = as_float(text)
    if found is not None:
        return found
    try:
        value = evaluate(text, _NAMES)
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
    """The line without the delimiters of its formulas; one that has no partner stays."""
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
    wanted = _number(target)
    found = None if wanted is None else _number(response)
    if found is None or wanted is None:
        return float(same_simple_text(response, target))
    return float(_same_numbers(found, wanted))


def _single_number(prediction: object, reference: Any) -> float:
    if not isinstance(reference, str):
        raise TypeError("the released code takes a text as reference")
    return _same(str(prediction), reference)


def _content(text: str) -> str:
    found = _BOXED.search(text)
    return found[1] if found else text


def _boxed_number(prediction: object, reference: Any) -> float:
    return _same(_content(str(prediction)), _content(reference))


@primitive(uses=("antlr4-python3-runtime", "sympy"), revision=2)
def megabench_upstream_single_number(prediction: object, reference: object, /) -> Score:
    """1 for a number within 1 % of the reference's; where either is no number, loosely equal text.

    What the released code evaluates as Python is evaluated here by a small interpreter of arithmetic.

    Examples:
        >>> megabench_upstream_single_number("x = 5.04", "5"), megabench_upstream_single_number("5.06", "5")
        (1.0, 0.0)

    Source:
        MEGA-Bench, released code, general_single_numerical_match.
    """
    return zero_on_error(_single_number, prediction, reference)


@primitive(uses=("antlr4-python3-runtime", "sympy"), revision=2)
def megabench_upstream_boxed_number(prediction: object, reference: object, /) -> Score:
    """Like ``megabench_upstream_single_number``, on the content of the first box of each side.

    Examples:
        >>> megabench_upstream_boxed_number("so \\\\boxed{5.04}", "5")
        1.0

    Source:
        MEGA-Bench, released code, boxed_single_numerical_match.
    """
    return zero_on_error(_boxed_number, prediction, reference)
