"""What a compiled task is made of: metrics, the join of its fields, and everything else that scoring asks for."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scoring.compiler.fields import FieldRunner
from scoring.compiler.formula import Compiled
from scoring.compiler.program import Program
from scoring.compiler.record import RecordReader
from scoring.compiler.run import TransformRunner
from scoring.compiler.signature import Recipe
from scoring.format.load import Loaded, Loader
from scoring.format.model import TaskSpec
from scoring.late import dataclass
from scoring.registry.annotations import FieldScore, FieldScores
from scoring.result import FieldResult, Unscored


@dataclass(frozen=True, slots=True)
class Metric:
    """A data-set metric with its arguments bound; call it with rows."""

    text: str
    program: Program

    def __call__(self, rows: Any, /) -> Any:
        node = self.program.join
        assert node is not None
        return node.primitive.function(rows, **node.static)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """How field scores become the record's score; ``uses`` names the fields that matter to it.

    ``column`` does it for columns of scores and the fields' weights, where the aggregator can.
    """

    text: str
    run: Callable[[Mapping[str, FieldResult]], Any]
    uses: frozenset[str] | None = None
    column: Callable[[Sequence[Sequence[float]], Sequence[float]], Sequence[float]] | None = None


@dataclass(frozen=True, slots=True)
class TaskParts:
    """Everything that a task is made of; ``loaded`` and ``loader`` are where it came from, for its bundle."""

    spec: TaskSpec
    reader: RecordReader
    parse: TransformRunner | None
    parse_reference: TransformRunner | None
    fields: tuple[FieldRunner, ...]
    aggregate: Aggregate
    passes: Compiled | None
    metrics: tuple[Metric, ...]
    programs: tuple[Program, ...]
    recipe: Recipe
    loaded: Loaded
    loader: Loader

    @property
    def digest(self) -> str:
        """The digest of the spec's content."""
        return self.loaded.digest


def aggregate_fields(program: Program) -> Callable[[Mapping[str, FieldResult]], Any]:
    """Run an aggregator and its rescorers over the fields that are applicable."""
    node = program.join
    assert node is not None
    function, settings = node.primitive.function, dict(node.static)
    then = [(step.primitive.function, dict(step.static)) for step in program.rescorers]

    def run(fields: Mapping[str, FieldResult]) -> Any:
        applicable = FieldScores(
            FieldScore(name, field.outcome.value, field.weight)
            for name, field in fields.items()
            if field.outcome.status != "not_applicable" and field.outcome.value is not None
        )
        score = function(applicable, **settings)
        for step, arguments in then:
            score = step(score, **arguments)
        return score

    return run


def aggregate_formula(compiled: Compiled) -> Callable[[Mapping[str, FieldResult]], Any]:
    """Evaluate a formula over the fields that are applicable."""

    def run(fields: Mapping[str, FieldResult]) -> Any:
        scores = {
            name: field.outcome.value for name, field in fields.items() if field.outcome.status != "not_applicable"
        }
        score = compiled.evaluate(scores)
        if isinstance(score, (int, float)) and not math.isfinite(score):
            raise Unscored(f"the formula gives {score}, which is no finite number")
        return score

    return run
