"""What stands in a box."""

from __future__ import annotations

import re

from scoring.registry import primitive

_START = re.compile(r"\\f?boxed\s*\{")


@primitive(laws=())
def boxed(text: str, /) -> str:
    r"""The content of the last ``\boxed{…}``, braces matched; the whole text where there is none.

    Examples:
        >>> boxed("so \\boxed{\\frac{1}{2}} it is"), boxed("no box")
        ('\\frac{1}{2}', 'no box')

    Source:
        MEGA-Bench, boxed_single_numerical_match; the last box, as answers restate intermediate results.
    """
    for start in reversed([found.end() for found in _START.finditer(text)]):
        depth = 1
        for place in range(start, len(text)):
            depth += (text[place] == "{") - (text[place] == "}")
            if depth == 0:
                return text[start:place].strip()
    return text
