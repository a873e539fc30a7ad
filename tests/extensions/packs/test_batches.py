"""A column of pairs gives with scorers of packs what its pairs give one by one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scoring
from scoring.registry import registry
from tests.primitives.test_batches import MIXED


@pytest.mark.property
@pytest.mark.parametrize(
    "expression",
    [
        "megabench-upstream@1:exact_str_match",
        "megabench-upstream@1:near_str_match",
        "megabench-upstream@1:normalized_similarity_damerau_levenshtein",
        "megabench-upstream@1:set_equality",
        "mmesgbench-upstream@1:list",
        "mmesgbench-upstream@1:str",
    ],
)
@given(predictions=MIXED, data=st.data())
def test_a_column_gives_what_pairs_give_with_a_scorer_of_a_pack(
    expression: str, predictions: list[Any], data: st.DataObject
) -> None:
    references = [data.draw(st.sampled_from([prediction, "a B", 3, None])) for prediction in predictions]
    compare = scoring.scorer(expression)
    alone = [compare.score(one, other) for one, other in zip(predictions, references, strict=True)]
    assert compare.score_many(predictions, references) == alone


@pytest.mark.property
@given(st.lists(st.text("abé ", max_size=6), min_size=1), st.lists(st.text("abé ", max_size=6), min_size=1))
def test_a_table_of_similar_characters_gives_what_pairs_give(predictions: list[str], references: list[str]) -> None:
    found = registry.get("character_similarity")
    assert found is not None
    assert found.table is not None
    table = found.table(predictions, references).tolist()
    assert table == [[found.function(one, other) for other in references] for one in predictions]
