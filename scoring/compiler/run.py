"""Run a compiled program: on one pair, on columns, on all pairs of two lists.

A program becomes closures once. A step that needs a value of the row takes the row as a further argument; all
others never see it. Failures are values (outcomes), so that one bad pair never spoils its column.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from scoring.compiler.program import Node, Program
from scoring.lang.tree import Path
from scoring.result import NotApplicable, Outcome, Unparsed, Unscored
from scoring.values import Type, checker, show_type

Row: TypeAlias = Mapping[str, Any]
Step: TypeAlias = Callable[..., Any]

NO_ROW: Row = {}


def read_path(path: Path, row: Row) -> Any:
    """The value of the row that a path names.

    Raises:
        Unscored: when the row has no such value.
    """
    value: Any = row.get(path.root)
    for segment in path.segments:
        try:
            value = value[segment]
        except (KeyError, IndexError, TypeError):
            raise Unscored(f"the record has no `{show_path(path)}`") from None
    return value


def show_path(path: Path) -> str:
    """A path as it is written."""
    parts = [f"[{segment}]" if isinstance(segment, int) else f".{segment}" for segment in path.segments]
    return path.root + "".join(parts)


class TransformRunner:
    """A compiled pipeline of transforms; call it with one value."""

    def __init__(self, program: Program, chain: Sequence[Node] | None = None, side: str = "prediction") -> None:
        self.program = program
        self.text = program.text
        self._chain = Chain(program.prediction if chain is None else chain, side)
        self.dynamic = self._chain.dynamic

    def __call__(self, value: Any, /) -> Any:
        return self._chain.run(value, NO_ROW)

    def run(self, value: Any, row: Row) -> Any:
        """The transformed value."""
        return self._chain.run(value, row)

    def bind(self, row: Row) -> Callable[[Any], Any]:
        """The same pipeline for one row."""
        return self if not self.dynamic else partial(_run_reversed, self.run, row)

    def column(self, values: list[Any], rows: Sequence[Row] | None = None) -> list[Any]:
        """The transformed values; an :class:`Outcome` stands where one failed."""
        return self._chain.column(values, rows)


def _run_reversed(run: Callable[[Any, Row], Any], row: Row, value: Any) -> Any:
    return run(value, row)


class ScorerRunner:
    """A compiled scorer; call it with a prediction and a reference."""

    def __init__(self, program: Program) -> None:
        assert program.join is not None
        self.program = program
        self.text = program.text
        self._left = Chain(program.prediction, "prediction")
        self._right = Chain(program.reference, "reference")
        self._join, self._join_dynamic = _joined(program.join)
        self._batch = _batch(program.join)
        self._after = Chain(program.rescorers, "score")
        self._open = program.is_open
        self.dynamic = self._left.dynamic or self._right.dynamic or self._join_dynamic or self._after.dynamic

    def __call__(self, prediction: Any, reference: Any, /) -> Any:
        return self.run(prediction, reference, NO_ROW)

    def run(self, prediction: Any, reference: Any, row: Row) -> Any:
        """The score of one pair; raises what the primitives raise."""
        left, right = self._left.run(prediction, row), self._right.run(reference, row)
        score = self._join(left, right, row) if self._join_dynamic else self._join(left, right)
        return self.checked(self._after.run(score, row))

    def checked(self, score: Any) -> Any:
        """The score as a float, held to [0, 1] unless the pipeline declares another range."""
        if type(score) is float and 0.0 <= score <= 1.0:
            return score
        if isinstance(score, complex) and self._open:
            return score
        try:
            plain = float(score)
        except (TypeError, ValueError, OverflowError):
            raise Unscored(f"the pipeline gave {show_type(score)}, not a score") from None
        if not self._open and not -1e-9 <= plain <= 1 + 1e-9:
            raise Unscored(f"the score {plain} lies outside [0, 1]")
        return plain

    def bind(self, row: Row) -> Callable[[Any, Any], Any]:
        """The same scorer for one row."""
        return self if not self.dynamic else BoundScorer(self, row)

    def outcome(self, prediction: Any, reference: Any, row: Row = NO_ROW) -> Outcome:
        """The outcome of one pair; never raises."""
        try:
            return outcome_of(self.run(prediction, reference, row))
        except Exception as error:
            return failure(error)

    def column(self, predictions: list[Any], references: list[Any], rows: Sequence[Row] | None = None) -> list[Outcome]:
        """The outcomes of two columns, pair by pair."""
        left, right = self._left.column(predictions, rows), self._right.column(references, rows)
        scores = self._join_columns(left, right, rows)
        results = []
        for index, score in enumerate(scores):
            if isinstance(score, Outcome):
                results.append(score)
                continue
            try:
                row = rows[index] if rows is not None else NO_ROW
                results.append(outcome_of(self.checked(self._after.run(score, row))))
            except Exception as error:
                results.append(failure(error))
        return results

    def _join_columns(self, left: list[Any], right: list[Any], rows: Sequence[Row] | None) -> list[Any]:
        if self._batch is not None and len(left) > 1:
            scores = _whole_batch(self._batch, left, right)
            if scores is not None:
                return scores
        results: list[Any] = []
        for index, (one, other) in enumerate(zip(left, right, strict=True)):
            failed = one if isinstance(one, Outcome) else other if isinstance(other, Outcome) else None
            if failed is not None:
                results.append(failed)
                continue
            try:
                if self._join_dynamic:
                    results.append(self._join(one, other, rows[index] if rows is not None else NO_ROW))
                else:
                    results.append(self._join(one, other))
            except Exception as error:
                results.append(failure(error))
        return results

    def matrix(self, predictions: Sequence[Any], references: Sequence[Any]) -> list[list[float]]:
        """The scores of all pairs; each side is prepared once.

        Raises what the first failing pair raises.
        """
        left = [self._left.run(value, NO_ROW) for value in predictions]
        right = [self._right.run(value, NO_ROW) for value in references]
        if self._batch is not None and len(left) * len(right) > 1:
            flat = self._batch([one for one in left for _ in right], right * len(left))
            width = len(right)
            return [
                [self.checked(self._after.run(score, NO_ROW)) for score in flat[row * width : (row + 1) * width]]
                for row in range(len(left))
            ]
        return [[self.checked(self._after.run(self._join(one, other), NO_ROW)) for other in right] for one in left]


class BoundScorer:
    """A scorer that reads values of the row, for one row."""

    __slots__ = ("_row", "_runner", "text")

    def __init__(self, runner: ScorerRunner, row: Row) -> None:
        self._runner = runner
        self._row = row
        self.text = runner.text

    def __call__(self, prediction: Any, reference: Any, /) -> Any:
        return self._runner.run(prediction, reference, self._row)


class Chain:
    """Steps that follow one another on one value."""

    __slots__ = ("_plain", "_steps", "dynamic")

    def __init__(self, nodes: Sequence[Node], side: str) -> None:
        self._steps: list[tuple[Step, bool]] = []
        for node in nodes:
            wanted = node.checks[0] if node.checks else None
            if wanted is not None:
                self._steps.append((_guard(wanted, node.step, side), False))
            self._steps.append(_called(node))
        if side == "reference" and self._steps:
            self._steps = [(_blame_reference(step), dynamic) for step, dynamic in self._steps]
        self.dynamic = any(dynamic for _, dynamic in self._steps)
        self._plain = [step for step, _ in self._steps]

    def run(self, value: Any, row: Row) -> Any:
        """The value after every step."""
        if self.dynamic:
            for step, dynamic in self._steps:
                value = step(value, row) if dynamic else step(value)
            return value
        for step in self._plain:
            value = step(value)
        return value

    def column(self, values: list[Any], rows: Sequence[Row] | None) -> list[Any]:
        """The values after every step; failures become outcomes, outcomes pass through."""
        if not self._plain:
            return values
        if not self.dynamic:
            known = _repeated(values)
            if known is not None:
                done = {value: self._one(value, NO_ROW) for value in known}
                return [done[value] for value in values]
        if rows is None or not self.dynamic:
            return [self._one(value, NO_ROW) for value in values]
        return [self._one(value, row) for value, row in zip(values, rows, strict=True)]

    def _one(self, value: Any, row: Row) -> Any:
        if isinstance(value, Outcome):
            return value
        try:
            return self.run(value, row)
        except Exception as error:
            return failure(error)


def _repeated(values: list[Any]) -> dict[Any, None] | None:
    """The distinct texts of a column in which most are repeated, so that each is prepared once."""
    if len(values) < 4 or type(values[0]) is not str:
        return None
    try:
        distinct = dict.fromkeys(values)
    except TypeError:
        return None
    if len(distinct) * 2 > len(values) or not all(type(value) is str for value in distinct):
        return None
    return distinct


def _guard(wanted: Type, step: str, side: str) -> Step:
    """A check of a value's type: the response's fault on the prediction side, the data's on the other."""
    fits = checker(wanted)
    assert fits is not None

    def check(value: Any) -> Any:
        if fits(value):
            return value
        message = f"`{step}` takes {wanted}, but the {side} is {show_type(value)}"
        raise Unparsed(message) if side == "prediction" else Unscored(message)

    return check


def _blame_reference(step: Step) -> Step:
    """A reference that does not parse is a fault of the data, not of the response."""

    def run(*data: Any) -> Any:
        try:
            return step(*data)
        except Unparsed as error:
            raise Unscored(f"the reference: {error}") from None

    return run


def _arguments(node: Node) -> tuple[dict[str, Any], list[Any], dict[str, Any], list[Any]]:
    """Keyword and positional arguments of a node: plain ones, then nested runners by name or in order."""
    named: dict[str, Any] = dict(node.static)
    variadic: list[Any] = []
    for name, value in node.nested.items():
        if isinstance(value, Program):
            named[name] = runner(value)
        elif isinstance(value, tuple):
            variadic = [runner(program) for program in value]
        else:
            named[name] = {key: runner(program) for key, program in value.items()}
    moving_named = {name: value for name, value in named.items() if _moves(value)}
    moving = [value for value in variadic if _moves(value)]
    return named, variadic, moving_named, moving


def _moves(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_moves(item) for item in value.values())
    return isinstance(value, (ScorerRunner, TransformRunner)) and value.dynamic


def _bound(value: Any, row: Row) -> Any:
    if isinstance(value, dict):
        return {key: _bound(item, row) for key, item in value.items()}
    return value.bind(row) if isinstance(value, (ScorerRunner, TransformRunner)) else value


def _called(node: Node) -> tuple[Step, bool]:
    """The node as a function of its data, and whether it takes the row as a last argument."""
    function = node.primitive.function
    named, variadic, moving_named, moving = _arguments(node)
    if not node.dynamic and not moving_named and not moving:
        return _static(function, named, variadic, len(node.primitive.inputs)), False
    paths = dict(node.dynamic)

    def call(*data: Any) -> Any:
        row = data[-1]
        settings = dict(named)
        for name in moving_named:
            settings[name] = _bound(settings[name], row)
        for name, path in paths.items():
            settings[name] = read_path(path, row)
        return function(*data[:-1], *(_bound(value, row) for value in variadic), **settings)

    return call, True


def _static(function: Step, named: dict[str, Any], variadic: list[Any], arity: int) -> Step:
    if variadic and arity == 2:
        return lambda left, right: function(left, right, *variadic, **named)
    if variadic:
        return lambda value: function(value, *variadic, **named)
    return partial(function, **named) if named else function


def _joined(node: Node) -> tuple[Step, bool]:
    """The joining step with its run-time checks."""
    step, dynamic = _called(node)
    guards = [
        _guard(wanted, node.step, side) if wanted is not None else None
        for wanted, side in zip(node.checks, ("prediction", "reference"), strict=False)
    ]
    if not any(guards):
        return step, dynamic
    left, right = guards

    def check(prediction: Any, reference: Any, *row: Any) -> Any:
        if left is not None:
            left(prediction)
        if right is not None:
            right(reference)
        return step(prediction, reference, *row)

    return check, dynamic


def _batch(node: Node) -> Step | None:
    """The batch form of the joining step, where there is one and nothing needs checking or a row."""
    batch = node.primitive.batch
    if batch is None or node.is_dynamic or any(node.checks):
        return None
    named, variadic, _, _ = _arguments(node)
    return None if variadic else partial(batch, **named) if named else batch


def _whole_batch(batch: Step, left: list[Any], right: list[Any]) -> list[Any] | None:
    """The batch form on the pairs that have not failed yet; None where it raises and pairs must go one by one."""
    good = [
        index
        for index, (one, other) in enumerate(zip(left, right, strict=True))
        if not isinstance(one, Outcome) and not isinstance(other, Outcome)
    ]
    try:
        scores = batch([left[index] for index in good], [right[index] for index in good])
    except Exception:
        return None
    results: list[Any] = [one if isinstance(one, Outcome) else other for one, other in zip(left, right, strict=True)]
    for index, score in zip(good, scores, strict=True):
        results[index] = score
    return results


_ONE = Outcome(1.0)
_ZERO = Outcome(0.0)


def outcome_of(score: Any) -> Outcome:
    """The outcome of a score; the two commonest are shared."""
    if score == 1.0:
        return _ONE
    return _ZERO if score == 0.0 else Outcome(score)


def failure(error: Exception) -> Outcome:
    """The outcome that an exception stands for, with the primitive that raised it."""
    known = isinstance(error, (Unscored, Unparsed, NotApplicable))
    return Outcome.of_exception(error, None if known else _raising_primitive(error))


def _raising_primitive(error: BaseException) -> str | None:
    """The innermost primitive on the error's traceback."""
    from scoring.registry import registry

    by_code = registry.by_code()
    found, frame = None, error.__traceback__
    while frame is not None:
        found = by_code.get(frame.tb_frame.f_code, found)
        frame = frame.tb_next
    return found


def runner(program: Program) -> ScorerRunner | TransformRunner:
    """The program, ready to run."""
    return ScorerRunner(program) if program.form == "scorer" else TransformRunner(program)
