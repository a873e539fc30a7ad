"""Sections of a site about tasks and suites: paths of records, fields, values, aggregation, metrics, tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from markupsafe import Markup

from scoring.compiler.programs.scope import Scope
from scoring.compiler.records.record_reader import DEFAULTS
from scoring.compiler.tasks.task import CompiledTask
from scoring.extensions.reference.primitives import literal
from scoring.extensions.site.files import SiteFile
from scoring.extensions.site.frame import PageFrame, SiteLink
from scoring.extensions.site.gather import SiteReader
from scoring.extensions.site.markup import Child, parts, text_to_markup
from scoring.extensions.site.names import NamesIn, SiteTargets, marked_part
from scoring.extensions.suites.sources import SourceReader
from scoring.extensions.suites.spec import SuiteSpec
from scoring.format.keys import keys_of
from scoring.format.measures import NamedMetric
from scoring.format.model import FieldSpec, TaskSpec
from scoring.lang.tree import Pipeline
from scoring.report import numbers

MOST_TASKS = 2_000
"""The largest number of tasks that are listed for a suite."""
TaskSection: TypeAlias = tuple[str, str, Markup]
"""A heading, the names in the section for the search, and the content as markup."""
_Part: TypeAlias = tuple[str, Markup]


def all_sections(site: SiteReader) -> dict[str, list[TaskSection]]:
    """Return the sections about the task or suite on each page, by the path of the page; none for packs."""
    return {file.page: [*_sections(site, file)] for file in site.files}


def _sections(site: SiteReader, file: SiteFile) -> Iterable[TaskSection]:
    frame = site.frame(file)
    if isinstance(file.spec, SuiteSpec):
        return _suite_sections(site, file, file.spec, frame)
    return _TaskDrawer(site.targets, file.scope, file.task, frame).sections() if file.task is not None else ()


def _listed(heading: str, names: Iterable[Child]) -> Iterator[TaskSection]:
    if shown := [*names]:
        yield heading, " ".join(map(str, shown)), parts.listed(shown)


def _section(heading: str, found: Iterable[_Part]) -> Iterator[TaskSection]:
    if shown := [*found]:
        yield heading, " ".join(name for name, _ in shown), parts.parts([part for _, part in shown])


def _part(name: str, *content: Child, target: str = "") -> _Part:
    return name, parts.part(name, content, target.partition("#")[2])


def _coded(found: Mapping[str, object]) -> Iterator[_Part]:
    return (_part(name, parts.code(str(value))) for name, value in found.items())


class _TaskDrawer:
    def __init__(self, targets: SiteTargets, scope: Scope, task: CompiledTask, frame: PageFrame) -> None:
        self._spec, self._task, self._frame = task.spec, task, frame
        self._names = NamesIn.of_task(targets, scope, task.spec)
        self._metrics = NamesIn.of_task(targets, scope, task.spec, metric=True)

    def sections(self) -> Iterator[TaskSection]:
        """Yield the sections of the page about a task, without those for which the task has no content."""
        spec = self._spec
        if spec.records is None:
            yield from _section("Record", _coded({**DEFAULTS, **spec.record}))
        else:
            yield from _section("Data", _coded(self._data()))
        if spec.parse is not None:
            yield from _section("Parse", [_part("", self._names.block(spec.parse, self._frame))])
        yield from _section("Values", self._values())
        yield from _section("Fields", map(self._field, spec.fields))
        if spec.records is None:
            yield from _section("Join", self._join())
        yield from self._metric_section()
        yield from _listed("Breakdowns", spec.by)
        if spec.records is None:
            policies = {key.name: key.of(spec) for key in keys_of(TaskSpec, "rows") if key.moves == "value"}
            yield from _section("Policies", _coded({name: said for name, said in policies.items() if said is not None}))

    def _data(self) -> dict[str, object]:
        spec = self._spec
        found: dict[str, object] = {name: getattr(spec, name) for name in ("records", "groundtruth", "predictions")}
        found["labels"] = spec.labels if isinstance(spec.labels, str) else ", ".join(spec.labels or ())
        labels = {f"label {name}": f"counts as {other}" for name, other in getattr(spec, "label_map", {}).items()}
        return {**{name: value for name, value in found.items() if value}, **labels}

    def _values(self) -> Iterator[_Part]:
        for name, value in self._spec.values.items():
            shown, doc = self._names.block(value.pipeline, self._frame), value.doc.strip()
            yield _part(name, shown, self._frame.prose(doc), target=self._names.params[f"values.{name}"])

    def _field(self, field: FieldSpec) -> _Part:
        scored, limits = field.formula or field.pipeline, self._task.parts.ranges.get(field.name)
        remarks = [f"weight {numbers.weight(field.weight)}"]
        remarks += [f"in {limits}"] if limits is not None else []
        remarks += ["optional"] if field.optional else []
        return _part(
            field.name,
            self._names.block(scored, self._frame) if scored is not None else None,
            *(
                parts.paragraph(
                    parts.joined([parts.dim(f"{name} "), parts.code(self._source(source), look="expression")])
                )
                for name in ("prediction", "reference")
                if (source := getattr(field, name)) is not None
            ),
            parts.paragraph(" · ".join(remarks), "dim"),
            self._frame.prose(field.doc.strip()),
            target=self._names.params[field.name],
        )

    def _source(self, source: str | Pipeline) -> Markup:
        """Return as markup what a field (a scored part of an answer) compares: a path in the parsed response, a value's
        name, or an expression."""
        if not isinstance(source, str):
            return self._names.marked(source, self._frame)
        target = self._names.params.get(f"values.{source.removeprefix('values.')}", "")
        return marked_part(source, "path", self._frame, target) if target else text_to_markup(source)

    def _join(self) -> Iterator[_Part]:
        spec = self._spec
        mean = "mean of the fields" if len(spec.fields) > 1 else "the field's score"
        joined = parts.code(mean) if spec.aggregate is None else self._names.block(spec.aggregate, self._frame)
        yield _part("aggregate", joined)
        if spec.passes is not None:
            yield _part("pass", self._names.block(spec.passes, self._frame))

    def _metric_section(self) -> Iterator[TaskSection]:
        if not self._spec.metrics:
            return _listed("Metrics", (one.text for one in self._task.parts.metrics))
        named_metrics = (one if isinstance(one, NamedMetric) else NamedMetric("", one) for one in self._spec.metrics)
        return _section(
            "Metrics", (_part(one.name, self._metrics.block(one.what, self._frame)) for one in named_metrics)
        )


def _suite_sections(site: SiteReader, file: SiteFile, spec: SuiteSpec, frame: PageFrame) -> Iterator[TaskSection]:
    """Yield the sections of the page about a suite: its tasks with links, its groups, metrics and breakdowns."""
    tasks: list[tuple[str, Markup]] = []
    reader = SourceReader(file.loaded, site.dialect)
    for entry in spec.tasks:
        for one in reader.entry(entry):
            linked = site.by_key.get((one.loaded.spec.name, one.loaded.digest))
            tasks.append(
                (one.name, frame.link(SiteLink(linked.spec.name, linked.page)) if linked else text_to_markup(one.name))
            )
            if len(tasks) >= MOST_TASKS:
                break
    if tasks:
        yield "Tasks", " ".join(name for name, _ in tasks), parts.listed([shown for _, shown in tasks])
    else:
        yield from _section("Tasks", [_part("", parts.code("named on the command line, or results only"))])
    groups = {
        name: " and ".join(f"{key} = {literal(value)}" for key, value in wanted.items())
        for name, wanted in spec.groups.items()
    }
    yield from _section("Groups", _coded(groups))
    # Metrics of suites are a small language of their own, without primitives.
    named_metrics = (one if isinstance(one, NamedMetric) else NamedMetric("", one) for one in spec.metrics)
    metrics = (_part(one.name, parts.code_block(one.text, "expression")) for one in named_metrics)
    yield from _section("Metrics over the tasks", metrics)
    yield from _listed("Breakdowns", spec.by)
