"""What a geocoder is, how one is chosen, and one that looks places up in a given table."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from scoring.result import Unscored
from scoring.values import Point, show_type

# What a place is asked by, from the exact question to the broader one.
QUERIES = (("country", "state", "city"), ("country", "city"))


@runtime_checkable
class Geocoder(Protocol):
    """Anything that finds the latitude and longitude of a place; safe to be asked from several threads."""

    def locate(self, query: Mapping[str, Any]) -> Point | None:
        """The coordinates for ``country``, ``city`` and perhaps ``state``; None where the place is unknown."""


class TableGeocoder:
    """Looks places up in a table: a JSON-encoded query, or "city, state, country", to ``[latitude, longitude]``.

    Examples:
        >>> TableGeocoder({"Suva, Fiji": [-18.1, 178.4]}).locate({"country": "Fiji", "city": "Suva"})
        (-18.1, 178.4)
    """

    def __init__(self, table: Mapping[str, Any]) -> None:
        self._table = {self._key(key): tuple(value) for key, value in table.items() if value is not None}

    @classmethod
    def from_file(cls, path: str | Path) -> TableGeocoder:
        """Read the table from a JSON file."""
        return cls(json.loads(Path(path).read_text(encoding="utf-8")))

    @staticmethod
    def _key(written: str) -> str:
        if written.lstrip().startswith("{"):
            return _canonical(json.loads(written))
        parts = [part.strip() for part in written.split(",")]
        names = ("city", "country") if len(parts) == 2 else ("city", "state", "country")
        return _canonical(dict(zip(names, parts, strict=False)))

    def locate(self, query: Mapping[str, Any]) -> Point | None:
        """The entry whose query is exactly this one."""
        found = self._table.get(_canonical(query))
        return None if found is None else (float(found[0]), float(found[1]))


def _canonical(query: Mapping[str, Any]) -> str:
    return json.dumps(dict(query), sort_keys=True, ensure_ascii=False)


_chosen: ContextVar[Geocoder | None] = ContextVar("geocoder", default=None)
_process: list[Geocoder] = []


def set_geocoder(geocoder: Geocoder | None) -> None:
    """Choose the geocoder of this process (all threads); None takes it away."""
    _process[:] = [] if geocoder is None else [geocoder]


@contextmanager
def use_geocoder(geocoder: Geocoder) -> Iterator[Geocoder]:
    """Choose the geocoder within a block of this thread; it goes before the one of the process.

    Examples:
        >>> with use_geocoder(TableGeocoder({"Suva, Fiji": [-18.1, 178.4]})):
        ...     current_geocoder().locate({"country": "Fiji", "city": "Suva"})
        (-18.1, 178.4)
    """
    token = _chosen.set(geocoder)
    try:
        yield geocoder
    finally:
        _chosen.reset(token)


def current_geocoder(given: object = None) -> Geocoder:
    """The geocoder to ask: the one given in the spec or the row, the chosen one, a service, the gazetteer.

    Raises:
        Unscored: when what is given is no geocoder.
    """
    if isinstance(given, Mapping):
        return _of_table(given)
    if given is not None:
        raise Unscored(f"a geocoder in a spec is a table of places, not {show_type(given)}")
    chosen = _chosen.get() or (_process[0] if _process else None)
    return chosen if chosen is not None else _default()


# By identity: a compiled pipeline passes the same table with every pair. The table is kept with its geocoder, so that
# its identity is not given to another one.
_tables: dict[int, tuple[Mapping[str, Any], TableGeocoder]] = {}
_MOST_TABLES = 64


def _of_table(table: Mapping[str, Any]) -> TableGeocoder:
    known = _tables.get(id(table))
    if known is None or known[0] is not table:
        if len(_tables) >= _MOST_TABLES:
            _tables.clear()
        known = (table, TableGeocoder(table))
        _tables[id(table)] = known
    return known[1]


def _default() -> Geocoder:
    url = os.environ.get("SCORING_GEOCODER_URL")
    if url:
        from scoring.primitives.geography.service import service_geocoder

        return service_geocoder(url, os.environ.get("SCORING_GEOCODER_CACHE"))
    from scoring.primitives.geography.gazetteer import gazetteer

    return gazetteer()
