"""Reading a record: its id, response, reference, context and whatever else the spec names, by JMESPath."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Span

Record: TypeAlias = Mapping[str, Any]
Reader: TypeAlias = Callable[[Any], Any]

DEFAULTS = {"id": "id", "response": "response", "reference": "reference", "context": "context"}
WHOLE = "@"
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*$")
_DOTTED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)+$")


def reader(path: str, span: Span | None = None) -> Reader:
    """A function that reads a JMESPath out of a value; what is not there is None.

    Raises:
        SpecError: when the path is no JMESPath.

    Examples:
        >>> reader("output.text")({"output": {"text": "hi"}})
        'hi'
    """
    if path == WHOLE:
        return lambda value: value
    if _WORD.match(path):
        return lambda value: value.get(path) if isinstance(value, Mapping) else None
    if _DOTTED.match(path):
        return _dotted(path.split("."))
    return _jmespath(path, span)


def _dotted(names: list[str]) -> Reader:
    def read(value: Any) -> Any:
        for name in names:
            if not isinstance(value, Mapping):
                return None
            value = value.get(name)
        return value

    return read


def _jmespath(path: str, span: Span | None) -> Reader:
    import jmespath

    try:
        compiled = jmespath.compile(path)
    except jmespath.exceptions.JMESPathError as error:
        message = str(error).splitlines()[0]
        raise SpecError.of(
            "bad-path", f"`{path}` is no JMESPath: {message}", span,
            help="a path looks like `output.text` or `choices[0].message`; names with spaces stand in double quotes",
        ) from None

    def read(value: Any) -> Any:
        try:
            return compiled.search(value)
        except jmespath.exceptions.JMESPathError:
            return None

    return read


class RecordReader:
    """Reads the named parts of records.

    Args:
        declared: The spec's ``record`` mapping, from names to JMESPaths.
        by: The attributes of the breakdowns, as JMESPaths.
    """

    def __init__(self, declared: Mapping[str, str], by: tuple[str, ...] = (), span: Span | None = None) -> None:
        paths = {**DEFAULTS, **declared}
        self._readers = {name: reader(path, span) for name, path in paths.items()}
        self.id = self._readers["id"]
        self.response = self._readers["response"]
        self.reference = self._readers["reference"]
        self._context = self._readers["context"]
        self._weight = self._readers.get("weight")
        self._extra = {name: read for name, read in self._readers.items() if name not in DEFAULTS}
        self._by = {name: self._readers.get(name) or reader(name, span) for name in by}

    def row(self, record: Record) -> dict[str, Any]:
        """What paths such as ``record.x`` and ``context.y`` are read from."""
        extra = {name: read(record) for name, read in self._extra.items()}
        return {
            "record": {**record, **extra},
            "context": self._context(record),
            "reference": self.reference(record),
            "prediction": self.response(record),
        }

    def weight(self, record: Record) -> float:
        """The record's weight, 1 unless the spec names one."""
        value = self._weight(record) if self._weight is not None else None
        return float(value) if isinstance(value, (int, float)) else 1.0

    def attributes(self, record: Record) -> dict[str, Any]:
        """The values by which results are broken down."""
        return {name: read(record) for name, read in self._by.items()}
