"""The table of mistakes: every example is refused by its own row, and what was meant is accepted."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import pytest

from scoring.diagnostics.diagnostic import Diagnostic, SpecError
from scoring.lang.mistake import Mistake, Place, mistakes
from scoring.lang.parser import parse_formula, parse_pipeline

PARSERS: dict[str | None, tuple[Callable[[str], Any], ...]] = {
    "pipeline": (parse_pipeline,),
    "formula": (parse_formula,),
    None: (parse_pipeline, parse_formula),
}
EXAMPLES = [
    pytest.param(row, bad, meant, id=f"{row.id}:{bad}") for row in mistakes() for bad, meant in row.examples.items()
]


def refusals(parse: Callable[[str], Any], text: str) -> tuple[Diagnostic, ...]:
    try:
        parse(text)
    except SpecError as error:
        return error.diagnostics
    return ()


@pytest.mark.parametrize(("row", "bad", "meant"), EXAMPLES)
def test_example_is_refused_by_its_row(row: Mistake, bad: str, meant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen: list[Mistake | None] = []

    def recorded(place: Place) -> Mistake | None:
        chosen.append(next((row for row in mistakes() if row.fits(place)), None))
        return chosen[-1]

    monkeypatch.setattr("scoring.lang.mistake.find_mistake", recorded)
    found = [refusals(parse, bad) for parse in PARSERS[row.entry]]
    assert all(found)
    assert row in chosen
    assert row.id in {each[0].id for each in found}


@pytest.mark.parametrize(("row", "bad", "meant"), EXAMPLES)
def test_what_was_meant_is_accepted(row: Mistake, bad: str, meant: str) -> None:
    assert any(not refusals(parse, meant) for parse in PARSERS[row.entry])


@pytest.mark.parametrize(("row", "bad", "meant"), EXAMPLES)
def test_words_of_a_row_leave_no_hole(row: Mistake, bad: str, meant: str) -> None:
    for parse in PARSERS[row.entry]:
        for found in refusals(parse, bad):
            assert not any(hole in f"{found.message}{found.primary.text}{found.help}" for hole in ("{b", "{f", "{a}"))
            assert "``" not in found.message


MENDED = [one for one in EXAMPLES if isinstance(one.values[0], Mistake) and one.values[0].write]


@pytest.mark.parametrize(("row", "bad", "meant"), MENDED)
def test_a_row_that_can_says_the_whole_expression(row: Mistake, bad: str, meant: str) -> None:
    """In place of a hint stands what to paste: the example as it was meant, in its canonical text."""
    for parse in PARSERS[row.entry]:
        found = [one for one in refusals(parse, bad) if one.id == row.id and one.message.split("`")[0] in row.message]
        if not found or refusals(parse, meant):
            continue
        (help_,) = found[0].help
        assert parse(help_.removeprefix("write `").removesuffix("`")) == parse(meant)


@pytest.mark.parametrize(
    ("parse", "bad", "meant"),
    [
        (parse_formula, "a && b && !c", "a and b and not c"),
        (parse_formula, "a if b > 50% else .5 ** 2", ""),  # two are known, the third means nothing certain
        (parse_pipeline, "lower().strip().equal()", "lower | strip | equal"),
        (parse_pipeline, "{{ lower || near-match(a: 5%) }}", "lower | near_match(a=0.05)"),
        (parse_formula, "a / b ** 2", ""),  # `a / b * b` would be another number
    ],
)
def test_several_mistakes_are_mended_together(parse: Callable[[str], Any], bad: str, meant: str) -> None:
    helps = [help_ for one in refusals(parse, bad) for help_ in one.help]
    assert helps == [f"write `{meant}`"] if meant else not any(bad[:4] in help_ for help_ in helps)


def test_hostile_shapes_are_read_in_one_pass() -> None:
    """Ten thousand words that could each be a part of a choice take no longer than others."""
    began = perf_counter()
    assert refusals(parse_formula, "a " + "if b " * 3000)
    assert perf_counter() - began < 2
