"""Names that the field uses lead to ours in what is offered for a mistake."""

from __future__ import annotations

from typing import Any

import pytest

import scoring
from scoring.api.definitions import scorer
from scoring.registry.declare import DeclarationError


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("exact_match", "equal"),
        ("trim", "strip"),
        ("lowercase", "lower"),
        ("exactmtch", "equal"),
        ("includes", "contains"),
    ],
)
def test_a_name_that_others_use_is_a_near_miss(written: str, meant: str) -> None:
    with pytest.raises(scoring.SpecError) as caught:
        scorer(f"lower | {written}")
    told = caught.value.diagnostics[0]
    assert f"did you mean `{meant}`?" in told.primary.text or told.help == (f"write `{meant}`",)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"topics": ("speach",)}, "did you mean `speech`"),
        ({"topics": ("xyz",)}, "they are answers, choices"),
        ({"topics": "text"}, "a tuple"),
        ({"topics": ("text",), "aka": ("Thing",)}, "not another name"),
        ({"topics": ("text",), "aka": "thing"}, "a tuple"),
    ],
)
def test_a_wrong_declaration_is_refused(given: dict[str, Any], told: str) -> None:
    def thing(text: str, /) -> str:
        """It.

        Examples:
            >>> 1
            1
        """
        return text

    with pytest.raises(DeclarationError, match=told):
        scoring.plugin.primitive(**given)(thing)
