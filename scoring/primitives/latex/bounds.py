"""What is too large to be handed to the parser at all."""

from __future__ import annotations

LONGEST = 4_000
DEEPEST = 80
_OPEN, _CLOSE = "([{", ")]}"


def too_large(formula: str) -> bool:
    """Whether a formula is longer or nested deeper than any real answer.

    Examples:
        >>> too_large("x + 1"), too_large("(" * 100)
        (False, True)
    """
    if len(formula) > LONGEST:
        return True
    depth = deepest = 0
    for character in formula:
        if character in _OPEN or character in "^_":
            depth += 1
            deepest = max(deepest, depth)
        elif character in _CLOSE:
            depth = max(0, depth - 1)
    return deepest - formula.count("^") - formula.count("_") > DEEPEST or formula.count("^") > 400
