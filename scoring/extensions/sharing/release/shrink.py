"""Makes a counterexample small: the shortest and plainest input found that still tells two editions apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeAlias

from scoring.extensions.sharing.generators.corpus import texts_in
from scoring.extensions.sharing.generators.smaller import smaller
from scoring.extensions.sharing.release.comparison_run import Moved, TriedInput

STEPS = 4_000
"""So many inputs are tried to make one small."""
_AT_ONCE = 64
_LONG = 1_000
_PLAIN = "a"
_SIGNS = 12


CanMove: TypeAlias = Callable[[Sequence[TriedInput]], list[Moved]]
"""Two editions that are run on the same inputs: those for which they do not give the same."""


def most_moved(trial: CanMove, given: Sequence[TriedInput]) -> Moved | None:
    """Of the inputs that move, the one that shows it best, and is the plainest; None where none does."""
    found = trial(given) if given else ()
    return min(found, key=lambda one: (one.kind, weight_of(one.given)), default=None)


def shrunk(trial: CanMove, found: Moved) -> tuple[Moved, int]:
    """Return the smallest input found that moves in the same way, and how many were tried.

    A long input counts as several, so that one of any length costs no more than many short ones.
    """
    tried, spent, kind = 0, 0, found.kind
    better: Moved | None = found
    while better is not None and spent < STEPS:
        found, weight = better, weight_of(better.given)
        better, cost = None, 1 + weight[0] // _LONG
        lighter = (given for given in _simpler(found.given) if weight_of(given) < weight)
        while better is None and spent < STEPS:
            waiting = list(islice(lighter, max(1, _AT_ONCE // cost)))
            if not waiting:
                break
            tried, spent = tried + len(waiting), spent + len(waiting) * cost
            alike = (one for one in trial(waiting) if one.kind == kind)
            better = min(alike, key=lambda one: weight_of(one.given), default=None)
    return better or found, tried


def weight_of(value: Any) -> tuple[int, int]:
    """Return how much there is to read in a value, and how odd it looks.

    Examples:
        >>> weight_of("ab") < weight_of("abc"), weight_of("aa") < weight_of("aB"), weight_of([1]) < weight_of([1, 2])
        (True, True, True)
    """
    size, odd, waiting = 0, 0, [value]
    while waiting:
        one = waiting.pop()
        size += 1
        if isinstance(one, str):
            size += len(one)
            odd += sum(map(_oddness, one))
        elif isinstance(one, Mapping):
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, list | tuple | set | frozenset):
            waiting += one
        elif isinstance(one, int | float) and not isinstance(one, bool):
            size += len(repr(one)) if abs(one) < 1e300 else 400
        odd += isinstance(one, float | tuple | set)
    return size, odd


def _oddness(sign: str) -> int:
    if sign == _PLAIN:
        return 0
    if not sign.isascii():
        return 5
    return 1 if sign.islower() or sign.isdecimal() else 2 if sign.isupper() or sign == " " else 3


def _simpler(given: TriedInput) -> Iterator[TriedInput]:
    """Simpler inputs: a part left out or made smaller, both texts cut or changed alike, odd signs made plain."""
    for name in given:
        if name not in ("prediction", "reference"):
            yield {key: value for key, value in given.items() if key != name}
    left, right = given.get("prediction"), given.get("reference")
    if isinstance(left, str) and isinstance(right, str):
        for one, other in _alike(left, right):
            yield {**given, "prediction": one, "reference": other}
    # Ties in the order of the signs: that of a set is another one in each process.
    signs = sorted({sign for text in texts_in(dict(given)) for sign in text}, key=lambda one: (-_oddness(one), one))
    for sign in signs[:_SIGNS]:
        for plain in ("", "a", "b", sign.lower()):
            if plain != sign:
                yield {name: _replaced(value, sign, plain) for name, value in given.items()}
        if sign != sign.swapcase() and not sign.isascii():
            both = {name: _replaced(value, sign, "a") for name, value in given.items()}
            yield {name: _replaced(value, sign.swapcase(), "A") for name, value in both.items()}
    for name, value in given.items():
        for simpler in _of_value(value):
            yield {**given, name: simpler}


def _of_value(value: Any) -> Iterator[Any]:
    if isinstance(value, list) and len(value) == 1:
        yield value[0]
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        yield int(value)
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15:
        yield from (round(value, digits) for digits in range(4))
    yield from smaller(value)
    if isinstance(value, str):
        yield from _plainer(value)


def _plainer(text: str) -> Iterator[str]:
    for place, sign in enumerate(text[:60]):
        for plain in ("a", "b", "1", sign.lower(), "A", " "):
            if _oddness(plain[0]) < _oddness(sign):
                yield text[:place] + plain + text[place + 1 :]


def _alike(left: str, right: str) -> Iterator[tuple[str, str]]:
    """Yield the same cut from both texts, and the same sign of both made plain."""
    size = min(len(left), len(right))
    while size:
        yield left[size:], right[size:]
        yield left[:-size], right[:-size]
        size //= 2
    for place in range(min(len(left), len(right), 60)):
        yield left[:place] + left[place + 1 :], right[:place] + right[place + 1 :]


def _replaced(value: Any, sign: str, plain: str, depth: int = 12) -> Any:
    """Return a value with one sign in the place of another in every text, but for keys of mappings."""
    if isinstance(value, str):
        return value.replace(sign, plain)
    if depth and isinstance(value, list):
        return [_replaced(item, sign, plain, depth - 1) for item in value]
    if depth and isinstance(value, dict):
        return {key: _replaced(item, sign, plain, depth - 1) for key, item in value.items()}
    return value
