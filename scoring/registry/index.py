"""Where our own primitives and plug-ins are declared, as `index.json` says, which `scoring generate` writes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

FILE = Path(__file__).with_name("index.json")
_held: Mapping[str, Mapping[str, list[str]]] = json.loads(FILE.read_text("utf-8"))


def _by_name(title: str) -> dict[str, str]:
    return {name: place for place, names in _held[title].items() for name in names}


STEPS = _by_name("steps")
"""The module of each step by its name."""

METRICS = _by_name("metrics")
"""The module of each data-set metric by its name."""

AKA: Mapping[str, dict[str, str]] = {
    of: {other: name for name, others in _held[f"aka of {of}"].items() for other in others}
    for of in ("steps", "metrics")
}
"""The steps and the metrics by what else the field calls them."""

PLUG_INS = _by_name("plug-ins")
"""What each of our own entry points names, by `group:name`."""


def text_of(places: Mapping[str, Mapping[str, str]], aka: Mapping[str, Mapping[str, list[str]]]) -> str:
    """The text of the file that holds these: where names are declared, and what else the field calls them."""
    held: dict[str, dict[str, list[str]]] = {}
    for title, places_of in places.items():
        for name, place in sorted(places_of.items(), key=lambda entry: (entry[1], entry[0])):
            held.setdefault(title, {}).setdefault(place, []).append(name)
    told = {f"aka of {of}": dict(others) for of, others in aka.items()}
    return json.dumps({**held, **told}, indent=1) + "\n"
