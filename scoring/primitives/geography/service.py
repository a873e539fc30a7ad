"""A geocoding service over HTTP (the search interface of Nominatim), with its answers kept.

The service is no more trusted than a judge's: the whole exchange has a deadline and a largest answer, and what is no
place is a reason. So it is with a file of kept answers, which anyone may have written.
"""

from __future__ import annotations

import functools
import json
import math
import threading
import time
from collections.abc import Mapping
from typing import Any

from scoring.result import Unscored
from scoring.values import Point

_TIMEOUT = 10.0
_PAUSE = 1.0  # public services ask for at most one request a second


class ServiceGeocoder:
    """Asks a service once per place; answers, also "unknown", are kept in memory and in a SQLite file if given."""

    def __init__(self, url: str, cache: str | None = None, *, pause: float = _PAUSE, timeout: float = _TIMEOUT) -> None:
        # Imported here: every primitive's module is read at start, the network is not needed then.
        import sqlite3
        import ssl
        import urllib.parse

        if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
            raise ValueError(f"a geocoding service is an http or https address, not {url!r}")
        from scoring.judge.asking.exchange import Endpoint

        what, trust = "the address of the geocoding service", ssl.create_default_context
        self._service = Endpoint(url, {"User-Agent": "scoring-dsl"}, timeout, what, trust)
        self._pause = pause
        self._lock = threading.Lock()
        self._last = 0.0
        self._memory: dict[str, Point | None] = {}
        self._file = sqlite3.connect(cache, check_same_thread=False) if cache else None
        if self._file:
            self._kept("CREATE TABLE IF NOT EXISTS places (query TEXT PRIMARY KEY, answer TEXT)")

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
        """Close the connections, and the file of answers."""
        self._service.close()
        if self._file:
            self._file.close()

    def _kept_or_asked(self, key: str, query: Mapping[str, Any]) -> Point | None:
        if self._file:
            row = next(iter(self._kept("SELECT answer FROM places WHERE query = ?", key)), None)
            if row:
                return _coordinates(
                    row[0], "the file of the geocoder's answers is damaged: it holds what is no place", True
                )
        found = self._ask(query)
        if self._file:
            self._kept("INSERT OR REPLACE INTO places VALUES (?, ?)", key, json.dumps(found))
            self._file.commit()
        return found

    def _kept(self, statement: str, *values: str) -> list[Any]:
        import sqlite3

        assert self._file is not None
        try:
            return self._file.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise Unscored(f"the file of the geocoder's answers can't be used: {error}") from None

    def _ask(self, query: Mapping[str, Any]) -> Point | None:
        from urllib.parse import urlencode

        from scoring.judge.asking.exchange import ExchangeError

        time.sleep(max(0.0, self._last + self._pause - time.monotonic()))
        self._last = time.monotonic()
        wanted = {name: str(value) for name, value in query.items() if value}
        try:
            answer = self._service.get(urlencode({**wanted, "format": "json", "limit": "1"}, errors="replace"))
        except ExchangeError as error:
            raise Unscored(f"the geocoding service gave no answer: {error}") from None
        if answer.status != 200:
            raise Unscored(f"the geocoding service gave no answer: status {answer.status}")
        return _coordinates(answer.body, "the geocoding service gave what is no list of places")


def _coordinates(text: Any, otherwise: str, is_kept: bool = False) -> Point | None:
    """The point in an answer, or in one that was kept; None where the place is unknown."""
    from scoring.data.json_text import parse

    try:
        found = parse(text)
        if found is None or found == []:
            return None
        latitude, longitude = map(float, found if is_kept else (found[0]["lat"], found[0]["lon"]))
    except (ValueError, TypeError, LookupError):
        raise Unscored(otherwise) from None
    if not (math.isfinite(latitude) and math.isfinite(longitude)):
        raise Unscored(otherwise)
    return latitude, longitude


@functools.lru_cache(maxsize=4)
def service_geocoder(url: str, cache: str | None) -> ServiceGeocoder:
    """The geocoder of that service, made once per process."""
    return ServiceGeocoder(url, cache)
