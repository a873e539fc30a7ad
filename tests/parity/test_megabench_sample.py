"""Both packs of MEGA-Bench on invented inputs, for clones without the golden folder.

What `megabench-upstream` should give was computed by the released code itself; what `megabench` should give, by this
implementation after it had reproduced every golden vector.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

import scoring
from tests.support.golden import read_jsonl

ROWS = list(read_jsonl(Path(__file__).parent / "data" / "megabench.jsonl"))
PACKS = ("megabench", "megabench-upstream")
SCORERS = sorted({row["scorer"] for row in ROWS if "scorer" in row})
PARSERS = sorted({row["parser"] for row in ROWS if "parser" in row})


def _same(found: Any, wanted: Any) -> bool:
    if wanted == "nan":
        return math.isnan(found)
    if wanted is None or found is None:
        return found is wanted
    return math.isclose(found, wanted, abs_tol=1e-9)


@pytest.mark.parametrize("pack", PACKS)
@pytest.mark.parametrize("name", SCORERS)
def test_scorers(name: str, pack: str) -> None:
    scorer = scoring.scorer(f"{pack}@1:{name}")
    for row in (row for row in ROWS if row.get("scorer") == name):
        outcome = scorer.score(row["prediction"], row["reference"])
        assert outcome.status == row[pack]["status"], row
        assert _same(outcome.value, row[pack]["score"]), (row, outcome)


@pytest.mark.parametrize("pack", PACKS)
@pytest.mark.parametrize("name", PARSERS)
def test_parsers(name: str, pack: str) -> None:
    parser = scoring.parser(f"{pack}@1:{name}")
    for row in (row for row in ROWS if row.get("parser") == name):
        if "error" in row[pack]:
            with pytest.raises(Exception) as raised:  # noqa: PT011  # the class is compared below
                parser.parse(row["response"])
            assert type(raised.value).__name__ == row[pack]["error"], row
        else:
            # Through repr, because NaN is not equal to itself; JSON turned the tuples of the file into lists.
            assert repr(parser.parse(row["response"])).translate(_LISTS) == repr(row[pack]["parsed"]).translate(_LISTS)


_LISTS = str.maketrans("()", "[]")


def test_the_sample_is_worth_reading() -> None:
    assert len(ROWS) > 300
    assert {row[pack]["status"] for row in ROWS if "scorer" in row for pack in PACKS} >= {"scored", "not_applicable"}
