"""Formats of whole data sets: one JSON object that describes the data set, and a list of results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct


class DocumentFormat(Struct, frozen=True):
    """A format of whole data sets: one JSON object that describes the data set, and a list of results.

    A package adds one through the entry point group `scoring.formats`, as it adds a `FileFormat`.

    Args:
        name: Its name, the same as that of its entry point.
        title: The name that messages use.
        records: The `records:` of the tasks that it is for, such as `detection`.
        is_like: A function that returns whether an object looks like one of this format.
        read: A function from the object, the list of results, and the names of both for error messages, to the records
            of the task, such as `scoring.extensions.vision.files.detections.DetectionRecords`.
    """

    name: str
    title: str
    records: str
    is_like: Callable[[Mapping[str, Any]], bool]
    read: Callable[[Any, Any, str, str], Any]
