"""Runs compared within strata: what is fixed is no chance, and figures of fixed groups are told apart by records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.errors import InputError

MACRO = {
    "kind": "task",
    "name": "t",
    "score": "equal",
    "metrics": [{"m": "mean(per(record.kind, mean(score)))"}, "mean"],
}
MEAN = {**MACRO, "metrics": ["mean"], "by": ["kind"]}
FIXED = {**MACRO, "intervals": {"strata": "kind"}}


def of_kinds(path: Path, spec: dict[str, Any], rights: dict[str, list[bool]]) -> str:
    """A run of records of some kinds, of which so many are right."""
    told = [(kind, right) for kind, held in rights.items() for right in held]
    records = [
        {"id": place, "response": "a" if right else "b", "reference": "a", "kind": kind, "doc": place // 2}
        for place, (kind, right) in enumerate(told)
    ]
    scoring.evaluate(spec, records, output=path)
    return str(path)


def compared(*runs: str, **how: Any) -> dict[str, Any]:
    return scoring.compare(*runs, **how).to_json()


def kinds(first: int, second: int) -> dict[str, list[bool]]:
    """Of ninety and ten records, how many are right; which of them goes round."""
    return {"x": [n * 7 % 90 < first for n in range(90)], "y": [n * 3 % 10 < second for n in range(10)]}


def test_a_macro_over_few_fixed_groups_is_told_apart_by_their_records(tmp_path: Path) -> None:
    """Two groups that are drawn as a whole tell nothing; their records do, and the higher figure is the better one."""
    sides = [kinds(90, 0), kinds(60, 9)]
    drawn = [of_kinds(tmp_path / f"drawn{n}", MACRO, side) for n, side in enumerate(sides)]
    fixed = [of_kinds(tmp_path / f"fixed{n}", FIXED, side) for n, side in enumerate(sides)]
    whole, within = compared(*drawn), compared(*fixed)
    assert whole["first"] == within["first"] == 0.5
    assert whole["second"] == within["second"] == pytest.approx((60 / 90 + 0.9) / 2)
    assert (whole["verdict"], whole["p_value"]) == ("same", 1.0)
    assert whole["interval"]["note"] == (
        "fewer than 12 groups, each drawn as a whole; of groups that are fixed, `strata` draws the records"
    )
    assert (within["verdict"], within["strata"]) == ("better", "kind")
    assert within["p_value"] < 0.01
    assert 0 < within["interval"]["low"] < within["difference"] < within["interval"]["high"]
    # The same of runs that were drawn otherwise, by the option.
    again = compared(*drawn, strata="kind")
    assert [again[key] for key in ("interval", "p_value", "verdict")] == [
        within[key] for key in ("interval", "p_value", "verdict")
    ]


def test_what_strata_differ_in_is_no_chance(tmp_path: Path) -> None:
    """Of 40 records of one kind three in four change, of 40 of the other none: only within kinds that says much."""
    before = {"x": [False] * 40, "y": [True] * 40}
    after = {"x": [n % 4 > 0 for n in range(40)], "y": [True] * 40}
    runs = [of_kinds(tmp_path / str(n), MEAN, side) for n, side in enumerate((before, after))]
    within, whole = compared(*runs, strata="kind"), compared(*runs)
    assert within["difference"] == whole["difference"] == 0.375
    widths = [found["interval"]["high"] - found["interval"]["low"] for found in (within, whole)]
    # By hand: the variance of a stratified mean is 1/4 · (3/4 · 1/4) / 39 of the first kind, and 0 of the other.
    assert widths[0] == pytest.approx(2 * 1.96 * (0.25 * 0.1875 / 39) ** 0.5, rel=0.15)
    assert widths[0] < 0.7 * widths[1]


def test_a_single_change_is_no_evidence_within_strata_either(tmp_path: Path) -> None:
    before, after = kinds(90, 0), kinds(90, 4)
    for number, spec in enumerate((FIXED, {**FIXED, "metrics": ["mean"]})):
        runs = [of_kinds(tmp_path / f"{number}{n}", spec, side) for n, side in enumerate((before, after))]
        found = compared(*runs)
        assert found["p_value"] >= 0.125  # as of four coins that fall alike
        assert found["verdict"] == "same"


def test_runs_within_strata_are_ranked_by_their_records(tmp_path: Path) -> None:
    sides = [kinds(90, 0), kinds(60, 9), kinds(88, 10)]
    found = scoring.compare(*(of_kinds(tmp_path / str(n), FIXED, side) for n, side in enumerate(sides)))
    board = found.to_json()["boards"][0]
    assert (board["metric"], board["unit"], found.to_json()["strata"]) == ("m", "group", "kind")
    assert [row["run"] for row in board["ranking"]] == [2, 1, 0]
    assert board["ranking"][0]["ranks"] == [1, 1]


@pytest.mark.parametrize(
    ("strata", "cluster", "why"),
    [
        ("doc", None, "so its spread is unknown"),
        ("kind", "doc", "the cluster 44 is in the strata"),
        ("type", None, "no record has the attribute type; the runs have doc, kind"),
    ],
)
def test_strata_within_which_nothing_can_be_drawn_are_refused(
    tmp_path: Path, strata: str, cluster: str | None, why: str
) -> None:
    spec = {**MACRO, "by": ["doc", "kind"]}
    sides = [{"x": [True] * 89, "y": [n > 3] * 10} for n in (1, 5)]
    runs = [of_kinds(tmp_path / str(n), spec, side) for n, side in enumerate(sides)]
    for metric in ("m", "mean"):
        with pytest.raises(InputError, match=why):
            compared(*runs, strata=strata, cluster=cluster, metric=metric)
