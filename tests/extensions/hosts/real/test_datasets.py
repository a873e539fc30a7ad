"""`Dataset.map` of the real Hugging Face datasets, with `scoring.tables.batch_scorer`, and `add_scores`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

datasets = pytest.importorskip("datasets")

import scoring.tables  # noqa: E402
from tests.extensions.hosts.real.table_cases import FORMS, held, made  # noqa: E402
from tests.support.host_adapters import parts_in_columns  # noqa: E402
from tests.support.host_cases import Answers  # noqa: E402
from tests.support.host_outcomes import check_held  # noqa: E402

TASK = {"kind": "task", "name": "t", "score": "lower | equal", "pass": "score == 1"}


@pytest.fixture(autouse=True)
def _quiet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    datasets.disable_progress_bars()
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")


@pytest.mark.parametrize(("name", "answers"), FORMS)
def test_every_record_is_as_by_the_command(name: str, answers: Answers, tmp_path: Path) -> None:
    """Also of values of several types, which its JSON reader keeps as such."""
    case = made(name, answers, tmp_path)
    data = datasets.load_dataset("json", data_files=str(case.data), split="train", cache_dir=str(tmp_path / "c"))
    scorer = scoring.tables.batch_scorer(case.spec)
    with case.replaying():
        found = data.map(scorer, batched=True, batch_size=64, features=scorer.features(data.features))
        in_one = scoring.tables.add_scores(data, case.spec)
    held(case, {column: found[:][column] for column in found.column_names if column not in data.column_names})
    assert in_one[:]["score"] == found[:]["score"]


def test_types_hold_where_the_first_batch_has_no_value() -> None:
    data = datasets.Dataset.from_dict({"answer": [None, None, "Rome"], "gold": ["rome"] * 3})
    scorer = scoring.tables.batch_scorer(TASK, response="answer", reference="gold")
    found = data.map(scorer, batched=True, batch_size=2, features=scorer.features(data.features))
    assert found[:]["score"] == [None, None, 1.0]
    assert found.features["score"] == datasets.Value("float64")
    alone = data.map(scorer, batched=True, batch_size=2, features=scorer.features(data.features, only_new=True),
                     remove_columns=data.column_names)  # fmt: skip
    assert alone.column_names == ["score", "status", "reason", "passed", "field.answer"]
    assert alone[:]["passed"] == [None, None, True]


def test_several_processes_streams_and_formats() -> None:
    data = datasets.Dataset.from_dict({"answer": ["Rome", "Paris"] * 8, "gold": ["rome"] * 16})
    scorer = scoring.tables.batch_scorer(TASK, response="answer", reference="gold")
    wanted = [1.0, 0.0] * 8
    assert data.map(scorer, batched=True, num_proc=2, features=scorer.features(data.features))[:]["score"] == wanted
    stream: Any = scoring.tables.add_scores(data.to_iterable_dataset(), TASK, response="answer", reference="gold")
    assert [row["score"] for row in stream] == wanted
    assert data.with_format("arrow").map(scorer, batched=True).with_format(None)[:]["score"] == wanted
    assert data.with_format("pandas").map(scorer, batched=True).with_format(None)[:]["score"] == wanted


def test_what_a_task_means_decides_which_results_are_kept_in_its_cache() -> None:
    prints = set()
    for score in ("lower | equal", "lower | equal", "equal"):
        scorer = scoring.tables.batch_scorer({**TASK, "score": score}, response="answer", reference="gold")
        prints.add(datasets.fingerprint.Hasher.hash(scorer))
    assert len(prints) == 2


def test_each_outcome_is_held_as_the_page_says(tmp_path: Path) -> None:
    def held(task: Any, said: Any, golds: Any) -> list[Any]:
        data = datasets.Dataset.from_dict(parts_in_columns(said, golds))
        scoring.tables.add_scores(data, task, references_as="json").save_to_disk(tmp_path / "kept")
        found = datasets.load_from_disk(tmp_path / "kept")
        meaning = found.info.description.rpartition(" ")[2]
        return [{**row, "meaning": meaning} for row in found]

    check_held("datasets", held)
    assert datasets.Dataset.from_dict({"response": []}).info.description == ""


def test_what_scores_mean_is_added_to_what_a_data_set_says_of_itself() -> None:
    data: Any = datasets.Dataset.from_dict({"answer": ["Rome"], "gold": ["rome"]})
    data.info.description = "Towns."
    parts: Any = {"response": "answer", "reference": "gold"}
    once = scoring.tables.add_scores(data, TASK, **parts)
    twice = scoring.tables.add_scores(once, {**TASK, "score": "equal"}, **parts, prefix="strict_")
    first, *more = twice.info.description.splitlines()
    assert (first, data.info.description) == ("Towns.", "Towns.")
    assert [line.partition(",")[0] for line in more] == ["score: scored by t@0", "strict_score: scored by t@0"]
    stream = scoring.tables.add_scores(data.to_iterable_dataset(), TASK, **parts)
    assert once.info.description.splitlines()[1:] == [stream.info.description]
