"""Logs of hosts are layouts that every task has: recognized, chosen by name, and written back with the scores."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.cli.main import main
from scoring.errors import InputError

TASK = {"kind": "task", "name": "t", "version": "1.0.0", "score": "lower | equal", "by": ["kind"]}


def sample(number: int, said: str, target: Any, **more: Any) -> dict[str, Any]:
    doc = {"kind": "town", "id": "from the data set"}
    line = {
        "doc_id": number,
        "doc": doc,
        "arguments": [],
        "target": target,
        "resps": [[said]],
        "filtered_resps": [said],
        "filter": "none",
    }
    return {**line, **more}


def log(path: Path, *lines: Any) -> Path:
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    return path


@pytest.fixture
def samples(tmp_path: Path) -> Path:
    return log(tmp_path / "samples.jsonl", sample(0, "Paris", "paris"), sample(1, "Rome", "oslo"))


def test_a_log_is_recognized_by_what_it_holds(samples: Path) -> None:
    notes: list[str] = []
    run = scoring.evaluate(TASK, samples, on_note=notes.append)
    assert run.metrics == {"mean": 0.5}
    assert [result.id for result in run.records] == [0, 1]
    assert run.records[0].attributes == {"kind": "town"}
    assert notes == [f"{samples} is read in the layout `lm-eval` of t (samples of lm-evaluation-harness)"]


def test_the_task_s_own_paths_are_tried_first(samples: Path) -> None:
    record = {"id": "doc_id", "response": "target", "reference": "target"}
    assert scoring.evaluate({**TASK, "record": {**record, "kind": "doc.kind"}}, samples).metrics == {"mean": 1.0}


@pytest.mark.parametrize("layout", [None, "lm-eval"])
def test_a_reference_that_the_log_does_not_tell_is_where_the_task_says(tmp_path: Path, layout: str | None) -> None:
    lines = [sample(0, "Paris", None, doc={"gold": "paris", "kind": "x"})]
    path = log(tmp_path / "samples.jsonl", *lines)
    task = {**TASK, "record": {"response": "said", "reference": "gold"}}
    assert scoring.evaluate(task, path, layout=layout).metrics == {"mean": 1.0}
    path = log(tmp_path / "targets.jsonl", sample(0, "Paris", "paris", doc={"gold": "Rome", "kind": "x"}))
    assert scoring.evaluate(task, path, layout=layout).metrics == {"mean": 1.0}


def test_its_meaning_is_that_of_the_task(samples: Path) -> None:
    plain = scoring.evaluate(TASK, [{"id": 1, "response": "a", "reference": "a", "kind": "x"}])
    run = scoring.evaluate(TASK, samples, input_format="lm-eval,filter=none,reference=text")
    assert run.signature.meaning == plain.signature.meaning


def test_references_that_are_json_are_decoded_when_asked(tmp_path: Path) -> None:
    task = {"kind": "task", "name": "t", "parse": "json", "fields": {"a": "equal"}}
    path = log(tmp_path / "s.jsonl", sample(0, '{"a": 1}', '{"a": 1}'), sample(1, '{"a": 1}', "{a"))
    run = scoring.evaluate(task, path, input_format="lm-eval,reference=json")
    assert [result.score for result in run.records] == [1.0, None]
    assert str(run.records[1].reason).startswith(
        "line 2: the reference can't be read: not JSON: expecting property name"
    )
    with pytest.raises(InputError, match="`reference` of a log is `text` or `json`, not `yaml`"):
        scoring.evaluate(task, path, input_format="lm-eval,reference=yaml")


def test_scores_are_written_back_beside_the_samples(
    samples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec, out = tmp_path / "t.json", tmp_path / "scored.jsonl"
    spec.write_text(json.dumps(TASK))
    assert main(["score", str(spec), str(samples), "--write-back", str(out)]) == 0
    assert f"the log with its scores is in {out}" in capsys.readouterr().out
    found = list(read(out))
    meaning = scoring.load(spec).signature.meaning
    given = [{key: value for key, value in line.items() if key != "scoring"} for line in found]
    assert given == list(read(samples))
    assert found[1]["scoring"] == {
        "score": 0.0,
        "status": "scored",
        "reason": None,
        "passed": None,
        "fields": {"answer": 0.0},
        "task": "t",
        "meaning": meaning,
    }
    assert main(["score", str(spec), str(samples), "--write-back", str(out)]) == 2
    assert f"can't write back to {out}: it is there already; name another file" in capsys.readouterr().err
    assert main(["score", str(spec), str(samples), "--write-back", str(out), "--force", "--limit", "1"]) == 0
    assert ["scoring" in line for line in read(out)] == [True, False]
    assert main(["score", str(spec), str(samples), "--write-back", str(samples), "--force"]) == 2
    assert "it is the log itself" in capsys.readouterr().err


def test_a_log_is_written_back_that_the_task_itself_reads(samples: Path, tmp_path: Path) -> None:
    record = {"id": "doc_id", "response": "resps[0][0]", "reference": "target", "kind": "doc.kind"}
    scoring.evaluate({**TASK, "record": record}, samples, write_back=tmp_path / "o.jsonl")
    assert [line["scoring"]["score"] for line in read(tmp_path / "o.jsonl")] == [1.0, 0.0]


def test_lines_that_are_no_samples_take_no_score_of_others(tmp_path: Path) -> None:
    path = log(tmp_path / "s.jsonl", sample(0, "Rome", "oslo"), [1], sample(2, "Paris", "paris"))
    run = scoring.evaluate(TASK, path, write_back=tmp_path / "o.jsonl")
    assert [result.score for result in run.records] == [0.0, None, 1.0]
    assert [line["scoring"]["score"] for line in read(tmp_path / "o.jsonl")] == [0.0, 1.0]


def test_what_is_no_log_is_not_written_back(tmp_path: Path) -> None:
    data = log(tmp_path / "a.jsonl", {"id": 1, "response": "a", "reference": "a", "kind": "x"})
    with pytest.raises(InputError, match=r"--write-back is for the log of an evaluation host, and .* is none"):
        scoring.evaluate(TASK, data, write_back=tmp_path / "o.jsonl")
    with pytest.raises(InputError, match="--write-back needs the records, which a run in parts does not keep"):
        scoring.evaluate(TASK, data, write_back=tmp_path / "o.jsonl", parts=tmp_path / "parts")


def test_a_wrong_name_is_told_which_logs_there_are(samples: Path) -> None:
    with pytest.raises(InputError, match="t has no layout `lm-evall`; did you mean `lm-eval`"):
        scoring.evaluate(TASK, samples, layout="lm-evall")
    with pytest.raises(InputError, match="the layout `lm-eval` states the formats of the files"):
        scoring.evaluate(TASK, samples, layout="lm-eval", input_format="csv")
    assert scoring.evaluate(TASK, samples, layout="lm-eval", input_format="lm-eval,filter=none").metrics["mean"] == 0.5


def read(path: Path) -> Iterator[Any]:
    return map(json.loads, path.read_text("utf-8").splitlines())
