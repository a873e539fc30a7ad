"""The audit against known bugs of metrics, and against the specs that document what they compute."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from scoring.cli.main import main
from scoring.extensions.audit.described import LAWS
from scoring.extensions.audit.rules import ADVICE
from tests.extensions.audit.table import records_of

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def table() -> dict[str, Any]:
    """The table, printed by a process of its own, since it declares faulty primitives."""
    command = [sys.executable, "-m", "tests.extensions.audit.table", "--json"]
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


def test_planted_faults_are_found_by_laws_that_no_usual_scorer_breaks(table: dict[str, Any]) -> None:
    missed = [one["bug"] for one in table["planted"] if not one["found"]]
    assert (len(table["planted"]), len(table["usual"])) == (58, 30)
    assert missed == [
        "the best of each group counts for all of it, as a formula says",
        "a number above 1 is taken for percent",  # released rules do that on purpose
    ]
    assert [(one["score"], one["found"]) for one in table["usual"] if one["found"]] == []
    assert not {law for one in table["planted"] for law in one["found"] if law in ADVICE}


def test_documented_specs_raise_no_false_alarm_and_no_idle_exception(table: dict[str, Any]) -> None:
    assert [
        (row["spec"], row["alarms"], row["idle"]) for row in table["documented"] if row["alarms"] or row["idle"]
    ] == []
    assert sum(row["tried"] for row in table["documented"]) > 5_000


def test_what_a_documented_pack_copies_from_released_code_is_found_there(table: dict[str, Any]) -> None:
    anls = next(row for row in table["documented"] if row["spec"] == "anls/pack.yaml")
    assert ["mmesgbench_released", "letter"] in anls["true_alarms"]


def test_the_page_on_audits_says_what_the_laws_say_and_what_the_table_shows(
    table: dict[str, Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs" / "audit.md").read_text("utf-8")
    assert dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", page, re.MULTILINE)) == {
        name: law.doc for name, law in LAWS.items()
    }
    told = " ".join(page.split())
    assert f"audits {len(table['bugs'])} known faults" in told
    assert f"All {len(table['bugs'])} are found, three of them as advice" in told
    assert sum(one.get("advice", False) for one in table["bugs"]) == 3
    assert f"of {len(table['careful'])} careful specs none is blamed" in told
    missed = sum(not one["found"] for one in table["planted"])
    assert f"{len(table['planted']) - missed} of {len(table['planted'])} planted faults are found" in told
    assert f"none of {len(table['usual'])} usual scorers is blamed" in told
    broken = [len(row["alarms"]) for row in table["upstream"]]
    assert f"{broken[0]} and {broken[1]} laws are broken there" in told
    monkeypatch.chdir(ROOT)
    assert main(["audit", "specs/quickstart/invoices.yaml", "specs/quickstart/invoices.jsonl"]) == 0
    assert capsys.readouterr().out.strip() in page


@pytest.mark.parametrize(
    ("score", "data", "law"), [("character_similarity", "phrases", "letter"), ("equal", "cities", "case")]
)
def test_the_findings_on_the_page_on_audits_are_what_is_found(
    score: str, data: str, law: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = yaml.safe_load((ROOT / "tests" / "extensions" / "audit" / "bugs.yaml").read_text("utf-8"))["data"][data]
    (tmp_path / "data.json").write_text(json.dumps(records_of(answers)))
    (tmp_path / "task.json").write_text(json.dumps({"kind": "task", "name": "t", "score": score}))
    main(["audit", str(tmp_path / "task.json"), str(tmp_path / "data.json")])
    (found,) = [part for part in capsys.readouterr().out.split("\n\n") if f"({law}, " in part]
    assert f"```\n{found}\n```" in (ROOT / "docs" / "audit.md").read_text("utf-8")


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
