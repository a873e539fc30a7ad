"""Every pattern of every shipped spec runs on a long text of anything, or says that it does not."""

from __future__ import annotations

import collections
import contextlib
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scoring.format.build import Building
from scoring.format.read import read_source, read_text
from scoring.lang.tree import Call, Literal
from scoring.primitives.patterns.prepared import TooCostly, prepare
from scoring.registry import registry
from scoring.value_base import PartlyCompared
from tests.support.waiting import cpu_time_below

SPECS = Path(__file__).parents[3] / "specs"
STEPS = {one.name for one in registry if one.family == "patterns"}
SIZE = 300_000  # a search whose steps grow with the square would take minutes
UNITS = [" ", "Answer: 1"]


def calls(node: Any) -> Iterator[Call]:
    """Every step of a tree, at any depth."""
    if isinstance(node, Call):
        yield node
    if isinstance(node, PartlyCompared):
        for value in node.compared().values():
            yield from calls(value)
    elif isinstance(node, tuple):
        for one in node:
            yield from calls(one)


def shipped() -> Iterator[tuple[str, str]]:
    """Every pattern of the shipped specs, with the name of its file."""
    for path in sorted(SPECS.rglob("*.yaml")):
        text = read_source(path).text
        if not any(step in text for step in STEPS):
            continue
        building = Building(read_text(text, str(path)))
        building.spec()
        for _, tree in building.expressions:
            for call in calls(tree):
                given = [value for name, value in call.kwargs if name == "pattern"] or list(call.args[:1])
                if call.name in STEPS and given and isinstance(given[0], Literal):
                    yield str(path.relative_to(SPECS)), str(given[0].value)


SHIPPED = sorted(set(shipped()))


def test_patterns_are_found_in_the_shipped_specs() -> None:
    assert len(SHIPPED) > 40
    assert "answer-extraction/pack.yaml" in {path for path, _ in SHIPPED}


@pytest.mark.parametrize("pattern", sorted({pattern for _, pattern in SHIPPED}))
def test_a_long_text_of_anything_costs_little_or_is_refused(pattern: str) -> None:
    ready = prepare(pattern)
    literal = re.sub(r"\\(.)|[^\w #:{}<>]", r"\1", pattern) or "x"  # the pattern's own letters, again and again
    for unit in [*UNITS, literal]:
        text = unit * (SIZE // len(unit))
        with cpu_time_below(5), contextlib.suppress(TooCostly):
            collections.deque(itertools.islice(ready.matches(text), 1_000_001), maxlen=1)
