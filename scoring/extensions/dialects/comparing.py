"""Score the same answers by several scorers or tasks, and find the records on which they differ.

A dialect is one of several rules that share a name in the field but differ in detail: a task of a table (`tables`), or
a scorer of a pack. The scorers compared by default are provided by a plug-in of the group ``scoring.dialects``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

from msgspec import Struct, field

from scoring.api.arguments import verb
from scoring.api.definitions import scorer
from scoring.api.opening import Opened, SpecSource, reopened
from scoring.api.result import Result
from scoring.api.sources import GivenData
from scoring.compiler.programs.columns import in_parts
from scoring.compiler.tasks.task import CompiledTask
from scoring.data.rows.batch import Batch
from scoring.data.rows.report import InputReport
from scoring.diagnostics.suggest import did_you_mean
from scoring.engine.road.evaluate import score_batch
from scoring.errors import InputError
from scoring.extensions.dialects.documents import dialects_document
from scoring.extensions.dialects.scores import (
    Compared,
    DialectScores,
    dialects_data,
    differing_indexes,
    scores_against_first,
)
from scoring.extensions.dialects.tables import TaskDialects, table_of_task, task_dialects
from scoring.extensions.dialects.tasks import compare_tasks, opened_tasks
from scoring.extensions.layouts.choosing import laid_out
from scoring.extensions.names.named import is_task_name, task_names
from scoring.extensions.reference.lists import find_pack
from scoring.format.definitions import NO_DEFAULT
from scoring.format.locate import pack_names
from scoring.registry import plugins

GROUP = "scoring.dialects"
PLUG_IN = "@"
"""The dialects of the task's own name or, if it has none, those of the first plug-in, if nothing is named."""


class Dialects(Struct, frozen=True):
    """The dialects of one measure: scorers of a pack that compare a string with one reference string or several.

    Args:
        pack: The pack with its version, as in ``close@1``.
        scorers: The description of each scorer by its name; the first is the baseline for the others.
        pages: Functions that generate documentation pages about them, by the path of the page.
        probes: Pairs on which the scorers differ: what is tested, the prediction, and the reference.
    """

    pack: str
    scorers: Mapping[str, str]
    pages: Mapping[str, Callable[[], str]] = field(default_factory=dict)
    probes: Sequence[tuple[str, str, str]] = ()


def known_dialects(found: Callable[[str], tuple[plugins.PlugIn, ...]] = plugins.every) -> list[Dialects]:
    """Return the dialects that plug-ins provide, our own first; `found` returns all plug-ins of a named group."""
    return [plugin.load() for plugin in found(GROUP)]


def scorers_named(names: str) -> list[str]:
    """Return the full names of the scorers in a comma-separated list, in which a pack means several scorers.

    These are the dialects in the pack or, if it has none, its scorers that require no argument.

    Raises:
        SpecError: when there is no such pack.

    Examples:
        >>> scorers_named("house@1:int, house@1:float")
        ['house@1:int', 'house@1:float']
    """
    if names == PLUG_IN:
        names = known_dialects(plugins.own)[0].pack
    found: list[str] = []
    for name in filter(None, (part.strip() for part in names.split(","))):
        if ":" in name:
            found.append(name)
        else:
            found += _scorers_of(name)
    return list(dict.fromkeys(found))


def _scorers_of(pack: str) -> list[str]:
    """Return the full names of a pack's dialects; without dialects, of its scorers that require no argument."""
    ours = _dialects_of(pack)
    if ours:
        return [f"{pack}:{name}" for name in ours]
    return [
        f"{pack}:{definition.name}"
        for definition in find_pack(pack).definitions.values()
        if definition.role == "scorer"
        and all(param.takes_pipeline or param.default is not NO_DEFAULT for param in definition.params)
    ]


def _dialects_of(pack: str) -> Mapping[str, str]:
    return next((found.scorers for found in known_dialects() if found.pack == pack), {})


def compare_scorers(names: Sequence[str], pairs: Sequence[Compared]) -> list[DialectScores]:
    """Return the scores that each of the named scorers gives the pairs; the first scorer is the baseline.

    Raises:
        SpecError: when there is no such scorer.
    """
    columns: dict[str, tuple[float | None, ...]] = {}
    docs: dict[str, str] = {}
    for name in names:
        compare = scorer(name)
        pack, _, short = name.rpartition(":")
        docs[name] = _dialects_of(pack).get(short, "")
        # Dialects take one text or many, so that every task with a text to compare has them.
        columns[name] = tuple(
            compare.score(
                prediction,
                _texts(reference) if docs[name] else reference,
                context=row.get("context"),
                record=row.get("record"),
            ).value
            for _, prediction, reference, row in pairs
        )
    return scores_against_first(columns, docs)


def _texts(reference: Any) -> list[str]:
    references = reference if isinstance(reference, list) else [reference]
    return [one for one in references if isinstance(one, str)]


class ScorersCompared(Result):
    """The result of `compare_dialects`: the mean of each scorer, and the records on which they differ."""


@verb
def compare_dialects(
    spec: SpecSource | CompiledTask | Opened,
    data: Any,
    names: str = PLUG_IN,
    *,
    references: Any = None,
    input_format: str | None = None,
    reference_format: str | None = None,
    layout: str | None = None,
    limit: int | None = None,
) -> ScorersCompared:
    """Score the same answers by several scorers or tasks, and return the mean of each and the records on which they
    differ.

    Args:
        spec: A task; for scorers one with a single field.
        data: The records: a path, an iterable of mappings, a data frame, or an Arrow table.
        names: Names with dialects, tasks, scorers or packs, separated by commas; by default the dialects of the task's
            own name or, if it has none, those of the first plug-in.
        references: The references that are joined to the records by id, in any of these forms.
        input_format: The format of ``data``.
        reference_format: The format of ``references``.
        layout: The layout of the files, one of those that the task names; None for the one that fits.
        limit: The maximum number of records to read.

    Raises:
        SpecError: when there is no such scorer, or the spec is invalid.
        InputError: when nothing has such a name, for scorers and a task with several fields, and for a suite or a task
            over a data set as a whole.
    """
    opened = reopened(spec)
    opened.check_has("--dialects")
    tasks = tasks_named(names, opened.task)
    if not tasks:
        _check_single(opened.task)
    if data is None:
        raise InputError("which records? DATA is missing; name the file of records behind the spec")
    laid, given = laid_out(
        opened, GivenData(data, references, input_format, limit, reference_format=reference_format, layout=layout)
    )
    given = given.opened()
    if tasks:
        # A layout states where its records have their parts, as a task of the user's own does.
        reader = _own_reader(opened.task) if laid is opened else laid.task
        found, pairs = compare_tasks(opened_tasks(tasks, reader), tasks, given)
    else:
        pairs = list(_compared(laid.task, given.batches(laid.task, InputReport())))
        found = compare_scorers(scorers_named(names), pairs)
    answers = {at: pairs[place].prediction for at, place in enumerate(differing_indexes(found))}
    about = f"{len(found)} {'tasks' if tasks else 'scorers'} on {len(pairs)} answers"
    return ScorersCompared(
        dialects_data(found, pairs), about, lambda result: dialects_document(result, answers), "dialects"
    )


def _check_single(task: CompiledTask) -> None:
    if len(task.field_names) != 1:
        raise InputError(f"--dialects needs a task with a single answer; this one has {len(task.field_names)} fields")


def tasks_named(names: str, task: CompiledTask) -> dict[str, str]:
    """Return the description of each task in a comma-separated list by its name with its version, in which a name with
    dialects means several tasks; {} for a list of scorers and packs.

    Args:
        names: The list, or `PLUG_IN` for the dialects of the name of `task`, or of what it extends.
        task: The task whose records are scored.

    Raises:
        InputError: when nothing has one of the names, or some are of tasks and others of scorers.
    """
    tables = task_dialects()
    if names == PLUG_IN:
        own = table_of_task(task.spec.extends or task.name, tables)
        return {} if own is None else dict(own.tasks)
    parts = [part for part in map(str.strip, names.split(",")) if part]
    tasks: dict[str, str] = {}
    scorers = []
    for part in parts:
        found = _tasks_called(part, tables)
        tasks |= found
        scorers += [] if found else [part]
    if tasks and scorers:
        raise InputError(f"`{parts[0]}` and `{parts[-1]}` can't be compared: some are tasks, others scorers of packs")
    return tasks


def _tasks_called(name: str, tables: Mapping[str, TaskDialects]) -> dict[str, str]:
    """Return the tasks that a name means, with their descriptions; {} for a scorer and a pack."""
    if name in tables:
        return dict(tables[name].tasks)
    short = name.partition("@")[0]
    if ":" in name or short in pack_names():
        return {}
    if is_task_name(short) and short in task_names():
        own = table_of_task(short, tables)
        return {name: own.tasks.get(name, "") if own is not None else ""}
    try:
        find_pack(name)  # of the current project
    except InputError:
        known = f"names with dialects: {', '.join(sorted(tables))}; packs: {', '.join(pack_names())}"
        hint = did_you_mean(name, [*tables, *pack_names(), *task_names()], known)
        raise InputError(f"nothing called `{name}` has dialects; {hint}") from None
    return {}


def _own_reader(task: CompiledTask) -> CompiledTask | None:
    """Return a task that states where its records have their parts, unless it is a shipped one, whose records all
    dialects read alike; None otherwise."""
    is_shipped = not task.spec.extends and task.name in task_names()
    return None if is_shipped else task


def _compared(task: CompiledTask, batches: Iterable[Batch]) -> Iterator[Compared]:
    """Yield the parsed answer and the prepared reference of each record that has both."""
    for batch in batches:
        score = partial(score_batch, task)
        for record, result in zip(batch.records, chain.from_iterable(in_parts(score, batch, score)), strict=True):
            part = result.fields.get(task.field_names[0])
            if part is None or part.prediction is None or part.reference is None:
                continue
            yield Compared(result.id, part.prediction, part.reference, task.row(record or {}))
