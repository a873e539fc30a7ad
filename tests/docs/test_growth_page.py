"""`python -m benchmarks.growth` runs, fits exponents that are known, and sees what ends the work; its page is there."""

from __future__ import annotations

import pytest

from benchmarks.growth.measure import SIZES, Cost, Growth, slope
from benchmarks.growth.page import Found, page
from tests.support.golden import REPOSITORY

PAGE = REPOSITORY / "docs" / "growth.md"
REASON = "texts of {0} and {0} characters are too long to be aligned"


def growth(power: float, most: float = 1.0, *further: Cost, fixed: float = 0.0) -> Growth:
    """What takes `most` seconds at the greatest size, and grows with a power of the size."""
    costs = (Cost(size, fixed + most * (size / SIZES[-1]) ** power) for size in SIZES)
    return Growth("work", "a form", (*costs, *further))


@pytest.mark.parametrize("power", [0.5, 1.0, 1.5, 2.0])
def test_a_known_power_is_the_exponent(power: float) -> None:
    assert growth(power).exponent == pytest.approx(power)
    assert slope(growth(power).costs) == pytest.approx(power)


def test_a_fixed_cost_hides_no_growth() -> None:
    assert growth(2.0, 5.0, fixed=0.02).exponent == pytest.approx(2.0, abs=0.4)
    assert growth(1.0, fixed=0.02).exponent == pytest.approx(1.0, abs=0.3)


def test_what_costs_little_has_no_exponent() -> None:
    assert growth(2.0, 0.01).exponent is None


def test_a_reason_that_comes_with_the_size_is_a_bound() -> None:
    ended = Cost(200_000, 0.001, REASON.format(200_000))
    found = growth(2.0, 1.0, ended)
    assert found.bound == ended
    assert found.exponent == pytest.approx(2.0)
    refused = Growth("work", "a form", tuple(Cost(size, 0.1, f"not a number: '{size}'") for size in SIZES))
    assert refused.bound is None  # it is refused at any size


def test_larger_sizes_settle_what_is_steep_by_chance() -> None:
    noisy, larger = Cost(100_000, 0.3), (Cost(size, 1e-6 * size) for size in (400_000, 1_600_000, 3_200_000))
    found = Growth("work", "a form", (*growth(1.0, 0.1).costs[:-1], noisy))
    assert found.exponent == pytest.approx(1.24, abs=0.05)
    assert Growth("work", "a form", (*found.costs, *larger)).exponent == pytest.approx(1.0, abs=0.1)


def test_the_page_tells_what_is_steep_and_what_ends_it() -> None:
    ended = growth(2.0, 1.0, Cost(200_000, 0.001, REASON.format(200_000)))
    text = page([Found("primitives", "bounded", (ended,)), Found("cookbook", "endless", (growth(1.5),))])
    assert "2 are steeper than 1.2 for some form, 1 of them without a bound" in " ".join(text.split())
    assert f"| `bounded` | a form | 2.00 | {REASON.format(200_000)} (200,000) | 1.00 s at 100,000 |" in text
    assert "| `endless` | a form | 1.50 | none up to 100,000 |" in text


def test_the_page_is_what_the_command_writes() -> None:
    text = PAGE.read_text("utf-8")
    assert text.startswith("<!-- Written by `python -m benchmarks.growth --markdown`")
    for heading in ("Above 1.2", "The others, by length", "By fields and definitions", "By records"):
        assert f"\n## {heading}\n" in text
