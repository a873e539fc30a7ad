"""Compile a pipeline: resolve names, inline definitions, bind arguments, check types, and build the program."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from scoring.compiler.checks.arguments import Arguments, Binder, wrong_calls
from scoring.compiler.checks.lint import check_item_weights
from scoring.compiler.checks.value_names import flow_of, is_value_name
from scoring.compiler.formulas.ranges import scorer_ranges, step_range
from scoring.compiler.programs.messages import WANTED, Findings, Nesting
from scoring.compiler.programs.program import BoundStep, Program, ProgramForm, is_of_item, show_path
from scoring.compiler.programs.scope import Closure, Flow, Scope
from scoring.format.definitions import DefinitionRole
from scoring.lang.printer import print_pipeline
from scoring.lang.tree import Call, Path, Pipeline, as_pipeline
from scoring.ranges import EVERYTHING
from scoring.registry import registry
from scoring.registry.annotations import PipelineType
from scoring.registry.model import Primitive
from scoring.values import ANY, POISON, Bindings, Type, assignable, checker, substitute

if TYPE_CHECKING:
    from scoring.compiler.checks.values_compile import ComputedValues

BOTH = ("prediction", "reference")


class Resolver(Nesting):
    """A compiler from the pipelines of one spec to programs; it collects the findings of all of them.

    ``root`` is the scope of the task, if any, which declares the values that packs read and do not declare.
    """

    def __init__(self, findings: Findings | None = None, root: Scope | None = None) -> None:
        super().__init__(findings or Findings())
        self._root = root
        self.splits_sides = False  # whether any step is of one side alone

    @cached_property
    def computed(self) -> ComputedValues:
        """The compiler of computed values."""
        from scoring.compiler.checks.values_compile import ComputedValues  # what only a spec that names a value needs

        return ComputedValues(self.transform, self.findings, self._root)

    def scorer(self, pipeline: Pipeline, scope: Scope, prediction: Flow, reference: Flow) -> Program:
        """Return the program of a pipeline that must end in a score, given the types of both values that enter it."""
        return self._compile("scorer", pipeline, scope, prediction, reference)

    def transform(self, pipeline: Pipeline, scope: Scope, value: Flow) -> Program:
        """Return the program of a pipeline that transforms one value."""
        return self._compile("transform", pipeline, scope, value, None)

    def parse(self, pipeline: Pipeline, scope: Scope, value: Flow, reference: Flow) -> tuple[Program, Program]:
        """Return the programs of a parse stage: the steps for the response, and those for the reference, of which there
        are none unless the pipeline assigns some to the reference by `sides`."""
        layout = _Layout(self, "parse", value, reference)
        layout.steps(pipeline, scope)
        text = print_pipeline(pipeline)
        left, right = (
            Program("transform", tuple(layout.chains[side]), output=layout.flows[side].type, text=text) for side in BOTH
        )
        return left, right

    def aggregate(self, pipeline: Pipeline, scope: Scope) -> Program:
        """Return the program of a pipeline that must start with an aggregator."""
        return self._compile("aggregate", pipeline, scope, Flow(Type("Fields")), None)

    def metric(self, pipeline: Pipeline, scope: Scope, table: Type = ANY) -> Program:
        """Return the program of a call of a data-set metric, which must accept a table of the given type."""
        return self._compile("metric", pipeline, scope, Flow(table), None)

    def in_role(self, role: DefinitionRole, pipeline: Pipeline, scope: Scope) -> Program:
        """Return the program of a definition's pipeline, given the definition's role, such as "scorer"; the types of
        its inputs are unknown."""
        if role == "aggregate":
            return self.aggregate(pipeline, scope)
        if role == "metric":
            return self.metric(pipeline, scope)
        if role == "parser":
            return self.parse(pipeline, scope, Flow(ANY), Flow(ANY))[0]
        if role == "transform":
            return self.transform(pipeline, scope, Flow(ANY))
        return self.scorer(pipeline, scope, Flow(ANY), Flow(ANY))

    def _compile(
        self, form: ProgramForm, pipeline: Pipeline, scope: Scope, prediction: Flow, reference: Flow | None
    ) -> Program:
        layout = _Layout(self, form, prediction, reference)
        with self.deeper():
            layout.steps(pipeline, scope)
        layout.finish(pipeline)
        return Program(
            form,
            tuple(layout.chains["prediction"]),
            tuple(layout.chains["reference"]),
            layout.join,
            tuple(layout.rescorers),
            layout.flows["prediction"].type,
            print_pipeline(pipeline),
            pipeline.span,
        )


class _Layout:
    """A program under construction, to which the steps of a pipeline are added one by one."""

    def __init__(self, resolver: Resolver, form: str, prediction: Flow, reference: Flow | None) -> None:
        self.resolver = resolver
        self.findings = resolver.findings
        self.form = form
        self.flows = {"prediction": prediction, "reference": reference or Flow(ANY)}
        # A parse stage works on the response alone; only `sides` reaches the reference there.
        self.sides: tuple[str, ...] = BOTH if form == "scorer" else ("prediction",)
        self.chains: dict[str, list[BoundStep]] = {"prediction": [], "reference": []}
        self.join: BoundStep | None = None
        self.rescorers: list[BoundStep] = []
        # Of the score so far; in an aggregate the fields decide, which are not known here.
        self.range = EVERYTHING
        self.poisoned = False

    def steps(self, pipeline: Pipeline, scope: Scope) -> None:
        """Add every step of a pipeline to the program, or stop, after reporting an error, if there are too many."""
        if pipeline.head is not None or self._is_value(pipeline.steps[0], scope):
            self._begin(pipeline, scope)
            return
        for call in pipeline.steps:
            if not self.resolver.count(call):
                self._poison()
                return
            self._step(call, scope)

    def _is_value(self, call: Call, scope: Scope) -> bool:
        """Tell whether a call is the bare name of a computed value, and there is no step of that name."""
        if not call.is_alone or not is_value_name(call.name, scope):
            return False
        steps = isinstance(scope.params.get(call.name), Closure) or scope.definition(call.name) is not None
        # Only for an unknown name would everything be imported that may define it.
        return not (steps or scope.is_taken(call.name))

    def _begin(self, pipeline: Pipeline, scope: Scope) -> None:
        """Add the value that a pipeline begins with; it replaces the value that would otherwise enter the pipeline."""
        if self.form not in ("scorer", "transform", "parse") or self.join is not None or self.sides == BOTH:
            begun = self.resolver.computed.begun(pipeline, scope)
            if begun is not None:
                self._both_replaced(begun[0])
            return
        made, replacing = self.resolver.computed.made(pipeline, scope), registry.get("value_of")
        if made is not None and is_of_item(made) and not self.resolver.items:
            self.findings.no_item(show_path(made), made.span)
            made = None
        if made is None or replacing is None:
            self._poison()
            return
        for side in self.sides:
            self.chains[side].append(BoundStep(replacing, dynamic={"of": made}, span=made.span, step=show_path(made)))
            self.flows[side] = flow_of(made)

    def _both_replaced(self, head: Path) -> None:
        text = show_path(head)
        self.findings.error(
            "wrong-stage",
            f"`{text}` would replace both the prediction and the reference",
            head.span,
            "a scorer compares the pair that flows in",
            help=(
                f"name it where the field says what it compares: `prediction: {text}`",
                f"or give it to one side: `sides(prediction={text})`",
            ),
        )
        self._poison()

    def _step(self, call: Call, scope: Scope) -> None:
        param = scope.params.get(call.name)
        if isinstance(param, Closure) and not call.args and not call.kwargs:
            self.steps(param.pipeline, param.scope)
            return
        found, binder = scope.definition(call.name), Binder(call, scope, self.findings, lambda: self.resolver.computed)
        if found is not None and not self.resolver.is_namesake(call, found[0], found[1]):
            definition, own = found
            bound = binder.definition(definition, own)
            if bound is None:
                self._poison()
                return
            with self.resolver.inside(call, own, definition.name) as entered:
                if entered:
                    self.steps(definition.pipeline, own.inside(bound))
                else:
                    self._poison()
            return
        primitive = scope.primitive(call.name, metric=self.form == "metric")
        if primitive is None:
            if not scope.is_broken(call.name):
                wrong_calls(self.findings).unknown_name(call, scope, metric=self.form == "metric")
            self._poison()
            return
        if "sides" in primitive.traits:
            self._sides(call, scope)
            return
        primitive = self._within_range(primitive)
        arguments = binder.primitive(primitive, in_items=self.resolver.items > 0)
        if arguments is None:
            self._poison()
            return
        self._place(call, primitive, arguments)

    def _within_range(self, primitive: Primitive) -> Primitive:
        """Return a rescorer with the bounds of its thresholds set to the range of the scores that it receives; other
        primitives unchanged."""
        if not any(param.of_score for param in primitive.params) or primitive.kind != "rescorer":
            return primitive
        low, high = self.range.low, self.range.high
        params = (replace(param, low=low, high=high) if param.of_score else param for param in primitive.params)
        return replace(primitive, params=tuple(params))

    def _place(self, call: Call, primitive: Primitive, arguments: Arguments) -> None:
        if primitive.kind == "metric" or primitive.inputs == (Type("Fields"),):
            self._place_first(call, primitive, arguments)
        elif primitive.kind == "rescorer":
            self._place_rescorer(call, primitive, arguments)
        elif len(primitive.inputs) == 2:
            self._place_join(call, primitive, arguments)
        else:
            self._place_transform(call, primitive, arguments, self.sides)

    def _place_transform(self, call: Call, primitive: Primitive, arguments: Arguments, sides: tuple[str, ...]) -> None:
        if self.join is not None:
            wrong_calls(self.findings).wrong_stage(
                call,
                f"`{call.name}` is a transform, but the pair was already joined into a score",
                "transforms come before the comparator; after it come rescorers such as `zero_below`",
                self.flows["prediction"],
            )
            return
        if self.form in ("aggregate", "metric"):
            self._wrong_place(call, primitive)
            return
        for side in sides:
            flow = self.flows[side]
            bindings: Bindings = {}
            if not self._accepts(call, side, flow, primitive.inputs[0], bindings):
                self.flows[side] = Flow(POISON, call.name, call.span)
                continue
            nested = self._nested(primitive, arguments, bindings, flow, None)
            node = self._node(call, primitive, arguments, nested, (_check(flow.type, primitive.inputs[0]),))
            self.chains[side].append(node)
            self.flows[side] = Flow(substitute(primitive.output, bindings), call.name, call.span)

    def _place_join(self, call: Call, primitive: Primitive, arguments: Arguments) -> None:
        if self.form != "scorer":
            self._wrong_place(call, primitive)
            return
        if self.join is not None:
            wrong_calls(self.findings).wrong_stage(
                call,
                f"`{call.name}` compares a pair, but the pair was already joined into a score",
                "use `any_of`, `all_of` or `combine` to join several comparisons",
                self.flows["prediction"],
            )
            return
        bindings: Bindings = {}
        fits = [
            self._accepts(call, side, self.flows[side], wanted, bindings)
            for side, wanted in zip(BOTH, primitive.inputs, strict=True)
        ]
        if all(fits):
            nested = self._nested(primitive, arguments, bindings, self.flows["prediction"], self.flows["reference"])
            checks = tuple(_check(self.flows[s].type, w) for s, w in zip(BOTH, primitive.inputs, strict=True))
            self.join = self._node(call, primitive, arguments, nested, checks)
            check_item_weights(self.join, self.findings)
            if "formula" in primitive.traits:
                from scoring.compiler.formulas.combined import check_formula

                self.poisoned |= not check_formula(self.join, call, scorer_ranges(self.join), self.findings)
            self.range = step_range(self.join)
        else:
            self.poisoned = True
        self._scored(call, primitive)

    def _scored(self, call: Call, primitive: Primitive) -> None:
        output = primitive.output if not self.poisoned else POISON
        self.flows = {side: Flow(output, call.name, call.span) for side in BOTH}

    def _place_rescorer(self, call: Call, primitive: Primitive, arguments: Arguments) -> None:
        if self.join is None and not self.poisoned:
            if self.form in ("transform", "parse"):
                self._wrong_place(call, primitive)
                return
            wrong_calls(self.findings).wrong_stage(
                call,
                f"`{call.name}` takes a Score, but nothing has compared the pair yet",
                "put a comparator such as `equal` or `levenshtein` before it",
                self.flows["prediction"],
            )
            self._poison()
            return
        nested = self._nested(primitive, arguments, {}, self.flows["prediction"], None)
        self.rescorers.append(self._node(call, primitive, arguments, nested, (None,)))
        self.range = step_range(self.rescorers[-1], self.range)
        self._scored(call, primitive)

    def _place_first(self, call: Call, primitive: Primitive, arguments: Arguments) -> None:
        """Add a metric or an aggregator to the program; report it if it is not the first step of its pipeline."""
        is_metric = primitive.kind == "metric"
        if self.form != ("metric" if is_metric else "aggregate") or self.join is not None:
            self._wrong_place(call, primitive)
        elif is_metric and not self._accepts(call, "data set", self.flows["prediction"], primitive.inputs[0], {}):
            self._poison()
        else:
            self.join = self._node(call, primitive, arguments, {}, ())
            self._scored(call, primitive)

    def _wrong_place(self, call: Call, primitive: Primitive) -> None:
        wrong_calls(self.findings).wrong_place(call, primitive.kind, self.form)
        self._poison()

    def _sides(self, call: Call, scope: Scope) -> None:
        if self.form not in ("scorer", "parse") or self.join is not None:
            wrong_calls(self.findings).wrong_stage(
                call,
                f"`{call.name}` has no two sides to work on here",
                "it goes before the comparator of a scorer, or in `parse`",
            )
            self._poison()
            return
        self.resolver.splits_sides = True
        for index, (side, argument) in enumerate(call.kwargs):
            value = as_pipeline(argument)
            if side not in BOTH:
                wrong_calls(self.findings).unknown_parameter(call.name, side, BOTH, call.keyword_span(index))
            elif not isinstance(value, Pipeline):
                self.findings.error(
                    "argument-type",
                    f"`{side}` of `{call.name}` takes a pipeline",
                    value.span,
                    help=f"write transforms, as in `{call.name}({side}=lower | strip)`",
                )
            else:
                before, self.sides = self.sides, (side,)
                self.steps(value, scope)
                self.sides = before
        if call.args or not call.kwargs:
            self.findings.error(
                "missing-parameter",
                f"`{call.name}` takes its pipelines by name",
                call.span,
                help=f"write `{call.name}(prediction=…, reference=…)`; one of the two may be left out",
            )

    def _accepts(self, call: Call, side: str, flow: Flow, wanted: Type, bindings: Bindings) -> bool:
        if assignable(flow.type, wanted, bindings):
            return True
        wrong_calls(self.findings).wrong_input(call, side, flow, substitute(wanted, bindings))
        return False

    def _node(
        self,
        call: Call,
        primitive: Primitive,
        arguments: Arguments,
        nested: dict[str, Any],
        checks: tuple[Type | None, ...],
    ) -> BoundStep:
        callers = tuple(self.findings.callers)
        return BoundStep(primitive, arguments.static, arguments.dynamic, nested, checks, call.span, call.name, callers)

    def _nested(
        self, primitive: Primitive, arguments: Arguments, bindings: Bindings, left: Flow, right: Flow | None
    ) -> dict[str, Any]:
        compiled: dict[str, Any] = {}
        known = {param.name for param in primitive.params if param.variadic != "keyword"}
        for param in primitive.params:
            if param.pipeline is None:
                continue
            names = [param.name] if param.name in known else [one for one in arguments.pipelines if one not in known]
            for name in names:
                closures = arguments.pipelines.get(name)
                one = partial(self._one, kind=param.pipeline, bindings=bindings, left=left, right=right)
                if isinstance(closures, list):
                    compiled[name] = tuple(map(one, closures))
                elif isinstance(closures, dict):
                    compiled[name] = {key: one(closure) for key, closure in closures.items()}
                elif closures is not None:
                    compiled[name] = one(closures)
        return compiled

    def _one(self, closure: Closure, kind: PipelineType, bindings: Bindings, left: Flow, right: Flow | None) -> Program:
        source = Flow(substitute(kind.source, bindings), left.step, left.span)
        if kind.form == "transform":
            program = self.resolver.transform(closure.pipeline, closure.scope, source)
            assignable(program.output, kind.target, bindings)
            return program
        if kind.form == "aggregate":
            return self.resolver.aggregate(closure.pipeline, closure.scope)
        other = right or left
        reference = Flow(substitute(kind.reference, bindings), other.step, other.span)
        self.resolver.items += kind.of_item
        program = self.resolver.scorer(closure.pipeline, closure.scope, source, reference)
        self.resolver.items -= kind.of_item
        return program

    def _poison(self) -> None:
        self.poisoned = True
        self.flows = {side: Flow(POISON) for side in BOTH}

    def finish(self, pipeline: Pipeline) -> None:
        """Report the program if it does not end in what its position requires, such as a score."""
        if self.poisoned or self.join is not None or self.form == "transform":
            return
        last = self.flows["prediction"]
        if last.type == POISON:
            return
        if self.form == "scorer":
            message = f"this pipeline ends in {last.type}, not in a score"
            help_text = "add a comparator such as `equal` at its end; `scoring list comparator` shows all"
        else:
            message = f"this is not a {self.form}"
            help_text = f"begin with one; `scoring list {WANTED[self.form]}` shows all"
        self.findings.error("no-score", message, pipeline.span, help=help_text)


def _check(source: Type, wanted: Type) -> Type | None:
    """Return the type that a value of the type ``source`` must be checked for at run time: ``wanted``, or None if a
    check is not needed or not possible."""
    return wanted if source == ANY and checker(wanted) is not None else None
