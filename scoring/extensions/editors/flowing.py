"""Follow the types of values through the steps of a pipeline, from what editors know of primitives and definitions.

It follows the rules of `compiler/checks/resolve.py`, but needs neither a valid spec nor the modules of the primitives;
a test holds it to the compiler, step by step, over all shipped specs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from scoring.extensions.editors.expression import OpenPart, step_tree
from scoring.extensions.editors.facts import StepFact, metric_fact, step_fact
from scoring.extensions.editors.names import NamedDefinition, SpecNames
from scoring.lang.printer import print_pipeline, value_text
from scoring.lang.tree import Call, MapValue, Path, Pipeline, Value, as_pipeline
from scoring.registry.annotations import PipelineType
from scoring.registry.model import Param
from scoring.values import ANY, POISON, SCORE, Bindings, Type, assignable, substitute

StreamForm: TypeAlias = Literal["scorer", "transform", "parse", "aggregate", "metric", "computed", "source", "formula"]
FIELDS = Type("Fields")
ROWS = Type("Rows")
_DEEPEST = 20
_MOST_STEPS = 400


class Stream(Struct, frozen=True):
    """What flows at one place of a pipeline.

    Attributes:
        form: What the pipeline is for; the kinds of steps that may follow depend on it.
        prediction: The type of the value, of a scorer that of the prediction.
        reference: The type of the reference.
        is_joined: Whether a step made a score, or a figure, of it.
        is_begun: Whether any step came before.
        side: The side on which the steps work inside of `sides`; "" for both.
        in_items: Whether `item` can be read.
    """

    form: StreamForm
    prediction: Type = ANY
    reference: Type = ANY
    is_joined: bool = False
    is_begun: bool = False
    side: str = ""
    in_items: bool = False

    @property
    def is_pair(self) -> bool:
        """Whether a prediction and a reference flow side by side."""
        return self.form == "scorer" and not self.is_joined and not self.side

    @property
    def type(self) -> Type:
        """The type of what the next step takes: the value, of a pair the prediction."""
        return self.reference if self.side == "reference" else self.prediction

    def scored(self, output: Type) -> Stream:
        """Return the stream behind a step that makes a score or a figure."""
        return replace(self, prediction=output, reference=output, is_joined=True, is_begun=True)

    def lost(self) -> Stream:
        """Return the stream behind a step of which nothing is known."""
        return replace(self, prediction=POISON, reference=POISON, is_begun=True)


@dataclass(slots=True)
class Follower:
    """A follower of types through pipelines of one file; ``params`` are the parameters of the definition around."""

    names: SpecNames
    params: Mapping[str, str | None] = field(default_factory=dict)
    pipelines: frozenset[str] = frozenset()
    depth: int = 0
    budget: list[int] = field(default_factory=lambda: [_MOST_STEPS])

    # ---- whole texts

    def through(self, stream: Stream, texts: Iterator[str] | list[str]) -> Stream:
        """Return the stream behind some steps, given as texts; one that can't be read loses the type."""
        for text in texts:
            tree = step_tree(text)
            stream = stream.lost() if tree is None else self.pipeline(stream, tree)
        return stream

    def pipeline(self, stream: Stream, tree: Pipeline) -> Stream:
        """Return the stream behind a pipeline."""
        steps = tree.steps
        if tree.head is not None:
            stream = self._begun(stream, self._of_path(tree.head) if isinstance(tree.head, Path) else ANY)
        elif not stream.is_begun and self.is_value(steps[0]):
            stream, steps = self._begun(stream, self.value_type(steps[0].name)), steps[1:]
        for call in steps:
            stream = self.step(stream, call)
        return stream

    def is_value(self, call: Call) -> bool:
        """Return whether a call is the name of a computed value, and no step."""
        if not call.is_alone or self.names.definition(call.name) is not None or call.name in self.pipelines:
            return False
        return (call.name == "parsed" or self._value(call.name) is not None) and step_fact(call.name) is None

    def value_type(self, name: str) -> Type:
        """Return the type of a computed value."""
        found = self._value(name)
        if found is None or self.depth >= _DEEPEST:
            return ANY
        text, names = found
        tree = step_tree(text)
        if tree is None or (tree.head is not None and not isinstance(tree.head, Path)):
            return ANY
        inner = Follower(names, depth=self.depth + 1, budget=self.budget)
        return inner.pipeline(Stream("computed"), tree).prediction

    def _value(self, name: str) -> tuple[str, SpecNames] | None:
        if name in self.names.values:
            return self.names.values[name], self.names
        alias, dot, rest = name.partition(".")
        pack = self.names.imports.get(alias) if dot else None
        return None if pack is None or rest not in pack.values else (pack.values[rest], pack)

    def _of_path(self, path: Path) -> Type:
        if path.root == "values" and len(path.segments) == 1:
            return self.value_type(str(path.segments[0]))
        return ANY

    def _begun(self, stream: Stream, kind: Type) -> Stream:
        if stream.side == "reference":
            return replace(stream, reference=kind, is_begun=True)
        return replace(stream, prediction=kind, is_begun=True)

    # ---- one step

    def step(self, stream: Stream, call: Call) -> Stream:
        """Return the stream behind a step."""
        self.budget[0] -= 1
        if self.budget[0] < 0:
            return stream.lost()
        if call.name in self.pipelines and call.is_alone:
            return self._of_param(stream, self.params.get(call.name))
        found = self.names.definition(call.name)
        if found is not None and not (self.depth and found[0].name == call.name and self._is_namesake(found[0])):
            return self._of_definition(stream, call, *found)
        fact = self.fact(stream, call.name)
        if fact is None:
            return stream.lost()
        return self._sides(stream, call) if "sides" in fact.traits else self.primitive(stream, fact, call)

    def _is_namesake(self, definition: NamedDefinition) -> bool:
        return step_fact(definition.name) is not None and self.names.definitions.get(definition.name) is definition

    @staticmethod
    def fact(stream: Stream, name: str) -> StepFact | None:
        """Return the facts of a primitive, of a metric where metrics stand."""
        found = metric_fact(name) if stream.form == "metric" else None
        return found or step_fact(name) or metric_fact(name)

    def _of_param(self, stream: Stream, default: str | None) -> Stream:
        if default is None:
            return stream.scored(SCORE) if stream.form == "scorer" else stream.lost()
        return self.through(stream, [default]) if self.depth < _DEEPEST else stream.lost()

    def _of_definition(self, stream: Stream, call: Call, definition: NamedDefinition, names: SpecNames) -> Stream:
        if definition.form == "judge":
            return stream.scored(SCORE) if stream.is_pair else replace(stream, prediction=ANY, is_begun=True)
        tree = step_tree(definition.expression)
        if tree is None or self.depth >= _DEEPEST:
            return stream.lost()
        params = dict(definition.params)
        known = list(params)
        given = dict(call.kwargs) | dict(zip(known, call.args, strict=False))
        for name, value in given.items():
            if name in params:
                params[name] = value_text(value) if not isinstance(value, Pipeline) else print_pipeline(value)
        return Follower(names, params, definition.pipelines, self.depth + 1, self.budget).pipeline(stream, tree)

    def _sides(self, stream: Stream, call: Call) -> Stream:
        for side, argument in call.kwargs:
            tree = as_pipeline(argument)
            if side in ("prediction", "reference") and isinstance(tree, Pipeline):
                inner = self.pipeline(replace(stream, side=side, is_begun=False), tree)
                stream = replace(inner, side=stream.side)
        return replace(stream, is_begun=True)

    def primitive(self, stream: Stream, fact: StepFact, call: Call) -> Stream:
        """Return the stream behind a call of a primitive."""
        if fact.kind in ("metric", "aggregator") or fact.inputs == (FIELDS,):
            return stream.scored(fact.output)
        if fact.kind == "rescorer":
            return stream.scored(fact.output)
        bindings: Bindings = {}
        if len(fact.inputs) == 2:
            fits = [
                assignable(kind, wanted, bindings)
                for kind, wanted in zip((stream.prediction, stream.reference), fact.inputs, strict=True)
            ]
            return stream.scored(fact.output if all(fits) else POISON)
        for side in self.sides_of(stream):
            kind = stream.reference if side == "reference" else stream.prediction
            bindings = {}
            out = POISON
            if assignable(kind, fact.inputs[0], bindings):
                self._bind(stream, fact, call, bindings)
                out = substitute(fact.output, bindings)
            stream = replace(stream, reference=out) if side == "reference" else replace(stream, prediction=out)
        return replace(stream, is_begun=True)

    @staticmethod
    def sides_of(stream: Stream) -> tuple[str, ...]:
        """Return the sides on which a transform works."""
        if stream.side:
            return (stream.side,)
        return ("prediction", "reference") if stream.form == "scorer" else ("prediction",)

    def _bind(self, stream: Stream, fact: StepFact, call: Call, bindings: Bindings) -> None:
        """Bind the variables in the type of what a step gives to what its pipelines give."""
        given = [("", value) for value in call.args] + list(call.kwargs)
        by_param: dict[str, list[Value]] = {}
        for index, (name, value) in enumerate(given):
            param = fact.slot(index, name)
            if param is not None:
                by_param.setdefault(param.name, []).append(value)
        for param in fact.params:
            if param.pipeline is None or param.pipeline.form != "transform":
                continue
            for value in by_param.get(param.name, ()):
                values = [one for _, one in value.items] if isinstance(value, MapValue) else [value]
                for one in values:
                    tree = as_pipeline(one)
                    if isinstance(tree, Pipeline) and self.depth < _DEEPEST:
                        inner = dataclasses.replace(self, depth=self.depth + 1)
                        out = inner.pipeline(self.inside(stream, param.pipeline, bindings), tree)
                        assignable(out.prediction, param.pipeline.target, bindings)

    @staticmethod
    def inside(stream: Stream, kind: PipelineType, bindings: Bindings) -> Stream:
        """Return the stream at the beginning of a pipeline that is an argument of a step."""
        if kind.form == "aggregate":
            return Stream("aggregate", FIELDS, FIELDS)
        source = substitute(kind.source, bindings)
        if kind.form == "transform":
            return Stream("transform", source, in_items=stream.in_items or kind.of_item)
        return Stream("scorer", source, substitute(kind.reference, bindings), in_items=stream.in_items or kind.of_item)

    # ---- what is open

    def into(self, stream: Stream, part: OpenPart) -> tuple[Stream | None, Param | None, str]:
        """Return what flows at the beginning of an argument of an open call: the stream, None if the argument is no
        pipeline; the parameter of the primitive, if it is one; and the name of a definition's parameter."""
        found = self.names.definition(part.callee)
        if found is not None:
            definition = found[0]
            known = list(definition.params)
            name = part.key or (known[part.index] if part.index < len(known) else "")
            is_pipeline = name in definition.pipelines
            return (replace(stream, is_begun=False) if is_pipeline else None), None, name
        fact = self.fact(stream, part.callee)
        if fact is None:
            return None, None, part.key
        if "sides" in fact.traits:
            return replace(stream, side=part.key, is_begun=False), None, part.key
        param = fact.slot(part.index, part.key)
        if param is None or param.pipeline is None:
            return None, param, part.key or (param.name if param is not None else "")
        bindings: Bindings = {}
        for kind, wanted in zip((stream.prediction, stream.reference), fact.inputs, strict=False):
            assignable(kind, wanted, bindings)
        return self.inside(stream, param.pipeline, bindings), param, part.key or param.name


def fits(stream: Stream, fact: StepFact) -> bool:
    """Return whether a primitive may be the next step."""
    if fact.kind == "metric":
        return stream.form == "metric" and not stream.is_joined and assignable(stream.prediction, fact.inputs[0], {})
    if fact.inputs == (FIELDS,):
        return stream.form == "aggregate" and not stream.is_joined
    if fact.kind == "rescorer":
        return stream.is_joined and stream.form in ("scorer", "aggregate", "metric")
    if stream.is_joined or stream.form in ("aggregate", "metric"):
        return False
    if "sides" in fact.traits:
        return stream.form in ("scorer", "parse") and not stream.side
    if len(fact.inputs) == 2:
        if stream.form != "scorer" or stream.side:
            return False
        bindings: Bindings = {}
        pair = zip((stream.prediction, stream.reference), fact.inputs, strict=True)
        return all(assignable(kind, wanted, bindings) for kind, wanted in pair)
    if stream.form in ("computed", "source") and not stream.is_begun:
        return False
    sides = Follower.sides_of(stream)
    kinds = [stream.reference if side == "reference" else stream.prediction for side in sides]
    return all(assignable(kind, fact.inputs[0], {}) for kind in kinds)
