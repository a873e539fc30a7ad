"""Figures of whole runs against what a sheet of paper gives, or a formula that shares no line with the program."""

from __future__ import annotations

import math
import os
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import scoring

QUICKSTART = Path(__file__).resolve().parents[3] / "specs" / "quickstart"
INVOICES = (QUICKSTART / "invoices.yaml", QUICKSTART / "invoices.jsonl")


def metrics_of(records: list[dict[str, Any]], *metrics: str, **more: Any) -> list[dict[str, Any]]:
    spec = {"kind": "task", "name": "t", "version": "1.0.0", "score": "equal", "metrics": list(metrics), **more}
    found: list[dict[str, Any]] = scoring.load(spec).evaluate(records).summary["metrics"]
    return found


def answered(*right: bool, **more: Any) -> list[dict[str, Any]]:
    return [{"id": place, "response": "ab"[not hit], "reference": "a", **more} for place, hit in enumerate(right)]


def at_least(hits: int, n: int, share: float) -> Fraction:
    """The chance of so many hits or more, in whole numbers."""
    p = Fraction(share)
    return sum((math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(hits, n + 1)), Fraction(0))


@pytest.mark.parametrize(("hits", "n"), [(3, 10), (8, 10), (1, 4)])
@pytest.mark.parametrize("confidence", [0.95, 0.8])
def test_the_exact_limits_of_a_share_are_where_the_tails_of_the_binomial_hold_what_is_left(
    hits: int, n: int, confidence: float
) -> None:
    records = answered(*(place < hits for place in range(n)))
    (found,) = metrics_of(records, "accuracy", intervals={"method": "clopper_pearson", "confidence": confidence})
    low, high = found["interval"]
    tail = (1 - confidence) / 2
    assert float(at_least(hits, n, low)) == pytest.approx(tail, abs=1e-9)
    assert float(1 - at_least(hits + 1, n, high)) == pytest.approx(tail, abs=1e-9)


def test_the_exact_limits_of_none_and_of_all_follow_the_rule_of_three() -> None:
    exact = {"method": "clopper_pearson"}
    (none,), (every,) = (metrics_of(answered(*[hit] * 20), "accuracy", intervals=exact) for hit in (False, True))
    # Nobody hits with chance (1 - p) ** 20, which is 0.025 here.
    assert none["interval"] == pytest.approx([0.0, 1 - 0.025 ** (1 / 20)])
    assert every["interval"] == pytest.approx([0.025 ** (1 / 20), 1.0])


def check_order_of_moves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: list[str], **how: Any) -> None:
    """Check that these files of a run, and no others, come to their places, and after them the manifest."""
    moved: list[str] = []
    replace = os.replace

    def watched(one: Any, other: Any, **folders: Any) -> None:
        replace(one, other, **folders)
        if (tmp_path / "run" / other).exists():  # its name in the folder, which is held open
            moved.append(Path(other).name)
            names = {path.name for path in (tmp_path / "run").iterdir()}
            assert "manifest.json" not in names or set(files) <= names

    monkeypatch.setattr(os, "replace", watched)
    scoring.evaluate(*INVOICES, output=tmp_path / "run", **how)
    assert sorted(moved) == sorted([*files, "manifest.json"])
    assert moved[-1] == "manifest.json"


def test_the_manifest_is_moved_to_its_place_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_order_of_moves(tmp_path, monkeypatch, ["scores.jsonl", "summary.json", "texts.json"])


def test_each_record_without_a_cluster_is_one_of_its_own() -> None:
    hits = [place % 3 > 0 and place != 40 for place in range(60)]
    records = [{**one, "page": f"p{one['id'] // 10}" if one["id"] >= 30 else None} for one in answered(*hits)]
    (found,) = metrics_of(records, "mean", intervals={"cluster": "page", "method": "normal"})
    # The sandwich estimate over clusters, by hand: the sum of squares of what each cluster is off.
    mean = sum(hits) / 60
    clusters = [[hit] for hit in hits[:30]] + [hits[start : start + 10] for start in (30, 40, 50)]
    error = math.sqrt(sum(sum(hit - mean for hit in cluster) ** 2 for cluster in clusters) * 33 / 32) / 60
    low, high = found["interval"]
    assert (high - low) / 2 == pytest.approx(1.96 * error, rel=0.05)


@pytest.mark.parametrize("n", [14, 15, 21, 46])
@pytest.mark.parametrize("hit", [False, True])
def test_the_interval_of_none_and_of_all_reaches_the_end(n: int, hit: bool) -> None:
    records = answered(*[hit] * n)
    found = metrics_of(records, "mean", 'accuracy(field="answer")')
    assert [figure["interval"][hit] for figure in found] == [float(hit)] * 2
