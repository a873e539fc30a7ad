"""A compiled suite: its tasks, and how their scores are joined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from scoring.compiler.parts import Metric
from scoring.compiler.signature import Recipe, Signature
from scoring.compiler.task import CompiledTask
from scoring.diagnostics.diagnostic import Diagnostic
from scoring.engine.suite.groups import TaskGroup
from scoring.engine.suite.layout import Layout
from scoring.engine.suite.reading import Reading
from scoring.format.bundle import Bundle
from scoring.format.model import Intervals, SuiteSpec


@dataclass(frozen=True, slots=True)
class SuiteTask:
    """One compiled task of a suite."""

    name: str
    compiled: CompiledTask
    attributes: Mapping[str, Any]
    shared: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Suite:
    """A compiled suite: its tasks, and how their scores are joined.

    Args:
        spec: The suite's file.
        tasks: The compiled tasks; none when the suite is only computed from results.
        metrics: The metrics over the tasks, the headline first.
        groups: Groups of tasks by name.
        reading: Where attributes are read from.
        layout: How data belongs to tasks.
        digest: Of the suite's file.
        bundle: The texts that it was read from.
        recipe: What its signature is made of.
        results: The file of task results that the spec names.
        files: The files that tasks and attributes were read from, each with its role.
        warnings: Findings that are no errors.
        seed: Of the confidence intervals.
    """

    spec: SuiteSpec
    tasks: tuple[SuiteTask, ...]
    metrics: Sequence[Metric]
    groups: Mapping[str, TaskGroup]
    reading: Reading
    layout: Layout
    digest: str
    bundle: Bundle
    recipe: Recipe
    results: Path | None = None
    files: tuple[tuple[str, Path], ...] = ()
    warnings: tuple[Diagnostic, ...] = ()
    seed: int = 0

    @property
    def name(self) -> str:
        """The suite's name."""
        return self.spec.name

    @property
    def version(self) -> str:
        """The suite's version."""
        return self.spec.version

    @property
    def by(self) -> Sequence[str]:
        """The attributes of the breakdowns."""
        return self.spec.by

    @property
    def intervals(self) -> Intervals:
        """How the confidence intervals of the suite's own figures are made."""
        return self.spec.intervals

    @property
    def exports(self) -> Sequence[str]:
        """The layouts of others in which the results are written, too."""
        return self.spec.export

    @property
    def signature(self) -> Signature:
        """Everything that can change the numbers, in one line, the configured judge included."""
        return self.recipe.signature(self.seed)

    @property
    def asks_judge(self) -> bool:
        """Whether any task asks a judge."""
        return self.recipe.uses("judge")

    def seeded(self, seed: int) -> Suite:
        """The same suite with another seed for the confidence intervals."""
        tasks = tuple(replace(task, compiled=task.compiled.seeded(seed)) for task in self.tasks)
        return replace(self, tasks=tasks, seed=seed)

    def resolved(self) -> dict[str, Any]:
        """The whole suite as plain data."""
        tasks = {task.name: task.compiled.resolved() for task in self.tasks}
        return {"spec": dict(self.spec.data), "digest": self.digest, **self.recipe.resolved(), "tasks": tasks}
