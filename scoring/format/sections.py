"""The parts inside the keys of a file: imports and examples, the keys of ``record``, of data sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from msgspec.structs import asdict

from scoring.diagnostics.source import Span
from scoring.format import forms
from scoring.format.forms import (
    DOC,
    PATH,
    PIPELINE,
    SCALAR,
    TEXT,
    list_of,
    number_form,
    one_of,
    plain_form,
    section,
    text,
    version_text,
)
from scoring.format.keys import ROWS, FileKind, ReadsValues, SpecPart, ValueForm, key, keys_of, object_schema
from scoring.format.nodes import SpecNode
from scoring.lang.tree import Pipeline
from scoring.project.find import SPEC_FILES

# ---- imports and examples


class Import(SpecPart, frozen=True):
    """One entry of ``imports``: the alias and the pack or file that it refers to."""

    alias: str
    target: str
    span: Span | None = None
    alias_span: Span | None = None


class SpecExample(SpecPart, frozen=True):
    """An example of a definition or a task, with its expected result.

    ``keys`` are the spans of its keys, and of the keys below `expect` under the names `expect.name`.
    """

    data: Mapping[str, Any]
    expect: Any
    span: Span | None = None
    keys: Mapping[str, Span | None] = {}


def is_path(target: str) -> bool:
    """Return whether an import refers to a file by its path, not to a pack by its name.

    Examples:
        >>> is_path("./house.yaml"), is_path("house.yaml"), is_path("house@1")
        (True, True, False)
    """
    return target.startswith((".", "/")) or target.endswith(SPEC_FILES)


IMPORTS = ValueForm(
    lambda kind: {
        "type": "object",
        "additionalProperties": {"type": "string", "minLength": 1},
        "propertyNames": forms.WORD,
        "examples": [{"house": "./house.yaml"}],
    },
    lambda building, node: tuple(
        Import(alias, str(item.value), item.span, item.key_span) for alias, item in node.entries.items()
    ),
)
_SHOWN = {"response": "Paris", "reference": "paris", "expect": 1}
PAIRS = ValueForm(
    lambda kind: {"type": "array", "items": {"type": ["array", "object"]}},
    lambda building, node: tuple(_example(item) for item in forms.items_of(node)),
)
RECORDS = ValueForm(
    lambda kind: {"type": "array", "items": {"type": "object", "required": ["expect"], "examples": [_SHOWN]}},
    lambda building, node: tuple(_example(item) for item in forms.items_of(node)),
)


def _example(node: SpecNode) -> SpecExample:
    data = node.plain()
    if isinstance(data, list):
        names = ("prediction", "reference", "expect") if len(data) == 3 else ("prediction", "expect")
        data = dict(zip(names, data, strict=False))
    expected = node["expect"].entries if "expect" in node else {}
    spans = {name: item.key_span for name, item in node.entries.items()}
    spans |= {f"expect.{name}": item.key_span for name, item in expected.items()}
    values = {name: value for name, value in data.items() if name != "expect"}
    return SpecExample(values, data.get("expect"), node.span, spans)


# ---- the parts of a record


class Attribute(SpecPart, frozen=True):
    """A further named part of a record: its path, and the values that it may have."""

    path: str = key(PATH, "Where it is, as a JMESPath into the record.", moves="path", required=True)
    values: tuple[str | bool | float, ...] | None = key(
        list_of(SCALAR),
        "Every value it may have: texts, true, false or numbers; `switch` is checked against them.",
        moves="nothing",
        default=None,
    )
    doc: str = key(TEXT, DOC, moves="nothing", default="", prose=True)


class RecordParts(SpecPart, frozen=True):
    """The JMESPaths at which the parts of a record are: its id, response, reference, context, weight and others."""

    id: str | None = key(PATH, "Where the record's id is.", moves="path", default=None, shown="id")
    response: str | None = key(PATH, "Where the model's raw response is.", moves="path", default=None, shown="response")
    reference: str | None = key(PATH, "Where the reference answer is.", moves="path", default=None, shown="reference")
    context: str | None = key(PATH, "Where further inputs of scorers are.", moves="path", default=None, shown="context")
    weight: str | None = key(PATH, "Where the record's weight is.", moves="path", default=None)
    more: Mapping[str, Attribute] = {}

    def paths(self) -> dict[str, str]:
        """Return the JMESPaths that the file states, by name of the part."""
        stated = {one.name: getattr(self, one.attribute) for one in keys_of(RecordParts)}
        own = {name: path for name, path in stated.items() if path is not None}
        return {**own, **{name: attribute.path for name, attribute in self.more.items()}}


_ATTRIBUTE = forms.short_or_long(PATH, section(Attribute), lambda path: Attribute(path))


def _record_schema(kind: FileKind) -> dict[str, Any]:
    properties = {**object_schema(RecordParts, kind), "additionalProperties": _ATTRIBUTE.schema(kind)}
    return {"type": "object", **properties, "examples": [{"response": "output.text", "reference": "gold"}]}


def _record(building: ReadsValues, node: SpecNode) -> RecordParts:
    known = {one.name for one in keys_of(RecordParts)}
    more = {name: _ATTRIBUTE.read(building, item) for name, item in node.entries.items() if name not in known}
    for name in more:
        if (ours := name.strip().lower()) in known and ours not in node:
            item = node[name]
            text = f"`{name}` is read as a further name, and the {ours} has no path: names must match exactly"
            help_text = f"write `{ours}: {item.span.text}`" if not item.is_mapping else f"write `{ours}:`"
            building.diagnostics.error("bad-name", text, item.key_span, f"did you mean `{ours}`?", help=help_text)
    return building.make(RecordParts, node, more=more)


RECORD = ValueForm(_record_schema, _record, (("", RecordParts), ("*", Attribute)))


# ---- tasks over a whole data set

LABELS = ValueForm(
    lambda kind: {"type": ["array", "string"], "items": {"type": "string"}},
    lambda building, node: tuple(str(item.value) for item in node.items) if node.is_list else str(node.value),
)


IntervalMethod: TypeAlias = Literal["auto", "wilson", "clopper_pearson", "percentile", "bca", "normal", "none"]


MOST_CONFIDENCE = 0.9999
"""The greatest confidence; beyond it, resampling can't determine an interval."""


class Intervals(SpecPart, frozen=True):
    """The settings of the confidence intervals of a data set's figures."""

    method: IntervalMethod = key(
        one_of("auto", "bca", "percentile", "wilson", "clopper_pearson", "normal", "none"),
        "The kind of interval; `auto` chooses by the data (docs/intervals.md), `none` computes none.",
        moves="value",
        default="auto",
    )
    confidence: float = key(
        number_form(exclusiveMinimum=0, maximum=MOST_CONFIDENCE),
        "The share of intervals that would cover the true value.",
        moves="value",
        default=0.95,
    )
    resamples: int = key(
        plain_form({"type": "integer", "minimum": 100, "maximum": 100_000}, lambda node: int(node.plain())),
        "How many times the bootstrap draws.",
        moves="value",
        default=2000,
    )
    cluster: str | None = key(
        PATH,
        "The attribute whose records are drawn together, such as the document of a question.",
        moves="path",
        default=None,
    )
    strata: str | None = key(
        PATH,
        "The attribute whose groups are fixed, such as the domains of a benchmark: records, or clusters, are drawn "
        "within each.",
        moves="path",
        kinds=ROWS,
        default=None,
    )

    @property
    def attributes(self) -> list[str]:
        """The paths of the attributes by which records are drawn: the cluster and the strata, if any."""
        return [name for name in (self.cluster, self.strata) if name is not None]

    def to_json(self) -> dict[str, Any]:
        """Return the settings as plain data, without strata if there are none."""
        return {name: value for name, value in asdict(self).items() if name != "strata" or value is not None}


_SINCE = f"{forms.VERSION_DOC}, since which it is deprecated."
_WHY = "Why, for human readers; importers see it."


class DefinitionDeprecation(SpecPart, frozen=True):
    """The replacement of a deprecated definition."""

    instead: Pipeline = key(
        PIPELINE,
        "What to use instead, in the words of this pack: an expression, which may use its parameters.",
        moves="nothing",
        name="for",
        required=True,
    )
    since: str = key(version_text(), _SINCE, moves="nothing", required=True)
    why: str = key(TEXT, _WHY, moves="nothing", default="", prose=True)


class PackDeprecation(SpecPart, frozen=True):
    """The pack that replaces a deprecated pack."""

    instead: str = key(
        text(pattern=r"^\w[\w/-]*(@.+)?$", maxLength=200, examples=["close@2"]),
        "The pack to import instead, by name and version; it has the definitions under the same names.",
        moves="nothing",
        name="for",
        required=True,
    )
    since: str = key(version_text(), _SINCE, moves="nothing", required=True)
    why: str = key(TEXT, _WHY, moves="nothing", default="", prose=True)
