"""An explanation shows the values of packs as they are written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.compiler.test_values import HOUSE, of_house


@pytest.fixture
def house(tmp_path: Path) -> Path:
    (tmp_path / "house.yaml").write_text(HOUSE, encoding="utf-8")
    return tmp_path


def test_a_formula_is_explained_with_the_values_of_packs_as_they_are_written(house: Path) -> None:
    told = of_house(house, "{a: values.house.n / 2}").score({"response": "A", "reference": "b"}).explain()
    assert "values.house.n / 2" in str(told["fields"][0])
