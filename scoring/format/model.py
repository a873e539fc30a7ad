"""The model of packs and tasks: frozen values with the spans of their parts in the file.

The attributes declared with `key` are the table of keys: see `format/keys.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from scoring.diagnostics.source import Span
from scoring.format import forms
from scoring.format.definitions import Defining, Definition, SpecFile, shared_definitions
from scoring.format.forms import DOC, PATH, PIPELINE, TEXT, list_of, one_of, plain_form, plugin_name_form, section
from scoring.format.keys import (
    DATA_SETS,
    ROWS,
    TABLE,
    TABLES,
    FileKind,
    SpecPart,
    ValueForm,
    brought,
    definitions_brought,
    key,
)
from scoring.format.measures import BetterFigure, MetricEntry, NamedMetric
from scoring.format.sections import RECORD, RECORDS, Intervals, PackDeprecation, RecordParts, SpecExample
from scoring.lang.formula import Formula
from scoring.lang.tree import Pipeline
from scoring.registry.plugins import has_spec_kind, table_kinds

if TYPE_CHECKING:
    from scoring.format.requirements import Requirement

Policy: TypeAlias = Literal["unscored", "zero", "raw"]


# ---- packs

_METRICS = forms.definitions(Definition, "metric", "metric")
_REQUIREMENTS = ValueForm(
    lambda kind: _form_of_requirements().schema(kind),
    lambda building, node: _form_of_requirements().read(building, node),
)


def _form_of_requirements() -> ValueForm:
    from scoring.format.requirements import REQUIREMENTS

    return REQUIREMENTS


class Pack(Defining, frozen=True, kw_only=True):
    """A file of named, documented definitions with parameters, which other files import."""

    version: str = key(forms.version_text(), forms.VERSION_MEANING, moves="nothing", required=True)
    sections: Mapping[str, Any] = brought("pack")
    metrics: Mapping[str, Definition] = key(
        _METRICS, "Named data-set metrics, under `metric`.", moves="compiled", default=dict
    )
    requires: tuple[Requirement, ...] = key(
        _REQUIREMENTS,
        "Python distributions whose primitives it uses, with version ranges as in pip.",
        moves="nothing",
        default=(),
    )
    deprecated: PackDeprecation | None = key(
        section(PackDeprecation),
        "Marks the pack as deprecated, and says which pack to import instead.",
        moves="nothing",
        default=None,
    )

    @property
    def definitions(self) -> Mapping[str, Definition]:
        """The definitions of the file by name, with those in keys that extensions add, such as judge programs."""
        return {**shared_definitions(self), **self.metrics, **definitions_brought(self)}


# ---- tasks


class FieldSpec(SpecPart, frozen=True):
    """One field of a task, a part of the answer: its scorer, its weight, and where its compared values come from."""

    name: str
    pipeline: Pipeline | None = key(
        forms.SCORED,
        "The field's scorer, or a formula over the record and other fields.",
        moves="compiled",
        name="score",
        default=None,
    )
    weight: float = key(
        plain_form({"type": "number", "minimum": 0}, lambda node: float(node.plain())),
        "The weight of the field in the aggregate.",
        moves="value",
        default=1.0,
        shown=1,
    )
    prediction: Pipeline | None = key(
        forms.SOURCE,
        "What is compared: a path such as `parsed.town`, a value, or a pipeline such as `prediction | number`.",
        moves="compiled",
        default=None,
    )
    reference: Pipeline | None = key(
        forms.SOURCE,
        "What it is compared with: `reference.town`, `record.town`, a value, or a pipeline that begins with one.",
        moves="compiled",
        default=None,
    )
    optional: bool = key(forms.FLAG, "Whether a response may omit it.", moves="value", default=False)
    doc: str = key(TEXT, DOC, moves="nothing", default="", prose=True)
    sections: Mapping[str, Any] = brought("field")
    formula: Formula | None = None
    span: Span | None = None
    weight_span: Span | None = None


_FIELDS = ValueForm(
    lambda kind: {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": forms.call_or(FieldSpec, kind, "score"),
        "examples": [{"vendor": "casefold | equal", "total": {"score": "equal", "weight": 2}}],
    },
    lambda building, node: building.fields(node),
    (("*", FieldSpec),),
)

BETTER = ValueForm(
    lambda kind: {
        "type": "object",
        "additionalProperties": {"anyOf": [{"enum": ["higher", "lower"]}, {"type": "number"}]},
        "examples": [{"errors": "lower"}],
    },
    lambda building, node: {name: BetterFigure(item.plain(), item.key_span) for name, item in node.entries.items()},
)
BETTER_MEANING = (
    "Which values of a metric are better, by its name: `higher`, `lower`, or a number to which the nearer "
    "are: what `scoring compare` says of two runs, and of the headline what a failure counts where a policy is `zero`."
)


class TaskSpec(Defining, frozen=True, kw_only=True):
    """A task file: how the records of one task become scores."""

    extends: str = key(
        TEXT,
        "The task whose keys hold where this file states nothing else: a name such as `squad@2`, or a path.",
        moves="compiled",
        kinds=ROWS,
        default="",
    )
    parts: RecordParts = key(
        RECORD,
        "Where the parts of a record are, as JMESPaths; further names can be read as `record.name`.",
        moves="inside",
        name="record",
        kinds=ROWS,
        default=RecordParts,
    )
    answers: Literal["one", "many"] = key(
        one_of("one", "many"),
        "Whether each id has one prediction, or many may have the same: samples, each of which is a record of its own.",
        moves="value",
        kinds=ROWS,
        default="one",
    )
    parse: Pipeline | None = key(
        PIPELINE,
        "A pipeline of transforms on the raw response, such as `json`.",
        moves="compiled",
        kinds=ROWS,
        default=None,
    )
    score: Pipeline | Formula | None = key(
        forms.SCORED,
        "The scorer of a task with a single answer; `fields` is for several.",
        moves="compiled",
        kinds=ROWS,
        default=None,
    )
    fields: tuple[FieldSpec, ...] = key(_FIELDS, "The scorer of each field.", moves="compiled", kinds=ROWS, default=())
    aggregate: Pipeline | Formula | None = key(
        forms.AGGREGATE,
        "How field scores become the record's score: `mean`, `min` … or a formula, `0.7 * a + 0.3 * b`.",
        moves="compiled",
        kinds=ROWS,
        default=None,
        shown="mean",
    )
    passes: Formula | None = key(
        forms.CONDITION,
        "A condition such as `score >= 0.8 and total == 1`.",
        moves="compiled",
        name="pass",
        kinds=ROWS,
        default=None,
    )
    on_unparsed: Policy = key(
        one_of("unscored", "zero", "raw"),
        "A response that does not parse stays unscored, gets the lowest possible score, or gives each field its text.",
        moves="value",
        kinds=ROWS,
        default="unscored",
    )
    on_error: Policy = key(
        one_of("unscored", "zero"),
        "When a scorer or a formula fails: leave the record unscored, or count it as the worst answer.",
        moves="value",
        kinds=ROWS,
        default="unscored",
    )
    on_missing: Literal["zero", "unscored", "pass"] = key(
        one_of("zero", "unscored", "pass"),
        "A field that the response lacks: counts as the worst answer, stays unscored, or is compared as nothing.",
        moves="value",
        kinds=ROWS,
        default="zero",
    )
    on_null: Literal["absent", "value"] = key(
        one_of("absent", "value"),
        "How null in a record is read: as missing, as if its key were not there, or as a value that is compared.",
        moves="value",
        kinds=ROWS,
        default="absent",
    )
    examples: tuple[SpecExample, ...] = key(
        RECORDS,
        "Records with the scores they must get; `scoring test` runs them.",
        moves="nothing",
        kinds=ROWS,
        default=(),
    )
    records: str | None = key(
        plugin_name_form(table_kinds),
        "What kind of data the whole data set holds.",
        moves="value",
        kinds=TABLES,
        required=True,
        default=None,
    )
    groundtruth: str | None = key(
        PATH, "The ground-truth file or folder, relative to this spec.", moves="nothing", kinds=TABLES, default=None
    )
    predictions: str | None = key(
        PATH, "The predictions file or folder, relative to this spec.", moves="nothing", kinds=TABLES, default=None
    )
    labels: tuple[str, ...] | str | None = None
    """The labels of a data set, or the file that lists them, if the class of its kind declares a key for them."""
    metrics: tuple[MetricEntry, ...] = key(
        list_of(forms.METRIC),
        "Metrics over the data, headline first: calls, or names of formulas such as `wer: sum(edits) / sum(words)`.",
        moves="compiled",
        default=(),
    )
    better: Mapping[str, BetterFigure] = key(BETTER, BETTER_MEANING, moves="compiled", default=dict)
    by: tuple[str, ...] = key(
        list_of(PATH, unique=True),
        "Attributes of the breakdowns; `tags[]` counts each tag, `a x b` crosses two.",
        moves="nothing",
        default=(),
    )
    intervals: Intervals = key(
        section(Intervals),
        "How the confidence intervals of the metrics are computed.",
        moves="inside",
        default=Intervals,
    )
    sections: Mapping[str, Any] = brought("task")

    @property
    def expressions(self) -> tuple[Pipeline | Formula | NamedMetric | str | None, ...]:
        """The values, outside of definitions, of keys that take expressions; None among them is no expression."""
        fields = ((one.pipeline, one.prediction, one.reference) for one in self.fields)
        return (self.parse, self.aggregate, *self.metrics, *(one for of_field in fields for one in of_field))

    @property
    def record(self) -> Mapping[str, str]:
        """The JMESPaths that the file states for parts of a record, by name of the part."""
        return self.parts.paths()

    @property
    def attribute_values(self) -> Mapping[str, tuple[object, ...]]:
        """The values that further parts of a record may have, by name, for parts that declare their values."""
        more = self.parts.more.items()
        return {name: attribute.values for name, attribute in more if attribute.values is not None}


# The class of the model with the keys of each kind of file; extensions have those of others in their `TableKind` or
# `SpecKind`.
CLASSES: Mapping[FileKind, type[SpecFile]] = {"rows": TaskSpec, TABLE: TaskSpec, "pack": Pack}


def class_of(kind: FileKind) -> type[SpecFile]:
    """Return the class of the model with the keys of a kind of file."""
    if kind in CLASSES:
        return CLASSES[kind]
    if kind not in DATA_SETS and has_spec_kind(kind):
        from scoring.registry.spec_kind import spec_kind

        found: type[SpecFile] = spec_kind(kind).spec
    else:
        from scoring.registry.table_kind import table_kind

        found = table_kind(kind).spec
    return found


def file_kind_of(spec: SpecFile) -> FileKind:
    """Return the kind of a spec's file: for a task the kind of its data set, or "rows"; else the key `kind`."""
    return spec.records or "rows" if isinstance(spec, TaskSpec) else spec.kind
