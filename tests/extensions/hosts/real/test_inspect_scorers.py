"""Specs made of `eval.yaml` beside Inspect's own scorers: hundreds of answers for each, and logs of such tasks."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("inspect_ai")

from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai import scorer as scorers
from inspect_ai._eval.task.hf import HFTask
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, ModelName, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Target, value_to_float
from inspect_ai.solver import TaskState, generate, multiple_choice
from inspect_ai.solver._multiple_choice import parse_answers, set_choices_based_on_generated_response

from scoring.cli.main import main
from tests.extensions.hosts.task_files.answers import (
    GRADERS,
    MATH,
    OUTCOMES,
    REPLIES,
    STORED,
    TASKS,
    ScorerTask,
    official_outcomes,
    write_eval_yaml,
)
from tests.extensions.hosts.task_files.scored import converted_scores, graded_scores

pytestmark = pytest.mark.filterwarnings("ignore")
COUNT = 300
CHOICES = ["red", "green", "blue", "white"]


@pytest.fixture(autouse=True)
def _collected() -> Iterator[None]:
    yield
    gc.collect()  # streams that Inspect leaves open warn here, where warnings are no errors


def said(text: str) -> ModelOutput:
    """What a model answers, with the number of its tokens, which would be counted by a table from the network."""
    output = ModelOutput.from_content("model", text)
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


def official(task: ScorerTask, cases: Sequence[tuple[str, str]], models: Sequence[Any] = ()) -> list[float | None]:
    """The values that Inspect's own scorer gives answers; None where it gives none."""

    async def values() -> list[float | None]:
        found: list[float | None] = []
        for at, (text, target) in enumerate(cases):
            given = {"model": models[at]} if models else {}
            scorer = getattr(scorers, task.scorer)(**task.args, **given)
            state = TaskState(
                model=ModelName("mockllm/model"),
                sample_id=at,
                epoch=1,
                input="What?",
                messages=[ChatMessageUser(content="What?")],
                target=Target(target),
                choices=CHOICES if task.scorer == "choice" else [],
                output=ModelOutput.from_content("model", text),
            )
            if task.scorer == "choice" and (answers := parse_answers(state, task.is_multiple)):
                set_choices_based_on_generated_response(state=state, answers=answers)
            value = (await scorer(state, Target(target))).value
            number = value_to_float()(value)
            found.append(None if number != number else number)
        return found

    return asyncio.run(values())


def graded_officially() -> dict[str, list[float | None]]:
    """The values by each reply of a judge, for each task that a model grades."""
    found = {}
    for id, (scorer, args) in GRADERS.items():
        models = [get_model("mockllm/model", custom_outputs=[said(reply)], memoize=False) for reply in REPLIES]
        cases = [(f"(said {at})", "the target") for at in range(len(REPLIES))]
        found[id] = official(ScorerTask(id, scorer, args), cases, models)
    return found


def test_rules_score_as_inspect(tmp_path: Path) -> None:
    found = converted_scores(tmp_path, TASKS, COUNT)
    for task in TASKS:
        cases = task.cases(COUNT)
        theirs = official(task, cases)
        assert [one for one in zip(cases, found[task.id], theirs, strict=True) if one[1] != one[2]] == [], task.id


def test_grades_are_read_as_inspect_reads_them(tmp_path: Path) -> None:
    assert graded_scores(tmp_path) == graded_officially()


def test_stored_outcomes_are_theirs() -> None:
    theirs = {task.id: official(task, task.cases(STORED)) for task in TASKS} | graded_officially()
    stored = official_outcomes()
    if "math" in stored:
        pytest.importorskip("latex2sympy2_extended")
        theirs["math"] = official(ScorerTask("math", "math"), MATH)
    assert stored == theirs, f"write {OUTCOMES.name} anew: {json.dumps(theirs)}"


def test_inspect_reads_the_same_file() -> None:
    for task in TASKS:
        assert HFTask.model_validate(task.entry).scorers[0].name == task.scorer


@pytest.mark.parametrize("id", ["match", "choices"])
def test_log_of_the_task_is_scored_by_one_command(id: str, tmp_path: Path) -> None:
    task = next(one for one in TASKS if one.id == id)
    cases = [(text, target) for text, target in task.cases(40) if text.strip()]
    choices = CHOICES if task.scorer == "choice" else None
    samples = [Sample(id=at, input="What?", target=target, choices=choices) for at, (_, target) in enumerate(cases)]
    outputs = [said(text) for text, _ in cases]
    solver = multiple_choice(multiple_correct=True) if choices else generate()
    scorer = getattr(scorers, task.scorer)(**task.args)
    whole = Task(dataset=MemoryDataset(samples), solver=solver, scorer=scorer)
    model = get_model("mockllm/model", custom_outputs=outputs, memoize=False)
    [log] = inspect_eval(whole, model=model, log_dir=str(tmp_path / "logs"), display="none", max_connections=1)
    assert log.samples is not None
    assert log.location is not None
    theirs = {one.id: value_to_float()((one.scores or {})[task.scorer].value) for one in log.samples}
    assert main(["convert", str(write_eval_yaml(tmp_path, [task.entry])), "-o", str(tmp_path / "spec.yaml")]) == 0
    assert main(["score", str(tmp_path / "spec.yaml"), log.location, "-o", str(tmp_path / "run")]) == 0
    lines = [json.loads(line) for line in (tmp_path / "run/scores.jsonl").read_text("utf-8").rstrip("\n").split("\n")]
    assert {line["id"]: line["score"] for line in lines} == theirs


def test_a_result_is_read_by_hugging_face(tmp_path: Path) -> None:
    hub = pytest.importorskip("huggingface_hub")
    [task] = [one for one in TASKS if one.id == "exact"]
    converted_scores(tmp_path, [task], 40)
    model = tmp_path / "model"
    tool = "hf-results,dataset=org/towns,task=exact,revision=abc,source=https://example.org/logs"
    assert main(["export", tool, str(tmp_path / "exact.run"), "-o", str(model)]) == 0
    read = yaml.safe_load((model / ".eval_results/exact.yaml").read_text("utf-8"))
    [entry] = hub.parse_eval_result_entries(read)
    summary = json.loads((tmp_path / "exact.run/summary.json").read_text("utf-8"))
    assert (entry.dataset_id, entry.task_id, entry.dataset_revision) == ("org/towns", "exact", "abc")
    assert (entry.value, entry.source_url) == (summary["metrics"][0]["value"], "https://example.org/logs")
    assert hub.eval_result_entries_to_yaml([entry]) == read
