"""What a spec file says, once read: frozen values in which every part knows where it was written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from scoring.diagnostics.source import Span
from scoring.lang.formula import Formula
from scoring.lang.tree import Pipeline

Role: TypeAlias = Literal["scorer", "parser", "transform", "aggregate", "metric"]
Policy: TypeAlias = Literal["unscored", "zero", "raw"]
Method: TypeAlias = Literal["auto", "wilson", "clopper_pearson", "percentile", "bca", "normal"]

NO_DEFAULT: Any = object()


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a definition: a value with its default, or a pipeline."""

    name: str
    default: Any = NO_DEFAULT
    pipeline: Pipeline | None = None
    takes_pipeline: bool = False
    doc: str = ""
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """An example of a definition or a task, with what it is expected to give."""

    data: Mapping[str, Any]
    expect: Any
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Definition:
    """A named, documented, parametrised pipeline."""

    name: str
    role: Role
    pipeline: Pipeline
    params: tuple[Parameter, ...] = ()
    doc: str = ""
    source: str = ""
    examples: tuple[Example, ...] = ()
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Import:
    """One entry of ``imports``: the alias and what it names."""

    alias: str
    target: str
    span: Span | None = None
    alias_span: Span | None = None


@dataclass(frozen=True, slots=True)
class Pack:
    """A file of named scorers, parsers, transforms, aggregates and data-set metrics."""

    name: str
    version: str
    definitions: Mapping[str, Definition]
    imports: tuple[Import, ...] = ()
    doc: str = ""
    judges: Mapping[str, Any] = field(default_factory=dict)
    span: Span | None = None
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """One field of a task: how it is scored, what it weighs, and where its two values are."""

    name: str
    pipeline: Pipeline | None
    weight: float = 1.0
    prediction: str | None = None
    reference: str | None = None
    optional: bool = False
    span: Span | None = None
    weight_span: Span | None = None


@dataclass(frozen=True, slots=True)
class Intervals:
    """How the confidence intervals of a data set's figures are made.

    Args:
        method: The kind of interval; ``auto`` chooses by the figure.
        confidence: The share of intervals that would cover the true value.
        resamples: How many times the bootstrap draws.
        cluster: The attribute whose records are drawn together (a declared name or a JMESPath), or nothing.
    """

    method: Method = "auto"
    confidence: float = 0.95
    resamples: int = 2000
    cluster: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The settings as plain data."""
        return {
            "method": self.method,
            "confidence": self.confidence,
            "resamples": self.resamples,
            "cluster": self.cluster,
        }


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """How the records of one task become scores."""

    name: str
    version: str
    fields: tuple[FieldSpec, ...]
    record: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    weights: Mapping[str, Span | None] = field(default_factory=dict)
    parse: Pipeline | None = None
    aggregate: Pipeline | Formula | None = None
    passes: Formula | None = None
    metrics: tuple[Pipeline, ...] = ()
    by: tuple[str, ...] = ()
    intervals: Intervals = Intervals()
    spans: Mapping[str, Span] = field(default_factory=dict)
    imports: tuple[Import, ...] = ()
    definitions: Mapping[str, Definition] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()
    on_unparsed: Policy = "unscored"
    on_error: Policy = "unscored"
    on_missing: Literal["zero", "unscored", "pass"] = "zero"
    records: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    doc: str = ""
    span: Span | None = None
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SuiteSpec:
    """Many tasks with their joint aggregation and breakdowns."""

    name: str
    version: str
    tasks: tuple[Mapping[str, Any], ...]
    score: Pipeline | None = None
    metrics: tuple[Pipeline, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    by: tuple[str, ...] = ()
    intervals: Intervals = Intervals()
    imports: tuple[Import, ...] = ()
    doc: str = ""
    span: Span | None = None
    data: Mapping[str, Any] = field(default_factory=dict)


Spec: TypeAlias = Pack | TaskSpec | SuiteSpec
