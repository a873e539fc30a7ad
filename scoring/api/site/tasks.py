"""Tasks and suites as a site shows them: where a record's parts are, fields, values, joins, metrics, tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from scoring.api.site.names import NamesIn, SitePlaces
from scoring.compiler.record import DEFAULTS
from scoring.compiler.scope import Scope
from scoring.compiler.task import CompiledTask
from scoring.engine.suite.sources import SourceReader
from scoring.format.load import Loaded
from scoring.format.measures import NamedMetric
from scoring.format.model import FieldSpec, SuiteSpec
from scoring.lang.formula import Formula
from scoring.lang.printer import print_pipeline
from scoring.lang.tree import Pipeline
from scoring.report import numbers
from scoring.report.reference import literal
from scoring.report.site.model import ExpressionMark, ShownExpression, ShownPart, SiteLink
from scoring.sharing.release.tasks import POLICIES

MOST_TASKS = 2_000
"""How many tasks of a suite are listed."""
TaskSections = tuple[tuple[str, tuple[ShownPart, ...]], ...]


def task_parts(places: SitePlaces, scope: Scope, task: CompiledTask) -> tuple[TaskSections, tuple[str, ...]]:
    """What a task is made of, by heading, and the targets of what it uses."""
    reader = _TaskReader(places, scope, task)
    found = tuple((heading, tuple(parts)) for heading, parts in reader.sections() if parts)
    return found, (*reader.names.used, *reader.metrics.used)


class _TaskReader:
    def __init__(self, places: SitePlaces, scope: Scope, task: CompiledTask) -> None:
        spec = task.spec
        named = {f"values.{name}": places.definition(scope.key, f"value {name}") for name in spec.values}
        named |= {name.removeprefix("values."): target for name, target in named.items()}
        named |= {field.name: places.definition(scope.key, f"field {field.name}") for field in spec.fields}
        self.names, self.metrics = NamesIn(places, scope, named), NamesIn(places, scope, named, metric=True)
        self._spec, self._task, self._named = spec, task, named

    def sections(self) -> Iterator[tuple[str, list[ShownPart]]]:
        """The headings of a task with what stands below each."""
        spec = self._spec
        if spec.records is None:
            yield "Record", [ShownPart(name, text=path) for name, path in {**DEFAULTS, **spec.record}.items()]
        else:
            yield "Data", list(self._data())
        yield "Parse", [ShownPart("", self.names.expression(spec.parse))] if spec.parse is not None else []
        yield "Values", list(self._values())
        yield "Fields", [self._field(field) for field in spec.fields]
        yield "Join", list(self._join())
        yield "Metrics", list(self._metric_parts())
        yield "Breakdowns", [ShownPart(path) for path in spec.by]
        if spec.records is None:
            yield "Policies", [ShownPart(name, text=str(getattr(spec, name))) for name in POLICIES]

    def _data(self) -> Iterator[ShownPart]:
        spec = self._spec
        yield ShownPart("records", text=str(spec.records))
        yield from (
            ShownPart(name, text=str(getattr(spec, name)))
            for name in ("groundtruth", "predictions")
            if getattr(spec, name) is not None
        )
        if spec.labels:
            yield ShownPart("labels", text=spec.labels if isinstance(spec.labels, str) else ", ".join(spec.labels))
        yield from (ShownPart(f"label {name}", text=f"counts as {other}") for name, other in spec.label_map.items())

    def _values(self) -> Iterator[ShownPart]:
        for name, value in self._spec.values.items():
            target = self._named[f"values.{name}"]
            yield ShownPart(
                name, self.names.expression(value.pipeline), doc=value.doc.strip(), anchor=target.partition("#")[2]
            )

    def _field(self, field: FieldSpec) -> ShownPart:
        told = [f"weight {numbers.weight(field.weight)}"]
        held = self._task.parts.ranges.get(field.name)
        told += [f"in {held}"] if held is not None else []
        told += ["optional"] if field.optional else []
        sources = ((name, getattr(field, name)) for name in ("parse", "prediction", "reference"))
        more = tuple((name, self._source(given)) for name, given in sources if given is not None)
        scored: Pipeline | Formula | None = field.pipeline if field.formula is None else field.formula
        shown_scorer = None if scored is None else self.names.expression(scored)
        anchor = self._named[field.name].partition("#")[2]
        return ShownPart(field.name, shown_scorer, beside=tuple(told), anchor=anchor, more=more, doc=field.doc.strip())

    def _source(self, given: str | Pipeline) -> ShownExpression:
        """What a field compares: a place in the parsed response, a value by its name, or an expression."""
        if not isinstance(given, str):
            return self.names.expression(given, None)
        target = self._named.get(f"values.{given.removeprefix('values.')}", "")
        return ShownExpression(given, (ExpressionMark(0, len(given), "path", target),) if target else ())

    def _join(self) -> Iterator[ShownPart]:
        spec = self._spec
        if spec.records is not None:
            return
        if spec.aggregate is None:
            yield ShownPart("aggregate", text="mean of the fields" if len(spec.fields) > 1 else "the field's score")
        else:
            yield ShownPart("aggregate", self.names.expression(spec.aggregate))
        if spec.passes is not None:
            yield ShownPart("pass", self.names.expression(spec.passes))

    def _metric_parts(self) -> Iterator[ShownPart]:
        if not self._spec.metrics:
            yield from (ShownPart(one.text) for one in self._task.parts.metrics)
        for entry in self._spec.metrics:
            name, what = (entry.name, entry.what) if isinstance(entry, NamedMetric) else ("", entry)
            yield ShownPart(name, self.metrics.expression(what))


def suite_parts(loaded: Loaded, dialect: str | None, pages: Mapping[tuple[str, str], str]) -> TaskSections:
    """What a suite is made of: its tasks, each a link where it stands on the site, its groups and metrics."""
    spec = loaded.spec
    assert isinstance(spec, SuiteSpec)
    reader = SourceReader(loaded, dialect)
    tasks: list[ShownPart] = []
    for entry in spec.tasks:
        for one in reader.entry(entry):
            page = pages.get((one.loaded.spec.name, one.loaded.digest), "")
            tasks.append(ShownPart(one.name, links=(SiteLink(one.loaded.spec.name, page),) if page else ()))
            if len(tasks) >= MOST_TASKS:
                break
    if not spec.tasks:
        tasks.append(ShownPart("", text="named on the command line, or results alone"))
    groups = [
        ShownPart(name, text=" and ".join(f"{key} = {literal(value)}" for key, value in wanted.items()))
        for name, wanted in spec.groups.items()
    ]
    # Metrics of suites are a few words of their own, and no primitives.
    metrics = [
        ShownPart(one.name, ShownExpression(one.text))
        if isinstance(one, NamedMetric)
        else ShownPart("", ShownExpression(print_pipeline(one)))
        for one in spec.metrics
    ]
    sections: Iterable[tuple[str, list[ShownPart]]] = (
        ("Tasks", tasks),
        ("Groups", groups),
        ("Metrics over the tasks", metrics),
        ("Breakdowns", [ShownPart(path) for path in spec.by]),
    )
    return tuple((heading, tuple(parts)) for heading, parts in sections if parts)
