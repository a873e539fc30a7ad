"""The parts of a compiled task: metrics, the aggregation of its fields, and everything else that scoring needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from scoring.compiler.formulas.formula import Compiled, FormulaCompiler
from scoring.compiler.formulas.ranges import EITHER_WAY, FigureScale, step_range
from scoring.compiler.identity.meaning import path_meaning, program_meaning
from scoring.compiler.identity.signature import Recipe
from scoring.compiler.programs.messages import Findings
from scoring.compiler.programs.program import BoundStep, Computed, Program
from scoring.compiler.programs.stages import RowValues
from scoring.compiler.records.record_reader import Reader, RecordReader, part_reader
from scoring.compiler.running.run import TransformRunner, aggregator
from scoring.compiler.tasks.fields import FieldRunner
from scoring.compiler.tasks.least import LeastScore
from scoring.format.load import Loaded, Loader
from scoring.format.measures import BetterFigure
from scoring.format.model import TaskSpec
from scoring.lang.evaluation import SCORE
from scoring.lang.formula import Formula
from scoring.lang.places import PARSED, segments_of
from scoring.lang.tree import Literal, Path, Pipeline, Value
from scoring.ranges import EVERYTHING, UNIT, Better, ScoreRange
from scoring.registry import registry
from scoring.registry.annotations import FieldScore, FieldScores
from scoring.registry.model import DeclaredBetter
from scoring.result import FieldResult
from scoring.statistics.rows import PASSES_COLUMN, is_record_path, score_column
from scoring.values import Type

if TYPE_CHECKING:
    from scoring.compiler.formulas.formula_metric import FormulaMetric
    from scoring.compiler.tasks.formula_fields import FormulaField

_COMPARED = {"prediction": "response", "reference": "reference"}
TaskMetric: TypeAlias = "Metric | FormulaMetric"
"""A metric over the records of a task, or over the tasks of a suite; call it with rows."""


def parsed_readers(paths: Iterable[Any]) -> dict[str, Reader]:
    """Return readers, by path, of the paths that begin with `parsed`."""
    known = {path: segments_of(path) for path in paths if isinstance(path, str) and path.startswith(PARSED)}
    return {path: part_reader(found) for path, found in known.items() if found and found[0] == PARSED}


class Metric(Struct, frozen=True):
    """A call of a data-set metric with its arguments; calling it with a table of scored records returns the figure.

    ``text`` is the figure's name. ``parsed`` has the readers of its paths into the parsed answer, such as
    ``parsed.city``, and ``values`` the computed values among its columns; ``better`` says which figures are better.
    """

    text: str
    program: Program
    parsed: Mapping[str, Reader] = field(default_factory=dict)
    values: Mapping[str, Path] = field(default_factory=dict)
    better: Better = "higher"

    @property
    def formula(self) -> str:
        """The call of the metric, if its figure has another name; else ""."""
        return "" if self.text == self.program.text else self.program.text

    @property
    def join(self) -> BoundStep | None:
        """The call of the metric as a step; None if it has a mistake."""
        return self.program.join

    @property
    def meaning(self) -> Any:
        """The metric as plain data for digests; computed values are represented by their computations."""
        found = program_meaning(self.program)
        if not self.values:
            return found
        *name, settings = found["join"]
        columns = {text: path_meaning(path) for text, path in self.values.items()}
        return {**found, "join": [*name, {key: columns.get(str(value), value) for key, value in settings.items()}]}

    @property
    def reads_compared(self) -> bool:
        """Whether the metric reads the values that fields compare, which must then be kept until it has run."""
        join = self.join
        return join is not None and any(
            param.compared and param.is_path and param.name not in join.static for param in join.primitive.params
        )

    @property
    def reads_records(self) -> bool:
        """Whether the metric may read records; only a metric that declares to read scores alone is known not to."""
        return self.join is None or self.join.primitive.reads != "scores"

    @property
    def columns(self) -> set[str] | None:
        """The keys of records that the metric reads; None if it may read any."""
        return None if self.reads_records else set()

    @property
    def paths(self) -> list[str]:
        """The paths of records that the metric reads; compared values come from the response and the reference."""
        if self.join is None:
            return []
        settings = ((param, self.join.static.get(param.name, param.default)) for param in self.join.primitive.params)
        found = (
            _COMPARED.get(param.name) if path is None and param.compared else path
            for param, path in settings
            if param.is_path
        )
        return [path for path in found if isinstance(path, str) and is_record_path(path)]

    def scale(self, ranges: Mapping[str | None, ScoreRange]) -> FigureScale:
        """Return the range of the figure, given those of scores: of fields by name, and of records under None."""
        join = self.join
        if join is None:
            return FigureScale()
        own = ranges.get(join.static.get("field"), EVERYTHING)
        interval, is_open = step_range(join, own), "either_way" in join.primitive.traits
        why = "" if interval.is_finite else f"the figure may lie anywhere in {interval}"
        return FigureScale(interval, own, EITHER_WAY if is_open else why)

    def __call__(self, rows: Any, /) -> Any:
        node = self.program.join
        assert node is not None
        return node.primitive.function(rows, **node.static)


# ---- what metrics may name, and the columns that their names stand for

PASSED = "passed"
"""The name by which metrics refer to whether a record passes."""


class NoPass(NamedTuple):
    """The reason why no record can pass: kind of finding, message, and advice, with ``{}`` for the metric's name."""

    id: str
    why: str
    help: str


class MetricNames(Struct, frozen=True):
    """The names that the metrics of a spec may use, and which values of figures are better.

    ``ranges`` has the range of each field's scores, and under None that of the records' own; it is None for a table
    without records, over which formulas are not possible. ``values`` are the declared computed values, each with its
    path and type. ``no_pass`` is the finding for a metric of
    passes, None if the spec has a pass condition. ``scores`` says which scores are better, by field and, under None, of
    the records, and ``better`` which figures, by name, as the spec states. ``of_tasks`` is true if the records are
    tasks of a suite. ``figures`` are the metrics by name, each with its
    formula, which other formulas may name, or None for a call.
    """

    ranges: Mapping[str | None, ScoreRange] | None
    values: Mapping[str, tuple[Path, Type]]
    no_pass: NoPass | None = None
    scores: Mapping[str | None, Better] = field(default_factory=dict)
    better: Mapping[str, BetterFigure] = field(default_factory=dict)
    of_tasks: bool = False
    figures: Mapping[str, Formula | None] = field(default_factory=dict)

    def better_of(self, name: str, found: DeclaredBetter | None, of_field: Any = None) -> Better:
        """Return which values of the figure ``name`` are better: as the spec states, else as its metric declares
        (``found``), where "scores" means: as for the scores of the field ``of_field``."""
        if name in self.better:
            return self.better[name].better
        if found == "scores":
            return self.scores.get(of_field, "higher")
        return None if found == "neither" else found


def with_columns(pipeline: Pipeline, names: MetricNames, findings: Findings) -> tuple[Pipeline, list[Path]]:
    """Return a metric call with the arguments that name columns resolved, and the computed values among them."""
    first = pipeline.steps[0]
    metric = registry.metric(first.name)
    if metric is None or names.ranges is None:
        return pipeline, []
    columns = {param.name for param in metric.params if param.is_path}
    slots = [param.name for param in metric.params]
    values: list[Path] = []

    def column_path(value: Value) -> Value:
        found = _column(value, names, findings)
        if isinstance(found, Path):
            from scoring.compiler.programs.expression_values import column_of

            values.extend([found] if found.root == "values" else [])
            return Literal(column_of(found), value.span)
        return found

    args = tuple(
        column_path(value) if place < len(slots) and slots[place] in columns else value
        for place, value in enumerate(first.args)
    )
    kwargs = tuple((name, column_path(value) if name in columns else value) for name, value in first.kwargs)
    return replace(pipeline, steps=(replace(first, args=args, kwargs=kwargs), *pipeline.steps[1:])), values


def _column(value: Value, names: MetricNames, findings: Findings) -> Value:
    """Return the column that an argument of a metric names, as text or path; an argument that is no name unchanged."""
    if isinstance(value, Path) and value.root == "values":
        found = FormulaCompiler({}, findings, values=names.values).value(value).node
        return found if isinstance(found, Path) else value
    if not isinstance(value, Pipeline) or not value.is_word:
        return value
    word = value.steps[0].name
    if word in names.values:
        return names.values[word][0]
    own = {SCORE: score_column(), PASSED: PASSES_COLUMN}
    if word in (names.ranges or ()):
        return Literal(score_column(word), value.span)
    if word in own:
        return Literal(own[word], value.span)
    known = [name for name in (*(names.ranges or ()), *names.values, *own) if name is not None]
    findings.unknown(
        "unknown-field",
        f"there is no column `{word}`",
        value.span,
        word,
        known,
        f"columns: {', '.join(known)}; a key of the record is `record.{word}`",
    )
    return Literal(word, value.span)


# ---- the task


class Aggregate(Struct, frozen=True):
    """The function that combines a record's field scores into its score; ``uses`` are the fields that affect it, None
    for all.

    ``column`` combines columns of scores, given the fields' weights, if the aggregator can. ``range`` is the range of
    the record's score, and ``formula`` the compiled formula, if it is one.
    """

    text: str
    run: Callable[[Mapping[str, FieldResult], RowValues], Any]
    uses: frozenset[str] | None = None
    column: Callable[[Sequence[Sequence[float]], Sequence[float]], Sequence[float]] | None = None
    range: ScoreRange = UNIT
    formula: Compiled | None = None


class TaskParts(Struct, frozen=True):
    """Everything that a task is compiled to.

    ``formulas`` are the fields that are formulas, each after those that it reads; ``values`` are the computed values
    that anything reads, in an order in which they can be computed. ``least`` has the scores of failures. ``ranges`` has
    the range of each field's scores by name, and under None that of the records' own; ``better`` says in the same way
    which scores are better. ``loaded`` and ``loader`` have the files of the task, for its bundle.
    """

    spec: TaskSpec
    reader: RecordReader
    parse: TransformRunner | None
    parse_reference: TransformRunner | None
    fields: tuple[FieldRunner, ...]
    formulas: tuple[FormulaField, ...]
    values: tuple[Computed, ...]
    aggregate: Aggregate
    least: LeastScore
    ranges: Mapping[str | None, ScoreRange]
    better: Mapping[str | None, Better]
    passes: Compiled | None
    metrics: Sequence[TaskMetric]
    programs: tuple[Program, ...]
    recipe: Recipe
    loaded: Loaded
    loader: Loader

    @property
    def field_names(self) -> tuple[str, ...]:
        """The names of all fields that are scored, in the order of the spec."""
        return tuple(name for name in self.ranges if name is not None)

    @property
    def has_nulls(self) -> bool:
        """Whether null differs from a missing key; if not, they are equal, since columns give each record every key."""
        return self.spec.on_null == "value"

    @property
    def passes_missing(self) -> bool:
        """Whether a missing value is compared as if it were null."""
        return self.spec.on_missing == "pass"

    @property
    def needs_reference(self) -> bool:
        """Whether a field's score depends on the reference of the record, also through a computed value."""
        return any(
            field.scorer.reads_reference and (field.reference is None or field.scorer.program.names_reference)
            for field in self.fields
        )

    @property
    def needs_response(self) -> bool:
        """Whether anything in the task reads the response."""
        compares = any(field.prediction is None for field in self.fields)
        return compares or self.parse is not None or any(path.root in ("prediction", PARSED) for path in self.paths)

    @property
    def weights(self) -> list[float]:
        """The weight of each field, in the order of `field_names`."""
        known = {field.name: field.weight for field in self.fields}
        known |= {field.name: field.weight for field in self.formulas}
        return [known[name] for name in self.field_names]

    @property
    def compiled_formulas(self) -> dict[str, Compiled]:
        """The formulas over single records, by a description of the field or key that contains each."""
        found = {f"the field `{field.name}`": field.compiled for field in self.formulas}
        found |= {"`aggregate`": self.aggregate.formula} if self.aggregate.formula is not None else {}
        return found | ({"`pass`": self.passes} if self.passes is not None else {})

    @property
    def joining_paths(self) -> set[Path]:
        """The paths into the row that the formulas of `aggregate` and `pass` read."""
        joining = [one for one in (self.aggregate.formula, self.passes) if one is not None]
        return set().union(*(one.paths for one in joining))

    @property
    def paths(self) -> set[Path]:
        """The paths into the row that programs, formulas and computed values read."""
        programs = [field.scorer.program for field in self.fields]
        programs += [chain.program for chain in (self.parse, self.parse_reference) if chain is not None]
        formulas = [one.paths for one in self.compiled_formulas.values()]
        found: set[Path] = set().union(*formulas, *(program.paths() for program in programs))
        for value in self.values:
            found |= {value.whole, value.head, *value.program.own_paths()}
        return found

    @property
    def digest(self) -> str:
        """The digest of the spec's content."""
        return self.loaded.digest


def aggregate_fields(program: Program) -> Callable[[Mapping[str, FieldResult], RowValues], Any]:
    """Return a function from a record's fields and row to its score, by an aggregator over the applicable fields."""
    join = aggregator(program)

    def run(fields: Mapping[str, FieldResult], row: RowValues) -> Any:
        return join(
            FieldScores(
                FieldScore(name, field.outcome.value, field.weight)
                for name, field in fields.items()
                if field.outcome.status != "not_applicable" and field.outcome.value is not None
            )
        )

    return run


def aggregate_formula(compiled: Compiled) -> Callable[[Mapping[str, FieldResult], RowValues], Any]:
    """Return a function from a record's fields and row to its score, by a formula over the applicable fields."""
    from scoring.compiler.tasks.formula_fields import formula_score

    return lambda fields, row: formula_score(compiled, {name: field.outcome for name, field in fields.items()}, row)
