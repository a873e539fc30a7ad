"""Compile suites: each task, the metrics over the tasks, and one signature for the whole."""

from __future__ import annotations

import copyreg
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from scoring.compiler.checks.link import Linker, check_deprecated
from scoring.compiler.checks.lint import check_imports
from scoring.compiler.checks.resolve import Resolver
from scoring.compiler.identity.meaning import keys_meaning
from scoring.compiler.identity.signature import recipe
from scoring.compiler.programs.messages import Findings
from scoring.compiler.programs.program import Program
from scoring.compiler.records.reads import is_plain_path, path_form
from scoring.compiler.tasks.compile import compile_task
from scoring.compiler.tasks.compiled_parts import MetricNames, NoPass, TaskMetric
from scoring.compiler.tasks.metrics import all_programs, compile_metrics
from scoring.compiler.tasks.serialize import bundle_of_task, check_meaning, task_of
from scoring.compiler.tasks.task import CompiledTask
from scoring.data.file_format import unpacked_name
from scoring.data.plain_files import real_path
from scoring.diagnostics.diagnostic import Diagnostic, Diagnostics, SpecError
from scoring.errors import InputError
from scoring.extensions.suites.layout import Attributes, Layout, read_attributes
from scoring.extensions.suites.model import Reading, Suite, SuiteTask
from scoring.extensions.suites.sources import SourceReader, TaskSource
from scoring.extensions.suites.spec import SuiteSpec
from scoring.format.bundle import Bundle, BundleLoader, LoadedPacks, bundle_of
from scoring.format.front_ends import default_dialect, front_ends
from scoring.format.keys import paths_in, stated
from scoring.format.load import Loaded, Loader
from scoring.format.measures import metric_name
from scoring.format.model import TaskSpec
from scoring.lang.parser import parse_pipeline
from scoring.ranges import EVERYTHING, Better
from scoring.values import ANY

METRICS = ("macro", "micro")
_NO_PASS = NoPass(
    "wrong-kind-key", "no task of a suite does", "`score: {}` makes each task's own the score that the means join"
)


def compile_suite(
    loaded: Loaded,
    *,
    tasks: Path | None = None,
    attributes: Path | None = None,
    results: Path | None = None,
    dialect: str | None = None,
) -> Suite:
    """Return the compiled suite of a loaded file.

    Args:
        loaded: The suite's file.
        tasks: A file or folder of tasks to use instead of those that the suite's file names.
        attributes: Likewise, a file of the tasks' attributes.
        results: Likewise, a file of task results; if there is one, no task is compiled.
        dialect: The dialect of tasks of other tools, unless the suite's file names one.

    Raises:
        SpecError: with the findings of every broken task.
        InputError: when a file can't be read.
    """
    return _SuiteCompiler(loaded, dialect).suite(tasks, attributes, results)


def suite_of(tasks: Path, *, dialect: str | None = None) -> Loaded:
    """Return a suite made from a folder or a file of tasks, without a suite file, with the default metrics."""
    name = Path(unpacked_name(str(real_path(tasks)))).stem if tasks.is_file() else real_path(tasks).name
    data = {"kind": "suite", "name": name if name.isidentifier() else "suite"}
    return Loader(dialect=dialect).data(data, str(tasks), None)


def check_suite(loaded: Loaded, *, dialect: str | None = None) -> tuple[Diagnostic, ...]:
    """Return all findings about a suite's file and its tasks; an empty tuple if there are none.

    If the file names no tasks, since they are given on the command line, only the rest of it is checked.

    Raises:
        InputError: when a file that the suite names can't be read.
    """
    assert isinstance(loaded.spec, SuiteSpec)
    compiler = _SuiteCompiler(loaded, dialect)
    try:
        if loaded.spec.tasks or loaded.spec.results:
            return compiler.suite(None, None, None).warnings
        compiler.metrics()
    except SpecError as error:
        return error.diagnostics
    return compiler.found.sorted()


class PackedSuite(Struct, frozen=True):
    """A compiled suite as plain data, which can be sent to machines that don't have its files.

    Args:
        bundle: The suite's file and the packs of its metrics.
        tasks: For each task its name, bundle, attributes, and the values shared by its records.
        table: The content of the attributes file, if there is one.
        results: Path of the task results from which the suite is computed.
        files: The files that it was read from, for manifests.
        seed: The seed of its intervals.
    """

    bundle: Bundle
    tasks: tuple[tuple[str, Bundle, Mapping[str, Any], Mapping[str, Any]], ...]
    table: Attributes | None
    results: Path | None
    files: tuple[tuple[str, Path], ...] = ()
    seed: int = 0

    @classmethod
    def of(cls, suite: Suite) -> PackedSuite:
        """Return a compiled suite as plain data."""
        tasks = ((one.name, bundle_of_task(one.compiled), one.attributes, one.shared) for one in suite.tasks)
        bundle = replace(suite.bundle, meaning=suite.recipe.digest)
        return cls(bundle, tuple(tasks), suite.reading.table, suite.results, suite.files, suite.seed)

    def suite(self) -> Suite:
        """Return the suite, compiled again by the installed release, so that its meaning may differ from the packed
        one's.

        Raises:
            InputError: when the bundles are not those of a suite and its tasks.
            SpecError: when a spec in them does not compile.
        """
        packs: LoadedPacks = {}
        loader = BundleLoader(self.bundle, packs)
        loaded = loader.spec()
        if not isinstance(loaded.spec, SuiteSpec):
            raise InputError(f"this bundle is of the task `{loaded.spec.name}`, but a suite is expected")
        loaded = replace(loaded, spec=replace(loaded.spec, by=self.bundle.by))
        compiler = _SuiteCompiler(loaded, self.bundle.dialect, loader)
        compiler.files = list(self.files)
        tasks = [SuiteTask(name, task_of(bundle, packs), *more) for name, bundle, *more in self.tasks]
        reading = Reading(self.table, compiler.spec.attributes.read)
        return replace(compiler.joined(tasks, reading, self.results), seed=self.seed)


def _travelled(packed: PackedSuite) -> Suite:
    """Return the suite in `packed`, compiled again, after checking that its digest is the same as when it was packed;
    raise InputError otherwise."""
    suite = packed.suite()
    check_meaning(suite.name, suite.recipe.digest, packed.bundle)
    return suite


copyreg.pickle(Suite, lambda suite: (_travelled, (PackedSuite.of(suite),)))


class _SuiteCompiler:
    def __init__(self, loaded: Loaded, dialect: str | None = None, loader: Loader | None = None) -> None:
        assert isinstance(loaded.spec, SuiteSpec)
        self.loaded = loaded
        self.spec: SuiteSpec = loaded.spec
        self.requested_dialect = dialect
        self.sources = SourceReader(loaded, dialect)
        self.loader = loader or self.sources.loader(self.sources.dialect)
        self.found = Diagnostics()
        self.programs: list[Program] = []
        self.files: list[tuple[str, Path]] = []

    def suite(self, tasks: Path | None, attributes: Path | None, results: Path | None) -> Suite:
        reading = self._reading(attributes)
        if results is None and self.spec.results and tasks is None:
            results = self.sources.path(self.spec.results)
        compiled = () if results is not None else tuple(self._tasks(tasks, reading))
        if compiled and not self.found and not self.sources.meets_dialect:
            self._check_dialect()
        return self.joined(compiled, reading, results)

    def _check_dialect(self) -> None:
        """Check that a dialect has an effect: it has none if all tasks are in our own format. Otherwise record an
        error, or raise InputError if the user gave the dialect.

        A dialect that determines the groups of tasks has an effect all the same.
        """
        dialect = self.spec.dialect or self.requested_dialect
        if dialect is None or (not self.spec.groups and _groups_in(dialect) != _groups_in(default_dialect())):
            return
        help = "leave it out; it says what names mean in task files of other tools, and no task here is one"
        if self.spec.dialect is None:
            raise InputError(f"the tasks of {self.spec.name} are native, so --dialect has no effect: {help}")
        message = f"the tasks of this suite are native, so `dialect: {dialect}` has no effect"
        self.found.error("wrong-kind-key", message, self.spec.spans.get("dialect"), help=help)

    def joined(self, compiled: Sequence[SuiteTask], reading: Reading, results: Path | None) -> Suite:
        """Return the suite made of compiled tasks and the metrics over them.

        Args:
            compiled: The tasks.
            reading: The sources of the tasks' attributes.
            results: The file of task results that the spec names.
        """
        metrics = self.metrics(compiled)
        self.found.raise_errors()
        packs = {name: pack for task in compiled for name, pack in task.compiled.parts.recipe.packs.items()}
        groups = self.spec.groups or _groups_in(self.sources.dialect)
        return Suite(
            spec=self.spec,
            tasks=tuple(compiled),
            metrics=metrics,
            groups=groups,
            reading=reading,
            layout=Layout(**stated(self.spec.rows), place=self.spec.spans.get("data.records")),
            digest=self.loaded.digest,
            bundle=replace(bundle_of(self.loaded, self.loader), by=self.spec.by),
            recipe=recipe(
                self.spec.name,
                self.spec.version,
                [*self.programs, *(program for task in compiled for program in task.compiled.parts.programs)],
                packs,
                lambda: self._meaning(compiled, metrics, groups, reading),
                lambda meaning: self._reads(compiled),
            ),
            results=results,
            files=tuple(self.files),
            warnings=self.found.sorted(),
        )

    def _meaning(
        self, tasks: Sequence[SuiteTask], metrics: Sequence[TaskMetric], groups: Any, reading: Reading
    ) -> dict[str, Any]:
        """Return the meaning of the suite (all content that can change a score): its tasks with their attributes and
        shared values, its metrics and its groups; without tasks, the sources of attributes (`reading`) instead."""
        return {
            "tasks": {
                task.name: [task.compiled.parts.recipe.digest, dict(task.attributes), dict(task.shared)]
                for task in tasks
            },
            "metrics": [metric.meaning for metric in metrics],
            "groups": groups,
            # Attributes of tasks read from results are not known yet, so the way they are read counts instead.
            "attributes": None if tasks else [reading.table, dict(self.spec.attributes.read)],
            "keys": keys_meaning(self.spec, self.spec.intervals, "suite", {}, {}),
            "paths": {name: path_form(path) for name, path in self._paths().items() if not is_plain_path(path)},
        }

    def _paths(self) -> dict[str, str]:
        """Return the paths at which the suite reads rows, by the key of the spec that has the path; without those of
        `intervals`, which are reported elsewhere."""
        return {name: path for name, path in paths_in(self.spec, "suite").items() if not name.startswith("intervals.")}

    def _reads(self, tasks: Sequence[SuiteTask]) -> dict[str, str]:
        """Return the paths at which the suite finds the names of tasks in rows, and those that each task reads in its
        records, by key."""
        own = {name: path for name, path in self._paths().items() if is_plain_path(path)}
        return own | {
            f"{task.name}.{name}": path for task in tasks for name, path in task.compiled.parts.recipe.reads.items()
        }

    def metrics(self, tasks: Sequence[SuiteTask] = ()) -> tuple[TaskMetric, ...]:
        """Return the compiled metrics over the given tasks; errors in them are added to the findings."""
        headlines = {task.compiled.metrics[0].better for task in tasks} or {"higher"}
        better: Better = headlines.pop() if len(headlines) == 1 else None
        findings = Findings()
        resolver = Resolver(findings)
        scope = Linker(self.loader, findings).scope(self.loaded)
        check_imports(self.spec, scope, findings)
        check_deprecated(self.loaded, scope, self.loader, resolver)
        entries = self.spec.metrics or tuple(map(parse_pipeline, METRICS))
        said = self.spec.better
        names = MetricNames({None: EVERYTHING}, {}, _NO_PASS, scores={None: better}, better=said, of_tasks=True)
        found = compile_metrics(entries, names, resolver, scope, ANY)
        self.programs += all_programs(found).values()
        self.found.extend(findings.diagnostics.sorted())
        return tuple(found)

    def _reading(self, attributes: Path | None) -> Reading:
        declared = self.spec.attributes.path
        path, shown, table = attributes, str(attributes), None
        if path is None and declared is not None:
            path, shown = self.sources.path(declared), declared
        if path is not None:
            table = read_attributes(path, shown)
            self.files.append(("attributes", path))
        return Reading(table, self.spec.attributes.read)

    def _tasks(self, tasks: Path | None, reading: Reading) -> Iterator[SuiteTask]:
        names: set[str] = set()
        for source in self._sources(tasks):
            if source.name in names:
                self.found.error(
                    "name-conflict",
                    f"two tasks of this suite are called `{source.name}`",
                    self.spec.span,
                    help="data and results name their task, so every task needs a name of its own",
                )
                continue
            names.add(source.name)
            compiled = self._compiled(source)
            if compiled is not None:
                # A file of another tool may name a metric that calls a model, even if its dialect computes it by rules.
                scored_by = "llm" if compiled.asks_judge else "rule"
                own = {"eval_type": scored_by, **source.loaded.attributes, **source.attributes}
                yield SuiteTask(source.name, compiled, reading.attributes(source.name, own), source.shared)

    def _sources(self, tasks: Path | None) -> Iterator[TaskSource]:
        if tasks is not None:
            self._used(tasks)
            yield from self.sources.tasks(tasks, str(tasks), self.sources.dialect)
            return
        if not self.spec.tasks:
            raise InputError(
                f"the suite {self.spec.name} names neither tasks nor results; "
                "give it `tasks:`, or say on the command line where they are"
            )
        for entry in self.spec.tasks:
            try:
                self._used(self.sources.path(entry.path))
                yield from self.sources.entry(entry)
            except SpecError as error:
                self.found.extend(error.diagnostics)

    def _used(self, path: Path) -> None:
        # The manifest contains the complete specs of a folder, but a file of many tasks has more than specs.
        if path.is_file():
            self.files.append(("tasks", path))

    def _compiled(self, source: TaskSource) -> CompiledTask | None:
        loaded = source.loaded
        assert isinstance(loaded.spec, TaskSpec)
        if self.spec.score is not None:  # it becomes the headline of each task, before the task's own metrics
            name = metric_name(self.spec.score)
            rest = [metric for metric in loaded.spec.metrics if metric_name(metric) != name]
            loaded = replace(loaded, spec=replace(loaded.spec, metrics=(self.spec.score, *rest)))
        try:
            compiled, warnings = compile_task(loaded, self.sources.loader(source.dialect))
        except SpecError as error:
            self.found.extend(error.diagnostics)
            return None
        self.found.extend(warnings)
        return compiled


def _groups_in(dialect: str | None) -> Mapping[str, Mapping[str, Any]]:
    """Return the groups of tasks that a dialect defines, by name, for suites that state none; {} if it defines none."""
    return next((form.groups for form in front_ends() if dialect in form.dialects), {})
