"""The nearest known word to a misspelled one."""

from __future__ import annotations

from collections.abc import Iterable

_LONGEST = 64


def did_you_mean(word: str, candidates: Iterable[str]) -> str | None:
    """The one candidate the author most likely meant, or None.

    Case, `_`, `-`, `/`, `.` and spaces are ignored first; then a word that begins exactly one candidate
    counts; then the nearest by edits, swapped neighbours counted as one, up to a third of the letters.

    Args:
        word: What was written.
        candidates: The words that would be right here.

    Examples:
        >>> did_you_mean("MAE", ["mae", "mse"])
        'mae'
        >>> did_you_mean("tol", ["tolerance", "unit"])
        'tolerance'
        >>> did_you_mean("numbr", ["number", "lower"])
        'number'
        >>> did_you_mean("banana", ["number", "lower"]) is None
        True
    """
    known = [name for name in dict.fromkeys(candidates) if name != word]
    folded = _fold(word)
    if not folded or len(word) > _LONGEST:
        return None
    same = [name for name in known if _fold(name) == folded]
    if same:
        return same[0]
    prefixed = [name for name in known if len(folded) >= 3 and _fold(name).startswith(folded)]
    if len(prefixed) == 1:
        return prefixed[0]
    return _nearest(folded, known)


def _fold(name: str) -> str:
    return name.casefold().translate(_IGNORED)


_IGNORED = str.maketrans("", "", "_-./ ")


def _nearest(folded: str, known: list[str]) -> str | None:
    best: tuple[int, str] | None = None
    for name in known:
        other = _fold(name)
        allowed = max(len(folded), len(other)) // 3
        if not other or abs(len(other) - len(folded)) > allowed or len(other) > _LONGEST:
            continue
        edits = _edits(folded, other)
        if edits <= allowed and (best is None or edits < best[0]):
            best = edits, name
    return best[1] if best else None


def _edits(a: str, b: str) -> int:
    """Edit distance in which swapping two neighbours is one edit (optimal string alignment)."""
    last: list[int] = []
    row = list(range(len(b) + 1))
    for i in range(1, len(a) + 1):
        last, above, row = row, last, [i]
        for j in range(1, len(b) + 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1]))
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                cost = min(cost, above[j - 2] + 1)
            row.append(cost)
    return row[-1]
