"""Reading the records of an image data set from its source: a file of any format, a JSON document, or memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

from scoring.data.file import InputFile, file_of
from scoring.data.json_read import NotJson, parse_document
from scoring.data.normalize import plain_value
from scoring.data.nulls import without_nulls
from scoring.data.readers.json_document import rows_of_document
from scoring.data.rows.memory import rows_in_memory
from scoring.data.rows.read import read_rows, refuse_mistaken
from scoring.data.rows.row import Row
from scoring.extensions.vision.files.faults import BrokenRecords, Fault, Faults, located

#: A path, an `InputFile`, or a Python object: a document, a list of records, a data frame, an Arrow table.
Origin = Any


def name_of_source(source: Origin, name: str) -> str:
    """Return the name of a source for messages: that of its file, or `name` for data in memory."""
    file = file_of(source)
    return name if file is None else file.name


def read_placed_records(
    source: Origin, name: str, faults: Faults | None = None
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the records of a source one at a time, each preceded by its location, and without null values.

    Args:
        source: A file of any format, or data in memory.
        name: The name of data in memory, for messages.
        faults: The list to which rows that can't be read are added; if not given, the first one raises.

    Raises:
        BrokenRecords: at a row that can't be read, if `faults` is not given.
        InputError: when the source can't be read.
    """
    file = file_of(source)
    rows = rows_in_memory(source) if file is None else read_rows(file, may_be_empty=True)
    return _placed(rows, name_of_source(source, name), faults)


def _placed(rows: Iterator[Row], name: str, faults: Faults | None) -> Iterator[tuple[str, Mapping[str, Any]]]:
    with closing(rows):  # type: ignore[type-var]  # readers are generators, whose files close with them
        for row in rows:
            unit, _, number = row.where.partition(" ")
            where = f"{name}:{number}" if unit == "line" else f"{name}: {row.where}"
            fault = row.problem if row.note is None else f"{row.note} holds NaN, which JSON does not have"
            if fault is None and row.record is not None:
                yield where, without_nulls(row.record)
            elif faults is None:
                raise BrokenRecords([Fault(where, str(fault))])
            else:
                faults.add(where, str(fault))


def document_of(source: Origin, name: str) -> Any:
    """Return the content of a JSON document; None for a source of rows. Messages call data in memory `name`.

    Raises:
        BrokenRecords: when a .json file is not JSON, or a Python value contains what JSON can't represent.
        InputError: when the file can't be read.
    """
    file = file_of(source)
    if file is None:
        with located(name):
            return plain_value(source) if isinstance(source, Mapping | list | tuple) else None
    return document_of_file(file) if file.kind == "json" else None


def document_of_file(file: InputFile) -> Any:
    """Return the content of a JSON file as a Python value.

    Raises:
        BrokenRecords: when it is not JSON.
        InputError: when it can't be read, or is obviously in another format.
    """
    refuse_mistaken(file)
    try:
        return parse_document(file.read(), file.size)
    except NotJson as error:
        raise BrokenRecords([Fault(file.name, str(error))]) from error


def records_of_document(document: Any, name: str, faults: Faults) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the records of a JSON document that is a list of records, each preceded by its location.

    Raises:
        InputError: when the document is not a list.
    """
    return _placed(rows_of_document(name, document).rows(), name, faults)
