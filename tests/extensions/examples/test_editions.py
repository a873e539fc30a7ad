"""Specs of each edition of the language load and score as on the day they were written; these files never change."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoring.api.specs import check
from scoring.extensions.examples.verbs import test as run_examples
from scoring.registry.editions import EDITIONS

FOLDER = Path(__file__).with_name("editions")
SPECS = sorted(FOLDER.rglob("*.yaml"))


def test_each_edition_has_its_specs() -> None:
    assert {int(path.parent.name) for path in SPECS} == set(EDITIONS)


@pytest.mark.parametrize("path", SPECS, ids=[f"{path.parent.name}-{path.stem}" for path in SPECS])
def test_a_spec_of_an_edition_stays_right(path: Path) -> None:
    assert not [one for one in check(path).findings if one.severity == "error"]
    done = run_examples(path)
    assert done.passed
    assert done.examples > 0
