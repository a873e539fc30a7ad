"""Edits between two versions of a suite: in its own file, in its list of tasks, and in each task that both have.

A change of a pack that many tasks import is one change. The suite's own edits (its tasks, their attributes, metrics,
groups) are only made together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from scoring.compiler.tasks.compile import compile_task
from scoring.extensions.sharing.changes.found import MovesJudged, judge_moves, text_of_side
from scoring.extensions.sharing.changes.meanings import READS
from scoring.extensions.sharing.changes.merge import ABSENT, Chosen, EditKind, TreeEdit
from scoring.extensions.sharing.changes.names import SpecFiles
from scoring.extensions.sharing.changes.partial_edits import AnyBetween, BetweenSpecs
from scoring.extensions.suites.model import Suite, SuiteTask
from scoring.format.keys import paths_in
from scoring.format.load import digest_of

# The keys of a suite that locate its tasks; changes of the list are reported for each task instead.
_LISTS = ("tasks", "results")


@dataclass(frozen=True)
class BetweenSuites(AnyBetween):
    """The edits between two versions of a suite: between their own files, and between those of their tasks.

    Edits of a task have paths below `tasks.NAME`; an edit of a pack occurs once for all tasks.

    Args:
        suites: The two suites, compiled.
        own: The edits between their own files.
        tasks: The edits between the two versions of each task that differs, by name.
        of_own: The numbers of the edits of the suite itself.
        of_tasks: For each task the numbers in ``edits`` of the task's edits, in the task's order.
    """

    suites: tuple[Suite, Suite]
    own: BetweenSpecs
    tasks: Mapping[str, BetweenSpecs]
    of_own: frozenset[int]
    of_tasks: Mapping[str, tuple[int, ...]]

    @classmethod
    def of(cls, old: Suite, new: Suite, own: BetweenSpecs) -> BetweenSuites:
        """Return the edits between two compiled suites.

        Args:
            old: The old suite.
            new: The new suite.
            own: The edits between the suites' own files.

        Raises:
            SpecError: when a task does not compile.
        """
        edits = [edit for edit in own.edits if edit.file or edit.place[0] not in _LISTS]
        edits += _listed(old, new)
        of_own = frozenset(range(len(edits)))
        pairs = {_key(pair): pair for pair in own.pairs}
        before = {task.name: task for task in old.tasks}
        tasks, of_tasks, known = {}, {}, dict[Any, int]()
        for task in new.tasks:
            if task.name not in before or _is_same(before[task.name], task):
                continue
            between = BetweenSpecs.of(_files(before[task.name]), _files(task))
            numbers = []
            for edit in (_of_task(edit, task.name) for edit in between.edits):
                number = known.setdefault(_key(edit), len(edits))
                edits += [edit] if number == len(edits) else []
                numbers.append(number)
            tasks[task.name], of_tasks[task.name] = between, tuple(numbers)
            pairs |= {_key(pair): pair for pair in (_of_task(pair, task.name) for pair in between.pairs)}
        lies = own.old, own.new, tuple(edits), tuple(pairs.values()), frozenset[int]()
        return cls(*lies, (old, new), own, tasks, of_own, of_tasks)

    @property
    def parts(self) -> tuple[BetweenSpecs, ...]:
        """The edits of the suite's own file, followed by those of each task that differs."""
        return (self.own, *self.tasks.values())

    def judged(self) -> MovesJudged:
        """Return which edits can be made without others, each group with the tasks and parts of the suite whose meaning
        it changes.

        Raises:
            SpecError: when a task does not compile.
        """
        found: list[tuple[set[int], dict[str, None]]] = []
        moved = self._own_moved()
        if self.of_own:
            found.append((set(self.of_own), dict.fromkeys(moved)))
        is_exact = True
        for name, between in self.tasks.items():
            verdict = judge_moves(between)
            is_exact &= verdict.is_exact
            for group, parts in verdict.moves:
                numbers = {self.of_tasks[name][number] for number in group}
                near = [one for one in found if one[0] & numbers]
                found = [one for one in found if one not in near]
                names = dict.fromkeys(name for one in near for name in one[1])
                names |= {f"tasks.{name}": None} if parts else {}
                found.append((numbers.union(*(one[0] for one in near)), names))
        return MovesJudged(tuple((frozenset(numbers), tuple(parts)) for numbers, parts in found), is_exact)

    def _own_moved(self) -> list[str]:
        """Return the names of the parts of the suite's own file whose meaning differs between the two versions, and of
        the settings whose paths into records differ."""
        old, new = (dict(suite.recipe.meaning) for suite in self.suites)
        tasks = [{name: entry[1:] for name, entry in one.pop("tasks").items()} for one in (old, new)]
        parts = [name for name in dict.fromkeys((*new, *old)) if digest_of(old.get(name)) != digest_of(new.get(name))]
        one, other = (suite.recipe.reads for suite in self.suites)
        rows = {name: None for suite in self.suites for name in paths_in(suite.spec, "suite")}
        parts += [f"{READS}{name}" for name in rows if one.get(name) != other.get(name)]
        return [*(["tasks"] if digest_of(tasks[0]) != digest_of(tasks[1]) else []), *parts]

    def version(self, chosen: Chosen) -> Suite:
        """Return the suite in which only some of the edits are made.

        Args:
            chosen: The numbers of the edits to make.

        Raises:
            SpecError: when these edits can't be made without others.
        """
        base = self.suites[bool(self.of_own and self.of_own <= set(chosen))]
        return replace(base, tasks=tuple(self._task(task, chosen) for task in base.tasks))

    def _task(self, task: SuiteTask, chosen: Chosen) -> SuiteTask:
        between = self.tasks.get(task.name)
        if between is None:
            return task
        local = frozenset(place for place, number in enumerate(self.of_tasks[task.name]) if number in chosen)
        return replace(task, compiled=compile_task(*between.opened(local, {}))[0])


def _files(task: SuiteTask) -> SpecFiles:
    return SpecFiles.of(task.compiled.parts.loaded, task.compiled.parts.loader)


def _is_same(old: SuiteTask, new: SuiteTask) -> bool:
    """Return True if two versions of a task have the same digest, imported packs and metrics."""
    one, other = old.compiled.parts, new.compiled.parts
    return (one.digest, dict(one.recipe.packs), one.spec.metrics) == (
        other.digest,
        dict(other.recipe.packs),
        other.spec.metrics,
    )


def _of_task(edit: TreeEdit, task: str) -> TreeEdit:
    return edit if edit.file else replace(edit, place=("tasks", task, *edit.place))


def _key(edit: TreeEdit) -> Any:
    return edit.file, edit.place, edit.kind, text_of_side(edit.old), text_of_side(edit.new)


def _listed(old: Suite, new: Suite) -> list[TreeEdit]:
    """Return the edits of a suite's list of tasks: tasks added and removed, and their attributes changed."""
    before, after = ({task.name: task for task in suite.tasks} for suite in (old, new))
    found = [TreeEdit(("tasks", name), "removed", name, ABSENT) for name in before if name not in after]
    found += [TreeEdit(("tasks", name), "added", ABSENT, name) for name in after if name not in before]
    for name in (name for name in after if name in before):
        one, other = dict(before[name].attributes), dict(after[name].attributes)
        for key in dict.fromkeys((*other, *one)):
            sides = one.get(key, ABSENT), other.get(key, ABSENT)
            if sides[0] != sides[1]:
                kind: EditKind = "added" if sides[0] is ABSENT else "removed" if sides[1] is ABSENT else "changed"
                found.append(TreeEdit(("tasks", name, "attributes", str(key)), kind, *sides))
    return found
