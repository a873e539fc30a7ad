"""A run, a spec and a pack are cited by the rules that they use, and by nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pybtex.database import parse_string

import scoring
from scoring.cli.main import main
from tests.support.locking import lock_project

PACK = """
kind: pack
name: house
version: 1.2.0
scorers:
  near: {score: tidy | spelled(0.8), source: "Damerau 1964, with {our} 50% rule"}
  spelled: {params: {least: 0.5}, score: levenshtein | zero_below(least), source: "our desk, 2025"}
  unused: {score: equal, source: "Spearman: The Proof"}
transforms:
  tidy: {transform: casefold | strip, source: "our desk, 2024"}
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "house.yaml").write_text(PACK)
    (tmp_path / "task.yaml").write_text(
        "kind: task\nname: acme/answers\nversion: 2.0.0\nimports: {h: ./house.yaml}\nscore: h.near\n"
    )
    rows = ({"id": n, "response": f"answer {n}", "reference": f"answer {n % 3}"} for n in range(12))
    (tmp_path / "data.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return tmp_path


def names(found: scoring.packs.Citation) -> list[str]:
    return [rule["name"] for rule in found.data["rules"] if "version" in rule]


def test_definitions_that_are_reached_are_cited_and_no_others(here: Path) -> None:
    found = scoring.packs.cite("task.yaml")
    assert names(found) == ["house.near", "house.spelled", "house.tidy"]
    keys = [work["key"] for work in found.data["works"]]
    assert "damerau1964" in keys
    assert "spearman1904" not in keys
    assert [key.rpartition("-")[0] for key in keys if key.startswith("our")] == ["our-desk-2024", "our-desk-2025"]


def test_what_only_uses_a_general_rule_is_not_cited() -> None:
    found = scoring.packs.cite("specs/quickstart/invoices.yaml")
    assert [work["key"][:15] for work in found.data["works"]] == [
        "biten2019stvqa",
        "levenshtein1966",
        "transliteration",
        "unicode-standar",
    ]
    assert {"mean", "zero_below", "align"} <= {rule["name"] for rule in found.data["rules"] if not rule["works"]}


def test_a_pack_is_cited_with_all_that_it_defines(here: Path) -> None:
    found = scoring.packs.cite("house.yaml")
    assert names(found) == ["house.near", "house.spelled", "house.tidy", "house.unused"]
    assert found.sentences[0].startswith("Responses are scored with the definitions of the pack `house` 1.2.0 (sha256 ")


def test_a_pack_has_the_digest_that_locks_and_signatures_have(here: Path) -> None:
    Path("scoring.toml").write_text('[packs]\nhouse = { folder = "house.yaml" }\n')
    (locked,) = lock_project().packs
    assert f"(sha256 {locked.digest[:16]})" in scoring.packs.cite("house.yaml").sentences[0]
    assert scoring.packs.cite("house@1").sentences == scoring.packs.cite("house.yaml").sentences


def test_a_run_says_what_a_methods_section_says(here: Path) -> None:
    run = scoring.evaluate("task.yaml", "data.jsonl", output="run", seed=3)
    found = scoring.packs.cite("run")
    meaning = run.signature.partition("|meaning:")[2][:16]
    assert found.sentences == [
        f"Responses were scored with the task `acme/answers` 2.0.0 (meaning {meaning}, seed 3, 12 records) in "
        f"scoring {scoring.__version__}, using the pack house 1.2.0. Intervals are 95% confidence intervals "
        "(bounded; 2000 resamples)."
    ]
    assert names(found) == names(scoring.packs.cite("task.yaml"))


def test_a_bundle_is_cited_where_no_file_of_its_run_is(
    here: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    scoring.evaluate("task.yaml", "data.jsonl", output="run")
    before = scoring.packs.cite("run").data
    away = tmp_path_factory.mktemp("away")
    scoring.runs.bundle("run", away / "run.zip")
    monkeypatch.chdir(away)
    assert scoring.packs.cite("run.zip").data == before


def test_a_run_is_cited_by_its_own_texts_and_without_them_by_what_it_recorded(here: Path) -> None:
    scoring.evaluate("task.yaml", "data.jsonl", output="run")
    before = scoring.packs.cite("run")
    (here / "house.yaml").write_text(PACK.replace("0.8", "0.7"))
    assert scoring.packs.cite("run").data == before.data
    (here / "run" / "texts.json").unlink()
    after = scoring.packs.cite("run")
    assert after.sentences == before.sentences
    assert names(after) == []
    assert {rule["name"] for rule in after.data["rules"]} < {rule["name"] for rule in before.data["rules"]}


def test_a_judge_is_named(here: Path) -> None:
    run = scoring.evaluate("task.yaml", "data.jsonl", output="run")
    path = here / "run" / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["signature"] = run.signature.replace("|seed:", "|judge:gpt-4o-2024-08-06 at temperature 0|seed:")
    path.write_text(json.dumps(manifest))
    assert " The judge was gpt-4o-2024-08-06 at temperature 0." in scoring.packs.cite("run").sentences[0]


def test_a_suite_is_cited_with_the_rules_of_its_tasks(here: Path) -> None:
    (here / "tasks").mkdir()
    (here / "tasks" / "one.yaml").write_text(
        "kind: task\nname: one\nversion: 1.0.0\nimports: {h: ../house.yaml}\nscore: h.tidy | equal\n"
    )
    (here / "suite.yaml").write_text("kind: suite\nname: all\nversion: 1.0.0\ntasks: {path: tasks}\n")
    found = scoring.packs.cite("suite.yaml")
    assert names(found) == ["house.tidy"]
    assert "the suite `all` 1.0.0" in found.sentences[0]


def test_several_things_are_cited_at_once_and_always_the_same(here: Path) -> None:
    both = scoring.packs.cite("house.yaml", "task.yaml")
    assert len(both.sentences) == 2
    assert both.data["works"] == scoring.packs.cite("task.yaml", "house.yaml").data["works"]


@pytest.mark.parametrize("form", ["text", "bibtex", "markdown", "json"])
def test_every_form(here: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    assert main(["cite", "task.yaml", "--format", form]) == 0
    said = capsys.readouterr().out
    assert "damerau1964" in said
    if form == "json":
        assert json.loads(said)["sentences"]
    if form == "bibtex":
        held = parse_string(said, "bibtex")
        assert held.entries["damerau1964"].fields["doi"] == "10.1145/363958.363994"
    if form == "markdown":
        assert "```bibtex\n@" in said


def test_what_is_not_there_is_one_line(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "empty").mkdir()
    for target, code in (("gone.yaml", 1), ("gone@1", 1), ("empty", 1)):
        assert main(["cite", target]) == code, target
        assert "Traceback" not in capsys.readouterr().err
    with pytest.raises(scoring.InputError, match="name what to cite"):
        scoring.packs.cite()
