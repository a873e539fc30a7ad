"""Which places of a sequence belong to a longest common subsequence, with bit-parallel rows.

The vertical differences of the LCS table of (reference, candidate) are kept as one integer per candidate token:
a zero bit at place i says that the table grows from row i to row i + 1. That is all a backward walk needs to
take the same path as one over the full table that prefers to step up.

Source: H. Hyyrö, "Bit-parallel LCS-length computation revisited", 2004, for the recurrence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_


def union_of_subsequences(reference: Sequence[str], candidates: Iterable[Sequence[str]]) -> list[int]:
    """The places of the reference that a longest common subsequence with any candidate uses, in order.

    Examples:
        >>> union_of_subsequences(["a", "b", "c", "d"], [["a", "d"], ["x", "c"]])
        [0, 2, 3]
    """
    bits: dict[str, int] = {}
    for place, token in enumerate(reference):
        bits[token] = bits.get(token, 0) | 1 << place
    size = len(reference)
    union = 0
    places = bits.get
    for candidate in candidates:
        matching = [places(token, 0) for token in candidate]
        possible = reduce(or_, matching, 0)
        if possible | union == union:
            continue
        # A token at one place only is its own subsequence; otherwise the table decides.
        union |= possible if possible & possible - 1 == 0 else _subsequence(size, matching)
    return [place for place in range(size) if union >> place & 1]


def _subsequence(size: int, matching: list[int]) -> int:
    """The places used, as bits; ``matching`` has the places that equal each candidate token."""
    full = (1 << size) - 1
    row = full
    stops = []
    for same in matching:
        if same:
            matches = row & same
            row = ((row + matches) | (row - matches)) & full
        # Going up a column of the table, the walk halts where the tokens match or the table grows.
        stops.append(same | (row ^ full))
    used = 0
    below = full
    for same, stop in zip(reversed(matching), reversed(stops), strict=True):
        halt = (stop & below).bit_length()
        if not halt:
            break
        at = 1 << halt - 1
        below = at - 1
        if same & at:
            used |= at
        else:
            below |= at
    return used
