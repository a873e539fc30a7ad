"""A task that a harness calls sample by sample, and whose figures it asks for at the end.

Harnesses average numbers. What they are given here are samples that carry their whole results, so that figures, their
intervals and counts are those of `scoring score`.
"""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from msgspec import Struct

from scoring.api.tasks import ReferencesAs, Task
from scoring.data.streams import read_whole
from scoring.engine.road.summary import metric_table
from scoring.errors import InputError
from scoring.extensions.hosts.logs.log import plain_verdict
from scoring.extensions.hosts.totals import Totals
from scoring.outcomes import Results
from scoring.ranges import Better
from scoring.result import MISSING, RecordResult

UNPARSED, UNSCORED, COVERAGE = "unparsed_rate", "unscored_rate", "coverage"
RATES = (UNPARSED, UNSCORED, COVERAGE)
"""The names under which harnesses are told how many samples did not parse, could not be scored, and have a score."""


class HostSample(dict[str, Any]):
    """A scored sample as a harness keeps it: plain data that it can write, with the result and the record themselves.

    A harness may copy the plain data alone, which is all that it writes.

    Attributes:
        result: The result.
        record: The record, from which figures may read.
    """

    result: RecordResult
    record: dict[str, Any]

    @classmethod
    def of(cls, result: RecordResult, record: dict[str, Any], task: str, meaning: str) -> Self:
        """Return the sample of a result, with the name of the task and what its scores mean."""
        found = cls(plain_verdict(result, task, meaning))
        found.result, found.record = result, record
        return found

    @property
    def rates(self) -> dict[str, float | None]:
        """The sample's share in each of `RATES`: 1 or 0; None for the coverage of one to which the task does not
        apply."""
        status, result = self["status"], self.result
        is_unparsed = status == "unparsed" or not result.parsed_ok  # a policy may score what did not parse
        covered = None if status == "not_applicable" else float(result.score is not None)
        return {UNPARSED: float(is_unparsed), UNSCORED: float(status == "unscored"), COVERAGE: covered}


class HostFigure(Struct, frozen=True):
    """A figure of a task as a harness names it.

    Args:
        name: A Python name, which no other figure of the task has.
        text: The figure's text in the spec.
        better: Which of its values are better.
    """

    name: str
    text: str
    better: Better

    @property
    def higher_is_better(self) -> bool | None:
        """Whether higher values are better; None if neither higher nor lower ones are."""
        return {"higher": True, "lower": False}.get(str(self.better))


class HostTask:
    """A task that a harness calls: `sample` scores an answer, and `figures` are computed from all samples."""

    def __init__(self, task: Task) -> None:
        if task.spec.records is not None:
            raise InputError(
                f"{task.name} scores {task.spec.records} as a whole, and a harness has its samples scored one by one"
            )
        self.task = task
        self.figures = [HostFigure(name, metric.text, metric.better) for name, metric in _named(task)]

    @classmethod
    def of_file(cls, path: str | Path) -> Self:
        """Return the task of a bundle, as `Task.to_bytes` makes it.

        Raises:
            InputError: when the file can't be read, is no bundle, or its scores would mean something else here.
        """
        try:
            with Path(path).open("rb") as stream:
                content = read_whole(stream, str(path))
        except OSError as error:
            raise InputError(f"can't read the task in {path}: {error.strerror}") from error
        return cls(Task.from_bytes(content))

    @cached_property
    def meaning(self) -> str:
        """The part of the task's signature that says what its scores mean."""
        return self.task.signature.meaning

    def reference_in(self, record: dict[str, Any]) -> Any:
        """Return the reference of a record at the path that the spec states; MISSING if it has none."""
        return self.task.parts.reader.given_reference(record)

    def sample(
        self, response: Any, reference: Any, record: dict[str, Any], references_as: ReferencesAs = "values"
    ) -> HostSample:
        """Score an answer, and return the sample that the harness keeps.

        Args:
            response: The model's raw response.
            reference: The reference; MISSING if there is none.
            record: The harness's own record, of which the spec's paths are read.
            references_as: ``json`` if the reference is given as JSON text.
        """
        result = self.task.score_parts(response, reference, record=record, references_as=references_as)
        return HostSample.of(result, record, self.task.name, self.meaning)

    def values(self, samples: Sequence[HostSample]) -> dict[str, float | None]:
        """Return the value of each figure over a few samples, without intervals; None if it has none there."""
        results, records = _columns(samples)
        table = metric_table(self.task, results, records)
        return {one.name: _value(metric, table) for one, metric in zip(self.figures, self.task.metrics, strict=True)}

    def summary(self, samples: Sequence[HostSample]) -> dict[str, Any]:
        """Return the summary of all samples, as `scoring score` writes it."""
        return Totals.of(self.task, *_columns(samples)).to_json()

    def all_figures(self, samples: Sequence[HostSample]) -> dict[str, float | None]:
        """Return the value of each figure over all samples by its name, the ends of the interval of the first under its
        name with ``_low`` and ``_high``, and `RATES`."""
        summary = self.summary(samples)
        found = {one.name: entry["value"] for one, entry in zip(self.figures, summary["metrics"], strict=True)}
        low, high = summary["metrics"][0]["interval"] or (None, None)
        head = self.figures[0].name
        return {**found, f"{head}_low": low, f"{head}_high": high, **shared_rates(samples)}


def shared_rates(samples: Sequence[HostSample]) -> dict[str, float | None]:
    """Return the mean of the samples' rates by name; None where none of the samples counts."""
    found = [one.rates for one in samples]
    counting = {name: [share for rates in found if (share := rates[name]) is not None] for name in RATES}
    return {name: sum(shares) / len(shares) if shares else None for name, shares in counting.items()}


def target_text(reference: Any) -> str:
    """Return a reference as the text that a harness keeps of it: a text as it is, anything else as JSON.

    Examples:
        >>> target_text("Paris"), target_text(["Lisbon", "Lisboa"]), target_text(MISSING)
        ('Paris', '["Lisbon", "Lisboa"]', '')
    """
    if reference is MISSING:
        return ""
    return reference if isinstance(reference, str) else json.dumps(reference, ensure_ascii=False)


def python_name(text: str) -> str:
    """Return a Python name for a text such as that of a figure or the name of a task.

    Examples:
        >>> python_name("quickstart/invoices"), python_name("mean(total)"), python_name("class"), python_name("2nd")
        ('quickstart_invoices', 'mean_total', 'class_', '_2nd')
    """
    found = re.sub(r"\W+", "_", text).strip("_") or "task"
    return f"_{found}" if found[0].isdigit() else f"{found}_" if keyword.iskeyword(found) else found


def _named(task: Task) -> Iterator[tuple[str, Any]]:
    taken = {*RATES, *(f"{python_name(task.metrics[0].text)}_{end}" for end in ("low", "high"))}
    for metric in task.metrics:
        name = plain = python_name(metric.text)
        number = 2
        while name in taken:
            name, number = f"{plain}_{number}", number + 1
        taken.add(name)
        yield name, metric


def _columns(samples: Sequence[HostSample]) -> tuple[Results, list[dict[str, Any]]]:
    return Results.of([one.result for one in samples]), [one.record for one in samples]


def _value(metric: Any, table: Any) -> float | None:
    try:
        found: float | None = metric(table).value()
    except Exception:  # a figure of few samples may not exist, such as a correlation
        return None
    return found
