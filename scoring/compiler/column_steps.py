"""Steps that follow one another on one value, on single values and on columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import repeat
from typing import Any, TypeVar

from scoring.compiler.expression_values import NO_ROW, RowValues
from scoring.compiler.failures import failure
from scoring.compiler.replies import way_to_text
from scoring.compiler.single_record import ChainStep, StepFunction, blame_data, blamed, composed
from scoring.depth import has_fresh_stack, on_fresh_stack
from scoring.ranges import EVERYTHING, GREATEST, ScoreRange
from scoring.registry.pairs import floats
from scoring.result import Outcome, Unparsed, Unscored
from scoring.values import TEXT, Type, checker, show_type, substitute

A = TypeVar("A")


class Chain:
    """Runs steps one after the other.

    ``side`` is ``prediction``, ``score``, or what of the data it is, such as ``reference``: whose fault it is when a
    value does not fit. ``final`` is what the last value is checked for, with the name of the step that takes it.
    """

    __slots__ = ("_data", "_is_slow", "_steps", "dynamic", "final", "held", "is_shared", "run")

    def __init__(self, steps: Sequence[ChainStep], side: str, final: tuple[Type, str] | None = None) -> None:
        placed = list(steps)
        if final is not None:
            placed.append(checked(*final, side))
        # What of the data it works on, "" where it works on what a model said.
        self._data = "" if side in ("prediction", "score") else side
        self._steps = placed
        self._is_slow = any(step.column is None for step in placed)
        self.dynamic = any(step.dynamic for step in placed)
        self.final = final
        # Several scorers that prepare one column alike have one chain, which keeps what it made until the batch ends.
        self.is_shared = False
        self.held: tuple[list[Any], list[Any]] | None = None
        # The value after every step, from a value and the row; it raises what the steps raise.
        self.run = blamed(composed(placed), self._data) if self._data else composed(placed)

    @property
    def is_empty(self) -> bool:
        """Whether the chain has no steps."""
        return not self._steps

    def column(self, values: list[Any], rows: Iterable[RowValues] | None = None) -> list[Any]:
        """Return the values after every step; failures become outcomes, outcomes pass through."""
        if not self._steps:
            return values
        if self.dynamic:
            known = repeat(NO_ROW) if rows is None else rows
            return [self.one(value, row) for value, row in zip(values, known, strict=False)]
        held = self.held
        if held is not None and held[0] is values:
            return held[1]
        # Column forms are quicker than a search for values that repeat.
        distinct = _repeated(values) if self._is_slow else None
        if distinct is not None:
            each_of = dict(zip(distinct, self._each(distinct), strict=True))
            done = [each_of[value] for value in values]
        else:
            done = self._each(values)
        if self.is_shared:
            self.held = values, done
        return done

    def _each(self, values: list[Any]) -> list[Any]:
        failed = not self._steps[0].is_check and Outcome in set(map(type, values))
        for step in self._steps:
            done = at_once(step.column, values) if step.column is not None and not failed else None
            if done is None or step.may_fail:
                done = self._past_failures(step, values) if done is None else done
                failed = Outcome in set(map(type, done))
                if failed and step.may_fail and self._data:
                    done = [self._blame(value) if type(value) is Outcome else value for value in done]
            values = done
        return values

    def _past_failures(self, step: ChainStep, values: list[Any]) -> list[Any]:
        """One step over a column in which something may have failed before; that stays as it is."""
        good = [value for value in values if type(value) is not Outcome]
        if len(good) == len(values):
            return grown(step.run, values, self._failure)
        done = at_once(step.column, good) if step.column is not None else None
        rest = iter(grown(step.run, good, self._failure) if done is None else done)
        return [value if type(value) is Outcome else next(rest) for value in values]

    def array(self, values: Any) -> Any | None:
        """Return an array of scores after every step; None where a step has no column form, or that can't do with
        them."""
        if self._is_slow or self.dynamic:
            return None
        size = len(values)
        try:
            for step in self._steps:
                assert step.column is not None
                values = step.column(values)
        except Exception:
            return None
        return values if type(values).__name__ == "ndarray" and len(values) == size else None

    def _failure(self, error: Exception) -> Outcome:
        if self._data and isinstance(error, Unparsed):
            return failure(blame_data(error, self._data))
        return failure(error)

    def _blame(self, outcome: Outcome) -> Outcome:
        return failure(blame_data(outcome.reason, self._data)) if outcome.status == "unparsed" else outcome

    def one(self, value: Any, row: RowValues) -> Any:
        """Return the transformed value, or the outcome that says why there is none; an outcome passes through."""
        if type(value) is Outcome:
            return value
        try:
            return self.run(value, row)
        except Exception as error:
            if type(error) is RecursionError and not has_fresh_stack():
                return on_fresh_stack(self.one, value, row)
            return failure(error)


def each(function: StepFunction, columns: Sequence[list[Any]], failed: Callable[[Exception], Any]) -> list[Any]:
    """Return a function over the rows of some columns, with something else where it raises.

    `extend` keeps what it got before an exception, so nothing is done twice. A function that raises StopIteration ends
    it without a word; it is called once more, by itself.
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
            results.extend(on_fresh_stack(each, function, row, failed) if ends else [failed(error)])
    return results


MOST_AT_ONCE = 100_000_000
"""The most characters, or list items, that a step may produce for one batch; a larger batch is split in halves."""
_FEW = 16


class TooMuchAtOnce(Unscored):
    """The values that a step produces for one column take more memory than is allowed."""

    def __init__(self) -> None:
        super().__init__(f"the values of a step come to more than {MOST_AT_ONCE:,} characters and items together")


def grown(function: StepFunction, values: list[Any], failed: Callable[[Exception], Any]) -> list[Any]:
    """Return the results of a step over a column, as in `each`, if they fit into memory together.

    Raises:
        TooMuchAtOnce: when it may not, and there are values enough to go on with fewer.
    """
    if len(values) <= _FEW:
        return each(function, [values], failed)
    done: list[Any] = []
    held = 0
    for start in range(0, len(values), _FEW):
        some = each(function, [values[start : start + _FEW]], failed)
        held += _weight(some)
        if held > MOST_AT_ONCE:
            raise TooMuchAtOnce
        done += some
    return done


def _weight(values: list[Any]) -> int:
    """Return the number of characters and list items in a column; the size of items is estimated from the ends of the
    longest list."""
    try:
        sizes = [*map(len, values)]
    except TypeError:  # numbers, or what failed
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
    """Return the results of a function for a sequence, computed for halves if the whole takes too much memory.

    Args:
        function: It may raise `TooMuchAtOnce`.
        items: The sequence.
        alone: What stands for the function where a single item is too much for it.
    """
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


def _repeated(values: list[Any]) -> list[str] | None:
    """Return the distinct strings of a column in which most are repeated, so that each is processed only once; else
    None."""
    if len(values) < 4 or set(map(type, values)) != {str}:
        return None
    distinct = list(dict.fromkeys(values))
    return distinct if len(distinct) * 2 <= len(values) else None


def at_once(form: StepFunction, *columns: list[Any]) -> list[Any] | None:
    """Return a batch form's values; None where it fails, and each row must be tried."""
    try:
        done = as_list(form(*columns))
    except Exception:
        return None
    return done if len(done) == len(columns[0]) else None


def pairs_at_once(batch: StepFunction, left: list[Any], right: list[Any]) -> list[Any] | None:
    """Return the batch form on the pairs that have not failed yet; None where it raises and pairs must go one by
    one."""
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
    """Return the result of a batch form, a list or an array, as a list."""
    return found.tolist() if hasattr(found, "tolist") else list(found) if type(found) is not list else found


def checked(wanted: Type, step: str, side: str) -> ChainStep:
    """Return the check of a value's type as a step: the response's fault on the prediction side, the data's on the
    other."""
    fits = checker(wanted)
    assert fits is not None

    def check(value: Any) -> Any:
        if fits(value):
            return value
        way_on = _way_on(wanted, value, side)
        message = f"`{step}` takes {substitute(wanted, {})}, but the {side} is {show_type(value)}{way_on}"
        raise Unparsed(message) if side == "prediction" else Unscored(message)

    def column(values: list[Any]) -> list[Any]:
        # A column whose values all fit passes as it is; texts, the usual case, by one look at their classes.
        are_texts = wanted.name == "Text" and set(map(type, values)) <= _TEXT
        return values if are_texts or all(map(fits, values)) else [check(value) for value in values]

    return ChainStep(check, False, column, is_check=True, is_text=wanted == TEXT)


_TEXT = {str}


def _way_on(wanted: Type, value: Any, side: str) -> str:
    """Return the step that may read such a value, where there is one."""
    if isinstance(value, str):
        step = {"Number": "number", "List": "to_list", "Set": "to_set", "Dict": "to_dict"}.get(wanted.name)
    else:
        way = way_to_text(value, "response" if side == "prediction" else "reference") if wanted == TEXT else ""
        if way:
            return f"; {way}"
        step = "to_text" if wanted == TEXT and isinstance(value, int | float) else None
    return f"; `{step}` makes it one" if step else ""


# ---- scores held to the range that the steps before them declare


def checked_score(score: Any, held: ScoreRange) -> Any:
    """Return the score that a comparator gave, fit for the steps that follow.

    Raises:
        Unscored: when it is no number, or lies out of range.
    """
    found = _within(score, held)
    if found != found:
        raise Unscored("the score is no number (NaN), which nothing can be made of")
    return found


def held_score(score: Any, held: ScoreRange) -> Any:
    """Return the score as a float clipped to a range; a complex score passes if the range is unbounded."""
    plain = _within(score, held)
    if not isinstance(plain, complex) and GREATEST < abs(plain) < math.inf:
        raise Unscored(f"the score {plain} is too large to count")
    return plain


def _within(score: Any, held: ScoreRange) -> Any:
    """Return the same, however large it is: a step that follows may make a small score of a great distance."""
    if isinstance(score, complex) and held == EVERYTHING:
        return score
    try:
        plain = float(score)
    except (TypeError, ValueError, OverflowError):
        raise Unscored(f"the pipeline gave {show_type(score)}, not a score") from None
    if held != EVERYTHING and not held.holds(plain):
        raise Unscored(f"the score {plain} lies outside {held}")
    return plain


def _all_within(held: ScoreRange, scores: Any) -> Any:
    """Return a column of scores as an array if all lie in a range; else None.

    Raises:
        ValueError: when one does not; each then says so for itself.
    """
    values = floats(scores)
    if not ((values >= held.low) & (values <= held.high)).all():
        raise ValueError(f"scores outside {held}")
    return values


def behind_check(step: ChainStep, given: ScoreRange) -> list[ChainStep]:
    """Return a step of the score, which gets no score that is out of range; in columns both look at one array."""
    check, column = partial(checked_score, held=given), step.column
    if step.dynamic or column is None:
        return [ChainStep(check, column=partial(_all_within, given)), step]
    return [
        step._replace(run=lambda score: step.run(check(score)), column=lambda found: column(_all_within(given, found)))
    ]
