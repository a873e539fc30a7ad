"""The audit against known bugs of metrics, and against the specs that document what they compute."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def table() -> dict[str, Any]:
    """The table, printed by a process of its own, since it declares faulty primitives."""
    command = [sys.executable, "-m", "tests.audit.table", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_every_known_bug_is_found_by_its_law(table: dict[str, Any]) -> None:
    assert [one["bug"] for one in table["bugs"] if one["law"] is None] == []
    assert len(table["bugs"]) >= 18


def test_every_bug_has_a_smallest_pair_and_its_score(table: dict[str, Any]) -> None:
    assert all(one["smallest"]["score"] is not None or one["smallest"]["found"] for one in table["bugs"])


def test_careful_specs_on_the_same_data_are_not_blamed(table: dict[str, Any]) -> None:
    assert [(one["score"], one["data"], one["found"]) for one in table["careful"] if one["found"]] == []
    assert {one["data"] for one in table["careful"]} >= {one["data"] for one in table["bugs"]} - {"pages"}


def test_documented_specs_raise_no_false_alarm_and_no_idle_exception(table: dict[str, Any]) -> None:
    assert [
        (row["spec"], row["alarms"], row["idle"]) for row in table["documented"] if row["alarms"] or row["idle"]
    ] == []
    assert sum(row["tried"] for row in table["documented"]) > 5_000


def test_what_a_documented_pack_copies_from_released_code_is_found_there(table: dict[str, Any]) -> None:
    anls = next(row for row in table["documented"] if row["spec"] == "anls/pack.yaml")
    assert ["mmesgbench_released", "letter"] in anls["true_alarms"]


def test_released_code_is_blamed_where_it_is_known_to_differ(table: dict[str, Any]) -> None:
    found = {tuple(one) for row in table["upstream"] for one in row["alarms"]}
    known = {
        "exact_str_match": "affix",
        "set_equality": "empty",
        "set_precision": "empty",
        "fuzzy": "letter",
        "code_result_exact_str_match": "reference",
        "chess_move_list_jaccard_index": "marks",
        "int": "empty_reference",
    }
    assert set(known.items()) <= found
