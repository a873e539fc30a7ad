"""What `scoring convert` makes of an `eval.yaml`: files, what is lost, and findings for what it can't read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

import scoring
from scoring.cli.main import main
from scoring.diagnostics.diagnostic import SpecError
from scoring.errors import InputError
from tests.extensions.hosts.task_files.answers import GRADERS, TASKS, ScorerTask, write_eval_yaml

TASK = ScorerTask("towns", "match", {"numeric": True}).entry
GRADED = ScorerTask("graded", "model_graded_qa").entry


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "towns-data"
    found.mkdir()
    return found


def converted(folder: Path, *entries: dict[str, Any], **more: Any) -> Any:
    return scoring.specs.convert(write_eval_yaml(folder, entries), **more)


def test_every_spec_is_valid_and_canonical(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graded = [ScorerTask(id, scorer, args).entry for id, (scorer, args) in GRADERS.items()]
    converted(folder, *(task.entry for task in TASKS), *graded, output=folder / "specs")
    assert main(["check", str(folder / "specs")]) == 0
    assert "nothing found" in capsys.readouterr().out
    assert main(["fmt", "--check", str(folder / "specs")]) == 0


def test_one_task_is_one_file_and_says_what_is_lost(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write_eval_yaml(folder, [{**TASK, "config": "main", "epochs": 2, "epoch_reducer": "mode"}])
    assert main(["convert", str(file), "-o", str(folder / "towns.yaml")]) == 0
    out = capsys.readouterr().out
    assert f"written {folder / 'towns.yaml'}\n" in out
    assert "lost: match(numeric): Chinese numerals" in out
    assert "lost: epoch_reducer: mode: figures are over the samples of all epochs" in out
    text = (folder / "towns.yaml").read_text("utf-8")
    assert yaml.safe_load(text)["name"] == "towns-data"
    assert all(f"#   {line}" in text for line in ("config: main", "field_spec.target: answer", "solver generate"))


def test_several_tasks_are_printed_or_stand_in_a_folder(folder: Path) -> None:
    both = converted(folder, TASK, GRADED)
    names = [one["name"] for one in yaml.safe_load_all(both)]
    assert names == ["towns-data/towns", "towns-data/graded", "graded-model-graded-qa"]
    assert yaml.safe_load(converted(folder, TASK, GRADED, task="towns"))["name"] == "towns-data/towns"
    assert converted(folder, TASK, GRADED, output=folder / "out").files == (
        folder / "out/towns.yaml",
        folder / "out/graded.yaml",
        folder / "out/graded-model_graded_qa.yaml",
    )
    with pytest.raises(InputError, match="exists"):
        converted(folder, TASK, GRADED, output=folder / "out")
    with pytest.raises(InputError, match="name a folder, or one of them by --task"):
        converted(folder, TASK, GRADED, output=folder / "out.yaml")
    with pytest.raises(InputError, match="has no task `twons`; did you mean `towns`"):
        converted(folder, TASK, GRADED, task="twons")
    with pytest.raises(InputError, match=r"--dialect has no effect on eval\.yaml"):
        converted(folder, TASK, dialect="megabench")


def test_the_first_scorer_of_several_is_the_record_s_score(folder: Path) -> None:
    entry = {**TASK, "scorers": [{"name": "exact"}, {"name": "f1"}]}
    converted(folder, entry, output=folder / "both.yaml")
    result = scoring.load(folder / "both.yaml").score({"response": "the old town", "reference": "town"})
    assert (result.score, result.fields["exact"].score, result.fields["f1"].score) == (0, 0, 0.67)


def test_the_greatest_of_epochs_is_a_figure(folder: Path) -> None:
    entry = {**TASK, "epochs": 2, "epoch_reducer": "max"}
    converted(folder, entry, output=folder / "max.yaml")
    rows = [
        {"id": f"{id} (epoch {epoch})", "sample_id": id, "response": said, "reference": "5"}
        for id, epoch, said in (("a", 1, "5"), ("a", 2, "6"), ("b", 1, "7"), ("b", 2, "7"))
    ]
    metrics = scoring.load(folder / "max.yaml").evaluate(rows).metrics
    assert dict(metrics) == {"max": 0.5, "mean": 0.25}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"scorer": []}, r"unknown-key\]: unknown key `scorer` in a task"),
        ({"scorers": []}, "`scorers` of a task is a list of at least one"),
        ({"scorers": [{"name": "mach"}]}, "Inspect takes no scorer `mach` in this file"),
        (
            {"scorers": [{"name": "match", "args": {"locaton": "end"}}]},
            "unknown key `locaton` in the arguments of match",
        ),
        ({"scorers": [{"name": "match", "args": {"location": "middle"}}]}, "`location` of the arguments of match is"),
        ({"scorers": [{"name": "match", "args": {"numeric": "yes"}}]}, "is true or false, not `yes`"),
        ({"scorers": [{"name": "pattern"}]}, "pattern has no `pattern`"),
        ({"scorers": [{"name": "pattern", "args": {"pattern": "("}}]}, "it is no pattern of Python"),
        ({"scorers": [{"name": "f1", "args": {"answer_fn": "f"}}]}, "only code can give a function"),
        ({"scorers": [{"name": "exact"}, {"name": "exact"}]}, "the scorer exact stands twice"),
        ({"scorers": [{"name": "model_graded_qa", "args": {"template": "{"}}]}, "it is no template"),
        ({"scorers": [{"name": "model_graded_qa", "args": {"grade_pattern": "C"}}]}, "it has no group"),
        ({"solvers": [{"name": "react"}]}, "Inspect takes no solver `react`"),
        ({"field_spec": {"input": "q", "traget": "a"}}, "unknown key `traget` in field_spec"),
        ({"epochs": 0}, "a whole number of at least 1"),
        ({"epoch_reducer": "pass_at"}, "`epoch_reducer` of a task is pass_at_K"),
        ({"id": "../x"}, "`id` of a task is a name of letters"),
    ],
)
def test_what_is_unknown_is_refused_with_its_place(change: dict[str, Any], said: str, folder: Path) -> None:
    with pytest.raises(SpecError, match=said) as error:
        converted(folder, {**TASK, **change})
    assert all(one.span is not None for one in error.value.diagnostics)


def test_a_pattern_that_could_run_for_years_makes_no_spec(folder: Path) -> None:
    entry = {**TASK, "scorers": [{"name": "pattern", "args": {"pattern": r"(\w+\s?)*x"}}]}
    with pytest.raises(InputError, match="the spec of towns would not be valid"):
        converted(folder, entry)


def test_tasks_of_another_framework_have_no_scorers(folder: Path) -> None:
    (folder / "eval.yaml").write_text("name: a\nevaluation_framework: math-arena\ntasks:\n- id: a\n")
    with pytest.raises(SpecError, match="a task has no `scorers`"):
        scoring.specs.convert(folder / "eval.yaml")
