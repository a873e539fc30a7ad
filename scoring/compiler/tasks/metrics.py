"""Compile the metrics of a spec, which are calls or formulas, and check the names in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from scoring.compiler.checks.lint import check_columns, check_thresholds
from scoring.compiler.checks.resolve import Resolver
from scoring.compiler.programs.messages import Findings
from scoring.compiler.programs.program import Program
from scoring.compiler.programs.scope import Scope
from scoring.compiler.records.record_reader import RecordReader
from scoring.compiler.tasks.compiled_parts import Metric, MetricNames, TaskMetric, parsed_readers, with_columns
from scoring.depth import in_full_depth
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Span
from scoring.diagnostics.visible import HOSTILE
from scoring.format.measures import MetricEntry, NamedMetric, metric_name
from scoring.format.model import TaskSpec
from scoring.lang.printer import print_pipeline
from scoring.lang.tree import Path, Pipeline
from scoring.ranges import EVERYTHING, ScoreRange
from scoring.registry.model import Primitive
from scoring.values import Type

LONGEST_NAME = 100


def compile_metrics(
    entries: Sequence[MetricEntry], names: MetricNames, resolver: Resolver, scope: Scope, table: Type
) -> list[TaskMetric]:
    """Return the compiled metrics of a spec, in order; mistakes are added to the findings of the resolver."""
    findings, found, known = resolver.findings, list[TaskMetric](), set[str]()
    whats = ((metric_name(one), one.what if isinstance(one, NamedMetric) else None) for one in entries)
    names = replace(names, figures={name: None if isinstance(what, Pipeline) else what for name, what in whats})
    for entry in entries:
        name = metric_name(entry)
        if name in known:
            message = f"the metric `{name}` is listed twice"
            findings.error("repeated-item", message, entry.span, "again here", help="leave one of them out")
        known.add(name)
        if isinstance(entry, NamedMetric) and (
            not name.strip() or name != name.strip() or len(name) > LONGEST_NAME or HOSTILE.search(name)
        ):
            help_text = f"a name has up to {LONGEST_NAME} signs that can be seen, such as `wer` or `recall@5`"
            findings.error("bad-text", "this is no name of a metric", entry.span, help=help_text)
        what = entry.what if isinstance(entry, NamedMetric) else entry
        if isinstance(what, Pipeline):
            found.append(_call(name, what, names, resolver, scope, table))
        elif isinstance(entry, NamedMetric) and names.ranges is not None:
            from scoring.compiler.tasks.accumulate import AccumulatorCompiler

            formula = in_full_depth(AccumulatorCompiler(names, findings).metric, entry)
            found += [formula] if formula is not None else []
        else:
            findings.error(
                "wrong-kind-key",
                f"`{name}` is a formula over records, and this task has none",
                entry.span,
                help="metrics of images are calls: `scoring list metric` shows them",
            )
    for name, direction in names.better.items():
        if name not in known:
            message = f"`better` names `{name}`, and there is no such metric"
            findings.unknown("unknown-field", message, direction.span, name, known, f"metrics: {', '.join(known)}")
    return found


def _call(name: str, pipeline: Pipeline, names: MetricNames, resolver: Resolver, scope: Scope, table: Type) -> Metric:
    call, values = with_columns(pipeline, names, resolver.findings)
    program = resolver.metric(call, scope, table)
    join = program.join
    if join is not None:
        _check_traits(join.primitive, names, pipeline.span, resolver.findings)
    arguments = (
        (join.static.get(param.name) for param in join.primitive.params if param.is_path) if join is not None else ()
    )
    # Its columns are shown as they are written.
    written = replace(program, text=print_pipeline(pipeline))
    found = join.primitive.better if join is not None else None
    better = names.better_of(name, found, join.static.get("field") if join is not None else None)
    return Metric(name, written, parsed_readers(arguments), _columns(values), better)


def _columns(values: Sequence[Path]) -> dict[str, Path]:
    if not values:
        return {}
    from scoring.compiler.programs.expression_values import column_of

    return {column_of(path): path for path in values}


def _check_traits(metric: Primitive, names: MetricNames, span: Span | None, findings: Findings) -> None:
    """Report a metric that needs a pass condition, or the tasks of a suite as records, if the spec does not have
    them."""
    called, lack = metric.name, names.no_pass
    if lack is not None and "passes" in metric.traits:
        findings.error(lack.id, f"`{called}` counts what passes, and {lack.why}", span, help=lack.help.format(called))
    if "of_tasks" in metric.traits and not names.of_tasks:
        findings.error(
            "wrong-kind-key",
            f"`{called}` is a figure over the tasks of a suite, and this is a task",
            span,
            help=(
                f"over groups of its records: `{called}: mean(per(record.domain, mean(score)))`",
                "over its records: `mean`, or `weighted_mean`",
            ),
        )


def check_metrics(
    entries: Sequence[MetricEntry],
    metrics: Sequence[TaskMetric],
    fields: Sequence[str],
    ranges: Mapping[str | None, ScoreRange],
    reading: RecordReader,
    findings: Findings,
) -> None:
    """Report metrics that name unknown fields or invalid paths, or whose thresholds do not separate possible scores."""
    spans = {metric_name(entry): entry.span for entry in entries}
    for metric in metrics:
        span, join = spans.get(metric.text), metric.join
        if metric.text not in spans:  # a default one
            continue
        if join is not None:
            name = join.static.get("field")
            if isinstance(name, str) and name not in fields:
                message, listed = f"there is no field `{name}` to measure", f"fields: {', '.join(fields)}"
                findings.unknown("unknown-field", message, span, name, fields, listed)
                continue
            check_thresholds(join, ranges.get(name, EVERYTHING), span, findings)
            check_columns(join, fields, span, findings)
        for path in metric.paths:
            try:
                reading.reader_of(path)
            except SpecError as error:
                for found in error.diagnostics:
                    findings.error(found.id, found.message, span, help=found.help)


def all_programs(metrics: Sequence[TaskMetric]) -> dict[str, Program]:
    """Return the programs of those metrics that are calls, under the names that compilers give them ("metric NAME")."""
    return {f"metric {one.text}": one.program for one in metrics if isinstance(one, Metric)}


def metric_table_type(spec: TaskSpec) -> Type:
    """Return the type of the table that the metrics of a task read."""
    if spec.records is None:
        return Type("Rows")
    from scoring.registry.table_kind import table_kind

    return table_kind(spec.records).reads
