"""The logs of each host: read in their documented layout, scored, and written back where the host looks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import scoring
from scoring.errors import InputError
from scoring.registry.plugins import LOGS
from scoring.result import RecordResult
from tests.support.workbooks import workbook

TASK = {"kind": "task", "name": "t", "parse": 'find("[a-z]+")', "score": "equal", "on_unparsed": "unscored"}


def message(text: str, kind: str = "message") -> dict[str, Any]:
    return {"type": kind, "role": "assistant", "content": [{"type": "output_text", "text": text, "annotations": []}]}


def rollout(task: int, number: int, said: list[dict[str, Any]], gold: str, **more: Any) -> dict[str, Any]:
    asked = {"input": [{"role": "user", "content": "?"}]}
    own = {"_ng_task_index": task, "_ng_rollout_index": number, "expected_answer": gold, "kind": "x"}
    return {"responses_create_params": asked, "response": {"output": said}, "reward": 0.5, **own, **more}


NEMO_GYM = [
    rollout(0, 0, [{"type": "reasoning", "summary": []}, message("draft"), message("paris")], "paris"),
    rollout(0, 1, [message("rome")], "paris"),
    rollout(1, 0, [{"type": "function_call", "name": "f"}], "oslo"),
    rollout(2, 0, [message("9")], "oslo"),
    rollout(3, 0, [], "oslo", _ng_failure_class="timeout"),
]


def olmo(number: int, said: str | None, gold: str) -> dict[str, Any]:
    output = {"text": said, "num_tokens": 1}
    own = {"model_output": [output], "instance_metrics": {"em": {"em": 1.0}}, "label": gold, "kind": "x"}
    return {"doc_id": number, "native_id": f"n{number}", **own}


OLMO = [olmo(0, "paris", "paris"), olmo(1, "rome", "paris"), olmo(2, None, "oslo"), olmo(3, "9", "oslo")]


def ever(number: int, said: str | None, gold: str, **more: Any) -> dict[str, Any]:
    own = {"evaluation": {"score": 0.5, "is_correct": False}, "answer_attribution": [], "metadata": {"kind": "x"}}
    asked = {"raw": "?", "reference": [gold]}
    return {"sample_id": f"s{number}", "input": asked, "output": {"raw": [said] if said else []}, **own, **more}


EVER = [
    ever(0, "paris", "paris"),
    ever(1, None, "paris", output=None, messages=[{"turn_idx": 0, "role": "assistant", "content": "rome"}]),
    ever(2, None, "oslo"),
    ever(3, "9", "oslo"),
]


def lmms(number: int, said: str, gold: str, **more: Any) -> dict[str, Any]:
    own = {"doc_id": number, "target": gold, "filtered_resps": said, "doc_hash": "h", "input": "?", "kind": "x"}
    return {**own, **more}


LMMS = [
    lmms(0, "paris", "paris"),
    lmms(1, "paris", "paris", resps=["rome"]),
    lmms(2, "x", "oslo", resps=[]),
    lmms(3, "9", "oslo"),
]


def result(number: int, output: Any, gold: str, **more: Any) -> dict[str, Any]:
    variables = {"reference": gold, "kind": "x", "question": "?"}
    about = {"testIdx": number, "promptIdx": 0, "provider": {"id": "m"}, "vars": variables, "namedScores": {"old": 1}}
    return {**about, "prompt": {"raw": "?"}, "response": {"output": output}, "testCase": {}, "failureReason": 0, **more}


PROMPTFOO = {
    "evalId": "eval-1",
    "results": {
        "version": 3,
        "results": [
            result(0, "paris", "paris"),
            result(1, "rome", "paris", failureReason=1, error="an assertion"),
            result(2, None, "oslo"),
            result(3, "9", "oslo"),
            result(4, None, "oslo", failureReason=2, error="API error 500", response=None),
        ],
    },
}
OPENCOMPASS = {
    "0": {"origin_prompt": [{"role": "HUMAN", "prompt": "?"}], "prediction": "paris", "gold": "paris", "kind": "x"},
    "1": {"origin_prompt": "?", "prediction": ["rome"], "gold": "paris", "kind": "x"},
    "2": {"origin_prompt": "?", "gold": "oslo", "kind": "x"},
    "3": {"origin_prompt": "?", "prediction": "9", "gold": "oslo", "kind": "x"},
    "4": "broken",
}


def state(number: int, said: str | None, gold: str, **more: Any) -> dict[str, Any]:
    options = [{"output": {"text": "no"}, "tags": []}, {"output": {"text": gold}, "tags": ["correct"]}]
    instance = {"id": f"id{number}", "input": {"text": "?"}, "references": options, "split": "test"}
    completions = [] if said is None else [{"text": said, "logprob": 0}]
    return {
        "instance": instance,
        "train_trial_index": 0,
        "result": {"success": True, "completions": completions},
        **more,
    }


HELM = {
    "adapter_spec": {"method": "generation"},
    "request_states": [
        state(0, "paris", "paris"),
        state(1, "rome", "paris", train_trial_index=1),
        state(2, None, "oslo"),
        state(3, "9", "oslo"),
        state(4, None, "oslo", result={"success": False, "error": "rate limit", "completions": []}),
    ],
}
TABLE: list[list[Any]] = [
    ["index", "question", "answer", "kind", "prediction"],
    [0, "?", "paris", "x", "paris"],
    [1, "?", "paris", "x", "rome"],
    [2, "?", "oslo", "x", ""],
    [3, "?", "oslo", "x", "9"],
]
FORMULA = '=HYPERLINK("http://x")'


class Case(NamedTuple):
    """A log: its file's name and bytes, the ids of its samples, and what is wrong with the fifth, if it has one."""

    file: str
    content: bytes
    ids: list[Any]
    fifth: str | None = None


def lines(objects: list[Any]) -> bytes:
    return "".join(json.dumps(one) + "\n" for one in objects).encode()


def document(value: Any) -> bytes:
    return json.dumps(value, indent=2).encode()


CASES = {
    "nemo-gym": Case("r.jsonl", lines(NEMO_GYM), [0, "0-1", 1, 2], "line 5: the rollout failed: timeout"),
    "olmo-eval": Case("p.jsonl", lines(OLMO), ["n0", "n1", "n2", "n3"]),
    "every-eval-ever": Case("e_samples.jsonl", lines(EVER), ["s0", "s1", "s2", "s3"]),
    "lmms-eval": Case("s.jsonl", lines(LMMS), [0, 1, 2, 3]),
    "promptfoo": Case(
        "o.json", document(PROMPTFOO), [0, 1, 2, 3], "result 5: the provider gave no answer: API error 500"
    ),
    "opencompass": Case("p.json", document(OPENCOMPASS), ["0", "1", "2", "3"], "entry 4: it is no prediction"),
    "helm": Case(
        "scenario_state.json",
        document(HELM),
        ["id0", "id1-1", "id2", "id3"],
        "request state 5: the request failed: rate limit",
    ),
    "vlmevalkit": Case("t.xlsx", workbook(TABLE), [0, 1, 2, 3]),
}


def test_every_log_has_a_case() -> None:
    elsewhere = {"lm-eval", "inspect", "lighteval"}  # which have files of tests of their own
    assert set(LOGS) - set(CASES) <= elsewhere


@pytest.fixture(params=sorted(CASES))
def name(request: pytest.FixtureRequest) -> str:
    if request.param == "vlmevalkit":
        pytest.importorskip("openpyxl")
    found: str = request.param
    return found


def outcomes(results: list[RecordResult]) -> list[tuple[Any, str]]:
    return [(one.score, one.status) for one in results]


WANTED = [(1.0, "scored"), (0.0, "scored"), (None, "unscored"), (None, "unparsed")]


def test_samples_are_scored(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    path = tmp_path / case.file
    path.write_bytes(case.content)
    notes: list[str] = []
    layout = name if name == "vlmevalkit" else None  # a table says not whose it is
    by = [] if name == "helm" else ["kind"]
    run = scoring.evaluate(TASK, path, layout=layout, by=by, output=tmp_path / "run", on_note=notes.append)
    assert [one.id for one in run.records[:4]] == case.ids
    assert outcomes(run.records[:4]) == WANTED
    assert run.records[2].reason == "the record has no response"
    assert [one.reason for one in run.records[4:]] == ([] if case.fifth is None else [case.fifth])
    assert [one.attributes for one in run.records[:2]] == [dict.fromkeys(by, "x")] * 2
    assert (layout is not None) or f"is read in the layout `{name}`" in notes[0]
    assert scoring.runs.verify(tmp_path / "run").passed


def test_a_reference_elsewhere_in_the_log_is_read_as_the_task_says(name: str, tmp_path: Path) -> None:
    if name in ("helm", "lmms-eval", "every-eval-ever", "vlmevalkit"):
        pytest.skip("its references have one place")
    text = CASES[name].content.decode()
    for own in ("expected_answer", '"label', '"reference', '"gold'):
        text = text.replace(own, own[:1] + "x_" + own[1:] if own.startswith('"') else f"x_{own}")
    path = tmp_path / CASES[name].file
    path.write_text(text)
    own = next(key for key in ("x_expected_answer", "x_label", "x_reference", "x_gold") if f'"{key}"' in text)
    run = scoring.evaluate({**TASK, "record": {"reference": own, "response": "elsewhere"}}, path)
    assert outcomes(run.records[:4]) == WANTED


def beside_lines(folder: Path, out: Path) -> list[Any]:
    return [json.loads(line).get("scoring") for line in out.read_text("utf-8").splitlines()]


def beside_ever(folder: Path, out: Path) -> list[Any]:
    found = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    wanted = [(1.0, True), (0.0, False), (0.5, False), (0.5, False)]  # what has no score keeps that of the host
    assert [(one["evaluation"]["score"], one["evaluation"]["is_correct"]) for one in found] == wanted
    texts = [one["metadata"] for one in found]
    assert all(isinstance(value, str) for one in texts for value in one.values())
    verdicts = [{name: one.get(f"scoring.{name}") for name in ("status", "reason", "meaning")} for one in texts]
    scores = [json.loads(one.get("scoring.score", "null")) for one in texts]
    return [{**verdict, "score": score} for verdict, score in zip(verdicts, scores, strict=True)]


def beside_promptfoo(folder: Path, out: Path) -> list[Any]:
    results = json.loads(out.read_text("utf-8"))["results"]["results"]
    assert [one["namedScores"] for one in results[:3]] == [
        {"old": 1, "t": 1.0, "t.answer": 1.0},
        {"old": 1, "t": 0.0, "t.answer": 0.0},
        {"old": 1},
    ]
    return [one.get("metadata", {}).get("scoring") for one in results]


def beside_opencompass(folder: Path, out: Path) -> list[Any]:
    found = json.loads(out.read_text("utf-8"))
    assert found["4"] == "broken"
    return [entry["scoring"] if isinstance(entry, dict) else None for entry in found.values()]


def beside_helm(folder: Path, out: Path) -> list[Any]:
    found = json.loads(out.read_text("utf-8"))
    assert [one["instance_id"] for one in found] == ["id0", "id1", "id2", "id3", "id4"]
    first, third = found[0]["stats"][0], found[2]["stats"][0]
    assert (first["name"], first["count"], first["mean"]) == ({"name": "t", "split": "test"}, 1, 1.0)
    assert third == {"name": {"name": "t", "split": "test"}, "count": 0, "sum": 0, "sum_squared": 0}
    return [one["scoring"] for one in found]


def beside_rows(folder: Path, out: Path) -> list[Any]:
    from openpyxl import load_workbook

    sheet: Any = load_workbook(out).active
    header, *rows = sheet.iter_rows(values_only=True)
    assert header == (*TABLE[0], "scoring_score", "scoring_status", "scoring_reason", "scoring_meaning")
    return [{"score": row[5], "status": row[6], "reason": row[7], "meaning": row[8]} for row in rows]


BESIDE: dict[str, Callable[[Path, Path], list[Any]]] = {
    "nemo-gym": beside_lines,
    "olmo-eval": beside_lines,
    "lmms-eval": beside_lines,
    "every-eval-ever": beside_ever,
    "promptfoo": beside_promptfoo,
    "opencompass": beside_opencompass,
    "helm": beside_helm,
    "vlmevalkit": beside_rows,
}


def test_scores_are_written_back(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    path, out = tmp_path / case.file, tmp_path / f"out{Path(case.file).suffix}"
    path.write_bytes(case.content)
    run = scoring.evaluate(TASK, path, layout=name, write_back=out)
    assert path.read_bytes() == case.content
    found = BESIDE[name](tmp_path, out)
    assert len(found) == len(run.records)
    for verdict, wanted in zip(found, run.records, strict=True):
        if verdict is None:  # what is broken has no place for a score
            continue
        assert (verdict["score"], verdict["status"], verdict["reason"]) == (wanted.score, wanted.status, wanted.reason)
        assert verdict["meaning"] == run.signature.meaning
    if name != "helm":  # its scores are a file of another kind
        again = scoring.evaluate(TASK, out, layout=name)
        assert outcomes(again.records) == outcomes(run.records)


def test_a_cell_that_is_written_back_is_no_formula(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    from openpyxl import load_workbook

    path, out = tmp_path / "t.tsv", tmp_path / "o.xlsx"
    path.write_text(f"index\tanswer\tprediction\n1\tx\t{FORMULA}\n".replace('"', "'"))
    scoring.evaluate(TASK, path, layout="vlmevalkit", write_back=out)
    cell = load_workbook(out).active["C2"]
    assert (cell.data_type, cell.value) == ("s", FORMULA.replace('"', "'"))


@pytest.mark.parametrize("damage", ["", "null", "[]", "{}", '"x"', "[[1]]", '{"results": 3}', '{"request_states": {}}'])
def test_what_is_no_log_is_refused_or_gives_bad_rows(name: str, damage: str, tmp_path: Path) -> None:
    path = tmp_path / CASES[name].file
    path.write_text(damage)
    try:
        run = scoring.evaluate(TASK, path, layout=name)
    except (InputError, scoring.SpecError):
        return
    assert run.coverage == 0.0


@pytest.mark.parametrize("cut", range(1, 12))
def test_a_log_that_is_cut_off_loses_no_more_than_what_is_gone(name: str, cut: int, tmp_path: Path) -> None:
    content = CASES[name].content
    path = tmp_path / CASES[name].file
    path.write_bytes(content[: len(content) * cut // 12])
    try:
        run = scoring.evaluate(TASK, path, layout=name)
    except (InputError, scoring.SpecError):
        return
    whole = dict(zip(CASES[name].ids, WANTED, strict=True))
    assert all(whole.get(one.id) == (one.score, one.status) for one in run.records if one.outcome.is_scored)


def test_promptfoo_asks_which_provider(tmp_path: Path) -> None:
    results = [result(0, "paris", "paris"), result(0, "rome", "paris", provider={"id": "n"})]
    path = tmp_path / "o.json"
    path.write_text(json.dumps({"evalId": "e", "results": {"results": results}}))
    with pytest.raises(InputError, match=r"holds samples of each provider of `m` and `n`; choose one: .*provider=m"):
        scoring.evaluate(TASK, path, layout="promptfoo")
    for provider, score in (("m", 1.0), ("n", 0.0)):
        run = scoring.evaluate(
            TASK, path, input_format=f"promptfoo,provider={provider}", write_back=tmp_path / provider
        )
        assert run.metrics == {"mean": score}
        written = json.loads((tmp_path / provider).read_text())["results"]["results"]
        assert [one["namedScores"].get("t") for one in written] == ([score, None] if provider == "m" else [None, score])
    with pytest.raises(InputError, match="has no provider `z`; it has `m` and `n`"):
        scoring.evaluate(TASK, path, input_format="promptfoo,provider=z")


def test_no_table_is_written_back_as_csv(tmp_path: Path) -> None:
    path, out = tmp_path / "t.csv", tmp_path / "o.csv"
    path.write_text("index,answer,prediction\n1,x,=1+1\n")
    with pytest.raises(InputError, match=r"tables are written back as \.xlsx"):
        scoring.evaluate(TASK, path, layout="vlmevalkit", write_back=out)
    assert not out.exists()
