"""Inspect as its users run it: `inspect score`, tasks with our scorer, our logs in its commands and in its viewer."""

from __future__ import annotations

import gc
import json
import math
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai")

import inspect_ai
from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import (
    EvalLog,
    EvalSample,
    EvalScore,
    read_eval_log,
    read_eval_log_sample_summaries,
    recompute_metrics,
    write_eval_log,
)
from inspect_ai.model import ChatMessageAssistant, ModelOutput
from inspect_ai.scorer import Score, match
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolCall

import scoring
from scoring.cli.main import main
from scoring.extensions.hosts.modules.inspect import scoring_spec
from scoring.result import MISSING
from tests.support.host_cases import CASES, HostCase, host_case, meaning_of
from tests.support.host_outcomes import OUTCOMES, check_held

pytestmark = pytest.mark.filterwarnings("ignore")

FORMS = {"invoices": "json", "landmark": "json", "judged": "text"}
"""What the references of each case are in a target, which holds texts alone."""
INSPECT = [sys.executable, "-m", "inspect_ai"]


@solver
def replayed(answers: dict[str, Any]) -> Solver:
    """Answer as a model once did: a sample without an answer has no output, and an exception stops its sample."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        said = answers.get(f"{state.sample_id}:{state.epoch}", answers.get(str(state.sample_id)))
        if isinstance(said, Exception):
            raise said
        if said is not None:
            message = said if isinstance(said, ChatMessageAssistant) else ChatMessageAssistant(content=said)
            state.output = ModelOutput.from_message(message)
            state.messages.append(message)
        return state

    return solve


def samples_of(case: HostCase) -> list[Sample]:
    found = []
    for one in case.records:
        gold = "" if one.reference is MISSING else one.reference
        more = {key: value for key, value in one.whole.items() if key not in ("id", "output", "response", "gold")}
        more.pop("reference", None)
        target = gold if FORMS[case.name] == "text" or gold == "" else json.dumps(gold)
        found.append(Sample(input="What do you see?", target=target, id=one.id, metadata=more))
    return found


def run(task: Task, folder: Path, form: str = "eval", **more: Any) -> EvalLog:
    (log,) = inspect_ai.eval(task, model="mockllm/model", log_dir=str(folder), log_format=form, display="none", **more)
    return log


def path_of(log: EvalLog) -> Path:
    return Path(log.location.removeprefix("file://"))


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> HostCase:
    return host_case(request.param, tmp_path, "texts")


@pytest.fixture
def answers(case: HostCase) -> dict[str, Any]:
    return {one.id: one.response for one in case.records if one.response is not None}


@pytest.fixture
def log(case: HostCase, answers: dict[str, Any], tmp_path: Path) -> Path:
    """A log of a model's answers that nobody has scored."""
    made = run(Task(MemoryDataset(samples_of(case)), solver=replayed(answers), name="demo"), tmp_path / "logs")
    assert made.status == "success", made.error
    return path_of(made)


def values_of(log: EvalLog, name: str) -> dict[str, float]:
    return {str(one.id): (one.scores or {})[name].as_float() for one in log.samples or []}


def metadata_of(sample: EvalSample, name: str) -> dict[str, Any]:
    return (sample.scores or {})[name].metadata or {}


def entry(log: EvalLog, name: str) -> EvalScore:
    assert log.results is not None
    return next(one for one in log.results.scores if one.name == name)


def scored_log(*arguments: str) -> None:
    done = subprocess.run([*INSPECT, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def check_figures(case: HostCase, found: EvalScore) -> None:
    """Compare each figure of Inspect with that of `scoring score`, and the ends of its interval."""
    for metric in case.summary["metrics"]:
        low, high = metric["interval"]
        names = ("", "_low", "_high")
        got = [found.metrics[f"{metric['metric']}{name}"].value for name in names]
        assert got == [metric["value"], low, high]


@pytest.mark.parametrize("form", ["eval", "json"])
def test_a_log_scores_as_the_records(case: HostCase, log: Path, form: str, tmp_path: Path) -> None:
    if form == "json":
        log = Path(str(log.with_suffix(".json")))
        write_eval_log(read_eval_log(str(path_with(log, ".eval"))), str(log))
    reads = f"inspect,reference={FORMS[case.name]}"
    with case.replaying():
        arguments = ["score", str(case.spec), str(log), "--layout", "inspect", "--input-format", reads]
        assert main([*arguments, "-o", str(tmp_path / "of-log")]) == 0
    lines = [json.loads(line) for line in (tmp_path / "of-log/scores.jsonl").read_text("utf-8").splitlines()]
    summary = json.loads((tmp_path / "of-log/summary.json").read_text("utf-8"))
    case.check(
        {line["id"]: line["score"] for line in lines}, summary["metrics"][0]["value"], signature=summary["signature"]
    )
    expected = {line["id"]: line["status"] for line in case.lines}
    assert {line["id"]: line["status"] for line in lines} == expected
    assert summary["metrics"] == case.summary["metrics"]
    assert summary["by"] == case.summary["by"]


def path_with(path: Path, suffix: str) -> Path:
    return path.with_suffix(suffix)


def test_inspect_score_scores_as_we_do(case: HostCase, log: Path, tmp_path: Path) -> None:
    out = tmp_path / "scored.eval"
    with case.replaying():
        scored_log(
            *("score", "--scorer", "scoring/spec", "-S", f"file={case.spec}", "-S", f"reference={FORMS[case.name]}"),
            *("--action", "append", "--output-file", str(out), str(log)),
        )
    found = read_eval_log(str(out))
    case.check(values_of(found, "spec"))
    check_figures(case, entry(found, "spec"))
    (meaning,) = {metadata_of(one, "spec")["meaning"] for one in found.samples or []}
    assert f"meaning:{meaning}".startswith(case.meaning)
    reasons = {str(one.id): (one.scores or {})["spec"].reason for one in found.samples or []}
    for line in case.lines:
        expected = {"scored": None, "unparsed": "invalid_response_format"}.get(line["status"], "scoring_failed")
        has_response = next(one.response for one in case.records if one.id == line["id"]) is not None
        assert reasons[line["id"]] == (expected if has_response or line["status"] != "unscored" else "no_response")


def test_a_task_of_inspect_has_our_scorer(case: HostCase, answers: dict[str, Any], tmp_path: Path) -> None:
    with case.replaying():
        scorer = scoring_spec(str(case.spec), reference=FORMS[case.name])
        found = run(Task(MemoryDataset(samples_of(case)), solver=replayed(answers), scorer=scorer), tmp_path / "own")
    case.check(values_of(found, "spec"))
    check_figures(case, entry(found, "spec"))
    assert found.results is not None
    assert found.results.headline is not None
    assert found.results.headline.metric == case.summary["metrics"][0]["metric"]
    unscored = sum(line["score"] is None for line in case.lines)
    assert entry(found, "spec").unscored_samples == unscored


@pytest.mark.parametrize("form", ["eval", "json"])
def test_scores_are_written_back(case: HostCase, log: Path, form: str, tmp_path: Path) -> None:
    out = tmp_path / "bundled" / f"scored.{form}"
    out.parent.mkdir()
    reads = f"inspect,reference={FORMS[case.name]}"
    with case.replaying():
        arguments = ["score", str(case.spec), str(log), "--layout", "inspect", "--input-format", reads]
        assert main([*arguments, "--write-back", str(out)]) == 0
    found, before = read_eval_log(str(out)), read_eval_log(str(log))
    name = case.summary["task"]["name"]
    case.check(values_of(found, name))
    check_figures(case, entry(found, name))
    for one, other in zip(found.samples or [], before.samples or [], strict=True):
        assert one.model_dump(exclude={"scores"}) == other.model_dump(exclude={"scores"})
    summaries = read_eval_log_sample_summaries(str(out))
    assert {str(one.id) for one in summaries if name in (one.scores or {})} == {one.id for one in case.records}
    mean = recomputed_mean(found, name)
    assert math.isclose(mean, case.headline, rel_tol=1e-12)


def recomputed_mean(log: EvalLog, name: str) -> float:
    """The mean as Inspect computes it from our scores, without those that are unscored."""
    recompute_metrics(log)
    return float(entry(log, name).metrics["accuracy"].value)


def test_inspect_s_commands_read_what_was_written(spec: Path, tmp_path: Path) -> None:
    samples = [Sample(input="q", target="a", id=number) for number in range(3)]
    task = Task(MemoryDataset(samples), solver=replayed({"0": "a", "1": "b"}), name="demo")
    log, folder = path_of(run(task, tmp_path / "logs")), tmp_path / "out"
    folder.mkdir()
    # A viewer lists JSON logs that are called as Inspect calls them; an archive may have any name.
    outs = [folder / "scored.eval", folder / log.with_suffix(".json").name]
    for out in outs:
        assert main(["score", str(spec), str(log), "--write-back", str(out)]) == 0
        dumped = subprocess.run([*INSPECT, "log", "dump", str(out)], capture_output=True, text=True, check=True)
        assert [one["scores"]["t"]["value"] for one in json.loads(dumped.stdout)["samples"]][:2] == [1.0, 0.0]
    bundle = [*INSPECT, "view", "bundle", "--log-dir", str(folder), "--output-dir", str(tmp_path / "page")]
    subprocess.run(bundle, capture_output=True, check=True)
    assert (tmp_path / "page/index.html").is_file()
    assert {path.name for path in outs} <= {path.name for path in (tmp_path / "page/logs").iterdir()}


def test_scores_are_exported_for_precomputed_scores(case: HostCase, log: Path, tmp_path: Path) -> None:
    scores, out = tmp_path / "precomputed.jsonl", tmp_path / "pre.eval"
    assert main(["export", "inspect", str(case.run), "-o", str(scores)]) == 0
    scored_log(
        *("score", "--scorer", "precomputed_scores", "-S", f"scores={scores}", "-S", "on_missing=error"),
        *("--metric", "mean", "--action", "overwrite", "--output-file", str(out), str(log)),
    )
    found = read_eval_log(str(out))
    name = next(iter((found.samples or [])[0].scores or {}))
    case.check(values_of(found, name), float(entry(found, name).metrics["mean"].value), host_adds=True)
    for one in found.samples or []:
        score = (one.scores or {})[name]
        assert (score.reason is None) == (score.metadata or {})["status"].startswith("scored")
        assert meaning_of(case.summary["signature"]).endswith(str((score.metadata or {})["meaning"]).partition("|")[0])


SPEC = {
    "kind": "task",
    "name": "t",
    "version": "1.0.0",
    "score": "lower | equal",
    "pass": "score == 1",
    "metrics": ["mean", "pass_rate"],
}


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "t.json"
    path.write_text(json.dumps(SPEC), "utf-8")
    return path


@pytest.mark.parametrize("form", ["eval", "json"])
def test_epochs_errors_and_attachments(spec: Path, form: str, tmp_path: Path) -> None:
    long = "x" * 3000
    samples = [Sample(input=long, target="a", id="one", metadata={"kind": "k"}), Sample(input="q", target="b", id=2)]
    said = {"one:1": "A", "one:2": "z", "2:1": "b", "2:2": RuntimeError("out of luck")}
    task = Task(MemoryDataset(samples), solver=replayed(said), scorer=match(), name="demo")
    made = run(task, tmp_path / "logs", form, epochs=2, fail_on_error=False)
    notes: list[str] = []
    out = tmp_path / f"scored.{form}"
    found = scoring.evaluate(spec, path_of(made), layout="inspect", write_back=out, on_note=notes.append)
    assert {one.id: (one.score, one.status) for one in found.records} == {
        "one (epoch 1)": (1.0, "scored"),
        "one (epoch 2)": (0.0, "scored"),
        "2 (epoch 1)": (1.0, "scored"),
        "2 (epoch 2)": (None, "unscored"),
    }
    reason = next(one.reason for one in found.records if one.score is None)
    assert reason == "the sample stopped with an error: RuntimeError('out of luck')"
    back = read_eval_log(str(out))
    scores: dict[Any, Score] = {(one.id, one.epoch): (one.scores or {})["t"] for one in back.samples or []}
    assert [scores[key].value for key in (("one", 1), ("one", 2), (2, 1))] == [1.0, 0.0, 1.0]
    assert (scores[2, 2].reason, math.isnan(scores[2, 2].as_float())) == ("sample_error", True)
    assert "match" in ((back.samples or [])[0].scores or {})
    assert (entry(back, "t").scored_samples, entry(back, "t").unscored_samples) == (3, 1)
    scored_log(
        *("score", "--scorer", "scoring/spec", "-S", f"file={spec}", "--action", "append"),
        *("--output-file", str(tmp_path / f"again.{form}"), str(out)),
    )
    again = read_eval_log(str(tmp_path / f"again.{form}"))
    for one in again.samples or []:
        mine, theirs = (one.scores or {})["t"], (one.scores or {})["spec"]
        assert (str(mine.value), mine.reason) == (str(theirs.value), theirs.reason)
    figures = {name: one.value for name, one in entry(again, "spec").metrics.items()}
    assert figures == {name: one.value for name, one in entry(back, "t").metrics.items()}


@pytest.mark.parametrize("said", ["a", None], ids=["all scored", "one without a response"])
def test_figures_in_which_samples_without_a_score_count_are_left_out(
    said: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"labels-{said}.json"
    metrics = ["mean", "f1", 'mean(field="answer")']
    path.write_text(json.dumps({**SPEC, "name": f"labels-{said}", "metrics": metrics}), "utf-8")
    answers = {"1": "a", "2": "b", "3": "b", "4": said}
    samples = [Sample(input="?", target=target, id=number) for number, target in enumerate("aabb", start=1)]
    task = Task(MemoryDataset(samples), solver=replayed(answers), scorer=scoring_spec(str(path)))
    log = run(task, tmp_path / "logs")
    own = scoring.evaluate(path, path_of(log)).metrics
    found = {name: one.value for name, one in entry(log, "spec").metrics.items() if name in own}
    assert found == {name: value for name, value in own.items() if said is not None or name != "f1"}
    recompute_metrics(log)
    assert {name: one.value for name, one in entry(log, "spec").metrics.items() if name in own} == found
    monkeypatch.setattr("scoring.extensions.hosts.modules.inspect._PROCESS", "another")
    recompute_metrics(log)
    assert [name for name in entry(log, "spec").metrics if name in own] == ["mean"]


def test_tool_calls_and_choices_are_in_the_records(tmp_path: Path) -> None:
    call = ToolCall(id="1", function="now", arguments={"city": "Suva"})
    said = {"1": ChatMessageAssistant(content="", tool_calls=[call])}
    sample = Sample(input="?", target=['[{"name": "now", "arguments": {"city": "Suva"}}]'], choices=["a", "b"], id=1)
    made = run(Task(MemoryDataset([sample]), solver=replayed(said)), tmp_path / "logs")
    task = {"kind": "task", "name": "t", "score": "equal", "by": ["choices[]", "model"]}
    reads = "inspect,response=calls,reference=json"
    found = scoring.evaluate(task, path_of(made), layout="inspect", input_format=reads)
    assert [one.score for one in found.records] == [1.0]
    assert found.records[0].attributes == {"choices[]": ["a", "b"], "model": "mockllm/model"}


@pytest.fixture(autouse=True)
def _outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run where no settings of Inspect lie."""
    monkeypatch.chdir(tmp_path)
    yield
    gc.collect()  # streams that Inspect leaves open warn here, where warnings are no errors


def test_each_outcome_is_held_as_the_page_says(tmp_path: Path) -> None:
    spec = tmp_path / "outcomes.json"
    spec.write_text(json.dumps(OUTCOMES), encoding="utf-8")

    def held(task: Any, said: Any, golds: Any) -> list[Any]:
        answers = {str(place): one for place, one in enumerate(said) if one is not None}
        samples = [
            Sample(input="?", target="" if gold is None else json.dumps(gold), id=str(place))
            for place, gold in enumerate(golds)
        ]
        asked = Task(MemoryDataset(samples), solver=replayed(answers), scorer=scoring_spec(str(spec), reference="json"))
        rows = sorted(run(asked, tmp_path / "logs").samples or [], key=lambda one: int(one.id))
        found = []
        for sample in rows:
            (score,) = (sample.scores or {}).values()
            value = score.value
            found.append({**(score.metadata or {}), **(value if isinstance(value, dict) else {"score": value})})
        return found

    check_held("inspect", held)
