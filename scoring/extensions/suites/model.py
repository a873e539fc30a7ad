"""The data model of a compiled suite: its tasks, their attributes and groups, and the metrics over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from scoring.compiler.identity.signature import Recipe, Signature
from scoring.compiler.records.record_reader import place_reader
from scoring.compiler.tasks.compiled_parts import TaskMetric
from scoring.compiler.tasks.task import CompiledTask
from scoring.diagnostics.diagnostic import Diagnostic
from scoring.extensions.suites.layout import Attributes, Layout
from scoring.extensions.suites.spec import SuiteSpec
from scoring.format.bundle import Bundle
from scoring.format.load import Loaded
from scoring.statistics.breakdown import values_of


def in_group(wanted: Mapping[str, Any], attributes: Mapping[str, Any]) -> bool:
    """Return True if a task with some attributes is in a group; if either side has a list of values, one match
    suffices.

    Args:
        wanted: The values of attributes that define the group.
        attributes: The attributes of the task.

    Examples:
        >>> hard = {"level": ["hard", "extreme"], "skills": "maths"}
        >>> in_group(hard, {"level": "hard", "skills": ["maths", "vision"]}), in_group(hard, {"level": "hard"})
        (True, False)
    """
    return all(
        any(value in (values if isinstance(values, list) else (values,)) for value in values_of(attributes.get(name)))
        for name, values in wanted.items()
    )


class Reading:
    """The sources from which a suite's tasks get their attributes; the values of `read` override those of `table`, and
    these override the attributes in a task's own spec.

    Args:
        table: The content of the attributes file, by task name; None without one.
        read: Paths into a task's other attributes, by the name of the attribute that each defines.

    Examples:
        >>> reading = Reading({"chess": {"num_input": "1-image"}}, {"input_num": "num_input"})
        >>> reading.attributes("chess", {"app": "games"})
        {'app': 'games', 'num_input': '1-image', 'input_num': '1-image'}
    """

    def __init__(self, table: Attributes | None, read: Mapping[str, str]) -> None:
        self.table = table
        self._read = {name: place_reader(path) for name, path in read.items()}

    def attributes(self, task: str, own: Mapping[str, Any]) -> dict[str, Any]:
        """Return all attributes of the task named `task`, given those in its spec, `own`."""
        found = {**own, **((self.table or {}).get(task) or {})}
        return {**found, **{name: read(found) for name, read in self._read.items()}}

    def knows(self, task: str) -> bool:
        """Return True if the attributes file has the task named `task`, or there is no file."""
        return self.table is None or task in self.table


class SuiteTask(Struct, frozen=True):
    """One compiled task of a suite, with its attributes for breakdowns, and values that all of its records share."""

    name: str
    compiled: CompiledTask
    attributes: Mapping[str, Any]
    shared: Mapping[str, Any] = field(default_factory=dict)


class Suite(Struct, frozen=True):
    """A compiled suite: its tasks, and the metrics over them.

    Args:
        spec: The suite's spec.
        tasks: The compiled tasks; empty if the suite is only computed from results.
        metrics: The metrics over the tasks, the headline metric first.
        groups: Groups of tasks by name.
        reading: The sources of attributes.
        layout: The assignment of data to tasks.
        digest: The digest of the suite's file.
        bundle: The texts that it was read from.
        recipe: Its recipe: all that can change its numbers, from which the signature is made.
        results: The file of task results that the spec names.
        files: The files that tasks and attributes were read from, each with its role.
        warnings: Findings that are not errors.
        seed: The seed of the confidence intervals.
    """

    spec: SuiteSpec
    tasks: tuple[SuiteTask, ...]
    metrics: Sequence[TaskMetric]
    groups: Mapping[str, Mapping[str, Any]]
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
    def signature(self) -> Signature:
        """The signature: everything that can change the numbers, including the configured judge, in one line."""
        return self.recipe.signature(self.seed)

    @property
    def loaded(self) -> tuple[Loaded, ...]:
        """The specs of the suite's tasks, as loaded from their files."""
        return tuple(task.compiled.parts.loaded for task in self.tasks)

    @property
    def reads(self) -> dict[str, Any]:
        """What the suite and its tasks read: the digest of the suite's file, and the entries of each task's `reads`,
        with the task's name before each key."""
        tasks = ((task.name, task.compiled.reads) for task in self.tasks)
        return {
            "suite": self.digest,
            **{f"{name}: {key}": value for name, found in tasks for key, value in found.items()},
        }

    @property
    def asks_judge(self) -> bool:
        """Whether any task calls a judge."""
        return self.recipe.uses("judge")

    def seeded(self, seed: int) -> Suite:
        """Return this suite with another seed for the confidence intervals."""
        tasks = tuple(replace(task, compiled=task.compiled.seeded(seed)) for task in self.tasks)
        return replace(self, tasks=tasks, seed=seed)

    def read_by(self, settings: Sequence[str]) -> Suite:
        """Return this suite for data that are read with the given format settings, which become part of its
        signature."""
        tasks = tuple(replace(task, compiled=task.compiled.read_by(settings)) for task in self.tasks)
        return replace(self, tasks=tasks, recipe=replace(self.recipe, settings=(*settings,)))

    def resolved(self) -> dict[str, Any]:
        """Return the suite with everything that it depends on as plain data: spec, digest, recipe and tasks."""
        tasks = {task.name: task.compiled.resolved() for task in self.tasks}
        return {"spec": dict(self.spec.data), "digest": self.digest, **self.recipe.resolved(), "tasks": tasks}
