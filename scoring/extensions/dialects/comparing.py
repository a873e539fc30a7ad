"""Score the same answers by several scorers, and find the records on which they differ; results are plain data.

A dialect is one of several scorers that share a name in the field but differ in detail. Those compared by default are
provided by a plug-in of the group ``scoring.dialects``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from scoring.api.arguments import verb
from scoring.api.definitions import scorer
from scoring.api.opening import Opened, SpecSource, reopened
from scoring.api.result import Result
from scoring.api.sources import GivenData
from scoring.compiler.programs.columns import in_parts
from scoring.compiler.tasks.task import CompiledTask
from scoring.data.rows.batch import Batch
from scoring.data.rows.report import InputReport
from scoring.engine.road.evaluate import score_batch
from scoring.errors import InputError
from scoring.extensions.dialects.documents import dialects_document
from scoring.extensions.layouts.choosing import laid_out
from scoring.extensions.reference.lists import find_pack
from scoring.format.definitions import NO_DEFAULT
from scoring.registry import plugins

GROUP = "scoring.dialects"
PLUG_IN = "@"
"""The dialects of the first plug-in, if no scorers are named."""


@dataclass(frozen=True, slots=True)
class Dialects:
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


@dataclass(frozen=True, slots=True)
class DialectScores:
    """The scores of one dialect for all pairs, and the number of pairs whose score differs from the first dialect's."""

    name: str
    doc: str
    scores: tuple[float | None, ...]
    differing: int

    @property
    def mean(self) -> float | None:
        """The mean of its scores, None if no pair has one."""
        known = [score for score in self.scores if score is not None]
        return math.fsum(known) / len(known) if known else None


class Compared(NamedTuple):
    """One compared pair: the record's id, its parsed answer, its prepared reference, and the values that expressions
    can read."""

    id: Any
    prediction: Any
    reference: Any
    row: Mapping[str, Any]


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


def scores_against_first(
    columns: Mapping[str, tuple[float | None, ...]], docs: Mapping[str, str]
) -> list[DialectScores]:
    """Return the scores of each dialect with the number of pairs on which it differs from the first dialect.

    ``columns`` has the scores of all pairs, ``docs`` the description, both by the name of the dialect.
    """
    first = next(iter(columns.values()), ())
    return [
        DialectScores(
            name,
            docs.get(name, ""),
            scores,
            sum(not equal_up_to_rounding(*pair) for pair in zip(scores, first, strict=True)),
        )
        for name, scores in columns.items()
    ]


def differing_indexes(found: Sequence[DialectScores]) -> list[int]:
    """Return the indexes of the pairs to which the dialects give different scores, largest differences first."""
    rows = list(zip(*(one.scores for one in found), strict=True))
    apart = [place for place, row in enumerate(rows) if not all(equal_up_to_rounding(score, row[0]) for score in row)]
    return sorted(apart, key=lambda place: (-_spread(rows[place]), place))


def _spread(scores: Sequence[float | None]) -> float:
    known = [score for score in scores if score is not None]
    return max(known) - min(known) if known else 0.0


def equal_up_to_rounding(score: float | None, other: float | None) -> bool:
    """Return whether two scores are equal up to rounding; a missing score equals only another missing one."""
    if score is None or other is None:
        return score is other
    return abs(score - other) <= 1e-9


def dialects_data(found: Sequence[DialectScores], pairs: Sequence[Compared]) -> dict[str, Any]:
    """Return the scores of several dialects as plain data: the mean of each, and the records on which they differ."""
    return {
        "dialects": [{"name": one.name, "doc": one.doc, "mean": one.mean, "differing": one.differing} for one in found],
        "records": [
            {"id": pairs[place].id, "scores": {one.name: one.scores[place] for one in found}}
            for place in differing_indexes(found)
        ],
    }


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
    """Score a task's answers by several scorers, and return the mean of each and the records on which they differ.

    Args:
        spec: A task with a single field.
        data: The records: a path, an iterable of mappings, a data frame, or an Arrow table.
        names: The scorers or packs, separated by commas; by default the dialects of the first plug-in.
        references: The references that are joined to the records by id, in any of these forms.
        input_format: The format of ``data``.
        reference_format: The format of ``references``.
        layout: The layout of the files, one of those that the task names; None for the one that fits.
        limit: The maximum number of records to read.

    Raises:
        SpecError: when there is no such scorer, or the spec is invalid.
        InputError: for a task with several fields, and for a suite or a task over a data set as a whole.
    """
    opened = reopened(spec)
    opened.check_has("--dialects")
    task = opened.task
    if len(task.field_names) != 1:
        raise InputError(f"--dialects needs a task with a single answer; this one has {len(task.field_names)} fields")
    if data is None:
        raise InputError("which records? DATA is missing; name the file of records behind the spec")
    opened, given = laid_out(
        opened, GivenData(data, references, input_format, limit, reference_format=reference_format, layout=layout)
    )
    task, given = opened.task, given.opened()
    pairs = list(_compared(task, given.batches(task, InputReport())))
    found = compare_scorers(scorers_named(names), pairs)
    answers = {at: pairs[place].prediction for at, place in enumerate(differing_indexes(found))}
    about = f"{len(found)} scorers on {len(pairs)} answers"
    return ScorersCompared(
        dialects_data(found, pairs), about, lambda result: dialects_document(result, answers), "dialects"
    )


def _compared(task: CompiledTask, batches: Iterable[Batch]) -> Iterator[Compared]:
    """Yield the parsed answer and the prepared reference of each record that has both."""
    for batch in batches:
        score = partial(score_batch, task)
        for record, result in zip(batch.records, chain.from_iterable(in_parts(score, batch, score)), strict=True):
            part = result.fields.get(task.field_names[0])
            if part is None or part.prediction is None or part.reference is None:
                continue
            yield Compared(result.id, part.prediction, part.reference, task.row(record or {}))
