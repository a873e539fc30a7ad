"""A column form is the plain form, value by value; what fails alone fails alone in a column, too."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scoring
from scoring.registry import registry
from scoring.registry.model import Primitive

TEXTS = st.lists(st.text(alphabet="aBß éİ \t\n\x1c\u2003", max_size=8), max_size=12)


def transforms() -> list[Primitive]:
    return [found for found in registry if found.batch is not None and found.kind == "transform" and not found.params]


def test_there_are_some() -> None:
    assert {"lower", "casefold", "collapse_spaces", "to_text"} <= {found.name for found in transforms()}


@pytest.mark.property
@pytest.mark.parametrize("found", transforms(), ids=lambda found: found.name)
@given(texts=TEXTS)
def test_a_transform_gives_the_same_one_by_one(found: Primitive, texts: list[str]) -> None:
    assert found.batch is not None
    assert found.batch(list(texts)) == [found.function(text) for text in texts]


MIXED = st.lists(st.one_of(st.text("aB \t", max_size=5), st.integers(0, 3), st.none(), st.floats(0, 1), st.booleans()))


@pytest.mark.property
@pytest.mark.parametrize(
    "expression",
    [
        "lower | collapse_spaces | levenshtein | cutoff(0.5)",
        "to_text | casefold | levenshtein",
        "number | equal",
        "levenshtein",
        'matches(r"\\s*[aB]$")',
        'matches(r"\\s*[aB]", whole=true)',
        'replace_pattern(r"\\s+", by="-") | replace_pattern("(a)|B", by=r"\\1") | equal',
        "words | item_edits",
        "to_text | words | edit_rate",
        "attempt(lower | equal, otherwise=0.25)",
        "megabench-upstream@1:near_str_match",
    ],
)
@given(predictions=MIXED, data=st.data())
def test_a_column_gives_what_pairs_give(expression: str, predictions: list[Any], data: st.DataObject) -> None:
    references = [data.draw(st.sampled_from([prediction, "a B", 3, None])) for prediction in predictions]
    compare = scoring.scorer(expression)
    alone = [compare.score(one, other) for one, other in zip(predictions, references, strict=True)]
    assert compare.score_many(predictions, references) == alone


def test_white_space_of_every_kind_is_collapsed() -> None:
    spaces = [chr(code) for code in range(0x110000) if chr(code).isspace()]
    collapse = scoring.parser("collapse_spaces")
    assert {collapse.parse(f" a{space}{space}b{space}") for space in spaces} == {"a b"}


def test_equal_scores_look_the_same_whichever_came_first() -> None:
    from scoring.compiler.programs.failures import outcome_of

    assert [repr(outcome_of(score).value) for score in (1, True, 1.0, -0.0, 0, 0.0)] == ["1.0"] * 3 + ["0.0"] * 3
