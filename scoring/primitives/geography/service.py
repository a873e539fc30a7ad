"""A geocoding service over HTTP (the search interface of Nominatim), with its answers kept."""

from __future__ import annotations

import functools
import json
import threading
import time
from collections.abc import Mapping
from typing import Any

from scoring.result import Unscored, cause_of
from scoring.values import Point

_TIMEOUT = 10.0
_PAUSE = 1.0  # public services ask for at most one request a second
_LARGEST = 1_000_000


class ServiceGeocoder:
    """Asks a service once per place; answers, also "unknown", are kept in memory and in a SQLite file if given."""

    def __init__(self, url: str, cache: str | None = None, *, pause: float = _PAUSE) -> None:
        # Imported here: every primitive's module is read at start, the network is not needed then.
        import sqlite3
        import urllib.parse

        if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
            raise ValueError(f"a geocoding service is an http or https address, not {url!r}")
        self._url, self._pause = url, pause
        self._lock = threading.Lock()
        self._last = 0.0
        self._memory: dict[str, Point | None] = {}
        self._file = sqlite3.connect(cache, check_same_thread=False) if cache else None
        if self._file:
            self._file.execute("CREATE TABLE IF NOT EXISTS places (query TEXT PRIMARY KEY, answer TEXT)")

    def locate(self, query: Mapping[str, Any]) -> Point | None:
        """The service's first answer.

        Raises:
            Unscored: when the service can't be asked; nothing is kept then.
        """
        key = json.dumps(dict(query), sort_keys=True, ensure_ascii=False)
        with self._lock:
            if key not in self._memory:
                self._memory[key] = self._kept_or_asked(key, query)
            return self._memory[key]

    def close(self) -> None:
        """Close the file of answers."""
        if self._file:
            self._file.close()

    def _kept_or_asked(self, key: str, query: Mapping[str, Any]) -> Point | None:
        if self._file:
            row = self._file.execute("SELECT answer FROM places WHERE query = ?", (key,)).fetchone()
            if row:
                return _coordinates(json.loads(row[0]))
        found = self._ask(query)
        if self._file:
            self._file.execute("INSERT OR REPLACE INTO places VALUES (?, ?)", (key, json.dumps(found)))
            self._file.commit()
        return found

    def _ask(self, query: Mapping[str, Any]) -> Point | None:
        import urllib.parse
        import urllib.request

        time.sleep(max(0.0, self._last + self._pause - time.monotonic()))
        self._last = time.monotonic()
        wanted = {name: str(value) for name, value in query.items() if value}
        address = f"{self._url}?{urllib.parse.urlencode({**wanted, 'format': 'json', 'limit': '1'})}"
        request = urllib.request.Request(address, headers={"User-Agent": "scoring-dsl"})
        try:
            with urllib.request.urlopen(request, timeout=_TIMEOUT) as answer:
                places = json.loads(answer.read(_LARGEST))
        except (OSError, ValueError) as error:
            raise Unscored(f"the geocoding service gave no answer: {cause_of(error)}") from None
        return _coordinates([places[0]["lat"], places[0]["lon"]]) if places else None


def _coordinates(found: Any) -> Point | None:
    return None if found is None else (float(found[0]), float(found[1]))


@functools.lru_cache(maxsize=4)
def service_geocoder(url: str, cache: str | None) -> ServiceGeocoder:
    """The geocoder of that service, made once per process."""
    return ServiceGeocoder(url, cache)
