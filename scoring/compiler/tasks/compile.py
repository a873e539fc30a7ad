"""Compile a loaded spec: a task becomes a program that scores records, a pack is checked definition by definition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from scoring.compiler.checks.compared import CompiledField, ValueSource
from scoring.compiler.checks.link import Linker, check_deprecated
from scoring.compiler.checks.lint import (
    check_cases,
    check_examples,
    check_fields_used,
    check_imports,
    check_joining,
    check_parts_read,
    check_task_values,
    check_weighing,
)
from scoring.compiler.checks.resolve import Resolver
from scoring.compiler.checks.value_names import value_names
from scoring.compiler.formulas.direction import better_before, better_of_formula, better_of_scorer, better_score
from scoring.compiler.formulas.formula import Compiled, FormulaCompiler
from scoring.compiler.formulas.ranges import aggregate_range, range_of
from scoring.compiler.identity.meaning import task_meaning
from scoring.compiler.identity.signature import Recipe, recipe
from scoring.compiler.programs.messages import Findings
from scoring.compiler.programs.program import Computed, Program, in_dependency_order
from scoring.compiler.programs.scope import Flow, Scope
from scoring.compiler.records.reads import check_inputs, parts_read, plain_reads
from scoring.compiler.records.record_reader import RecordReader
from scoring.compiler.running.run import TransformRunner
from scoring.compiler.tasks.compiled_parts import (
    Aggregate,
    MetricNames,
    NoPass,
    TaskMetric,
    TaskParts,
    aggregate_fields,
    aggregate_formula,
)
from scoring.compiler.tasks.field_compiler import FieldCompiler
from scoring.compiler.tasks.fields import FieldRunner, settled_range
from scoring.compiler.tasks.least import LeastScore, check_zeros
from scoring.compiler.tasks.metrics import all_programs, check_metrics, compile_metrics, metric_table_type
from scoring.diagnostics.diagnostic import Diagnostic, SpecError
from scoring.format.load import Loaded, Loader
from scoring.format.model import TaskSpec
from scoring.lang.formula import Formula, walk_formula
from scoring.lang.parser import parse_pipeline
from scoring.lang.printer import print_pipeline
from scoring.lang.tree import Path, Pipeline
from scoring.ranges import EVERYTHING, Better, ScoreRange
from scoring.statistics.breakdown import attributes_of
from scoring.values import ANY, Type

if TYPE_CHECKING:
    from scoring.compiler.tasks.formula_fields import FormulaField
    from scoring.compiler.tasks.task import CompiledTask


def compile_task(loaded: Loaded, loader: Loader) -> tuple[CompiledTask, tuple[Diagnostic, ...]]:
    """Return the compiled task and the warnings about it.

    Raises:
        SpecError: when any finding is an error; it has all findings.
    """
    compiler = _TaskCompiler(loaded, loader)
    task = compiler.task()
    found = compiler.findings.diagnostics
    found.raise_errors()
    if task is None:
        raise SpecError(found)
    return task, found.sorted()


def packs_in(scope: Scope) -> dict[str, tuple[str, str]]:
    """Return the version and digest of every pack that a file imports, directly or through another pack, by name."""
    return {name: (pack.version, pack.digest) for name, pack in scope.packs().items()}


_WITHOUT = "add it, such as `pass: score >= 0.8`, or leave the metric out"


def _with_labels(spec: TaskSpec, folder: FilePath | None) -> TaskSpec:
    """Return a task with `labels`, if it is the name of a file, replaced by the labels in the file, except for an
    unreadable file."""
    if isinstance(spec.labels, str):
        from scoring.format.labels import listed_labels

        with suppress(ValueError, OSError):
            return replace(spec, labels=tuple(listed_labels(folder or FilePath(), spec.labels)))
    return spec


def findings_of_task(loaded: Loaded, loader: Loader) -> tuple[Diagnostic, ...]:
    """Return every finding about a task; errors in it do not raise."""
    compiler = _TaskCompiler(loaded, loader)
    compiler.task(runs=False)
    return compiler.findings.diagnostics.sorted()


class _TaskCompiler:
    def __init__(self, loaded: Loaded, loader: Loader) -> None:
        assert isinstance(loaded.spec, TaskSpec)
        self.loader, self.spec = loader, _with_labels(loaded.spec, loaded.folder)
        self.loaded = loaded if self.spec is loaded.spec else replace(loaded, spec=self.spec)
        self.findings = Findings()
        self.findings.diagnostics.extend(loaded.warnings)
        self.table = metric_table_type(self.spec)
        self.scope = Linker(loader, self.findings).scope(loaded)
        self.resolver = Resolver(self.findings, self.scope)
        self.field_compiler = FieldCompiler(self.spec, self.scope, self.resolver)
        self.programs: dict[str, Program] = {}
        self.formulas: dict[str, Formula] = {}
        self.computed: tuple[FormulaField, ...] = ()
        self.ranges: dict[str, ScoreRange] = {}
        self.every_range: dict[str | None, ScoreRange] = {}
        self.better: dict[str | None, Better] = {}
        self.attributes: dict[str, ValueSource] = {}

    def task(self, *, runs: bool = True) -> CompiledTask | None:
        """Return the compiled task, or None if there are errors in the findings or ``runs`` is False."""
        self._check_value_names()
        declared = self.resolver.computed.declared(self.scope) if self.scope.values else []
        parse, parse_reference = self._parse()
        fields = self.field_compiler.compile(parse, parse_reference)
        self.programs.update({f"field {one.spec.name}": one.program for one in fields})
        self.ranges = {
            one.spec.name: settled_range(self.spec, range_of(one.program), may_lack=one.may_be_missing)
            for one in fields
        }
        self._formula_fields()
        aggregate = self._aggregate()
        score = aggregate.range if aggregate is not None else EVERYTHING
        passes = self._passes(score)
        self.every_range = dict([(None, score), *self.ranges.items()])
        self.better = self._better(fields, aggregate)
        metrics = self._metrics()
        least = self._least(aggregate, passes, metrics) if aggregate is not None else None
        if least is not None and self.spec.records is None:
            check_zeros(self.spec, fields, least, self.findings)
        if self.spec.definitions:
            self._check_definitions()
        check_inputs(self.spec, self.programs, self.findings)
        check_imports(self.spec, self.scope, self.findings)
        check_deprecated(self.loaded, self.scope, self.loader, self.resolver)
        check_examples(self.spec, self.findings)
        check_cases(self.programs.values(), self.spec.attribute_values, self.findings)
        reading = self._reader()
        if reading is not None:
            names = [field.name for field in self.spec.fields]
            check_metrics(self.spec.metrics, metrics, names, self.every_range, reading, self.findings)
        values = self._values(declared, fields, metrics)
        self._check_steps(fields)
        if self.findings.diagnostics.has_errors or least is None or aggregate is None or reading is None or not runs:
            return None
        from scoring.compiler.tasks.task import CompiledTask  # what only checks a spec scores nothing

        return CompiledTask(
            TaskParts(
                spec=self.spec,
                reader=reading,
                parse=_chain(parse, "prediction"),
                parse_reference=_chain(parse_reference, "reference"),
                fields=tuple(FieldRunner(one, self.spec, least.of_field(one.spec.name)) for one in fields),
                values=values,
                formulas=tuple(one.counting(least.of_field(one.name)) for one in self.computed),
                aggregate=aggregate,
                least=least,
                ranges=self.every_range,
                better=self.better,
                passes=passes,
                metrics=metrics,
                programs=tuple(self.programs.values()),
                recipe=self._recipe(fields, values, metrics, least),
                loaded=self.loaded,
                loader=self.loader,
            )
        )

    def _check_value_names(self) -> None:
        if self.spec.values:
            from scoring.compiler.tasks.named_sources import check_value_names

            check_value_names(self.spec, self.findings)

    def _check_steps(self, fields: Sequence[CompiledField]) -> None:
        if self.findings.diagnostics.has_errors or not self.resolver.splits_sides:
            return
        from scoring.compiler.checks.unused_steps import check_unused_steps

        programs = [*self.programs.values()]
        params = (param for one in programs if one.join is not None for param in one.join.primitive.params)
        is_read = any(one.reference.source is None and one.program.takes_reference for one in fields)
        unread = None if is_read or any(param.compared for param in params) else self.programs.get("parse reference")
        check_unused_steps(self.spec, programs, self.findings, unread)

    def _values(
        self, declared: Sequence[Path], fields: Sequence[CompiledField], metrics: Sequence[TaskMetric]
    ) -> tuple[Computed, ...]:
        """Return the computed values that the task reads, each after those that it needs; report those in ``declared``
        that are unused."""
        sources = [*(one for field in fields for one in field.sources), *self.attributes.values()]
        paths = {path for program in self.programs.values() for path in program.own_paths()}
        paths.update(
            part for formula in self.formulas.values() for part in walk_formula(formula) if isinstance(part, Path)
        )
        paths.update(one.whole for one in sources)
        paths.update(path for metric in metrics for path in metric.values.values())
        values = tuple(value for value in in_dependency_order(sorted(paths, key=str)) if not value.of_item)
        self.programs.update({f"value {value.name}": value.program for value in values})
        check_task_values(self.spec, declared, values, self.programs, self.findings)
        if self.spec.parts.more and not self.findings.diagnostics.has_errors:
            paths.update(path for value in values for path in (value.head, *value.program.own_paths()))
            texts = (path for metric in metrics for path in metric.paths)
            check_parts_read(self.spec, (*paths, *texts), self.findings)
        return values

    def _recipe(
        self,
        fields: Sequence[CompiledField],
        values: Sequence[Computed],
        metrics: Sequence[TaskMetric],
        least: LeastScore,
    ) -> Recipe:
        spec, programs = self.spec, self.programs

        # A digest, and the versions of libraries, cost more than a check has time for: both are found when asked for.
        def meaning() -> dict[str, Any]:
            value_meanings = {one.spec.name: one.value_meanings for one in fields}
            attributes = {name: source.meaning for name, source in self.attributes.items()}
            metric_meanings = [one.meaning for one in metrics]
            found = task_meaning(spec, programs, self.formulas, metric_meanings, value_meanings, values, attributes)
            # Which scores are better moves them only where a failure counts, and the spec says otherwise than they do.
            counts = "zero" in (spec.on_missing, spec.on_unparsed, spec.on_error)
            return {**found, "better": least.better} if counts and least.better != self.better[None] else found

        def reading(meaning: Mapping[str, Any]) -> dict[str, str]:
            return plain_reads(parts_read(spec.parts, meaning))

        return recipe(spec.name, spec.version, programs.values(), packs_in(self.scope), meaning, reading)

    def _reader(self) -> RecordReader | None:
        try:
            by = (*self.spec.by, *self.spec.intervals.attributes)
            has_nulls = self.spec.on_null == "value"
            spans = {part: self.spec.spans.get(name) for name in by for part in attributes_of(name)}
            self.attributes = self.field_compiler.breakdowns(spans)
            computed = {part: source.of_row() for part, source in self.attributes.items()}
            return RecordReader(self.spec.record, by, self.spec.span, self.spec.spans, computed, has_nulls=has_nulls)
        except SpecError as error:
            self.findings.diagnostics.extend(error.diagnostics)
            return None

    def _parse(self) -> tuple[Program | None, Program | None]:
        if self.spec.parse is None:
            return None, None
        left, right = self.resolver.parse(self.spec.parse, self.scope, Flow(ANY), Flow(ANY))
        self.programs["parse"] = left
        if right.prediction:
            self.programs["parse reference"] = right
        return left, right

    def _formula_fields(self) -> None:
        """Compile the fields that are formulas, and add their ranges to `self.ranges`, in the order of the spec."""
        if all(field.formula is None for field in self.spec.fields):
            return
        from scoring.compiler.tasks.formula_fields import compile_formulas

        known = self._ranges()
        found = compile_formulas(self.spec, known, self.findings, self._paths())
        self.computed = tuple(found)
        self.formulas |= {f"field {field.name}": field.compiled.node for field in found}
        scored = {*self.ranges, *(field.name for field in found)}
        self.ranges = {field.name: known[field.name] for field in self.spec.fields if field.name in scored}

    def _check_definitions(self) -> None:
        from scoring.compiler.checks.definitions import check_definitions, compile_definition

        for definition in self.spec.definitions.values():
            compile_definition(definition, self.scope, self.resolver)
        check_definitions(self.spec, self.findings)

    def _aggregate(self) -> Aggregate | None:
        found = self.spec.aggregate
        if found is None:
            found = parse_pipeline("mean")
        if isinstance(found, Pipeline):
            program = self.resolver.aggregate(found, self.scope)
            self.programs["aggregate"] = program
            if program.join is None:
                return None
            check_joining(self.spec, program, self.findings)
            column = program.join.primitive.batch if not (program.rescorers or program.join.static) else None
            interval = aggregate_range(program, [*self.ranges.values()])
            return Aggregate(print_pipeline(found), aggregate_fields(program), column=column, range=interval)
        from scoring.lang.formula_printer import print_formula  # what only an aggregate that is a formula needs

        compiled = FormulaCompiler(self._ranges(), self.findings, values=self._paths()).number(found).rounded()
        self.formulas["aggregate"] = compiled.node
        if compiled.fields <= {field.name for field in self.spec.fields}:
            check_fields_used(
                self.spec, compiled.fields.union(*(one.compiled.fields for one in self.computed)), self.findings
            )
        else_weigh = "multiply in the formula, or leave the weight out"
        check_weighing(self.spec, "`aggregate` is a formula", else_weigh, self.findings)
        return Aggregate(
            print_formula(found),
            aggregate_formula(compiled),
            compiled.fields,
            range=compiled.interval,
            formula=compiled,
        )

    def _better(self, fields: Sequence[CompiledField], aggregate: Aggregate | None) -> dict[str | None, Better]:
        """Return which scores are better, such as the higher ones: by field, and under None for the record's score."""
        found: dict[str | None, Better] = {
            one.spec.name: better_of_scorer(one.program, self.ranges[one.spec.name]) for one in fields
        }

        quiet = FormulaCompiler(self._ranges(), Findings(), values=self._paths())

        def of(compiled: Compiled) -> Better:
            return better_of_formula(compiled.node, compiled.interval, found, lambda node: quiet.value(node).interval)

        for one in self.computed:
            found[one.name] = of(one.compiled)
        if aggregate is None or aggregate.formula is None:
            interval = aggregate.range if aggregate is not None else EVERYTHING
            return {**found, None: better_score(interval, found.values())}
        return {**found, None: of(aggregate.formula)}

    def _least(self, aggregate: Aggregate, passes: Compiled | None, metrics: Sequence[TaskMetric]) -> LeastScore:
        joined = aggregate.formula or self.programs["aggregate"]
        better = self.better.get(None, "higher")
        headline = metrics[0] if metrics else None
        # What the spec says of the headline, it says of the scores.
        if headline is not None and headline.text in self.spec.better:
            way = "up" if headline.text == "mean" else headline.scale(self.every_range).way
            better = better_before(self.spec.better[headline.text].better, way, better)
        return LeastScore(self.spec, self.ranges, aggregate.range, self.computed, joined, passes, self._paths(), better)

    def _paths(self) -> dict[str, tuple[Path, Type]]:
        """Return the names that formulas may use besides those of fields, each with its path and type."""
        return self.resolver.computed.value_paths(self.scope) if value_names(self.scope) else {}

    def _ranges(self) -> dict[str, ScoreRange]:
        """Return the range of every field; that of a field with a mistake is unbounded, so that no condition looks
        constant.
        """
        return {
            field.name: self.ranges.get(field.name, EVERYTHING)
            for field in self.spec.fields
            if field.pipeline is not None or field.name in self.ranges
        }

    def _passes(self, score: ScoreRange) -> Compiled | None:
        if self.spec.passes is None:
            return None
        found = FormulaCompiler(self._ranges(), self.findings, of_score=score, values=self._paths()).condition(
            self.spec.passes
        )
        self.formulas["pass"] = found.node
        return found

    def _metrics(self) -> tuple[TaskMetric, ...]:
        no_pass = NoPass("missing-key", "the key `pass` is missing", _WITHOUT) if self.spec.passes is None else None
        ranges = self.every_range if self.spec.records is None else None
        found = compile_metrics(
            self.spec.metrics or self._default_metrics(),
            MetricNames(ranges, self._paths(), no_pass, self.better, self.spec.better),
            self.resolver,
            self.scope,
            self.table,
        )
        self.programs |= all_programs(found)
        return tuple(found)

    def _default_metrics(self) -> tuple[Pipeline, ...]:
        if self.spec.records is not None:
            self.findings.error(
                "unused-field",
                "this task computes nothing",
                self.spec.span,
                help=f"add `metrics:`; `scoring list metric` shows those that take {self.table}",
            )
            return ()
        return tuple(map(parse_pipeline, ["mean", "pass_rate"] if self.spec.passes else ["mean"]))


def _chain(program: Program | None, side: str) -> TransformRunner | None:
    return TransformRunner(program, side) if program is not None and program.prediction else None
