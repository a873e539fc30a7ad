"""The last box of a solution, and the normal form of an answer, as in the released code of the MATH data set."""

from __future__ import annotations

from scoring.registry import primitive
from scoring.result import Unparsed, Unscored

# Replacements made before anything else; their order matters.
_FIRST = (
    ("\\!", ""), ("\\\\", "\\"), ("tfrac", "frac"), ("dfrac", "frac"), ("\\left", ""), ("\\right", ""),
    ("^{\\circ}", ""), ("^\\circ", ""), ("\\$", ""),
)  # fmt: skip


@primitive
def math_upstream_boxed(text: str, /) -> str:
    r"""Return the content of the last ``\boxed{…}`` of a string; ``\boxed 5`` extends to the next dollar sign.

    Raises:
        Unparsed: when there is no box, or the last box is never closed; an earlier one is not used then.

    Examples:
        >>> math_upstream_boxed("\\boxed{1} or \\boxed{\\frac{1}{2}}"), math_upstream_boxed("so $\\boxed 5$.")
        ('\\frac{1}{2}', '5')

    Source:
        Hendrycks et al., MATH, 2021, last_boxed_only_string and remove_boxed, as lm-evaluation-harness has them.
    """
    if "\\boxed " in text:
        return text.rpartition("\\boxed ")[2].partition("$")[0]
    start = text.rfind("\\boxed")
    depth = 0
    for place in range(start, len(text)) if start >= 0 else ():
        if text[place] == "{":
            depth += 1
        elif text[place] == "}":
            depth -= 1
            if depth == 0 and text.startswith("\\boxed{", start):
                return text[start + len("\\boxed{") : place]
            if depth == 0:
                break
    raise Unparsed("nothing stands in a last box that is closed")


@primitive
def math_upstream_tidy(text: str, /, *, odd_quotients: bool = False) -> str:
    r"""Return an answer in the normal form that the released code compares: no units, spaces and sizes, full fractions.

    Args:
        odd_quotients: Whether a quotient of what are no whole numbers stays as it is, as in the code of the authors;
            lm-evaluation-harness's copy of it gives up there.

    Raises:
        Unscored: where the released code gives up: several units, an empty root or fraction, or a quotient of
            non-integers. It then compares the strings unchanged.

    Examples:
        >>> math_upstream_tidy("x = \\tfrac12 \\text{ cm}"), math_upstream_tidy("3/4"), math_upstream_tidy(".5")
        ('\\frac{1}{2}', '\\frac{3}{4}', '\\frac{1}{2}')

    Source:
        Hendrycks et al., MATH, 2021, math_equivalence.py, _strip_string.
    """
    text = text.replace("\n", "")
    if "\\" in text or "frac" in text:  # most answers are plain, and have nothing of what follows
        for old, new in _FIRST:
            text = text.replace(old, new)
        text, *units = text.split("\\text{ ")
        if len(units) > 1:
            raise Unscored("the answer has several units")
        text = text.replace("\\%", "")
    text = text.replace(" .", " 0.").replace("{.", "{0.")
    if not text:
        return text
    text = f"0{text}" if text[0] == "." else text
    if "=" in text:
        left, *right = text.split("=")
        text = right[0] if len(right) == 1 and len(left) <= 2 else text
    text = (_with_roots(text) if "\\sqrt" in text else text).replace(" ", "")
    text = _with_fractions(text) if "\\frac" in text else text
    if "/" in text:
        return _as_fraction(text, odd_quotients)
    return "\\frac{1}{2}" if text == "0.5" else text


def _with_roots(text: str) -> str:
    first, *parts = text.split("\\sqrt")
    if not all(parts):
        raise Unscored("a root of nothing")
    return first + "".join(f"\\sqrt{part if part[0] == '{' else f'{{{part[0]}}}{part[1:]}'}" for part in parts)


def _with_fractions(text: str) -> str:
    first, *parts = text.split("\\frac")
    written = [first]
    for part in parts:
        if not part:
            raise Unscored("a fraction of nothing")
        if part[0] != "{" and len(part) < 2:
            return text
        if part[0] != "{":
            below = part[1:] if part[1] == "{" else f"{{{part[1]}}}{part[2:]}"
            part = f"{{{part[0]}}}{below}"
        written.append(part)
    return "\\frac".join(written)


def _as_fraction(text: str, odd_quotients: bool) -> str:
    above, *below = text.split("/")
    if len(below) != 1:
        return text
    try:
        numbers = int(above), int(below[0])
    except ValueError:
        if odd_quotients:
            return text
        raise Unscored("a quotient of what are no whole numbers") from None
    return f"\\frac{{{numbers[0]}}}{{{numbers[1]}}}" if text == f"{numbers[0]}/{numbers[1]}" else text
