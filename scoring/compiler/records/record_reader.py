"""Read the parts of records, such as id, response, reference and context, at the JMESPaths that a spec states."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from operator import itemgetter
from types import MappingProxyType
from typing import Any, TypeAlias

from msgspec import Struct

from scoring.data.nulls import NESTED, column_without_nulls, without_nulls
from scoring.diagnostics.source import Span
from scoring.lang.places import Segments, part_of, segments_of
from scoring.lang.tree import ROOTS
from scoring.lazy_pattern import lazy_pattern
from scoring.ranges import GREATEST
from scoring.result import MISSING
from scoring.statistics.breakdown import attributes_of
from scoring.values import Record

Reader: TypeAlias = Callable[[Any], Any]

DEFAULTS = {"id": "id", "response": "response", "reference": "reference", "context": "context"}
WHOLE = "@"
_DICT = frozenset({dict})
# The classes of what is no mapping for sure.
PLAIN = frozenset({str, int, float, bool, list, tuple, type(None)})
_WORD = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_WORDS = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_]*")
_EITHER = lazy_pattern(r"[A-Za-z_]\w*( \|\| [A-Za-z_]\w*)+$", re.ASCII)
_FLAT = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*\[\]\Z")
_DOTTED = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)+\Z")


def is_mapping(value: Any) -> bool:
    """Tell whether a value is a mapping; the usual class, `dict`, is tested first, which is ten times faster."""
    kind = type(value)
    return kind is dict or (kind not in PLAIN and isinstance(value, Mapping))


def place_reader(path: str, span: Span | None = None) -> Reader:
    """Return a function that returns the value at a path in its argument, such as `meta.lines[0]`, and None if there is
    none; behind `[]` a path is for each item of a list.

    Raises:
        SpecError: when the text is no path, such as a JMESPath that computes something.

    Examples:
        >>> place_reader("meta.langs[]")({"meta": {"langs": ["de", ["en"], None]}})
        ['de', 'en']
    """
    return part_reader(*place_parts(path, span))


def place_parts(path: str, span: Span | None = None) -> tuple[Segments, bool]:
    """Return the segments of a path, and whether it is for each item of a list, as `tags[]` is.

    Raises:
        SpecError: when the text is no path.
    """
    segments = segments_of(path.removesuffix("[]"))
    if segments is None:
        from scoring.compiler.records.searched import refused_place

        raise refused_place(path, span)
    return segments, path.endswith("[]")


def part_reader(segments: Segments, each: bool = False) -> Reader:
    """Return a function that returns what stands at some keys and positions in its argument, and None if there is none;
    ``each`` is for a list, whose items it flattens.

    Examples:
        >>> part_reader(("lines", -1))({"lines": [1, 2]}), part_reader(("a",), each=True)({"a": [1, [2], None]})
        (2, [1, 2])
    """
    is_key = len(segments) == 1 and isinstance(segments[0], str)
    read: Reader = KeyReader(str(segments[0])) if is_key else lambda value: part_of(value, segments)
    return _flat(read) if each else read


def reader(path: str, span: Span | None = None) -> Reader:
    """Return a function that returns the value at a JMESPath in its argument, and None if there is none.

    Raises:
        SpecError: when the path is not a JMESPath.

    Examples:
        >>> reader("output.text")({"output": {"text": "hi"}})
        'hi'
    """
    if path == WHOLE:
        return itself
    if _WORD.match(path):
        return KeyReader(path)
    if _DOTTED.match(path):
        return part_reader(tuple(path.split(".")))
    if _FLAT.match(path):
        return _flat(reader(path.removesuffix("[]")))
    if _EITHER.match(path):
        return _either(path.split(" || "))
    from scoring.compiler.records.searched import searching_reader

    return searching_reader(path, span)


class KeyReader(Struct, frozen=True):
    """A function that returns the value at one key of a record, None if it has no such key.

    Examples:
        >>> KeyReader("a")({"a": 1}), KeyReader("a").column([{"a": 1}, {}, None])
        (1, [1, None, None])
    """

    key: str

    def __call__(self, value: Any) -> Any:
        return value.get(self.key) if is_mapping(value) else None

    def column(self, values: Sequence[Any]) -> list[Any]:
        """Return the value at the key for each of many records."""
        key = self.key
        if _DICT.issuperset(map(type, values)):  # which most records are: spares a call for each
            try:
                return list(map(itemgetter(key), values))
            except KeyError:
                return [value.get(key) for value in values]
        return list(map(self, values))


class _PruningReader(Struct, frozen=True):
    """A function that returns what another reader reads, after removing the nulls in mappings."""

    read: Reader

    def __call__(self, value: Any) -> Any:
        found = self.read(value)
        return without_nulls(found) if type(found) in NESTED else found

    def column(self, values: Sequence[Any]) -> list[Any]:
        """Return the result of the reader for each of many records."""
        found = read_column(self.read, values)
        return found if NESTED.isdisjoint(map(type, found)) else column_without_nulls(found)


def read_column(read: Reader, values: Sequence[Any]) -> list[Any]:
    """Return the result of a reader for each of many values."""
    return read.column(values) if isinstance(read, KeyReader | _PruningReader) else list(map(read, values))


def columns_of(path: str) -> set[str] | None:
    """Return the keys with which a JMESPath may begin to read a record, None if any key is possible.

    Examples:
        >>> columns_of("output.text"), sorted(columns_of("gold || answer")), columns_of("@")
        ({'output'}, ['answer', 'gold'], None)
    """
    if _WORD.match(path) or _DOTTED.match(path) or _FLAT.match(path):
        return {_WORDS.findall(path)[0]}
    return set(path.split(" || ")) if _EITHER.match(path) else None


def columns_of_place(path: str) -> set[str] | None:
    """Return the key with which a path begins to read a record; None if it reads all of it.

    Examples:
        >>> columns_of_place("tags[]"), columns_of_place('"unit price"[0]'), columns_of_place("record")
        ({'tags'}, {'unit price'}, None)
    """
    segments, _ = place_parts(path)
    return {str(segments[0])} if segments else None


def _flat(read_list: Reader) -> Reader:
    """Return a reader of the items of a list that ``read_list`` reads, with lists among them flattened and without
    nulls, as JMESPath does for `[]`."""

    def read(value: Any) -> Any:
        found = read_list(value)
        if not isinstance(found, list):
            return None
        items: list[Any] = []
        for item in found:
            items.extend(item) if isinstance(item, list) else items.append(item)
        return [item for item in items if item is not None]

    return read


def _either(names: list[str]) -> Reader:
    """Return a reader of the first value, under one of the keys ``names``, that is true in JMESPath, as in `a || b`."""

    def read(value: Any) -> Any:
        found = None
        if is_mapping(value):
            for name in names:
                found = value.get(name)
                if found or (found == 0 and found is not False and not isinstance(found, (str, list, dict))):
                    return found
        return found

    return read


def itself(value: Any) -> Any:
    """Return the value unchanged: the reader for the path `@`."""
    return value


class RecordReader:
    """A reader of the parts of records, at the JMESPaths that the spec declares for their names.

    ``by`` has the names of breakdowns: declared names, paths, or several of either crossed (``a x b``);
    ``computed`` has the readers of those that are computed values or paths into them. ``spans`` has the locations of
    paths and breakdowns by their texts. ``has_nulls`` is true if a key with the value null differs from a missing key.
    """

    def __init__(
        self,
        declared: Mapping[str, str],
        by: tuple[str, ...] = (),
        span: Span | None = None,
        spans: Mapping[str, Span] | None = None,
        computed: Mapping[str, Reader] | None = None,
        *,
        has_nulls: bool = True,
    ) -> None:
        paths = {**DEFAULTS, **declared}
        known_spans = spans or {}
        self._has_nulls = has_nulls
        self._without_nulls: Reader = itself if has_nulls else without_nulls
        self._readers = {name: self._reader(path, known_spans.get(path, span)) for name, path in paths.items()}
        self.id = self._readers["id"]
        self.response = self._readers["response"]
        self.reference = self._readers["reference"]
        self._paths = paths
        self._roots = {"context": self._readers["context"], "reference": self.reference, "prediction": self.response}
        # Whether the spec says where records keep a weight.
        self._weight, self.has_weights = self._readers.get("weight"), "weight" in self._readers
        # Whether id, response and reference are each a key of the record, and nothing is made of its other keys.
        self.reads_words = all(_WORD.match(paths[name]) for name in ("id", "response", "reference"))
        self.has_attributes = bool(by)
        self._extra = {name: read for name, read in self._readers.items() if name not in DEFAULTS}
        self._by: dict[str, Reader] = {}
        # The attributes that are computed values, and what reads each out of a row.
        self.computed = dict(computed or {})
        for name in by:
            for part in attributes_of(name):
                self._by[part] = itself if part in self.computed else self._attribute(part, known_spans.get(name, span))

    def reader_of(self, path: str, span: Span | None = None) -> Reader:
        """Return the reader for a path, in which a declared name at the beginning stands for its own path.

        Raises:
            SpecError: when the text is no path.
        """
        segments, each = place_parts(path, span)
        read = self._readers.get(str(segments[0])) if segments else None
        if read is None or (len(segments) == 1 and not each):
            return read or part_reader(segments, each)
        read_part, inside = read, part_reader(segments[1:], each)
        return lambda record: inside(read_part(record))

    def _attribute(self, path: str, span: Span | None) -> Reader:
        """Return the reader for the path of an attribute by which results are broken down."""
        read = self.reader_of(path, span)
        return read if self._has_nulls else _PruningReader(read)

    def _reader(self, path: str, span: Span | None) -> Reader:
        """Return the reader for a path; if nulls count as missing, they are removed from the record for any path that
        could tell the two apart, such as `keys(gold)`."""
        read, prune = reader(path, span), self._without_nulls
        return read if prune is itself or columns_of(path) is not None else lambda value: read(prune(value))

    @property
    def columns(self) -> set[str] | None:
        """The keys of records that the declared paths and breakdowns may read, None if any key is possible."""
        attributes = self._by.keys() - self._paths.keys() - self.computed.keys()
        found = [*map(columns_of, self._paths.values()), *map(columns_of_place, attributes)]
        known = [names for names in found if names is not None]
        return set().union(*known) if len(known) == len(found) else None

    def row(
        self, record: Record, roots: Collection[str] = ROOTS, own: Mapping[str, Any] = MappingProxyType({})
    ) -> dict[str, Any]:
        """Return the row of a record: the values at the first names of paths, such as `record` in `record.x`, for the
        requested ``roots`` only; ``own`` has values that replace those of the record."""
        read_whole = self._without_nulls
        row: dict[str, Any] = {}
        if "record" in roots:
            extra = {name: read_whole(read(record)) for name, read in self._extra.items()}
            row["record"] = {**read_whole(record), **extra}
        for root, read in self._roots.items():
            if root in roots:
                value = own[root] if root in own else read(record)
                row[root] = read_whole(value) if type(value) in NESTED else value
        return row

    def rows(self, records: Sequence[Record], roots: Collection[str]) -> list[dict[str, Any]]:
        """Return the row of each of many records, see `row`."""
        if "record" in roots:
            return [self.row(record, roots) for record in records]
        names = [name for name in self._roots if name in roots]
        if not names:
            return [{} for _ in records]
        read = [read_column(self._roots[name], records) for name in names]
        columns = read if self._has_nulls else map(column_without_nulls, read)
        return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]

    def given_reference(self, record: Record) -> Any:
        """Return the reference of a record, None if it has none; `MISSING` instead, if null is a value of its own."""
        found = self.reference(record)
        return MISSING if found is None and self._has_nulls and self._lacks_reference(record) else found

    def _lacks_reference(self, record: Record) -> bool:
        """Tell whether a record has no key for its reference; if it has the key with null, the reference is null."""
        value: Any = record
        for name in self._paths["reference"].split("."):
            if not is_mapping(value) or name not in value:
                return True
            value = value[name]
        return False

    def column(self, name: str, records: Sequence[Record]) -> list[Any]:
        """Return the values of the declared part ``name`` of many records."""
        if name == "reference" and self._has_nulls:
            return list(map(self.given_reference, records))
        return read_column(self._readers[name], records)

    def weight(self, record: Record) -> float | None:
        """Return the weight of a record, 1 if the spec states no path for it or the record has none; None if it is not
        a valid number."""
        value = self._weight(record) if self._weight is not None else None
        if value is None:
            return 1.0
        if not isinstance(value, (int, float)) or not 0 <= value <= GREATEST:
            return None
        return float(value)

    def attributes(self, record: Record, row: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the values by which results are broken down, by name; computed values are read from the row, and are
        None without one."""
        computed = self.computed
        if not computed:
            return {name: read(record) for name, read in self._by.items()}
        return {
            name: (None if row is None else computed[name](row)) if name in computed else read(record)
            for name, read in self._by.items()
        }

    def attribute_columns(self, records: Sequence[Record], rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
        """Return the attributes of many records as columns, by name; values that are in the rows are not read again."""
        records_read = [row["record"] for row in rows] if rows and "record" in rows[0] else None
        found = {}
        for name, read in self._by.items():
            if name in self.computed:
                found[name] = list(map(self.computed[name], rows))
            elif records_read is not None and name in self._extra:
                found[name] = [one[name] for one in records_read]
            else:
                found[name] = read_column(read, records)
        return found
