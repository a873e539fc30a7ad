"""The keys of all spec files, and the definitions that they may contain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from scoring.diagnostics.source import Fragment, Span
from scoring.format import forms
from scoring.format.forms import DOC, PIPELINE, TEXT, definitions, one_of, section
from scoring.format.keys import FileKind, SpecPart, ValueForm, brought, definitions_brought, key
from scoring.format.measures import NamedMetric
from scoring.format.sections import IMPORTS, PAIRS, DefinitionDeprecation, Import, SpecExample
from scoring.lang.formula import Formula
from scoring.lang.tree import Pipeline
from scoring.registry.editions import EDITIONS, OLDEST
from scoring.registry.plugins import has_spec_kind

DefinitionRole: TypeAlias = Literal["scorer", "parser", "transform", "aggregate", "metric"]

NO_DEFAULT: Any = object()

# ---- every file

_KIND = ValueForm(
    lambda kind: {"const": kind if kind == "pack" or has_spec_kind(kind) else "task"}, lambda building, node: node.value
)
_NAME = forms.text(pattern=forms.NAME_PATTERN, maxLength=200, examples=["house/extraction"])


class SpecFile(SpecPart, frozen=True, kw_only=True):
    """The model of a spec file: as attributes, the keys that all kinds of spec files have."""

    kind: str = key(_KIND, "What the file is: task, pack or suite.", moves="compiled", required=True)
    name: str = key(_NAME, "Its name, such as invoices/extraction.", moves="nothing", required=True)
    version: str = key(forms.version_text(), forms.VERSION_MEANING, moves="nothing", default="")
    doc: str = key(TEXT, DOC, moves="nothing", default="", prose=True)
    edition: int | None = key(
        one_of(*EDITIONS),
        "The edition of the language that fixes which names are taken; later names are then free for the file's own.",
        moves="nothing",
        default=None,
        shown=f"{OLDEST}, or as late as the names that it uses",
    )
    imports: tuple[Import, ...] = key(
        IMPORTS,
        "Packs by alias: a shipped or installed one by name and version (`house@1`), or a file (`./house.yaml`).",
        moves="compiled",
        default=(),
    )
    span: Span | None = None
    data: Mapping[str, Any] = {}
    spans: Mapping[str, Span] = {}
    """The positions of paths in a task; of other files those of the values of keys, dotted for a nested key."""

    def is_inherited(self, span: Span | None) -> bool:
        """Return whether a part of the model, at `span`, comes from the file of the task that it extends."""
        return span is not None and self.span is not None and span.source is not self.span.source

    @property
    def definitions(self) -> Mapping[str, Definition]:
        """The definitions of the file by name, which no two share; none for kinds of files without definitions."""
        return {}

    @property
    def expressions(self) -> tuple[Pipeline | Formula | NamedMetric | str | None, ...]:
        """The values, outside of definitions, of keys that take expressions; any text or None among them is no
        expression."""
        return ()


# ---- definitions


class Parameter(SpecPart, frozen=True):
    """A parameter of a definition, which takes a value or a pipeline, and its default."""

    name: str
    default: Any = key(
        forms.plain_form({}), "The value used where none is given.", moves="compiled", default=NO_DEFAULT
    )
    pipeline: Pipeline | None = None
    takes_pipeline: bool = key(
        forms.plain_form({"const": "pipeline"}, lambda node: node.value == "pipeline"),
        "The word `pipeline`, if it takes an expression instead of a value.",
        moves="compiled",
        name="type",
        default=False,
    )
    doc: str = key(TEXT, "What it does, for human readers.", moves="nothing", default="", prose=True)
    span: Span | None = None
    written: Fragment | None = None

    @property
    def is_required(self) -> bool:
        """Whether a call must set the parameter, since it has no default."""
        return self.default is NO_DEFAULT and self.pipeline is None


_PARAMETERS = ValueForm(
    lambda kind: {"type": "object", "propertyNames": forms.WORD},
    lambda building, node: building.parameters(node),
    (("*", Parameter),),
)


class Definition(SpecPart, frozen=True):
    """A pipeline with a name, parameters and documentation, which expressions call like a built-in step."""

    name: str
    role: DefinitionRole
    pipeline: Pipeline = key(PIPELINE, "The expression.", moves="compiled", required=True)
    params: tuple[Parameter, ...] = key(
        _PARAMETERS,
        "Parameters with their defaults, or `{default, doc, type: pipeline}`.",
        moves="compiled",
        default=(),
    )
    doc: str = key(TEXT, DOC, moves="nothing", default="", prose=True)
    source: str = key(TEXT, "Where the formula comes from, for human readers.", moves="nothing", default="", prose=True)
    examples: tuple[SpecExample, ...] = key(
        PAIRS, "`[prediction, reference, score]`, or mappings; `scoring test` runs them.", moves="nothing", default=()
    )
    sections: Mapping[str, Any] = brought("definition")
    deprecated: DefinitionDeprecation | None = key(
        section(DefinitionDeprecation),
        "Marks it as deprecated, and says what to use instead.",
        moves="nothing",
        kinds=("pack",),
        default=None,
    )
    span: Span | None = None


_DEFINING: tuple[FileKind, ...] = ("rows", "pack")
_SCORERS = definitions(Definition, "scorer", "score")
_PARSERS = definitions(Definition, "parser", "parse")
_TRANSFORMS = definitions(Definition, "transform", "transform")
_AGGREGATES = definitions(Definition, "aggregate", "aggregate")


class ValueSpec(SpecPart, frozen=True):
    """A named value that is computed from every record: a path, a pipeline that begins with one, or a formula."""

    name: str
    pipeline: Pipeline | Formula = key(
        forms.COMPUTED,
        "A path such as `record.lang`, a pipeline that begins with one, or a formula such as `record.n / 2`.",
        moves="compiled",
        name="value",
        required=True,
    )
    doc: str = key(TEXT, DOC, moves="nothing", default="", prose=True)
    span: Span | None = None


_VALUES = ValueForm(
    lambda kind: forms.named_expressions(ValueSpec, kind, "value"),
    lambda building, node: building.values(node),
    (("*", ValueSpec),),
)


def _named(form: ValueForm, meaning: str) -> Any:
    """Declare a key whose value maps names to definitions; `meaning` documents it."""
    return key(form, meaning, moves="compiled", kinds=_DEFINING, default=dict)


class Defining(SpecFile, frozen=True, kw_only=True):
    """The model of a spec file that may contain definitions: a pack or a task."""

    scorers: Mapping[str, Definition] = _named(
        _SCORERS, "Named scorers; the long form holds the expression under `score`."
    )
    parsers: Mapping[str, Definition] = _named(_PARSERS, "Named parsers of responses, likewise under `parse`.")
    transforms: Mapping[str, Definition] = _named(_TRANSFORMS, "Named pipelines of transforms, under `transform`.")
    aggregates: Mapping[str, Definition] = _named(_AGGREGATES, "Named aggregators of field scores, under `aggregate`.")
    values: Mapping[str, ValueSpec] = _named(_VALUES, "Values of a record by name, such as `prediction | find(…)`.")

    @property
    def definitions(self) -> Mapping[str, Definition]:
        """The file's definitions by name, which no two share, including those in keys that extensions add."""
        return {**shared_definitions(self), **definitions_brought(self)}


def shared_definitions(file: Defining) -> dict[str, Definition]:
    """Return by name the definitions in the four sections that packs and tasks have: scorers, parsers …"""
    return {**file.scorers, **file.parsers, **file.transforms, **file.aggregates}
