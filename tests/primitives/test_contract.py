"""Every primitive keeps the contract that its declaration states; new ones are examined without a new test."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from typing import Any

import pytest

from scoring.format.forms import SHARED
from scoring.format.shipped import data_folder
from scoring.registry import registry
from scoring.registry.model import Primitive

PRIMITIVES = list(registry)
IDS = [f"{primitive.kind}:{primitive.name}" for primitive in PRIMITIVES]


@pytest.mark.parametrize("primitive", PRIMITIVES, ids=IDS)
def test_it_is_described(primitive: Primitive) -> None:
    assert primitive.doc.summary.endswith((".", "!", "?")), "the summary is a sentence"
    assert len(primitive.doc.summary) <= 160, "the summary is short"
    for param in primitive.params:
        assert param.doc, f"`{param.name}` is described"


def test_the_schema_knows_every_primitive() -> None:
    definitions = json.loads((data_folder("schemas") / SHARED).read_text("utf-8"))["definitions"]
    for primitive in PRIMITIVES:
        family = "metric" if primitive.kind == "metric" else "primitive"
        assert f"{family}.{primitive.name.replace('/', '.')}" in definitions


@pytest.mark.parametrize("primitive", PRIMITIVES, ids=IDS)
def test_its_defaults_survive_json(primitive: Primitive) -> None:
    for param in primitive.params:
        if param.default is None or isinstance(param.default, (bool, int, float, str)):
            assert json.loads(json.dumps(param.default)) == param.default


RESCORERS = [primitive for primitive in PRIMITIVES if primitive.kind == "rescorer"]


@pytest.mark.parametrize("primitive", RESCORERS, ids=lambda primitive: primitive.name)
def test_rescorers_stay_within_their_range(primitive: Primitive) -> None:
    for settings in _settings(primitive):
        for step in range(101):
            score = primitive.function(step / 100, **settings)
            assert primitive.range[0] <= score <= primitive.range[1]


@pytest.mark.parametrize(
    "primitive", [p for p in RESCORERS if "monotone" in p.laws], ids=lambda primitive: primitive.name
)
def test_monotone_rescorers_never_turn_an_order_round(primitive: Primitive) -> None:
    for settings in _settings(primitive):
        scores = [primitive.function(step / 100, **settings) for step in range(101)]
        assert all(one <= other or math.isclose(one, other) for one, other in pairwise(scores))


def _settings(primitive: Primitive) -> list[dict[str, Any]]:
    """Every required number at a few places inside its bounds."""
    choices: list[dict[str, Any]] = [{}]
    for param in primitive.params:
        if not param.required:
            continue
        low = 0.0 if param.low is None else param.low
        high = low + 1.0 if param.high is None else param.high
        values = [low + (high - low) * share for share in (0.0, 0.3, 1.0)]
        choices = [{**chosen, param.name: value} for chosen in choices for value in values]
    return choices
