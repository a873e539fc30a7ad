"""Checks of a spec that need no types: unreachable cases, unused names, weights without effect."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from scoring.compiler.checks.arguments import wrong_calls
from scoring.compiler.programs.messages import Findings, comma_list
from scoring.compiler.programs.program import BoundStep, Computed, Program
from scoring.compiler.programs.scope import Scope
from scoring.compiler.records.record_reader import DEFAULTS
from scoring.diagnostics.diagnostic import Label
from scoring.diagnostics.source import Span
from scoring.format.definitions import Defining, Definition, SpecFile
from scoring.format.measures import MetricEntry, NamedMetric
from scoring.format.model import Pack, TaskSpec
from scoring.lang.formula import Field, Formula, walk_formula
from scoring.lang.tree import Call, Literal, Path, Pipeline, walk
from scoring.lazy_pattern import lazy_pattern
from scoring.ranges import ScoreRange
from scoring.statistics.breakdown import attributes_of

# What an example may expect beside the fields.
OUTCOMES = ("score", "passed", "pass", "status", "parsed")


def check_cases(programs: Iterable[Program], values: Mapping[str, Sequence[object]], findings: Findings) -> None:
    """Report cases in ``programs``, such as those of ``switch``, that no record can reach, and declared values without
    a case.

    ``values`` has the possible values of parts of a record, as declared in ``record``.
    """
    nodes = (node for program in programs for node in program.all_nodes() if "cases" in node.primitive.traits)
    for node in nodes:
        from scoring.lang.cases import case_name, is_case_of, same_cases

        cases = [name for name in node.nested if name != "default"]
        same = same_cases(cases)
        if same is not None:
            message = f"the cases `{same[0]}` and `{same[1]}` are for the same value"
            findings.error("name-conflict", message, node.span, help="leave one of them out")
        possible = _possible(node, values)
        if possible is None:
            continue
        among = f"the value is one of {comma_list(map(case_name, possible))}"
        for name in cases:
            if not any(is_case_of(name, value) for value in possible):
                findings.diagnostics.warning(
                    "unreachable-case",
                    f"the case `{name}` is never reached",
                    node.span,
                    among,
                    help="remove the case, or add its value where the record is declared",
                )
        missing = [value for value in possible if not any(is_case_of(name, value) for name in cases)]
        if missing and "default" not in node.nested:
            message = f"no case takes the value `{case_name(missing[0])}`"
            findings.error("missing-case", message, node.span, among, help="add the case, or `default=…`")


def check_item_weights(node: BoundStep, findings: Findings) -> None:
    """Report weights of items that have no effect because the aggregator of ``node``, a step over the items of a list,
    ignores them."""
    present = {*node.static, *node.dynamic}
    weights = [param.name for param in node.primitive.params if param.of_item and param.name in present]
    joins = [one.join for one in node.programs() if one.form == "aggregate" and one.join is not None]
    for join in joins:
        if weights and "unweighted" in join.primitive.traits:
            findings.error(
                "argument-value",
                f"`{weights[0]}` of `{node.step}` has no effect: `{join.step}` ignores weights",
                node.span,
                help="leave it out, or join with `mean` or `sum`",
            )


def check_imports(spec: SpecFile, scope: Scope, findings: Findings) -> None:
    """Report imports that no expression uses, and uses of private names of packs."""
    calls = [node for tree in pipelines_of(spec) for node in walk(tree) if isinstance(node, Call)]
    used = {name.partition(".")[0] for name in {call.name for call in calls} | _value_names(spec)}
    for entry in spec.imports:
        is_idle = entry.alias not in used and not spec.is_inherited(entry.alias_span)
        if is_idle and not scope.imports[entry.alias].broken:
            findings.diagnostics.warning(
                "unused-import",
                f"nothing uses the import `{entry.alias}`",
                entry.alias_span,
                help=f"use it, as in `{entry.alias}.name`, or remove it",
            )
    for call in calls:
        alias, dot, name = call.name.partition(".")
        if dot and name.startswith("_") and scope.definition(call.name) is not None:
            findings.diagnostics.warning(
                "private-use",
                f"`{call.name}` is private to the pack `{scope.imports[alias].label}`: it may change in any version",
                call.name_span or call.span,
                help="use another definition of the pack, or define your own",
            )


def check_task_values(
    spec: TaskSpec,
    declared: Sequence[Path],
    values: Sequence[Computed],
    programs: Mapping[str, Program],
    findings: Findings,
) -> None:
    """Report computed values that nothing reads: those in ``declared`` but not in ``values``; and a parse stage, among
    the compiled ``programs``, that reads its own result."""
    read = {value.name for value in values}
    for path in declared:
        name = str(path.segments[0])
        if name not in read and not spec.is_inherited(spec.values[name].span):
            findings.diagnostics.warning(
                "unused-definition",
                f"nothing reads the value `{name}`",
                spec.values[name].span,
                help="name it in a field, a formula, `by` or a metric, or remove it",
            )
    for place in ("parse", "parse reference"):
        program = programs.get(place)
        own = next((path for path in program.paths() if path.root == "parsed"), None) if program else None
        if program is not None and own is not None:
            findings.error(
                "definition-cycle",
                "`parse` reads what it parses itself",
                program.span,
                secondary=[Label(own.span, "it is read here")] if own.span else [],
                help="begin that value with `prediction`, which is the response as it came",
            )


def check_examples(spec: TaskSpec, findings: Findings) -> None:
    """Report names in a task's examples that are neither parts of a record nor results of the task."""
    parts = (*DEFAULTS, *spec.record)
    results = (*(field.name for field in spec.fields), *OUTCOMES)
    for example in spec.examples:
        for name in example.data:
            if name not in parts:
                from scoring.compiler.programs.suggestions import is_word_for

                message = f"`{name}` is not a part of a record of this task"
                theirs = [part for part in ("response", "reference") if is_word_for(part, name)]
                known = f"parts: {', '.join(dict.fromkeys(parts))}; more are named under `record`"
                at, also = example.keys.get(name, example.span), {name: theirs[0]} if theirs else {}
                findings.unknown("unknown-field", message, at, name, parts, known, also)
        for name in example.expect if isinstance(example.expect, Mapping) else ():
            if name not in results:
                message, known = f"there is no `{name}` to expect", f"the names are {', '.join(results)}"
                findings.unknown("unknown-field", message, example.keys.get(f"expect.{name}"), name, results, known)


def names_called(written: Iterable[Pipeline]) -> set[str]:
    """Return the names of all steps in some pipelines."""
    return {node.name for tree in written for node in walk(tree) if isinstance(node, Call)}


def _value_names(spec: SpecFile) -> set[str]:
    """Return the names of computed values that paths, fields and breakdowns of a file may refer to."""
    paths = (node for tree in pipelines_of(spec) for node in walk(tree) if isinstance(node, Path))
    found = {str(path.segments[0]) for path in paths if path.root == "values" and path.segments}
    if isinstance(spec, TaskSpec):
        texts = (part for name in (*spec.by, *spec.intervals.attributes) for part in attributes_of(name))
        found.update(text.removeprefix("values.") for text in texts)
    return found


def pipelines_of(spec: SpecFile, but: Definition | None = None) -> list[Pipeline]:
    """Return every pipeline of a file, except those in the definition ``but``."""
    found: list[Pipeline | Formula | NamedMetric | str | None] = []
    if isinstance(spec, Defining):
        found += [value.pipeline for value in spec.values.values()]
    for one in spec.definitions.values():
        if one is not but:
            found += _of_definition(one)
    return calls_in([*found, *spec.expressions])


def is_deprecated(pack: Pack | Scope) -> bool:
    """Tell whether a pack, or any of its definitions, is deprecated."""
    return pack.deprecated is not None or any(one.deprecated is not None for one in pack.definitions.values())


def expressions_of(spec: SpecFile) -> Iterator[tuple[Definition | None, Pipeline]]:
    """Yield every pipeline of a file with the definition that contains it, None for those outside of definitions."""
    own: set[int] = set()
    for one in spec.definitions.values():
        for tree in _of_definition(one):
            own.add(id(tree))
            yield one, tree
    yield from ((None, tree) for tree in pipelines_of(spec) if id(tree) not in own)


def _of_definition(one: Definition) -> list[Pipeline]:
    instead = None if one.deprecated is None else one.deprecated.instead
    return calls_in([one.pipeline, *(param.pipeline for param in one.params), instead])


def calls_in(written: Iterable[Pipeline | Formula | NamedMetric | str | None]) -> list[Pipeline]:
    """Return those of some expressions that are pipelines; a named metric counts as the expression that it names."""
    whole = (one.what if isinstance(one, NamedMetric) else one for one in written)
    return [one for one in whole if isinstance(one, Pipeline)]


def _possible(node: BoundStep, values: Mapping[str, Sequence[object]]) -> Sequence[object] | None:
    """Return the values that the argument `on` of a step, which selects a case, may have; None if they are unknown."""
    if "on" in node.static:
        return [node.static["on"]]
    path = node.dynamic.get("on")
    if isinstance(path, Path) and path.root == "record" and len(path.segments) == 1:
        return values.get(str(path.segments[0]))
    return None


def check_thresholds(metric: BoundStep, scores: ScoreRange, span: Span | None, findings: Findings) -> None:
    """Report thresholds of a metric that are outside of the range ``scores``, or that every score reaches."""
    for param in metric.primitive.params:
        value = metric.static.get(param.name, param.default) if param.of_score else None
        if value is None:
            continue
        if not scores.low <= value <= scores.high:
            known = replace(param, low=scores.low, high=scores.high)
            wrong_calls(findings).out_of_bounds(metric.step, known, value, span)
        elif param.name not in metric.static and scores.low == value:
            findings.error(
                "missing-parameter",
                f"`{metric.step}` needs `{param.name}`: every score in {scores} reaches {value:g}",
                span,
                help=f"`{param.name}`: {param.doc}",
            )


def check_columns(metric: BoundStep, fields: Sequence[str], span: Span | None, findings: Findings) -> None:
    """Report a metric of answers that doesn't say which of several ``fields`` it reads, or that names both a field and
    the paths of its columns."""
    compared = [param for param in metric.primitive.params if param.compared]
    open_paths = [param.name for param in compared if param.is_path and metric.static.get(param.name) is None]
    chosen = metric.static.get("field")
    if open_paths and chosen is None and len(fields) > 1:
        called = metric.primitive.name
        columns = ", ".join(f'{name}="{_COLUMNS[name]}.{fields[0]}"' for name in open_paths)
        findings.error(
            "missing-parameter",
            f"`{called}` has to know which answers it reads: this task has {len(fields)} fields",
            span,
            help=[
                f'name the field, as in `{called}(field="{fields[0]}")`, or columns, as in `{called}({columns})`',
                f"fields: {comma_list(fields)}",
            ],
        )
    elif compared and not open_paths and chosen is not None and any(not param.is_path for param in compared):
        findings.error(
            "argument-value",
            f"`field` of `{metric.primitive.name}` has no effect when both paths are given",
            span,
            help="leave `field` out, or the paths",
        )


_COLUMNS = {"prediction": "parsed", "reference": "reference"}


def check_parts_read(spec: TaskSpec, read: Iterable[Path | str], findings: Findings) -> None:
    """Warn of further parts of a record that nothing reads: neither one of the paths in ``read``, as trees or, those
    of metrics, as texts, nor a breakdown."""
    broken_down = (part for name in (*spec.by, *spec.intervals.attributes) for part in attributes_of(name))
    every = (*read, *broken_down)
    paths = [(one.root, *one.segments) if isinstance(one, Path) else _FIRST_NAMES.findall(one) for one in every]
    first = {path[1:2] if path[:1] == ("record",) else path[:1] for path in map(tuple, paths)}
    for name, part in spec.parts.more.items():
        if not {(), (name,)} & first and not spec.is_inherited(spec.spans.get(part.path)):
            from scoring.compiler.programs.suggestions import is_word_for
            from scoring.diagnostics.suggest import nearest

            unsaid = [one for one in ("response", "reference") if one not in spec.record]
            known = nearest(name, unsaid) or next((one for one in unsaid if is_word_for(one, name)), None)
            meant = f"write `{known}: {part.path}` if it is the {known}" if known else ""
            findings.diagnostics.warning(
                "unused-definition",
                f"nothing reads the part `{name}` of the record",
                spec.spans.get(part.path, spec.span),
                help=[*filter(None, [meant]), f"read it, as in `record.{name}` or under `by`, or leave it out"],
            )


_FIRST_NAMES = lazy_pattern(r"[A-Za-z_]\w*", re.ASCII)


def check_joining(spec: TaskSpec, program: Program, findings: Findings) -> None:
    """Warn of an aggregator (``program``) with only one field to combine, and of weights of fields that it ignores."""
    join, found = program.join, spec.aggregate
    assert join is not None
    if spec.score is not None and found is not None and not (program.rescorers or join.static or join.nested):
        findings.diagnostics.warning(
            "unused-field",
            "`aggregate` joins fields, but there is only a single answer",
            found.span,
            help="leave it out, or name the fields under `fields`",
        )
    if "unweighted" in join.primitive.traits:
        message = f"`{join.primitive.name}` ignores weights"
        check_weighing(spec, message, "leave it out, or take the `mean`", findings)
    elif len(spec.fields) == 1 and join.primitive.name == "mean" and 0 < spec.fields[0].weight != 1:
        check_weighing(spec, "there is no other field", "leave it out", findings)


def check_weighing(spec: TaskSpec, why: str, instead: str, findings: Findings) -> None:
    """Warn of field weights that have no effect; ``why`` is the reason, ``instead`` the help text."""
    for field in spec.fields:
        if field.weight_span is not None:
            message = f"the weight of `{field.name}` has no effect: {why}"
            findings.diagnostics.warning("unused-field", message, field.weight_span, help=instead)


def check_fields_used(spec: TaskSpec, used: frozenset[str], findings: Findings) -> None:
    """Warn of fields that are scored but not read, neither by the aggregate (which reads ``used``) nor by a metric."""
    measured = {name for entry in spec.metrics for name in _names_in(entry)}
    for field in spec.fields:
        is_scored = (field.pipeline or field.formula) is not None and not spec.is_inherited(field.span)
        if is_scored and field.name not in {*used, *measured}:
            findings.diagnostics.warning(
                "unused-field",
                f"the field `{field.name}` is scored, but `aggregate` does not use it",
                field.span,
                help="use it in the formula, or leave the field out",
            )


def _names_in(entry: MetricEntry) -> Iterator[object]:
    """Yield the words and strings in an entry of `metrics:`, which may be names of fields."""
    what = entry if isinstance(entry, Pipeline) else entry.what
    if isinstance(what, Pipeline):
        nodes = [*walk(what)]
        yield from (node.name for node in nodes if isinstance(node, Call))
        yield from (node.value for node in nodes if isinstance(node, Literal))
    else:
        yield from (node.name for node in walk_formula(what) if isinstance(node, Field))
