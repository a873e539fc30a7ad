"""The table of tasks that share a name in the field, such as the rules of several harnesses for one benchmark."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from scoring.format.shipped import data_folder


class TaskProbe(Struct, frozen=True):
    """A record on which tasks of one name differ.

    Args:
        what: What the record tests.
        prediction: The response of the record.
        reference: The reference of the record.
        more: The values of the record's further keys.
    """

    what: str
    prediction: Any
    reference: Any
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def record(self) -> dict[str, Any]:
        """The record as tasks read it."""
        return {"response": self.prediction, "reference": self.reference, **self.more}


class TaskDialects(Struct, frozen=True):
    """Tasks that share a name in the field but score some records differently; all of them read the same keys.

    Args:
        name: The shared name, which is that of the first task.
        doc: What the tasks disagree on.
        tasks: The description of each task by its name with its version; the first is the baseline for the others.
        probes: Records on which the tasks differ.
        missing: Why rules of that name can't be stated as a task, by the name that each would have.
    """

    name: str
    doc: str
    tasks: Mapping[str, str]
    probes: Sequence[TaskProbe] = ()
    missing: Mapping[str, str] = field(default_factory=dict)


def task_dialects(path: Path | None = None) -> dict[str, TaskDialects]:
    """Return the tables of tasks that share a name, by that name.

    Args:
        path: The file of the tables; by default the one that is shipped.
    """
    path = path or data_folder("specs") / "cookbook" / "dialects.toml"
    tables = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return {name: _table(name, table) for name, table in tables.items()}


def _table(name: str, table: dict[str, Any]) -> TaskDialects:
    return TaskDialects(
        name,
        " ".join(table["doc"].split()),
        table["dialects"],
        tuple(_probe(**one) for one in table.get("probes", ())),
        table.get("missing", {}),
    )


def _probe(what: str, prediction: Any, reference: Any, **more: Any) -> TaskProbe:
    return TaskProbe(what, prediction, reference, more)


def dialects_of_task(name: str) -> list[str]:
    """Return the names of all tasks that share a name in the field with a task, itself included; [] if none does."""
    found = table_of_task(name, task_dialects())
    return [] if found is None else list(found.tasks)


def table_of_task(name: str, tables: Mapping[str, TaskDialects]) -> TaskDialects | None:
    """Return the table that lists a task, given by its name with or without a version; None if there is none.

    Examples:
        >>> tables = {"sums": TaskDialects("sums", "", {"sums@1": "", "sums-strict@1": ""})}
        >>> found = table_of_task("sums-strict", tables)
        >>> found.name if found else None, table_of_task("names@1", tables)
        ('sums', None)
    """
    short = name.partition("@")[0]
    listed = (table for table in tables.values() if any(task.partition("@")[0] == short for task in table.tasks))
    return tables.get(short) or next(listed, None)
