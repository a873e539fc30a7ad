"""Samples of lm-evaluation-harness: which response is scored against which target, and where scores go."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.errors import InputError

SAME = {"kind": "task", "name": "same", "score": "equal"}
DATE = "2026-11-29T12-57-27.092331"


def line(number: int, filtered: Any, name: str, resps: Any, target: str = "4", **more: Any) -> dict[str, Any]:
    asked = {"gen_args_0": {"arg_0": "two?", "arg_1": {"until": []}}}
    parts = {"target": target, "arguments": asked, "resps": resps, "filtered_resps": filtered, "filter": name}
    return {"doc_id": number, "doc": {"gold": [4, "four"]}, **parts, **more}


def log(folder: Path, *lines: Any) -> Path:
    path = folder / f"samples_two_{DATE}.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in lines), "utf-8")
    return path


def scores(path: Path, settings: str, spec: Any = SAME) -> list[float | None]:
    return [one.score for one in scoring.evaluate(spec, path, input_format=f"lm-eval{settings}").records]


@pytest.fixture
def filtered(tmp_path: Path) -> Path:
    said = [["it is 4", "4", "5"]]
    return log(tmp_path, line(0, ["4"], "last", said), line(0, [["it is 4", "4"]], "two", said))


def test_a_filter_or_the_response_itself_is_scored(filtered: Path) -> None:
    with pytest.raises(InputError, match="has what the filters `last` and `two` made of each response; score one of"):
        scores(filtered, "")
    assert scores(filtered, ",filter=last") == [1.0]
    assert scores(filtered, ",responses=first") == [0.0]
    with pytest.raises(InputError, match="has no filter `lost`; it has `last` and `two`"):
        scores(filtered, ",filter=lost")


def test_each_response_is_a_record(filtered: Path) -> None:
    many = {**SAME, "answers": "many"}
    assert scores(filtered, ",responses=all", many) == [0.0, 1.0, 0.0]
    assert scores(filtered, ",responses=all,filter=two", many) == [0.0, 1.0]
    out = filtered.with_name("out.jsonl")
    scoring.evaluate(many, filtered, input_format="lm-eval,responses=all", write_back=out)
    first, second = [json.loads(one) for one in out.read_text("utf-8").splitlines()]
    assert [one["score"] for one in first["scoring"]] == [0.0, 1.0, 0.0]
    assert "scoring" not in second


def test_targets(tmp_path: Path) -> None:
    path = log(tmp_path, line(0, ["four"], "none", [["four"]], "[4, 'four']"))
    either = {**SAME, "score": "any_reference(equal)"}
    assert scores(path, ",target=literal", either) == scores(path, ",target=doc.gold", either) == [1.0]
    assert scores(path, ",target=doc.gold[1]") == [1.0]
    for wrong in ("answer", "doc.", "doc.["):
        with pytest.raises(InputError, match="`target` of lm-eval is"):
            scores(path, f",target={wrong}", either)
    with pytest.raises(InputError, match="`responses` of lm-eval is `first` or `all`, not `last`"):
        scores(path, ",responses=last")


def test_the_likeliest_option_is_the_response(tmp_path: Path) -> None:
    pairs = [["-3.5", "False"], ["-1.25", "True"], ["-1.25", "False"]]
    asked = {f"gen_args_{place}": {"arg_0": "two?", "arg_1": f" {text}"} for place, text in enumerate("345")}
    chosen = line(0, pairs, "none", [[one] for one in pairs], "1", arguments=asked)
    broken = line(1, [], "none", [[["nan", "False"]], [["-1", "False"]]], "1", arguments=asked)
    path = log(tmp_path, chosen, broken)
    run = scoring.evaluate(SAME, path, input_format="lm-eval")
    assert [one.score for one in run.records] == [1.0, None]
    assert str(run.records[1].reason).endswith("the log-likelihood of an option is not a number")
    assert scores(path, ",choice=text") == [0.0, None]


def test_figures_stand_in_a_copy_of_the_results(tmp_path: Path) -> None:
    path = log(tmp_path, line(0, ["4"], "none", [["4"]]), line(1, ["5"], "none", [["5"]]))
    given = {"results": {"two": {"alias": "two", "acc,none": 0.5}, "other": {}}, "versions": {"two": 1}}
    results = path.with_name(f"results_{DATE}.json")
    results.write_text(json.dumps(given), "utf-8")
    scoring.evaluate(SAME, path, input_format="lm-eval", write_back=tmp_path / "beside.jsonl")
    assert json.loads(results.read_text("utf-8")) == given
    out = tmp_path / "scored" / path.name
    out.parent.mkdir()
    run = scoring.evaluate(SAME, path, input_format="lm-eval", write_back=out)
    found = json.loads(out.with_name(results.name).read_text("utf-8"))
    own = found["results"]["two"]
    assert (own["acc,none"], own["scoring_mean,none"], own["scoring_mean_stderr,none"]) == (0.5, 0.5, "N/A")
    assert [own["scoring_mean_low,none"], own["scoring_mean_high,none"]] == run.summary["metrics"][0]["interval"]
    assert (own["scoring_unparsed_rate,none"], found["higher_is_better"]["two"]["scoring_unparsed_rate"]) == (
        0.0,
        False,
    )
    assert found["scoring"]["two"]["meaning"] == run.signature.meaning
    assert {**found["results"]["other"], **found["versions"]} == {"two": 1}


ODD: tuple[Any, ...] = (
    None,
    True,
    10**400,
    "x",
    [],
    {},
    [[]],
    [[[]]],
    [["1", "True"]],
    {"gen_args_0": []},
    [[["nan", "True"]], 1],
)


@pytest.mark.parametrize(
    "key", ["doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"]
)
@pytest.mark.parametrize("settings", ["", ",responses=all", ",target=literal", ",target=doc.gold", ",choice=text"])
def test_what_a_line_should_not_have_spoils_no_other(tmp_path: Path, key: str, settings: str) -> None:
    lines = [line(number, ["4"], "none", [["4"]]) | {key: odd} for number, odd in enumerate(ODD, 1)]
    path = log(tmp_path, line(0, ["4"], "none", [["4"]]), *lines)
    named = settings if key != "filter" else f"{settings},filter=none"
    either = {**SAME, "answers": "many", "score": "equal"}
    run = scoring.evaluate(either, path, input_format=f"lm-eval{named}", write_back=tmp_path / "o.jsonl")
    assert run.records[0].status == "scored"


def test_a_log_whose_first_document_is_long_is_recognized(tmp_path: Path) -> None:
    notes: list[str] = []
    path = log(tmp_path, line(0, ["4"], "none", [["4"]]) | {"doc": {"text": "x" * 10_000}})
    assert scoring.evaluate(SAME, path, on_note=notes.append).metrics == {"mean": 1.0}
    assert notes == [f"{path} is read in the layout `lm-eval` of same (samples of lm-evaluation-harness)"]
