"""`scoring audit`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.cli.main import main
from tests.support.golden import REPOSITORY
from tests.support.judge_server import JudgeServer
from tests.support.judged_files import write_files

QUICKSTART = str(REPOSITORY / "specs" / "quickstart" / "invoices")
EXACT = {"kind": "task", "name": "demo", "score": "equal"}
CITIES = ["Paris", "London", "Nairobi", "Lima", "Ottawa", "Canberra", "Helsinki", "Lisbon", "Bangkok", "Havana"]

PHRASES = [
    "renewable energy",
    "the harbour at night",
    "a letter from the mayor",
    "north of the river",
    "rising sea levels",
]

Capture = pytest.CaptureFixture[str]


def records(answers: list[Any]) -> list[dict[str, Any]]:
    return [{"id": n, "response": one, "reference": one} for n, one in enumerate(answers)]


def spec_file(folder: Path, **keys: Any) -> str:
    path = folder / "task.json"
    path.write_text(json.dumps({**EXACT, **keys}))
    return str(path)


def data_file(folder: Path, rows: list[dict[str, Any]]) -> str:
    path = folder / "data.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_a_sound_task(capsys: Capture) -> None:
    assert main(["audit", f"{QUICKSTART}.yaml", f"{QUICKSTART}.jsonl"]) == 0
    header, vendor, *rest = capsys.readouterr().out.splitlines()
    assert header.split() == ["scorer", "tried", "hold", "broken", "excepted", "overlooks"]
    assert vendor.split()[3:] == ["–", "empty,", "newline,", "whitespace", "case,", "accents,", "swapped"]
    assert "every law that must hold does" in rest


def test_a_declared_change_must_be_overlooked(capsys: Capture) -> None:
    given = [f"{QUICKSTART}.yaml", f"{QUICKSTART}.jsonl", "--invariant", "case"]
    assert main(["audit", *given]) == 0
    assert main(["audit", *given, "--invariant", "whitespace"]) == 1
    shown = capsys.readouterr().out
    assert "vendor  extra space changes the score (whitespace, 25 of 26 tried)" in shown


def test_a_finding_has_its_law_its_smallest_pair_their_scores_and_what_to_do(tmp_path: Path, capsys: Capture) -> None:
    spec = spec_file(tmp_path, score="lower | contains")
    assert main(["audit", spec, data_file(tmp_path, records(CITIES))]) == 1
    shown = capsys.readouterr().out
    first = (
        r"answer  an answer that merely begins or ends with the right one scores like it \(affix, (\d+) of \1 tried\)\n"
    )
    pair = r'  "Pzorv" for "P" gives 1.0000, where the right one gives 1.0000\n'
    assert re.search(first + pair + r"  compare whole answers instead of using `in`, a prefix or a suffix\n", shown)


def test_advice_is_told_and_counts_where_somebody_asks_for_it(tmp_path: Path, capsys: Capture) -> None:
    data = data_file(tmp_path, records(CITIES))
    assert main(["audit", spec_file(tmp_path), data]) == 0
    shown = capsys.readouterr().out
    assert re.search(
        r"\nadvice  answer  letters in the other case change the score \(case, (\d+) of \1 tried\)\n"
        r'  "p" for "P" gives 0.0000, where the same without the change gives 1.0000\n',
        shown,
    )
    assert "every law that must hold does\n" in shown
    assert "advice is what sound scorers may break; it counts with --strict or `audit: {must: [LAW]}`" in shown
    assert [scorer.split()[4:7] for scorer in shown.splitlines()[1:2]] == [["newline,", "whitespace,", "case"]]
    assert main(["audit", spec_file(tmp_path, audit={"must": ["case"]}), data]) == 1
    assert "\nanswer  letters in the other case" in capsys.readouterr().out
    assert main(["audit", spec_file(tmp_path), data, "--invariant", "newline"]) == 1
    capsys.readouterr()
    assert main(["audit", spec_file(tmp_path), data, "--strict"]) == 1
    assert "advice" not in capsys.readouterr().out
    found = scoring.audit(EXACT, records(CITIES))
    assert (found.passed, found.findings, {one["law"] for one in found.advice}) == (
        True, [], {"newline", "whitespace", "case"},
    )  # fmt: skip
    assert {one.severity for one in found.diagnostics("none.yaml")} == {"warning"}


def test_an_exception_is_declared_with_a_reason_and_an_idle_one_is_told(tmp_path: Path, capsys: Capture) -> None:
    data = data_file(tmp_path, records(CITIES))
    assert main(["audit", spec_file(tmp_path), data, "--strict"]) == 1
    capsys.readouterr()
    reasons = dict.fromkeys(("newline", "whitespace", "case"), "names are written as in the gazetteer")
    assert main(["audit", spec_file(tmp_path, audit={"except": reasons}), data, "--strict"]) == 0
    assert "idle" not in capsys.readouterr().out
    more = {"except": {**reasons, "anagram": "some names are anagrams"}}
    assert main(["audit", spec_file(tmp_path, audit=more), data]) == 0
    assert "idle  the spec excepts `anagram`, which does hold" in capsys.readouterr().out


def test_a_law_that_there_is_not_is_refused_in_the_spec_and_on_the_command_line(
    tmp_path: Path, capsys: Capture
) -> None:
    spec = spec_file(tmp_path, audit={"except": {"cases": "names"}})
    assert main(["check", spec]) == 1
    assert "unknown key `cases`" in capsys.readouterr().out
    assert main(["check", spec_file(tmp_path, audit={"except": {"case": ""}})]) == 1
    assert main(["check", spec_file(tmp_path, audit={"must": ["letter"]})]) == 1
    with pytest.raises(scoring.InputError, match="there is no change `swaped`; did you mean `swapped`"):
        scoring.audit(EXACT, records(CITIES), invariant=["swaped"])


def test_what_a_pack_excepts_is_excepted_wherever_it_is_used(tmp_path: Path) -> None:
    reasons = "{newline: as published, whitespace: as published, case: as published}"
    (tmp_path / "pack.yaml").write_text(
        "kind: pack\nname: demo\nversion: 1.0.0\n"
        f"audit: {{except: {reasons}}}\n"
        "scorers:\n"
        "  near:\n    score: levenshtein | zero_below(0.5)\n"
        '    audit: {except: {boundary: "0.5 is kept, as published"}}\n'
    )
    spec = tmp_path / "task.yaml"
    spec.write_text("kind: task\nname: demo\nimports: {demo: ./pack.yaml}\nscore: attempt(demo.near)\n")
    assert scoring.audit(spec, records(CITIES)).findings == []
    spec.write_text("kind: task\nname: demo\nscore: levenshtein | zero_below(0.5)\n")
    assert {one["law"] for one in scoring.audit(spec, records(CITIES), strict=True).findings} == {
        "newline", "whitespace", "case", "boundary",
    }  # fmt: skip


def test_of_more_than_200_records_a_sample_is_drawn_and_said(tmp_path: Path, capsys: Capture) -> None:
    data = data_file(tmp_path, records([f"street {n}" for n in range(2_000)]))
    spec = spec_file(tmp_path, score="casefold | collapse_spaces | equal")
    assert main(["audit", spec, data, "--seed", "3", "--json"]) == main(["audit", spec, data, "--seed", "3"])
    shown = capsys.readouterr().out
    assert "2,000 records, 200 of them drawn with seed 3; scorers were called" in shown
    first = scoring.audit(spec, data, seed=3).to_json()
    assert first == scoring.audit(spec, data, seed=3).to_json()
    assert (first["records"], first["tried"], first["seed"]) == (2_000, 200, 3)
    assert scoring.audit(spec, data, limit=50).to_json()["records"] == 50


def test_a_scorer_that_may_take_long_is_called_less(tmp_path: Path, capsys: Capture) -> None:
    spec = spec_file(tmp_path, score="equal_formulas")
    data = data_file(tmp_path, records([f"x + {n}" for n in range(60)]))
    assert main(["audit", spec, data]) == 1
    assert "not all tried  the calls of `answer` were used up" in capsys.readouterr().out
    scorer = scoring.audit(spec, data).to_json()["scorers"][0]
    tried = {law["law"]: law["tried"] for law in scorer["laws"]}
    assert (scorer["steps"], scorer["is_spent"], tried["long"]) == (100, True, 0)


def test_the_way_from_a_response_is_tried_behind_a_parse_stage() -> None:
    spec = {**EXACT, "parse": "json", "fields": {"city": "casefold | equal"}}
    del spec["score"]
    rows = [
        {"id": n, "response": json.dumps({"city": one}), "reference": {"city": one}} for n, one in enumerate(CITIES)
    ]
    found = scoring.audit(spec, rows).to_json()
    assert [one["scorer"] for one in found["scorers"]] == ["city", "(response)", "metric mean"]
    tried = {law["law"] for law in found["scorers"][1]["laws"] if law["tried"]}
    assert tried == {"empty", "others", "newline"}


def test_a_condition_that_everything_passes_is_found() -> None:
    careful = {**EXACT, "score": "casefold | collapse_spaces | levenshtein"}
    for bound, laws in ((0.9, set()), (0.01, {"shuffled", "constant"})):
        found = scoring.audit({**careful, "pass": f"score >= {bound}"}, records(PHRASES)).findings
        assert {one["law"] for one in found if one["scorer"] == "metric pass_rate"} == laws


def test_a_threshold_that_nothing_fails_is_found() -> None:
    for metric, laws in (("accuracy(threshold=0.8)", set()), ("accuracy(threshold=0)", {"threshold"})):
        found = scoring.audit({**EXACT, "metrics": [metric]}, records(CITIES)).findings
        assert laws <= {one["law"] for one in found if one["scorer"] == f"metric {metric}"}


def test_a_task_that_asks_a_judge_is_audited_by_replay_alone(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCORING_JUDGE_KEY", "key-of-this-test")
    write_files(tmp_path, 10)
    files = [str(tmp_path / "task.yaml"), str(tmp_path / "records.jsonl")]
    judge = ["--judge-model", "test-model", "--judge-cache", str(tmp_path / "run.db")]
    with JudgeServer() as server:
        assert main(["score", *files, "-o", str(tmp_path / "run"), "--judge-url", server.url, *judge]) == 0
        asked = server.number
        assert main(["audit", *files, "--judge-url", server.url, *judge]) == 2
        assert "is scored by a judge, which an audit would ask hundreds of questions" in capsys.readouterr().err
        assert main(["audit", *files, *judge, "--judge-replay"]) in (0, 1)
        assert server.number == asked
    (scorer,) = scoring.audit(
        *files, judge=scoring.judges.JudgeOptions(model="test-model", cache=str(tmp_path / "run.db"), replay=True)
    ).to_json()["scorers"]
    assert not any("no reply" in one["found"] for law in scorer["laws"] for one in law["broken"])


def test_as_json(tmp_path: Path, capsys: Capture) -> None:
    spec = tmp_path / "pack.yaml"
    spec.write_text(
        "kind: pack\nname: demo\nversion: 1.0.0\nscorers:\n"
        '  odd: {score: equal | invert, examples: [["a\\x1b", "a\\x1b", 0.0]]}\n'
    )
    assert main(["audit", str(spec), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["passed"] is False
    law = found["scorers"][0]["laws"][0]
    assert (law["law"], law["holds"], law["broken"][0]["found"]) == ("reference", False, "0.0000")
    assert found["findings"][0]["smallest"] == {
        "answer": "a", "reference": "a", "found": "0.0000", "score": 0.0, "right": 1.0,
    }  # fmt: skip
    assert main(["audit", str(spec)]) == 1
    shown = capsys.readouterr().out
    assert '"a" for "a" gives 0.0000' in shown
    assert "\x1b" not in shown


def test_nothing_to_try(tmp_path: Path, capsys: Capture) -> None:
    spec = tmp_path / "task.yaml"
    spec.write_text("kind: task\nname: demo\nscore: equal\n")
    assert main(["audit", str(spec)]) == 2
    assert "nothing to try" in capsys.readouterr().err
    spec.write_text("kind: task\nname: demo\nscore: equl\n")
    assert main(["audit", str(spec)]) == 1


@pytest.mark.parametrize(
    "option", [["--limit", "3"], ["--references", "r.jsonl"], ["--input-format", "csv"], ["--reference-format", "csv"]]
)
def test_what_is_about_records_is_refused_without_them(option: list[str], capsys: Capture) -> None:
    # A limit had no effect, and nothing was said.
    assert main(["audit", f"{QUICKSTART}.yaml", *option]) == 2
    name = option[0].removeprefix("--").replace("-", "_")
    assert f"`{name}` is about records, and none are given; name DATA, or leave it out" in capsys.readouterr().err
