"""What a format of files is: its name, how files of it are told from others, and the one function that reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, TypeAlias

from scoring.data.rows.row import Block, InputError, Row
from scoring.late import dataclass

Shape: TypeAlias = Literal["records", "cells", "columns"]


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A format of files that hold rows.

    A package adds one through the entry point group `scoring.formats`: the entry's name is the format's, its value
    this object. Compression is no part of a format: every reader gets bytes that are unpacked.

    Args:
        name: What `--input-format` and the manifest call it.
        title: How messages call it.
        suffixes: Endings of file names, with their dot, in lower case.
        rows: From an `InputFile` to its rows, good and bad, or to blocks of them; raises InputError when the file as
            a whole is none.
        begins: What every such file begins with, if all do.
        settings: What may be said after the name, as in `csv,delimiter=tab`; the reader looks into `file.settings`.
        needs: The module without which it can't be read, and what to install for it.
        cut: Cuts such a file into parts that are read by themselves, in order; by default it is read as a whole.
        shape: Whether each row is a record with keys of its own, or all have the same: cells of text, or columns.

    Examples:
        >>> log = FileFormat("log", "a log", (".log",), lambda file: (Row("line 1", {"text": file.name}) for _ in "1"))
        >>> log.ready()
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    rows: Callable[[Any], Iterator[Row] | Iterator[Block]]
    begins: tuple[bytes, ...] = ()
    settings: tuple[str, ...] = ()
    needs: tuple[str, str] | None = None
    cut: Callable[[Any, int], Iterator[Any]] | None = None
    shape: Shape = "records"

    def ready(self) -> None:
        """Make sure that its library is there.

        Raises:
            InputError: naming what to install.
        """
        if self.needs is not None:
            require(self.title, *self.needs)


@dataclass(frozen=True, slots=True)
class DocumentFormat:
    """A format of whole data sets of images: one JSON object that says everything, and a list of results.

    A package adds one through the entry point group `scoring.formats`, as it adds a `FileFormat`.

    Args:
        name: Its name, that of its entry point.
        title: How messages call it.
        records: The `records:` of the tasks that it is for, such as `detection`.
        is_like: Whether an object looks like one of this format.
        read: From the object, the list of results, and how faults name either, to what the task's records are, such
            as `scoring.data.sets.detections.DetectionRecords`.
    """

    name: str
    title: str
    records: str
    is_like: Callable[[Mapping[str, Any]], bool]
    read: Callable[[Any, Any, str, str], Any]


def require(title: str, module: str, distribution: str) -> Any:
    """The module that something needs.

    Args:
        title: What needs it.
        module: Its name.
        distribution: What to install for it.

    Raises:
        InputError: when it is not installed.
    """
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError as error:
        raise InputError(f"{title} needs {module}: pip install '{distribution}'") from error
