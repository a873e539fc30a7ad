"""Mathematical equality of formulas, and extraction of boxed answers."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from scoring.extensions.maths.quantity import balanced, undressed
from scoring.extensions.maths.worker import (
    CALLS_A_SECOND,
    FormulaError,
    TooSlow,
    factor_of_equations,
    formula_text,
    formulas_cancel,
    formulas_equal,
)
from scoring.lazy_pattern import lazy_pattern
from scoring.registry import Between, primitive
from scoring.result import Unparsed, Unscored
from scoring.values import Score

_START = lazy_pattern(r"\\f?boxed\s*\{")
_BRACE = lazy_pattern(r"[{}]")


@primitive(laws=(), topics=("mathematics", "extraction"), aka=("last boxed string", "extract boxed", "remove_boxed"))
def boxed(
    text: str, /, *, missing: Literal["text", "refuse"] = "text", edges: Literal["stripped", "kept"] = "stripped"
) -> str:
    r"""Return the content of the last ``\boxed{…}`` with matching braces; the whole text if there is none.

    Args:
        missing: The result for a text without a box: the text itself, or a refusal.
        edges: Whether white space at the ends of the content is removed.

    Raises:
        Unparsed: when there is no box, and that is refused.

    Examples:
        >>> boxed("so \\boxed{\\frac{1}{2}} it is"), boxed("no box")
        ('\\frac{1}{2}', 'no box')

    Source:
        As used in MEGA-Bench, boxed_single_numerical_match; the last box, as answers restate intermediate results.
    """
    starts = [found.end() for found in _START.finditer(text)]
    ends = _closing_braces(text) if starts else {}
    last = next((start for start in reversed(starts) if start - 1 in ends), None)
    if last is None:
        if missing == "refuse":
            raise Unparsed("there is nothing in a box")
        return text
    content = text[last : ends[last - 1]]
    return content.strip() if edges == "stripped" else content


def _closing_braces(text: str) -> dict[int, int]:
    """Return the position of the closing brace for each opening one; unclosed braces are left out."""
    opened: list[int] = []
    closed = {}
    for found in _BRACE.finditer(text):
        if found.group() == "{":
            opened.append(found.start())
        elif opened:
            closed[opened.pop()] = found.start()
    return closed


_ENVIRONMENT = lazy_pattern(r"\\(?:begin|end)\{(?:align|aligned|equation|gather|split|array)\*?\}(?:\[[^\[\]]*\])?")
_PERCENT = lazy_pattern(r"(\d)\s*\\?%")
_UNFINISHED = lazy_pattern(r"(?:[-+*/^_=<>&]|\\(?:frac|sqrt|cdot|times))\s*$")
_MATRIX = lazy_pattern(r"^\\begin\{([pbvBV]?matrix)\}(.*)\\end\{\1\}$", re.DOTALL)
_WORDS = lazy_pattern(r"[^\W\d_]{2,}(?:[\s'-]+[^\W\d_]+)*|[^\W\d_]+(?:\s+[^\W\d_]{2,})+")
_SAME = (("\\dfrac", "\\frac"), ("\\tfrac", "\\frac"), ("\\lvert", "|"), ("\\rvert", "|"), ("\\bar{", "\\overline{"),
         ("\\ldots", "\\dots"), ("\\mid", "|"), ("\\le ", "\\leq "), ("\\ge ", "\\geq "), ("&=", "="))  # fmt: skip
# A letter with an accent or in a face of its own: the parser would read a product of the command and the letter.
_DRESSED = lazy_pattern(
    r"\\(d{1,3}ot|(?:wide)?(?:hat|tilde)|vec|check|breve|mathring|math(?:bf|cal|bb|frak|scr)|boldsymbol|bm|pmb)"
    r"(?![a-zA-Z])\s*(?:\{\s*(\\?[a-zA-Z]+)\s*(_(?:\w|\{\w+\}))?\s*\}|(\\[a-zA-Z]+|[a-zA-Z]))"
)
_UPRIGHT = lazy_pattern(r"\\math(?:rm|it)\s*\{\s*([a-zA-Z])\s*\}")
_MOST_DRESSES = 4
_BACKSLASH = "\\"
_PAIRS = {"(": ")", "[": "]", "\\{": "\\}"}


def tidied(formula: str) -> str:
    """Return a formula without delimiters, spacing and environments, with synonymous commands replaced by one."""
    text = _PERCENT.sub(r"\1/100", _ENVIRONMENT.sub("", undressed(formula)))
    for one, other in _SAME:
        text = text.replace(one, other)
    text = _UPRIGHT.sub(r"\1", text)
    for _ in range(_MOST_DRESSES):
        text = _DRESSED.sub(_one_letter, text)
    return text.strip().rstrip(".,;").strip()


def _one_letter(found: re.Match[str]) -> str:
    """Return a letter with an accent, and perhaps an index, as a command that the parser reads as one letter."""
    return f"\\{found[1]}of{(found[2] or found[4]).lstrip(_BACKSLASH)}{found[3] or ''} "


def _whole(text: str) -> bool:
    """Return whether a formula is complete: all braces closed, no operator at the end.

    The parser would read only the beginning of an incomplete one.
    """
    return not _UNFINISHED.search(text) and balanced(text.replace("\\{", "").replace("\\}", ""), "{", "}")


def closed(text: str) -> bool:
    """Return whether all brackets of a formula are closed, and no others: the parser stops at one that closes none."""
    return balanced(text.replace("\\{", "").replace("\\}", ""))


def _split(text: str) -> list[str]:
    """Return the parts of a text between commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for place, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    return [*parts, text[start:]]


def _collection(text: str) -> tuple[str, list[str]] | None:
    """Return the opening bracket and the items of a tuple, an interval or a set; None for anything else."""
    for opening, closing in _PAIRS.items():
        if text.startswith(opening) and text.endswith(closing):
            inside = text[len(opening) : -len(closing)]
            items = _split(inside)
            if len(items) > 1 or opening == "\\{":
                return opening, items
    return None


def _rows(text: str) -> list[list[str]] | None:
    found = _MATRIX.match(text)
    return [row.split("&") for row in re.split(r"\\\\", found[2].strip()) if row.strip()] if found else None


def _all_same(first: list[str], second: list[str], seconds: float) -> bool:
    return len(first) == len(second) and all(
        _same_tidied_formula(one, other, seconds) for one, other in zip(first, second, strict=True)
    )


def _same_set(first: list[str], second: list[str], seconds: float) -> bool:
    left = list(second)
    for item in first:
        partner = next((other for other in left if _same_tidied_formula(item, other, seconds)), None)
        if partner is None:
            return False
        left.remove(partner)
    return not left


def _by_parts(first: str, second: str, seconds: float) -> bool | None:
    """Return whether two matrices, tuples, intervals, sets or lists are equal, with at most ``seconds`` of work for
    each comparison of two parts; None if neither formula is one."""
    table, other_table = _rows(first), _rows(second)
    if table is not None and other_table is not None:
        same_size = len(table) == len(other_table)
        return same_size and all(_all_same(*rows, seconds) for rows in zip(table, other_table, strict=True))
    items, other_items = _collection(first), _collection(second)
    if table is None and other_table is None and items is not None and other_items is not None:
        compare = _same_set if items[0] == "\\{" else _all_same
        return items[0] == other_items[0] and compare(items[1], other_items[1], seconds)
    if any(found is not None for found in (table, other_table, items, other_items)):
        return False  # they are of different kinds
    parts, other_parts = _split(first), _split(second)
    return _all_same(parts, other_parts, seconds) if max(len(parts), len(other_parts)) > 1 else None


def _same_tidied_formula(prediction: str, reference: str, seconds: float) -> bool:
    """Return whether two tidied formulas are equal; letters that form words are text, not a product.

    Args:
        prediction: The predicted formula.
        reference: The formula with which it is compared.
        seconds: The limit of work for each comparison by SymPy.

    Raises:
        Unscored: when the reference can't be parsed, equality can't be decided, or the comparison takes too much work.
    """
    first, second = prediction.strip(), reference.strip()
    if "".join(first.split()) == "".join(second.split()):
        return True
    if not first or _WORDS.fullmatch(first) or _WORDS.fullmatch(second) or not _whole(first):
        return False
    parts = _by_parts(first, second, seconds)
    if parts is not None:
        return parts
    if not closed(first) or not closed(second):
        return _unreadable(second, seconds)
    try:
        same = formulas_equal(first, second, limit=seconds, decide=True)
    except TooSlow:
        raise _too_much(seconds) from None
    except FormulaError:
        return _unreadable(second, seconds)
    if same is None:
        raise Unscored("whether the formulas are equal could not be decided")
    return same


def _too_much(seconds: float) -> Unscored:
    calls = f"{seconds * CALLS_A_SECOND:,.0f} calls of SymPy"
    return Unscored(f"the formulas take more than {calls} to compare: raise `seconds`")


def _unreadable(reference: str, seconds: float) -> bool:
    """Return False, the result for a prediction that can't be parsed, after checking that the reference can be.

    ``seconds`` is the limit of work for parsing the reference.

    Raises:
        Unscored: when the reference can't be parsed.
    """
    try:
        readable = closed(reference) and formula_text(reference, limit=seconds)
    except FormulaError:
        readable = False
    if not readable:
        raise Unscored(f"the reference can't be read as a formula: {reference[:60]!r}")
    return False


@primitive(
    revision=2,
    uses=("antlr4-python3-runtime", "sympy"),
    topics=("mathematics",),
    aka=("is_equiv", "math equivalence", "symbolic equality", "sympy equality", "math_verify"),
)
def equal_formulas(prediction: str, reference: str, /, *, seconds: Annotated[float, Between(0.1, 60)] = 5.0) -> Score:
    r"""Return 1 for two LaTeX formulas that are mathematically equal, else 0.

    Delimiters, spacing, alignment and a full stop at the end don't count. A letter with an accent (`\\dot{x}`) or in a
    face of its own (`\\mathbf{x}`) is another letter, and a derivative of what is not said to depend on its letter is
    no 0, but equal only to itself. Tuples, intervals, lists and matrices are
    compared part by part, sets in any order. Words are compared as text. If SymPy can't decide, the formulas are equal
    if their values at three points agree up to a relative difference of 1e-9 (an absolute one for values below 1).

    Args:
        seconds: The limit of work by SymPy, in units of a million calls, about a second; beyond it the pair is
            unscored. Calls are counted, so that results don't depend on the speed of the machine.

    Raises:
        Unscored: when the reference can't be parsed, the comparison takes too much work, equality can't be decided, or
            the extra ``math`` is not installed.

    Examples:
        >>> equal_formulas("$\\frac{x}{2} + 1$", "1 + 0.5x"), equal_formulas("(2x, 1)", "(x + x, 1)")
        (1.0, 1.0)
        >>> equal_formulas("hello", "olleh"), equal_formulas("\\{1, 2\\}", "\\{2, 1\\}")
        (0.0, 1.0)

    Source:
        MEGA-Bench, latex_expr_equality; SymPy's parser of LaTeX and ``equals``.
    """
    return float(_same_tidied_formula(tidied(prediction), tidied(reference), seconds))


_INLINE = lazy_pattern(r"(?<!\\)\${1,2}([^$]*)(?<!\\)\${1,2}|\\\(((?:(?!\\\().)*?)\\\)", re.DOTALL)


def _parts(text: str) -> tuple[str, list[str]]:
    formulas = [found[1] or found[2] or "" for found in _INLINE.finditer(text)]
    plain = _INLINE.sub(" ", text).casefold()
    return "".join(character for character in plain if character.isalnum()), formulas


@primitive(revision=2, uses=("antlr4-python3-runtime", "sympy"), topics=("mathematics",))
def equal_text_and_formulas(
    prediction: str, reference: str, /, *, seconds: Annotated[float, Between(0.1, 60)] = 5.0
) -> Score:
    r"""Return 1 if two texts have the same words and, in the same order, equal formulas in math delimiters, else 0.

    Case, spaces and punctuation of the words don't count.

    Args:
        seconds: The limit of work by SymPy for each formula, in units of a million calls, about a second.

    Raises:
        Unscored: as ``equal_formulas``.

    Examples:
        >>> equal_text_and_formulas("So $x + x$ holds.", "so $2x$ holds")
        1.0
        >>> equal_text_and_formulas("$x$ and $y$", "$y$ and $x$")
        0.0

    Source:
        MEGA-Bench, text_with_latex_expr_equality.
    """
    (words, formulas), (wanted, references) = _parts(prediction), _parts(reference)
    if words != wanted or len(formulas) != len(references):
        return 0.0
    pairs = zip(map(tidied, formulas), map(tidied, references), strict=True)
    return float(all(_same_tidied_formula(one, other, seconds) for one, other in pairs))


@primitive(
    uses=("antlr4-python3-runtime", "sympy"), topics=("mathematics",), aka=("minerva", "parse_latex", "simplify")
)
def cancels(prediction: str, reference: str, /, *, seconds: Annotated[float, Between(0.1, 60)] = 5.0) -> Score:
    r"""Return 1 if SymPy parses two LaTeX formulas and simplifies their difference to 0, else 0.

    Formulas are parsed as they are written, and one that can't be parsed equals none, not even itself;
    `equal_formulas` is more lenient.

    Args:
        seconds: The limit of work by SymPy, in units of a million calls, about a second; beyond it the pair is
            unscored.

    Raises:
        Unscored: when the comparison takes too much work, or the extra ``math`` is not installed.

    Examples:
        >>> cancels("\\frac{1}{2}", "0.5"), cancels("x\\cdot(x+1)", "x^2+x"), cancels("", "")
        (1.0, 1.0, 0.0)

    Source:
        Lewkowycz et al., Minerva, 2022, section 4; lm-evaluation-harness, minerva_math, is_equiv.
    """
    try:
        return float(formulas_cancel(prediction, reference, limit=seconds))
    except TooSlow:
        raise _too_much(seconds) from None
    except FormulaError:
        return 0.0


@primitive(
    uses=("antlr4-python3-runtime", "sympy"),
    topics=("mathematics",),
    aka=("equation equal", "proportional equations", "same equation", "equations up to a factor"),
)
def equal_equations(
    prediction: str,
    reference: str,
    /,
    *,
    factor: Literal["number", "whole"] = "number",
    seconds: Annotated[float, Between(0.1, 60)] = 5.0,
) -> Score:
    r"""Return 1 if one LaTeX equation is the other multiplied by a number, else 0: 2x + 4 = 0 is x + 2 = 0.

    Each equation is the difference of its sides, and the quotient of both differences must simplify to a number other
    than 0. Equations are parsed as they are written; one that always or never holds (1 = 1) equals none.

    Args:
        factor: Any number, or only a whole one or its inverse, as released code has it: 2x = 4 and 3x = 6 then differ.
        seconds: The limit of work by SymPy, in units of a million calls, about a second; beyond it the pair is
            unscored.

    Raises:
        Unscored: when the reference can't be parsed as an equation, the comparison takes too much work, or the extra
            ``math`` is not installed.

    Examples:
        >>> equal_equations("2x + 4 = 0", "x = -2"), equal_equations("y = x", "y = x + 1")
        (1.0, 0.0)
        >>> equal_equations("2x = 4", "3x = 6"), equal_equations("2x = 4", "3x = 6", factor="whole")
        (1.0, 0.0)

    Source:
        He et al., OlympiadBench, 2024, section 3.3, and its `equation_equal`.
    """
    try:
        found = factor_of_equations(prediction, reference, limit=seconds)
    except TooSlow:
        raise _too_much(seconds) from None
    except FormulaError:
        return _unreadable_equation(reference, seconds)
    return float(found == "whole" or found == factor)


def _unreadable_equation(reference: str, seconds: float) -> float:
    """Return 0, the result for a prediction that is no equation, after checking that the reference is one.

    ``seconds`` is the limit of work for parsing each side of the reference.

    Raises:
        Unscored: when the reference can't be parsed as an equation.
    """
    sides = reference.split("=")
    try:
        texts = [formula_text(side, limit=seconds) for side in sides]
    except FormulaError:
        texts = []
    if len(texts) != 2:
        raise Unscored(f"the reference can't be read as an equation: {reference[:60]!r}")
    return 0.0
