"""Parts of a file, scored one by one and joined, are the whole to the bit; what they tell is plain data."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import reduce
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.data.file import InputFile
from scoring.data.rows.report import InputReport
from scoring.engine.road.evaluate import Options
from scoring.engine.road.summary import RunState
from scoring.extensions.wide.cutting import cut
from scoring.extensions.wide.part import PartDone, PartScorer, check_portable, halves_of_part
from scoring.statistics import moments
from tests.unit.engine.road.test_state import SPEC

RECORDS = [
    {
        "id": n % 30,
        "response": ["Paris", "paris", "12", None][n % 4],
        "reference": ["Paris", "12", "Rome"][n % 3],
        "kind": ["a", "b", None, 1, True][n % 5],
        "tags": ["x", "y"][: n % 3],
        "weight": [1, 2.5, "heavy"][n % 3],
    }
    for n in range(40)
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in RECORDS) + "no json\n")
    return path


def summary(task: scoring.Task, data: Path, size: int, **options: Any) -> dict[str, Any]:
    scorer = PartScorer(task.to_bytes(), Options(lines=True, **options))
    parts = [scorer(part) for part in cut(InputFile(str(data)), size)]
    done: PartDone = reduce(scorer.merge, parts)
    report = InputReport()
    report.take(done.report)
    # What travels is plain data: JSON keeps all of it.
    return RunState.unpack(task, json.loads(json.dumps(done.state))).summary(task, report)


def of_whole(task: scoring.Task, data: Path, **options: Any) -> dict[str, Any]:
    found = task.evaluate(data, **options).to_json()
    found["inputs"].pop("repeated_ids", None)  # which show when all ids are known
    return found


@pytest.mark.parametrize("intervals", [{}, {"cluster": "kind"}, {"strata": "kind"}])
@pytest.mark.parametrize("size", [1, 300, 2500])
def test_parts_are_the_whole(data: Path, intervals: dict[str, Any], size: int) -> None:
    metrics = SPEC["metrics"] if not intervals else [one for one in SPEC["metrics"] if "f1" not in one]
    task = scoring.load({**SPEC, "intervals": intervals, "metrics": metrics})
    check_portable(task, "exact")
    assert json.dumps(summary(task, data, size)) == json.dumps(of_whole(task, data))


@pytest.mark.parametrize("size", [300, 2500])
def test_sums_are_the_same_however_data_is_cut(data: Path, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    task = scoring.load({**SPEC, "metrics": ["mean", "weighted_mean", "pass_rate"]})
    check_portable(task, "sums")
    exact = summary(task, data, size)
    assert summary(task, data, size, state="sums") == exact, "few different units are counted"
    monkeypatch.setattr(moments, "KINDS", 2)
    found = summary(task, data, size, state="sums")
    assert found == summary(task, data, 4000, state="sums")
    figure, whole = found["metrics"][0], exact["metrics"][0]
    # Of sums alone the interval of a mean is the same to the bit.
    assert {**figure, "units": whole["units"]} == whole
    assert (figure["value"], figure["method"]) == (whole["value"], "bounded")


def test_a_normal_interval_of_sums_is_that_of_the_units(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = {**SPEC, "metrics": ["mean", "weighted_mean"], "intervals": {"method": "normal"}}
    whole = scoring.evaluate(spec, RECORDS * 20).to_json()["metrics"]
    monkeypatch.setattr(moments, "KINDS", 1)
    mean, weighted = scoring.evaluate(spec, RECORDS * 20, state="sums").to_json()["metrics"]
    assert mean["method"] == weighted["method"] == "normal"
    assert mean["interval"] == pytest.approx(whole[0]["interval"], rel=1e-6)
    # The jackknife of a ratio differs from its delta method in the second order alone.
    assert weighted["interval"] == pytest.approx(whole[1]["interval"], rel=0.002)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"metrics": ["quantile"]}, "`quantile` needs all its values"),
        ({"metrics": ["mean"], "intervals": {"cluster": "kind"}}, "intervals by `kind` draw whole clusters"),
        ({"metrics": ["mean"], "intervals": {"strata": "kind"}}, "intervals by `kind` draw within strata"),
    ],
)
def test_sums_refuse_what_needs_all_values(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(scoring.InputError, match=reason):
        check_portable(scoring.load({**SPEC, **changes}), "sums")


def test_halves_of_a_part_are_one_file_of_parquet(data: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    scorer = PartScorer(scoring.load(SPEC).to_bytes(), Options(lines=True), "parquet")
    (part,) = cut(InputFile(str(data)), 1 << 20)
    whole = scorer(part)
    one, two = map(scorer, halves_of_part(part, whole.records))
    read = [parquet.read_table(BytesIO(done.lines)) for done in (scorer.merge(one, two), whole)]
    assert read[0].to_pylist() == read[1].to_pylist()
    assert (read[0].schema, read[0].num_rows) == (read[1].schema, whole.records)


def test_a_part_that_kills_whoever_scores_it_is_unscored(data: Path) -> None:
    scorer: Callable[[Any], PartDone] = PartScorer(scoring.load(SPEC).to_bytes(), Options(lines=True)).lost
    done = scorer(next(cut(InputFile(str(data)), 1)))
    assert done.records == 1
    assert b"the process died while it scored this record" in done.lines
