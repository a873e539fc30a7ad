"""What a spec file says, once read: frozen values in which every part knows where it was written.

The attributes that are declared with `key` are the table of keys: see `format/keys.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal, TypeAlias

from scoring.diagnostics.source import Fragment, Span
from scoring.format import forms, front_ends
from scoring.format.auditing import NO_RULES, AuditRules
from scoring.format.forms import PATH, PIPELINE, TEXT, definitions, list_of, map_of, named, number, one_of, section
from scoring.format.keys import DATA_SETS, ROWS, FileKind, ValueForm, key
from scoring.format.measures import MetricEntry
from scoring.format.sections import (
    IMPORTS,
    LABELLED,
    LABELS,
    PAIRS,
    RECORD,
    RECORDS,
    REQUIREMENTS,
    TASKS,
    DataSetSettings,
    DefinitionDeprecation,
    Filters,
    Import,
    Intervals,
    PackDeprecation,
    RecordParts,
    Requirement,
    SpecExample,
    TaskAttributes,
    TaskEntry,
    TaskRows,
)
from scoring.lang.formula import Formula
from scoring.lang.tree import Pipeline
from scoring.late import dataclass

DefinitionRole: TypeAlias = Literal["scorer", "parser", "transform", "aggregate", "metric"]
Policy: TypeAlias = Literal["unscored", "zero", "raw"]

NO_DEFAULT: Any = object()
_DOC = "What this is, for people."
_AUDIT = "Which laws of `scoring audit` do not hold here, and which more have to."


# ---- every file

_KIND = ValueForm(
    lambda kind: {"const": kind if kind in ("suite", "pack") else "task"}, lambda building, node: node.value
)
_NAME = forms.text(pattern=forms.NAME_PATTERN, maxLength=200, examples=["house/extraction"])
_VERSION = forms.version_text()


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecFile:
    """What every kind of file says."""

    kind: str = key(_KIND, "What the file is: task, pack or suite.", required=True)
    name: str = key(_NAME, "Its name, such as invoices/extraction.", required=True)
    version: str = key(_VERSION, forms.VERSION_MEANING, default="")
    doc: str = key(TEXT, _DOC, default="", prose=True)
    imports: tuple[Import, ...] = key(
        IMPORTS,
        "Packs by alias: a shipped or installed one by name and version (`house@1`), or a file (`./house.yaml`).",
        default=(),
    )
    span: Span | None = None
    data: Mapping[str, Any] = field(default_factory=dict)


# ---- definitions


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a definition: a value with its default, or a pipeline."""

    name: str
    default: Any = key(forms.plain({}), "Its value where none is given.", default=NO_DEFAULT)
    pipeline: Pipeline | None = None
    takes_pipeline: bool = key(
        forms.plain({"const": "pipeline"}, lambda node: node.value == "pipeline"),
        "The word `pipeline`, if it takes an expression in place of a value.",
        name="type",
        default=False,
    )
    doc: str = key(TEXT, "What it does, for people.", default="", prose=True)
    span: Span | None = None
    written: Fragment | None = None

    @property
    def is_required(self) -> bool:
        """Whether a call has to give it."""
        return self.default is NO_DEFAULT and self.pipeline is None


_PARAMETERS = ValueForm(
    lambda kind: {"type": "object", "propertyNames": forms.WORD},
    lambda building, node: building.parameters(node),
    (("*", Parameter),),
)


@dataclass(frozen=True, slots=True)
class Definition:
    """A named, documented, parametrised pipeline."""

    name: str
    role: DefinitionRole
    pipeline: Pipeline = key(PIPELINE, "The expression.", required=True)
    params: tuple[Parameter, ...] = key(
        _PARAMETERS, "Parameters with their defaults, or `{default, doc, type: pipeline}`.", default=()
    )
    doc: str = key(TEXT, _DOC, default="", prose=True)
    source: str = key(TEXT, "Where the formula comes from, for people.", default="", prose=True)
    examples: tuple[SpecExample, ...] = key(
        PAIRS, "`[prediction, reference, score]`, or mappings; `scoring test` runs them.", default=()
    )
    audit: AuditRules = key(section(AuditRules), _AUDIT, default=NO_RULES)
    deprecated: DefinitionDeprecation | None = key(
        section(DefinitionDeprecation),
        "That others should no longer use it, and what stands in its place.",
        kinds=("pack",),
        default=None,
    )
    span: Span | None = None


_DEFINING: tuple[FileKind, ...] = ("rows", "pack")
_SCORERS = definitions(Definition, "scorer", "score")
_PARSERS = definitions(Definition, "parser", "parse")
_TRANSFORMS = definitions(Definition, "transform", "transform")
_AGGREGATES = definitions(Definition, "aggregate", "aggregate")
_METRICS = definitions(Definition, "metric", "metric")
_JUDGES = ValueForm(lambda kind: {"type": "object"}, lambda building, node: building.judges(node))


@dataclass(frozen=True, slots=True)
class ValueSpec:
    """A named value that is computed from every record: a path, or a pipeline that begins with one."""

    name: str
    pipeline: Pipeline = key(
        forms.COMPUTED, "A path such as `record.lang`, or a pipeline that begins with one.", name="value", required=True
    )
    doc: str = key(TEXT, _DOC, default="", prose=True)
    span: Span | None = None


_VALUES = ValueForm(
    lambda kind: forms.named_expressions(ValueSpec, kind, "value"),
    lambda building, node: building.values(node),
    (("*", ValueSpec),),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Defining(SpecFile):
    """A file that may hold definitions."""

    scorers: Mapping[str, Definition] = key(
        _SCORERS, "Named scorers; the long form holds the expression under `score`.", kinds=_DEFINING, default=dict
    )
    parsers: Mapping[str, Definition] = key(
        _PARSERS, "Named parsers of responses, likewise under `parse`.", kinds=_DEFINING, default=dict
    )
    transforms: Mapping[str, Definition] = key(
        _TRANSFORMS, "Named pipelines of transforms, under `transform`.", kinds=_DEFINING, default=dict
    )
    aggregates: Mapping[str, Definition] = key(
        _AGGREGATES, "Named aggregators of field scores, under `aggregate`.", kinds=_DEFINING, default=dict
    )
    values: Mapping[str, ValueSpec] = key(
        _VALUES, "Values of a record by name, such as `prediction | find(…)`.", kinds=_DEFINING, default=dict
    )

    @property
    def definitions(self) -> Mapping[str, Definition]:
        """Every definition of the file; their names are shared by all sections."""
        return _definitions(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack(Defining):
    """Named, documented, parametrised scorers to import and share."""

    version: str = key(_VERSION, forms.VERSION_MEANING, required=True)
    audit: AuditRules = key(section(AuditRules), _AUDIT, default=NO_RULES)
    judges: Mapping[str, Definition] = key(
        _JUDGES, "Judge programs by name: steps, prompts, reply schemas and a formula.", default=dict
    )
    metrics: Mapping[str, Definition] = key(_METRICS, "Named data-set metrics, under `metric`.", default=dict)
    requires: tuple[Requirement, ...] = key(
        REQUIREMENTS,
        "Distributions of Python whose primitives it uses, with the range of their versions, as pip takes them.",
        default=(),
    )
    deprecated: PackDeprecation | None = key(
        section(PackDeprecation), "That others should no longer import it, and which pack does.", default=None
    )

    @property
    def definitions(self) -> Mapping[str, Definition]:
        """Every definition of the file, judge programs among them."""
        return {**_definitions(self), **self.metrics, **self.judges}


def _definitions(file: Defining) -> dict[str, Definition]:
    return {**file.scorers, **file.parsers, **file.transforms, **file.aggregates}


# ---- tasks


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """One field of a task: how it is scored, what it weighs, and where its two values are."""

    name: str
    pipeline: Pipeline | None = key(PIPELINE, "The field's scorer.", name="score", default=None)
    formula: Formula | None = key(
        forms.FORMULA, "In place of a scorer: a formula over the record and other fields.", default=None
    )
    weight: float = key(number(minimum=0), "What the field weighs in the aggregate.", default=1.0, shown=1)
    parse: Pipeline | None = key(
        PIPELINE, "How this field reads the raw response, in place of the task's `parse`.", default=None
    )
    prediction: str | Pipeline | None = key(
        forms.SOURCE, "Its place in the parsed response (`@`: the whole), `record.town`, or a value.", default=None
    )
    reference: str | Pipeline | None = key(
        forms.SOURCE, "Its place in the reference (`@`: the whole), `record.town`, or a value.", default=None
    )
    optional: bool = key(forms.FLAG, "Whether a response may lack it.", default=False)
    doc: str = key(TEXT, _DOC, default="", prose=True)
    audit: AuditRules = key(section(AuditRules), _AUDIT, default=NO_RULES)
    span: Span | None = None
    weight_span: Span | None = None


_FIELDS = ValueForm(
    lambda kind: {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": forms.call_or(FieldSpec, kind, "score", "formula"),
    },
    lambda building, node: building.fields(node),
    (("*", FieldSpec),),
)
_WEIGHTS = ValueForm(
    lambda kind: {"type": "object", "additionalProperties": {"type": "number", "minimum": 0}},
    lambda building, node: {name: item.key_span for name, item in node.entries.items()},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSpec(Defining):
    """How the records of one task become scores."""

    parts: RecordParts = key(
        RECORD,
        "Where the parts of a record are, as JMESPaths; further names can be read as `record.name`.",
        name="record",
        kinds=ROWS,
        default=RecordParts,
    )
    parse: Pipeline | None = key(
        PIPELINE, "A pipeline of transforms on the raw response, such as `json`.", kinds=ROWS, default=None
    )
    score: Pipeline | Formula | None = key(
        forms.SCORED, "The scorer of a task with a single answer; `fields` is for several.", kinds=ROWS, default=None
    )
    fields: tuple[FieldSpec, ...] = key(_FIELDS, "The scorer of each field.", kinds=ROWS, default=())
    weights: Mapping[str, Span | None] = key(
        _WEIGHTS, "What the fields weigh in the aggregate, by name; 1 by default.", kinds=ROWS, default=dict
    )
    aggregate: Pipeline | Formula | None = key(
        forms.AGGREGATE,
        "How field scores become the record's score: `mean`, `min` … or a formula, `0.7 * a + 0.3 * b`.",
        kinds=ROWS,
        default=None,
        shown="mean",
    )
    passes: Formula | None = key(
        forms.CONDITION, "A condition such as `score >= 0.8 and total == 1`.", name="pass", kinds=ROWS, default=None
    )
    on_unparsed: Policy = key(
        one_of("unscored", "zero", "raw"),
        "A response that does not parse stays unscored, counts 0, or gives each field its text.",
        kinds=ROWS,
        default="unscored",
    )
    on_error: Policy = key(
        one_of("unscored", "zero"),
        "When a scorer fails: leave the record unscored, or count 0.",
        kinds=ROWS,
        default="unscored",
    )
    on_missing: Literal["zero", "unscored", "pass"] = key(
        one_of("zero", "unscored", "pass"),
        "A field that the response lacks: counts 0, stays unscored, or is compared as nothing.",
        kinds=ROWS,
        default="zero",
    )
    on_null: Literal["absent", "value"] = key(
        one_of("absent", "value"),
        "What null is in a record: nothing, as if its key were not there, or a value that is compared.",
        kinds=ROWS,
        default="absent",
    )
    examples: tuple[SpecExample, ...] = key(
        RECORDS, "Records with the scores they must get; `scoring test` runs them.", kinds=ROWS, default=()
    )
    records: str | None = key(
        one_of(*DATA_SETS), "What the data of a whole data set are.", kinds=DATA_SETS, required=True, default=None
    )
    groundtruth: str | None = key(
        PATH, "The ground-truth file or folder, relative to this spec.", kinds=DATA_SETS, default=None
    )
    predictions: str | None = key(
        PATH, "The predictions file or folder, relative to this spec.", kinds=DATA_SETS, default=None
    )
    labels: tuple[str, ...] | str | None = key(
        LABELS,
        "The labels, in order, or a file that lists them; in a segmentation they name the values from 1 on.",
        kinds=DATA_SETS,
        required=("segmentation",),
        default=None,
    )
    label_map: Mapping[str, str] = key(
        map_of(TEXT), "From labels in the data to labels that are evaluated.", kinds=LABELLED, default=dict
    )
    filters: Filters = key(
        section(Filters), "Which ground truths and predictions count.", kinds=LABELLED, default=Filters
    )
    settings: DataSetSettings = key(
        section(DataSetSettings),
        "How the data are compared, and what is listed of them.",
        kinds=DATA_SETS,
        default=DataSetSettings,
    )
    metrics: tuple[MetricEntry, ...] = key(
        list_of(forms.METRIC),
        "Metrics over the data, headline first: calls, or names of formulas such as `wer: sum(edits) / sum(words)`.",
        default=(),
    )
    by: tuple[str, ...] = key(
        list_of(PATH, unique=True),
        "Attributes of the breakdowns; `tags[]` counts each tag, `a x b` crosses two.",
        default=(),
    )
    intervals: Intervals = key(
        section(Intervals), "How the confidence intervals of the metrics are made.", default=Intervals
    )
    audit: AuditRules = key(section(AuditRules), _AUDIT, default=NO_RULES)
    spans: Mapping[str, Span] = field(default_factory=dict)

    @property
    def record(self) -> Mapping[str, str]:
        """The JMESPath of each part of a record that the file names."""
        return self.parts.paths()

    @property
    def attribute_values(self) -> Mapping[str, tuple[str, ...]]:
        """The values that some names of a record are declared to have."""
        more = self.parts.more.items()
        return {name: attribute.values for name, attribute in more if attribute.values is not None}


# ---- suites


_GROUPS = forms.plain({"type": "object", "additionalProperties": {"type": "object"}})


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteSpec(SpecFile):
    """Many tasks with their joint aggregation and breakdowns."""

    tasks: tuple[TaskEntry, ...] = key(
        TASKS, "Where the tasks are: spec files, folders of tasks, JSONL files of tasks.", default=()
    )
    dialect: str | None = key(
        named(front_ends.dialects),
        "The pack that gives the names of foreign files their meaning; by default that of the command.",
        default=None,
    )
    score: MetricEntry | None = key(
        forms.METRIC, "A task's score over its records; by default the first of the task's own metrics.", default=None
    )
    rows: TaskRows = key(
        section(TaskRows), "How the rows of a data file belong to tasks.", name="data", default=TaskRows
    )
    attributes: TaskAttributes = key(
        forms.either(PATH, section(TaskAttributes), lambda path: TaskAttributes(path)),
        "A file of task attributes by task name, or its path with what is read from it.",
        default=TaskAttributes,
    )
    groups: Mapping[str, Mapping[str, Any]] = key(
        _GROUPS,
        "Groups of tasks: each attribute that they must have, with its value or values; by default core and open.",
        default=dict,
    )
    metrics: tuple[MetricEntry, ...] = key(
        list_of(forms.METRIC), "Metrics over the tasks, the headline first; by default `macro` and `micro`.", default=()
    )
    by: tuple[str, ...] = key(
        list_of(PATH), "Task attributes of the breakdowns; a list counts in each of its groups.", default=()
    )
    intervals: Intervals = key(
        section(Intervals),
        "How confidence intervals over the tasks are made, by `scoring compare`, too.",
        default=Intervals,
    )
    results: str = key(
        TEXT, "A file of task results; the suite is then computed from it, and no task is scored.", default=""
    )
    export: tuple[str, ...] = key(
        list_of(named(front_ends.layouts)), "Further files for the run folder, in the layouts of others.", default=()
    )
    spans: Mapping[str, Span] = field(default_factory=dict)


Spec: TypeAlias = Pack | TaskSpec | SuiteSpec
# The class of the model that holds the keys of each kind of file.
CLASSES: Mapping[FileKind, type[Pack] | type[TaskSpec] | type[SuiteSpec]] = {
    "rows": TaskSpec,
    "classification": TaskSpec,
    "detection": TaskSpec,
    "segmentation": TaskSpec,
    "suite": SuiteSpec,
    "pack": Pack,
}
