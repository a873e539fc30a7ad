"""The table of mistakes: every example is refused by its own row, and what was meant is accepted."""

from __future__ import annotations

from collections.abc import Callable
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
