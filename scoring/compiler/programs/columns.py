"""Functions over columns of values, in which failures become outcomes, with a limit on the memory that results take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar

from scoring.depth import has_fresh_stack, on_fresh_stack
from scoring.result import Outcome, Unscored

A = TypeVar("A")
StepFunction: TypeAlias = Callable[..., Any]


def map_rows(function: StepFunction, columns: Sequence[list[Any]], failed: Callable[[Exception], Any]) -> list[Any]:
    """Return the result of a function for each row of some columns; where it raises, the result is
    ``failed(exception)``.

    `extend` keeps the results before an exception, so no row is computed twice. A function that raises StopIteration
    silently ends `extend`; it is then called once more, on its own.
    """
    results: list[Any] = []
    rest, total = [iter(column) for column in columns], len(columns[0])
    while len(results) < total:
        try:
            results.extend(map(function, *rest))
            if len(results) < total:
                results.append(function(*(column[len(results)] for column in columns)))
        except Exception as error:
            ends = type(error) is RecursionError and not has_fresh_stack()
            row = [[column[len(results)]] for column in columns]
            results.extend(on_fresh_stack(map_rows, function, row, failed) if ends else [failed(error)])
    return results


MOST_AT_ONCE = 100_000_000
"""The most characters, or list items, that a step may produce for one batch; a larger batch is split in halves."""
_FEW = 16
_NUMBERS = frozenset((int, float, bool))


class TooMuchAtOnce(Unscored):
    """The exception for results of a step for one column that take more memory than is allowed."""

    def __init__(self) -> None:
        super().__init__(f"the values of a step come to more than {MOST_AT_ONCE:,} characters and items together")


def grown(function: StepFunction, values: list[Any], failed: Callable[[Exception], Any]) -> list[Any]:
    """Return the results of a step for a column of values, as `map_rows` does, with a limit on the memory that they
    take.

    Raises:
        TooMuchAtOnce: when they take more than the limit, and there are enough values to divide the column.
    """
    if len(values) <= _FEW:
        return map_rows(function, [values], failed)
    done: list[Any] = []
    weight = 0
    for start in range(0, len(values), _FEW):
        some = map_rows(function, [values[start : start + _FEW]], failed)
        weight += _weight(some)
        if weight > MOST_AT_ONCE:
            raise TooMuchAtOnce
        done += some
    return done


def _weight(values: list[Any]) -> int:
    """Return the number of characters and list items in a column; the size of items is estimated from the first and the
    last item of the longest list."""
    if _NUMBERS.issuperset(map(type, values)):
        return 0
    try:
        sizes = [*map(len, values)]
    except TypeError:  # some numbers, or what failed
        values = [value for value in values if type(value) in (str, list)]
        sizes = [*map(len, values)]
    most = max(sizes, default=0)
    if not most:
        return 0
    longest = values[sizes.index(most)]
    if type(longest) is not list:
        return sum(sizes)
    ends = (len(end) for end in (longest[0], longest[-1]) if type(end) in (list, str))
    return sum(sizes) * (1 + max(ends, default=0))


def in_parts(function: Callable[[Any], A], items: Any, alone: Callable[[Any], A]) -> list[A]:
    """Return the results of a function for the parts of ``items``, a sequence: the whole, or halves of it as often as
    the function raises `TooMuchAtOnce`. Where it raises for a single item, the result is that of ``alone``."""
    done: list[A] = []
    waiting = [items]
    while waiting:
        part = waiting.pop()
        try:
            done.append(function(part))
        except TooMuchAtOnce:
            middle = len(part) // 2
            if middle:
                waiting += [part[middle:], part[:middle]]
            else:
                done.append(alone(part))
    return done


def distinct_texts(values: list[Any]) -> list[str] | None:
    """Return the distinct strings of a column, so that each is processed only once; None if the column is short,
    contains other values, or has more than half of them distinct."""
    if len(values) < 4 or set(map(type, values)) != {str}:
        return None
    distinct = list(dict.fromkeys(values))
    return distinct if len(distinct) * 2 <= len(values) else None


def at_once(form: StepFunction, *columns: list[Any]) -> list[Any] | None:
    """Return the results of a batch form, a function of whole columns; None if it raises or returns too few results, so
    that each row must be computed on its own."""
    try:
        done = as_list(form(*columns))
    except Exception:
        return None
    return done if len(done) == len(columns[0]) else None


def pairs_at_once(batch: StepFunction, left: list[Any], right: list[Any]) -> list[Any] | None:
    """Return the results of a batch form for the pairs of two columns, where the result of a pair that contains an
    outcome is this outcome; None if the form raises, so that each pair must be computed on its own."""
    if Outcome not in {*map(type, left), *map(type, right)}:
        return at_once(batch, left, right)
    good = [i for i, pair in enumerate(zip(left, right, strict=True)) if Outcome not in map(type, pair)]
    scores = at_once(batch, [left[index] for index in good], [right[index] for index in good])
    if scores is None:
        return None
    results: list[Any] = [one if type(one) is Outcome else other for one, other in zip(left, right, strict=True)]
    for index, score in zip(good, scores, strict=True):
        results[index] = score
    return results


def as_list(found: Any) -> list[Any]:
    """Return the results of a batch form, which are a sequence or an array, as a list."""
    return found.tolist() if hasattr(found, "tolist") else list(found) if type(found) is not list else found
