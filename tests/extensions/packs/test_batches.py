"""A column of pairs gives with scorers of packs what its pairs give one by one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scoring
from tests.primitives.test_batches import MIXED


@pytest.mark.property
@pytest.mark.parametrize(
    "expression",
    [
        "megabench-upstream@1:exact_str_match",
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
