"""Every listed difference of the second part is what the two packs compute."""

from __future__ import annotations

import json
import shutil
from typing import Any, NamedTuple

import pytest

import scoring
from tests.support.golden import REPOSITORY

DOCUMENT = REPOSITORY / "docs" / "differences.md"
NEEDS = {
    "latex_expr_equality": "antlr4", "text_with_latex_expr_equality": "antlr4", "constrained_generation": "pronouncing",
    "general_single_numerical_match": "antlr4", "boxed_single_numerical_match": "antlr4",
    "geo_proximity_location_dict": "geographiclib",
}  # fmt: skip
TABLE = {"Suva, Fiji": [-18.1, 178.4]}


class Row(NamedTuple):
    id: str
    scorer: str
    prediction: Any
    reference: Any
    context: Any
    documented: str
    released: str


def _rows() -> list[Row]:
    text = DOCUMENT.read_text(encoding="utf-8")
    table = text.split("<!-- part-two:begin -->")[1].split("<!-- part-two:end -->")[0].strip().splitlines()[2:]
    rows = []
    for line in table:
        name, scorer, _, *values, documented, released = [cell.strip() for cell in line.strip("|").split(" | ")]
        prediction, reference, context = (json.loads(value.strip("`")) for value in values)
        rows.append(Row(name, scorer, prediction, reference, context, documented, released))
    return rows


def _found(pack: str, row: Row) -> str:
    options = {"geocoder": TABLE} if row.scorer.startswith("geo") else {}
    scorer = scoring.scorer(f"{pack}@1:{row.scorer}", **options)
    outcome = scorer.score(row.prediction, row.reference, context=row.context)
    return f"{outcome.value:g}" if outcome.status == "scored" else outcome.status


def _written(value: str) -> str:
    return f"{float(value):g}" if value[0].isdigit() else value


@pytest.mark.parametrize("row", _rows(), ids=lambda row: row.id)
def test_a_listed_difference_is_what_the_packs_compute(row: Row) -> None:
    if row.scorer in NEEDS:
        pytest.importorskip(NEEDS[row.scorer], reason="the extra of this metric is not installed")
    if row.scorer == "program_judge" and shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    assert (_found("megabench", row), _found("megabench-upstream", row)) == (
        _written(row.documented), _written(row.released),
    )  # fmt: skip


def test_ids_are_unique() -> None:
    names = [row.id for row in _rows()]
    assert len(set(names)) == len(names)
