"""Assign data and attributes to the tasks of a suite: from one file for each task, or from rows that name their
task."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from scoring.compiler.records.record_reader import reader
from scoring.data.file import InputFile
from scoring.data.file_format import suffixes
from scoring.data.json_read import NotJson, parse_document
from scoring.data.plain_files import real_path
from scoring.data.rows.decoded import no_record
from scoring.data.rows.memory import rows_of
from scoring.data.rows.read import read_rows
from scoring.data.rows.report import InputReport
from scoring.data.rows.row import Row
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Span
from scoring.diagnostics.suggest import did_you_mean
from scoring.diagnostics.words import listed, shown
from scoring.errors import InputError
from scoring.format.front_ends import front_ends

NAME_KEYS = ("name", "task_name", "task")
# A longer text describes a task rather than naming a group of tasks.
MAX_TEXT = 200

Attributes = dict[str, dict[str, Any]]


def read_attributes(path: Path, shown: str) -> Attributes:
    """Return the attributes of each task, read from a JSON object by task name, or from rows that name their task.

    Args:
        path: The path of the file.
        shown: Its name in messages.

    Raises:
        InputError: when the file can't be read, a row names no task, or two rows give a task different attributes.
    """
    file = InputFile(str(path))
    found = _json(file, shown) if file.kind == "json" else None
    if isinstance(found, dict) and not isinstance(found.get("records"), list):
        for name, attributes in found.items():
            if not isinstance(attributes, dict):
                raise InputError(f"can't read {shown}: the attributes of `{name}` are not an object")
        return found
    result: Attributes = {}
    for row in read_rows(file):
        name = name_of(row.record or {})
        if name is None:
            raise InputError(f"can't read {shown}: {row.where} names no task")
        values = {key: value for key, value in (row.record or {}).items() if key not in NAME_KEYS}
        if result.setdefault(name, values) != values:
            differ = f"two rows give `{name}` different attributes, the second in {row.where}"
            raise InputError(f"can't read {shown}: {differ}")
    return result


def name_of(row: Mapping[str, Any]) -> str | None:
    """Return the name of the task that a row states by one of the usual keys, such as `task_name`; None if it states
    none.

    Examples:
        >>> name_of({"task_name": "chess"}), name_of({"id": 1})
        ('chess', None)
    """
    names = (row[key] for key in NAME_KEYS if isinstance(row.get(key), str) and row[key])
    return next(names, None)


def is_attribute(value: Any) -> bool:
    """Return True if a value can be an attribute of tasks: a short text, a number, or a list of these.

    Examples:
        >>> is_attribute("Photographs"), is_attribute(["maths", "vision"]), is_attribute([{"response": "A"}])
        (True, True, False)
    """
    if isinstance(value, list):
        return all(not isinstance(item, list) and is_attribute(item) for item in value)
    return value is None or isinstance(value, (bool, int, float)) or (isinstance(value, str) and len(value) <= MAX_TEXT)


def _json(file: InputFile, shown: str) -> Any:
    try:
        return parse_document(file.read(), file.size)
    except NotJson as error:
        raise InputError(f"can't read {shown}: {error}") from error


LayoutRows: TypeAlias = dict[str, list[Row]]


class Layout:
    """The assignment of a suite's data to tasks: the path of the task's name in a row, and that of a list of records.

    Args:
        task: The path of the name of a row's task; by default the usual keys are tried.
        records: The path of a row's list of records, for rows that are not records themselves.
        place: The position of `records` in the spec.

    Examples:
        >>> layout = Layout(task="t", records="answers")
        >>> rows = [Row("line 1", {"t": "chess", "answers": [{"id": 1}]}), Row("line 2", {"t": "chess", "id": 2})]
        >>> [row.where for row in layout.by_task(rows, ["chess"], InputReport())["chess"]]
        ['line 1 record 1', 'line 2']
    """

    def __init__(self, task: str | None = None, records: str | None = None, place: Span | None = None) -> None:
        self._task: Callable[[Any], Any] = reader(task) if task is not None else name_of
        self._records = reader(records) if records is not None else None
        self._records_path, self._place, self._has_expanded = records, place, False

    def read(self, source: Any, tasks: Sequence[str], report: InputReport) -> tuple[LayoutRows, list[Any]]:
        """Return the rows of every task, and the files that were read.

        Args:
            source: A folder with a file for each task, one file for all of them, or a table in memory, see `rows_of`.
            tasks: The names of the tasks.
            report: Receives findings about rows and files that belong to no task.

        Raises:
            InputError: when a file can't be read, or no file belongs to a task.
        """
        if not isinstance(source, Path):
            rows = self.by_task(rows_of(source), tasks, report)
            self._check_records(rows)
            return rows, [source]
        files = {
            name: InputFile(str(path)).watch() for name in tasks if (path := task_data_file(source, name)) is not None
        }
        if not files:
            raise InputError(f"can't read {source}: no file in it has the name of a task, such as TASK.jsonl")
        known = {real_path(file.name) for file in files.values()}
        for path in sorted(source.iterdir()):
            if path.is_file() and _is_data(path) and real_path(path) not in known:
                report.add("unknown_tasks", path.name)
        rows = {name: list(self._expanded(read_rows(file))) for name, file in files.items()}
        self._check_records(rows)
        return rows, list(files.values())

    def by_task(self, rows: Iterable[Row], tasks: Sequence[str], report: InputReport) -> LayoutRows:
        """Return the rows grouped by the task that they name; the others are added to `report`.

        Args:
            rows: The rows.
            tasks: The names of the tasks.
            report: Receives the rows without a known task.
        """
        found: LayoutRows = {name: [] for name in tasks}
        for row in rows:
            if row.record is None:
                report.add("no_task", row.reason)
                continue
            name = self._task(row.record)
            if name is None or name == "":
                report.add("no_task", row.where)
            elif str(name) not in found:
                report.add("unknown_tasks", f"{name} ({row.where})")
            else:
                found[str(name)].extend(self._expanded([row]))
        return {name: of_task for name, of_task in found.items() if of_task}

    def _check_records(self, rows: LayoutRows) -> None:
        """Check that at least one row has a list at the path `records` of this layout.

        Raises:
            SpecError: when no row has one; its message lists the keys that rows have.
        """
        read, found = (
            self._records,
            [row.record for of_task in rows.values() for row in of_task if row.record is not None],
        )
        # Rows with a list have already been replaced by its records.
        if read is None or not found or self._has_expanded:
            return
        keys = list(dict.fromkeys(key for record in found for key in record))
        raise SpecError.of(
            "no-such-path",
            f"no row has a list in {shown(self._records_path or '')}, where `data:` says that a row holds its records",
            self._place,
            did_you_mean(self._records_path or "", keys),
            help=f"the rows have {listed(keys, 'and')}; where each row is a record, leave `records` out",
        )

    def _expanded(self, rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            items = self._records(row.record) if self._records is not None else None
            if not isinstance(items, list):
                yield row
                continue
            self._has_expanded = True
            for number, record in enumerate(items, start=1):
                yield row_of(f"{row.where} record {number}", record)


def task_data_file(folder: Path, task: str) -> Path | None:
    """Return the data file of a task in a folder: the file named like the task, or the only one in a subfolder of that
    name; None if there is none.

    Raises:
        InputError: when several files qualify.
    """
    stem = folder / task
    if not _is_inside(stem, folder):
        return None
    names = [f"{stem.name}{suffix}" for suffix in suffixes()]
    # os.path treats a name that no file can have as a file that does not exist.
    found = [path for name in names if os.path.isfile(path := stem.with_name(name))]
    if not found and os.path.isdir(stem):
        found = sorted(path for path in stem.iterdir() if path.is_file() and _is_data(path))
        specs = {form.file_name for form in front_ends()}
        found = [path for path in found if path.name not in specs]
    if len(found) > 1:
        raise InputError(
            f"it is unclear which is the data of {task}: {', '.join(path.name for path in found)} in {folder}"
        )
    return found[0] if found else None


def _is_data(path: Path) -> bool:
    return path.name.lower().endswith(tuple(suffixes()))


def _is_inside(path: Path, folder: Path) -> bool:
    """Return True if a path is below a folder; False also for a path that no file can have."""
    try:
        return real_path(folder) in real_path(path).parents
    except (ValueError, OSError):  # lone surrogates, null characters, names that are too long
        return False


def row_of(where: str, value: object) -> Row:
    """Return the row of a decoded value; one that is not an object becomes a bad row.

    Examples:
        >>> row_of("line 3", [1, 2]).reason
        'line 3: a record must be an object, found a list'
    """
    return Row(where, value) if isinstance(value, dict) else Row(where, None, no_record(value))
