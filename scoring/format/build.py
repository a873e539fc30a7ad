"""Build the model of a validated file from its nodes: parse all expressions, and collect the findings about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any, TypeVar

from msgspec import NODEFAULT
from msgspec.structs import replace

from scoring.diagnostics.diagnostic import Diagnostics, Label, SpecError
from scoring.diagnostics.source import Fragment, Span
from scoring.format.definitions import NO_DEFAULT, Definition, DefinitionRole, Parameter, SpecFile, ValueSpec
from scoring.format.forms import items_of
from scoring.format.keys import TABLE, FileKind, SpecPart, defaults_of, keys_of
from scoring.format.measures import MetricEntry, read_metric
from scoring.format.model import FieldSpec, TaskSpec, class_of
from scoring.format.nodes import SpecNode
from scoring.format.readings import is_function_call, is_quotient, may_be_formula, names_of_no_step
from scoring.format.sections import Intervals
from scoring.lang.formula import Formula
from scoring.lang.parser import (
    computed_or_none,
    is_formula,
    parse_computed,
    parse_formula,
    parse_pipeline,
    pipeline_or_none,
)
from scoring.lang.scan import has_formula_operator, has_pipe
from scoring.lang.tree import Call, Pipeline
from scoring.registry import plugins, registry
from scoring.registry.editions import OLDEST
from scoring.registry.plugins import has_spec_kind, has_table_kind

T = TypeVar("T")
P = TypeVar("P", bound=SpecPart)
Expression = Pipeline | Formula
E = TypeVar("E", bound=Expression)

SINGLE_FIELD = "answer"


def build_spec(node: SpecNode) -> SpecFile:
    """Return the model of a spec file, given its root node.

    Raises:
        SpecError: when there are errors; with the findings of all expressions.
    """
    return Building(node).spec()


def file_kind(node: SpecNode) -> FileKind:
    """Return the kind of the file with a root node: its key `kind` or `records`, else "rows" (a task over rows)."""
    kind = None if (stated := node.get("kind")) is None else stated.value
    if isinstance(kind, str) and kind != "task" and (kind == "pack" or has_spec_kind(kind)):
        return kind
    records = node.get("records")
    if records is None:
        return "rows"
    return records.value if isinstance(records.value, str) and has_table_kind(records.value) else TABLE


class Building:
    """A builder that turns the root node of one spec file into its model, and collects the findings about it.

    Attributes:
        expressions: All expressions that were read, with their nodes; `scoring fmt` formats these.
    """

    def __init__(self, node: SpecNode) -> None:
        self.node = node
        self.kind = file_kind(node)
        self.edition: int = node["edition"].plain() if "edition" in node else OLDEST
        self.diagnostics = Diagnostics()
        self.defined: dict[str, Definition] = {}
        self.expressions: list[tuple[SpecNode, Expression]] = []

    def spec(self) -> SpecFile:
        """Return the model of the file.

        Raises:
            SpecError: when there are errors; with the findings of all expressions.
        """
        owner = class_of(self.kind)
        self._declare(owner)
        self._check_single_answer()
        found = self.make(owner, self.node, span=_span_of(self.node, "name"), data=self.node.plain())
        self.diagnostics.raise_errors()
        return self._whole_task(found) if isinstance(found, TaskSpec) else replace(found, spans=dict(self._spans()))

    def make(self, owner: type[P], node: SpecNode, **attributes: Any) -> P:
        """Return an instance of the model class `owner` from `attributes` and a mapping, whose errors are collected."""
        sections: dict[str, Any] = {}
        for key in keys_of(owner, self.kind, node):
            item = node.get(key.name)
            if item is not None and key.attribute not in attributes:
                values = sections if key.is_brought else attributes
                values[key.attribute] = self.collect(partial(key.form.read, self, item))
        if sections:
            attributes["sections"] = sections
        if owner in (class_of(self.kind), FieldSpec):
            self._refuse_lacking(node)
        # In a file with mistakes a key without a default may be missing, too.
        found = owner(**{**dict.fromkeys(_required(owner)), **attributes})
        if isinstance(found, Intervals):
            self._check_intervals(found, node)
        return found

    def _refuse_lacking(self, node: SpecNode) -> None:
        """Report keys of a mapping that can change a score, but are read by extensions that are not installed."""
        for name in plugins.lacking_sections():
            item = node.get(name)
            if item is not None:
                message = f"`{name}:` is read by an extension that is not installed"
                self.diagnostics.error("missing-distribution", message, item.key_span or item.span)

    def collect(self, read: Callable[[], T]) -> T | None:
        """Return what `read` returns, which reads one value; if it raises SpecError, collect that, and return None."""
        try:
            return read()
        except SpecError as error:
            self.diagnostics.extend(error.diagnostics)
            return None

    # ---- expressions

    def pipeline(self, node: SpecNode) -> Pipeline:
        """Return the pipeline in a node: a text, or lists and mappings; raise SpecError if it is invalid."""
        if node.is_text:
            return self._parsed(parse_pipeline, node)
        from scoring.lang.from_data import from_data

        found = from_data(node, self._is_pipeline_param)
        from scoring.format.yaml_findings import kept_line_ends

        self.diagnostics.extend(kept_line_ends(node))
        self.expressions.append((node, found))
        return found

    def computed(self, node: SpecNode) -> Pipeline | Formula:
        """Return the expression of a computed value, in its node: a path, a pipeline from one, or a formula."""
        if not node.is_text:
            return self.pipeline(node)
        fragment = node.fragment()
        pipeline = computed_or_none(fragment)
        if pipeline is None:
            is_of_values = not has_pipe(fragment)
        else:
            is_of_values = may_be_formula(pipeline, self.defined, self._below("values"))
        return self.formula(node) if is_of_values else self._parsed(parse_computed, node)

    def source(self, node: SpecNode) -> Pipeline:
        """Return where a field's value comes from, given its node: a path, the name of a value, or a pipeline that
        begins with either."""
        if computed_or_none(node.fragment()) is None or str(node.value)[:1] in ("[", '"'):
            from scoring.format.places import refuse_place

            refuse_place(node)
        return self._parsed(parse_computed, node)

    def formula(self, node: SpecNode) -> Formula:
        """Return the formula in a node, which is over the fields and values of a record."""
        return self._parsed(parse_formula, node)

    def _parsed(self, parse: Callable[[Fragment], E], node: SpecNode) -> E:
        """Return the result of `parse` for a node's text; an error notes that YAML interprets backslashes before it is
        parsed."""
        try:
            found = parse(node.fragment())
        except SpecError as error:
            if node.style != "double" or "\\" not in node.span.text:
                raise
            noted = [replace(one, note=(*one.note, _READ_FIRST)) for one in error.diagnostics]
            raise SpecError(noted) from None
        self.expressions.append((node, found))
        return found

    def scored(self, node: SpecNode) -> Expression:
        """Return the scorer in a node: a pipeline, or a formula, such as a call of a formula function, `max(a)`."""
        if not node.is_text:
            return self.pipeline(node)
        fragment = node.fragment()
        pipeline = pipeline_or_none(fragment)
        named = names_of_no_step(pipeline, self.defined) if pipeline is not None else ()
        if any(name in self._below("fields") or name in self._below("values") for name in named):
            return self.formula(node)
        if pipeline is not None and not is_function_call(pipeline, self.defined):
            return self.pipeline(node)
        # An invalid text is treated as a formula if it has an operator that pipelines don't have.
        is_formula_text = is_formula(fragment) or (pipeline is None and has_formula_operator(fragment))
        return self.formula(node) if is_formula_text else self.pipeline(node)

    def aggregate(self, node: SpecNode) -> Expression:
        """Return how field scores are combined, given its node: a pipeline for an aggregator's call, else a formula."""
        if not node.is_text:
            return self.pipeline(node)
        known = {*(self.node.get("fields") or self.node).entries, *self._below("values")}
        pipeline = pipeline_or_none(node.fragment())
        if pipeline is None:
            return self.formula(node)
        is_formula = bool(pipeline.steps[0].args) or is_quotient(pipeline, known)
        return self.formula(node) if is_formula else self.pipeline(node)

    def metric(self, node: SpecNode) -> MetricEntry:
        """Return the entry of `metrics:` in a node: a metric, or a name with a metric or a formula over the data."""
        return read_metric(self, node)

    def _is_pipeline_param(self, name: str, key: str | int) -> bool:
        """Return whether the parameter `key` (a name or position) of the step `name` takes a pipeline, not a text."""
        definition = self.defined.get(name)
        if definition is not None:
            params = enumerate(definition.params)
            return next((param.takes_pipeline for index, param in params if key in (index, param.name)), False)
        primitive = registry.get(name)
        if primitive is None:
            return False
        for index, param in enumerate(primitive.params):
            if key in (index, param.name) or (param.variadic == "positional" and isinstance(key, int)):
                return param.pipeline is not None
        return any(param.variadic == "keyword" and param.pipeline is not None for param in primitive.params)

    # ---- definitions

    def _declare(self, owner: type) -> None:
        """Register the names and parameters of the definitions under keys of `owner`, before expressions are read."""
        for key in keys_of(owner, self.kind, self.node):
            word = key.form.words.get("pipeline")
            for name, item in self._below(key.name).items() if word is not None else ():
                if name in self.defined:
                    self._twice(name, item)
                params = item.get("params") if item.is_mapping and word in item else None
                found = self.parameters(params) if params is not None else ()
                self.defined[name] = Definition(name, "scorer", _PLACEHOLDER, found, span=item.key_span)

    def define(self, role: DefinitionRole, word: str, node: SpecNode) -> dict[str, Definition]:
        """Return, by name, the definitions in a mapping: each an expression, or a mapping with one under the key
        `word`."""
        found = {name: self._definition(role, word, name, item) for name, item in node.entries.items()}
        return {name: definition for name, definition in found.items() if definition.pipeline is not None}

    def _definition(self, role: DefinitionRole, word: str, name: str, item: SpecNode) -> Definition:
        is_long = item.is_mapping and word in item
        pipeline: Any = self.collect(partial(self.pipeline, item[word] if is_long else item))  # None: dropped later
        if not is_long:
            return Definition(name, role, pipeline, span=item.key_span)
        params = self.defined[name].params
        return self.make(Definition, item, name=name, role=role, pipeline=pipeline, params=params, span=item.key_span)

    def values(self, node: SpecNode) -> dict[str, ValueSpec]:
        """Return the computed values of records that the node of `values:` declares, by name."""
        found = {name: self._value(name, item) for name, item in node.entries.items()}
        return {name: value for name, value in found.items() if value.pipeline is not None}  # None was reported

    def _value(self, name: str, item: SpecNode) -> ValueSpec:
        if item.is_mapping and "value" in item:
            return self.make(ValueSpec, item, name=name, span=item.key_span)
        pipeline: Any = self.collect(partial(self.computed, item))
        return ValueSpec(name, pipeline, span=item.key_span)

    def parameters(self, node: SpecNode) -> tuple[Parameter, ...]:
        """Return the parameters of a definition, given the node of its key `params`."""
        return tuple(self._parameter(name, item) for name, item in node.entries.items())

    def _parameter(self, name: str, node: SpecNode) -> Parameter:
        described = node.is_mapping and set(node.entries) <= {key.name for key in keys_of(Parameter)}
        value = node.get("default") if described else node
        if value is not None and "\n" in value.span.text and node.get("type") is None:
            from scoring.format.yaml_findings import kept_line_ends

            self.diagnostics.extend(kept_line_ends(value, every=True))
        if not described:
            return Parameter(name, node.plain(), span=node.key_span, written=_text_of(node))
        found = self.make(Parameter, node, name=name, span=node.key_span, written=_text_of(value))
        if not found.takes_pipeline:
            return found
        default = node.get("default")
        pipeline = self.collect(lambda: self.pipeline(default)) if default else None
        return replace(found, default=NO_DEFAULT, pipeline=pipeline)

    def _twice(self, name: str, item: SpecNode) -> None:
        self.diagnostics.error(
            "name-conflict",
            f"`{name}` is defined twice in this file",
            item.key_span,
            "the second definition",
            help="names are shared by all sections; give one of the two another name",
        )

    # ---- fields

    def fields(self, node: SpecNode) -> tuple[FieldSpec, ...]:
        """Return the fields of a task (parts of an answer that are scored singly), given the node of `fields:`."""
        return tuple(self._field(name, item) for name, item in node.entries.items())

    def _field(self, name: str, node: SpecNode) -> FieldSpec:
        span = node.key_span or node.span
        if not node.is_mapping or "score" not in node:
            found = self.collect(lambda: self.scored(node)) if node.value is not None else None
            return replace(_scored_by(found, name), span=span)
        weight = node.get("weight")
        field = self.make(
            FieldSpec, node, name=name, span=span, weight_span=weight.span if weight is not None else None
        )
        if isinstance(field.pipeline, Pipeline | None):
            return field
        self._formula_alone(name, node)
        return replace(field, pipeline=None, formula=field.pipeline)

    def _formula_alone(self, name: str, node: SpecNode) -> None:
        """Report keys that say what is compared (`prediction` …) in the node of a field that is a formula."""
        brought = (key.name for key in keys_of(FieldSpec, among=node) if key.is_brought)
        for word in ("prediction", "reference", "optional", *brought):
            if word in node:
                self.diagnostics.error(
                    "bad-value",
                    f"`{word}` has no effect: `{name}` is a formula",
                    node[word].key_span,
                    secondary=[Label(node["score"].span, "here")],
                    help=f"leave `{word}` out, or write a scorer",
                )

    def _whole_task(self, task: TaskSpec) -> TaskSpec:
        """Return the task with its single answer, if any, as its only field, and with the spans of its paths."""
        if task.score is not None:
            place = self.node["score"].span
            field = replace(_scored_by(task.score, SINGLE_FIELD), span=place)
            task = replace(task, fields=(field,))
        return replace(task, spans={str(path.value): path.span for path in self._paths()})

    def _spans(self) -> Iterator[tuple[str, Span]]:
        """Yield each key of the file, and each key directly inside it as `key.inner`, with its value's position."""
        for name, node in self.node.entries.items():
            yield name, node.span
            if node.is_mapping:
                yield from ((f"{name}.{inner}", item.span) for inner, item in node.entries.items())

    def _paths(self) -> Iterator[SpecNode]:
        """Yield the nodes of all paths of a task into its records."""
        for node in self._below("record").values():
            yield from items_of(node.get("path") if node.is_mapping else node)
        yield from items_of(self.node.get("by"))
        for name in ("cluster", "strata"):
            yield from items_of((self.node.get("intervals") or self.node).get(name))

    def _below(self, name: str) -> dict[str, SpecNode]:
        found = self.node.get(name)
        return found.entries if found is not None else {}

    # ---- keys that exclude each other

    def _check_single_answer(self) -> None:
        score, several = self.node.get("score"), self.node.get("fields")
        if score is not None and several is not None:
            from scoring.format.yaml_text import flow

            others = several.plain() if several.is_mapping else {}
            line = flow({"answer": score.plain(), **others})
            write = f": write `fields: {line}`" if others and len(line) <= _LONGEST else ""
            self.diagnostics.error(
                "bad-value",
                "a task has either `score` or `fields`, not both",
                score.key_span,
                "one of the two",
                secondary=[Label(several.key_span, "the other one")],
                help=f"`score` is for a single answer; give it a name under `fields` next to the others{write}",
            )

    def _check_intervals(self, found: Intervals, node: SpecNode) -> None:
        if found.method == "none":
            self._check_unused(node)
        if found.method not in ("wilson", "clopper_pearson"):
            return
        drawn = {"cluster": "records of one value are drawn together", "strata": "records are drawn within each value"}
        for name in [name for name in drawn if getattr(found, name) is not None]:
            self.diagnostics.error(
                "bad-value",
                f"`{found.method}` is for shares of independent records, and `{name}` says they are not",
                node["method"].span,
                f"no interval for {'clusters' if name == 'cluster' else name}",
                secondary=[Label(node[name].span, drawn[name])],
                help="take `bca` or `percentile`, or leave `method` out",
            )

    def _check_unused(self, node: SpecNode) -> None:
        """Report settings of resampling, such as `cluster`, in the node of `intervals` if no interval is computed."""
        for name in ("cluster", "strata", "resamples"):
            if name in node:
                self.diagnostics.error(
                    "bad-value",
                    f"`{name}` has no effect: no interval is computed",
                    node[name].span,
                    "says how records are drawn for an interval",
                    secondary=[Label(node["method"].span, "switches intervals off")],
                    help=f"leave `{name}` out, or choose another method; `auto` fits the data",
                )


def _scored_by(found: Expression | None, name: str) -> FieldSpec:
    """Return the field `name` that is scored by a pipeline or by a formula."""
    return FieldSpec(name, found) if isinstance(found, Pipeline | None) else FieldSpec(name, formula=found)


@cache
def _required(owner: type[SpecPart]) -> tuple[str, ...]:
    """Return the names of the attributes of a class of the model that have no default."""
    return tuple(name for name, default in defaults_of(owner).items() if default is NODEFAULT)


def _span_of(node: SpecNode, key: str) -> Span:
    found = node.get(key)
    return found.span if found is not None else node.span


_LONGEST = 200  # the most characters of a line in an advice
_READ_FIRST = "YAML interprets backslashes in double quotes first: write the expression in single quotes, or in a block"
_PLACEHOLDER = Pipeline((Call("equal"),))


def _text_of(node: SpecNode | None) -> Fragment | None:
    return node.fragment() if node is not None and node.is_text else None
