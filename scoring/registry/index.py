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

PLUG_INS = _by_name("plug-ins")
"""What each of our own entry points names, by `group:name`."""


def text_of(steps: Mapping[str, str], metrics: Mapping[str, str], plug_ins: Mapping[str, str]) -> str:
    """The text of the file that holds these."""
    held: dict[str, dict[str, list[str]]] = {}
    for title, places in (("steps", steps), ("metrics", metrics), ("plug-ins", plug_ins)):
        for name, place in sorted(places.items(), key=lambda entry: (entry[1], entry[0])):
            held.setdefault(title, {}).setdefault(place, []).append(name)
    return json.dumps(held, indent=1) + "\n"
