"""From the nodes of a validated file to the model: expressions parsed, findings of all of them collected."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from scoring.diagnostics.diagnostic import Diagnostics, Label, SpecError
from scoring.diagnostics.source import Span
from scoring.format.judges import judge_definitions
from scoring.format.model import (
    NO_DEFAULT,
    Definition,
    Example,
    FieldSpec,
    Import,
    Intervals,
    Pack,
    Parameter,
    Role,
    Spec,
    SuiteSpec,
    TaskSpec,
)
from scoring.format.nodes import Node
from scoring.lang.formula import Formula
from scoring.lang.from_data import from_data
from scoring.lang.parser import parse_formula, parse_pipeline
from scoring.lang.tree import Call, Pipeline
from scoring.registry import registry

T = TypeVar("T")

# The sections of a file that define names, and the key under which the long form holds its expression.
SECTIONS: dict[str, tuple[Role, str]] = {
    "scorers": ("scorer", "score"),
    "parsers": ("parser", "parse"),
    "transforms": ("transform", "transform"),
    "aggregates": ("aggregate", "aggregate"),
    "metrics": ("metric", "metric"),
}
SINGLE_FIELD = "answer"
TASK_KEYS = (
    "kind",
    "name",
    "version",
    "doc",
    "imports",
    "record",
    "parse",
    "fields",
    "score",
    "aggregate",
    "pass",
    "metrics",
    "by",
    "intervals",
    "weights",
    "examples",
    "on_unparsed",
    "on_error",
    "on_missing",
    "records",
    *SECTIONS,
)


def build(node: Node) -> Spec:
    """The model of a file.

    Raises:
        SpecError: with the findings of every expression in it.
    """
    builder = _Builder(node)
    kind = _text(node, "kind")
    makers: dict[str, Callable[[], Spec]] = {"pack": builder.pack, "suite": builder.suite}
    spec = makers.get(kind, builder.task)()
    builder.diagnostics.raise_errors()
    return spec


class _Builder:
    def __init__(self, node: Node) -> None:
        self.node = node
        self.diagnostics = Diagnostics()
        self.definitions: dict[str, Definition] = {}

    def pack(self) -> Pack:
        self._define(tuple(SECTIONS))
        node = self.node
        judges = node.get("judges")
        return Pack(
            name=_text(node, "name"),
            version=_text(node, "version"),
            definitions=self.definitions,
            imports=self._imports(),
            doc=_text(node, "doc"),
            judges=judges.plain() if judges else {},
            span=_span_of(node, "name"),
            data=node.plain(),
        )

    def suite(self) -> SuiteSpec:
        node = self.node
        known = ("kind", "name", "version", "doc", "imports", "tasks", "score", "metrics", "by", "intervals")
        tasks = [item.plain() for item in _items(node.get("tasks"))]
        return SuiteSpec(
            name=_text(node, "name"),
            version=_text(node, "version"),
            tasks=tuple({"path": item} if isinstance(item, str) else item for item in tasks),
            score=self._optional("score", self.pipeline),
            metrics=self._metrics(),
            settings={key: value.plain() for key, value in node.entries.items() if key not in known},
            by=_texts(node.get("by")),
            intervals=self._intervals(),
            imports=self._imports(),
            doc=_text(node, "doc"),
            span=_span_of(node, "name"),
            data=node.plain(),
        )

    def task(self) -> TaskSpec:
        node = self.node
        self._define(tuple(section for section in SECTIONS if section != "metrics"))
        policies = {key: _text(node, key) for key in ("on_unparsed", "on_error", "on_missing") if key in node}
        record = node.get("record")
        return TaskSpec(
            name=_text(node, "name"),
            version=_text(node, "version"),
            fields=self._fields(),
            record={name: _path(item) for name, item in record.entries.items()} if record else {},
            values={name: _texts(item.get("values")) for name, item in record.entries.items() if "values" in item}
            if record
            else {},
            weights={name: item.key_span for name, item in (node.get("weights") or _EMPTY).entries.items()},
            parse=self._optional("parse", self.pipeline),
            aggregate=self._optional("aggregate", self._aggregate),
            passes=self._optional("pass", lambda found: parse_formula(found.fragment())),
            metrics=self._metrics(),
            by=_texts(node.get("by")),
            intervals=self._intervals(),
            spans=self._attribute_spans(),
            imports=self._imports(),
            definitions=self.definitions,
            examples=tuple(_task_example(item) for item in _items(node.get("examples"))),
            records=_text(node, "records") or None,
            settings={key: value.plain() for key, value in node.entries.items() if key not in TASK_KEYS},
            doc=_text(node, "doc"),
            span=_span_of(node, "name"),
            data=node.plain(),
            **policies,  # type: ignore[arg-type]  # the schema has checked the policies' words
        )

    def pipeline(self, node: Node) -> Pipeline:
        """An expression in either of its forms."""
        return parse_pipeline(node.fragment()) if node.is_text else from_data(node, self._is_pipeline_param)

    def _is_pipeline_param(self, name: str, key: str | int) -> bool:
        """Whether a text given to that parameter is an expression."""
        definition = self.definitions.get(name)
        if definition is not None:
            params = definition.params
            found = [p for i, p in enumerate(params) if key in (i, p.name)]
            return bool(found) and found[0].takes_pipeline
        primitive = registry.get(name)
        if primitive is None:
            return False
        for index, param in enumerate(primitive.params):
            if param.variadic == "positional" and isinstance(key, int):
                return param.pipeline is not None
            if key in (index, param.name):
                return param.pipeline is not None
        return any(param.variadic == "keyword" and param.pipeline is not None for param in primitive.params)

    def _optional(self, key: str, read: Callable[[Node], T]) -> T | None:
        found = self.node.get(key)
        return None if found is None else self._collect(lambda: read(found))

    def _collect(self, read: Callable[[], T]) -> T | None:
        """The result of reading one expression; its findings are kept and reading goes on."""
        try:
            return read()
        except SpecError as error:
            self.diagnostics.extend(error.diagnostics)
            return None

    def _aggregate(self, node: Node) -> Pipeline | Formula:
        """A name or a call with keywords is an aggregator; everything else is a formula over field names."""
        if not node.is_text:
            return self.pipeline(node)
        fields = (self.node.get("fields") or self.node).entries
        try:
            pipeline = parse_pipeline(node.fragment())
        except SpecError:
            return parse_formula(node.fragment())
        first = pipeline.steps[0]
        is_call_of_fields = bool(first.args) or (first.name in fields and len(pipeline.steps) == 1)
        return parse_formula(node.fragment()) if is_call_of_fields else pipeline

    def _metrics(self) -> tuple[Pipeline, ...]:
        found = [self._pipeline(item) for item in _items(self.node.get("metrics"))]
        return tuple(pipeline for pipeline in found if pipeline is not None)

    def _pipeline(self, node: Node) -> Pipeline | None:
        return self._collect(lambda: self.pipeline(node))

    def _intervals(self) -> Intervals:
        node = self.node.get("intervals")
        if node is None:
            return Intervals()
        given = node.plain()  # the schema has checked the keys and values
        if "resamples" in given:
            given["resamples"] = int(given["resamples"])
        found = Intervals(**given)
        if found.cluster is not None and found.method in ("wilson", "clopper_pearson"):
            self.diagnostics.error(
                "bad-value",
                f"`{found.method}` is for shares of independent records, and `cluster` says they are not",
                node["method"].span,
                "no interval for clusters",
                secondary=[Label(node["cluster"].span, "records of one value are drawn together")],
                help="take `bca` or `percentile`, or leave `method` out",
            )
        return found

    def _attribute_spans(self) -> dict[str, Span]:
        """Where the attributes of breakdowns and clusters were written."""
        cluster = (self.node.get("intervals") or _EMPTY).get("cluster")
        return {str(item.value): item.span for item in (*_items(self.node.get("by")), *_items(cluster))}

    def _imports(self) -> tuple[Import, ...]:
        node = self.node.get("imports")
        entries = node.entries if node else {}
        return tuple(Import(alias, str(item.value), item.span, item.key_span) for alias, item in entries.items())

    def _fields(self) -> tuple[FieldSpec, ...]:
        score = self.node.get("score")
        if score is not None and "fields" in self.node:
            self.diagnostics.error(
                "bad-value",
                "a task has either `score` or `fields`, not both",
                score.key_span,
                "one of the two",
                secondary=[Label(self.node["fields"].key_span, "the other one")],
                help="`score` is for a single answer; give it a name under `fields` beside the others",
            )
        if score is not None:
            pipeline = self._pipeline(score)
            return (FieldSpec(SINGLE_FIELD, pipeline, prediction="@", reference="@", span=score.span),)
        node = self.node.get("fields")
        return tuple(self._field(name, item) for name, item in (node.entries if node else {}).items())

    def _field(self, name: str, node: Node) -> FieldSpec:
        shared = (self.node.get("weights") or _EMPTY).get(name)
        if not node.is_mapping or "score" not in node:
            pipeline = self._pipeline(node) if node.value is not None else None
            return FieldSpec(name, pipeline, _weight(shared), span=node.key_span or node.span)
        weight = node.get("weight") or shared
        optional = node.get("optional")
        pipeline = self._pipeline(node["score"])
        return FieldSpec(
            name,
            pipeline,
            _weight(weight),
            _text(node, "prediction") or None,
            _text(node, "reference") or None,
            bool(optional and optional.value),
            node.key_span or node.span,
            weight.span if weight else None,
        )

    def _define(self, sections: tuple[str, ...]) -> None:
        """Read the definitions in two rounds: their parameters first, since list forms ask what takes a pipeline."""
        found = [
            (role, key, name, item)
            for section, (role, key) in SECTIONS.items()
            if section in sections
            for name, item in (self.node.get(section) or _EMPTY).entries.items()
        ]
        for role, key, name, item in found:
            if name in self.definitions:
                self._twice(name, item)
            params = self._params(item.get("params")) if item.is_mapping and key in item else ()
            self.definitions[name] = Definition(name, role, _PLACEHOLDER, params, span=item.key_span)
        for role, key, name, item in found:
            self._definition(role, key, name, item)
        judges = self.node.get("judges")
        if judges is not None:
            self._collect(lambda: self.definitions.update(judge_definitions(judges)))

    def _definition(self, role: Role, key: str, name: str, item: Node) -> None:
        long = item.is_mapping and key in item
        pipeline = self._pipeline(item[key] if long else item)
        if pipeline is None:
            return
        self.definitions[name] = Definition(
            name,
            role,
            pipeline,
            self.definitions[name].params,
            _text(item, "doc"),
            _text(item, "source"),
            tuple(_pack_example(example, role) for example in _items(item.get("examples"))),
            item.key_span,
        )

    def _twice(self, name: str, item: Node) -> None:
        self.diagnostics.error(
            "name-conflict",
            f"`{name}` is defined twice in this file",
            item.key_span,
            "the second definition",
            help="names are shared by all sections; give one of the two another name",
        )

    def _params(self, node: Node | None) -> tuple[Parameter, ...]:
        return tuple(self._param(name, item) for name, item in (node.entries if node else {}).items())

    def _param(self, name: str, node: Node) -> Parameter:
        described = node.is_mapping and set(node.entries) <= {"default", "doc", "type"}
        if not described:
            return Parameter(name, node.plain(), span=node.key_span)
        default, doc = node.get("default"), _text(node, "doc")
        if _text(node, "type") != "pipeline":
            return Parameter(name, default.plain() if default else NO_DEFAULT, doc=doc, span=node.key_span)
        pipeline = self._pipeline(default) if default else None
        return Parameter(name, NO_DEFAULT, pipeline, True, doc, node.key_span)


def _pack_example(node: Node, role: Role) -> Example:
    if node.is_list:
        values = node.plain()
        names = ("prediction", "reference", "expect") if len(values) == 3 else ("prediction", "expect")
        data: Mapping[str, Any] = dict(zip(names, values, strict=False))
    else:
        data = node.plain()
    return Example({key: value for key, value in data.items() if key != "expect"}, data.get("expect"), node.span)


def _task_example(node: Node) -> Example:
    data = node.plain()
    return Example({key: value for key, value in data.items() if key != "expect"}, data.get("expect"), node.span)


def _text(node: Node, key: str) -> str:
    found = node.get(key) if node.is_mapping else None
    if found is None or found.value is None:
        return ""
    # As written, so that the version 1.10 does not become the number 1.1.
    return found.value if isinstance(found.value, str) else found.fragment().text


def _weight(node: Node | None) -> float:
    return float(node.value) if node is not None and isinstance(node.value, (int, float)) else 1.0


def _path(node: Node) -> str:
    """A place in the record: its JMESPath, alone or under `path` beside the values it may have."""
    return _text(node, "path") if node.is_mapping else str(node.value)


def _texts(node: Node | None) -> tuple[str, ...]:
    return tuple(str(item.value) for item in _items(node))


def _items(node: Node | None) -> list[Node]:
    if node is None:
        return []
    return node.items if node.is_list else [node]


def _span_of(node: Node, key: str) -> Any:
    found = node.get(key)
    return found.span if found is not None else node.span


_PLACEHOLDER = Pipeline((Call("equal"),))
_EMPTY = Node({}, None)  # type: ignore[arg-type]  # no place: it stands for a section that is not there
