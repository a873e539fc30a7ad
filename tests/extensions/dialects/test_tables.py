"""The table of tasks that share a name: each probe tells tasks apart, and a plain name means the first task."""

from __future__ import annotations

from pathlib import Path

import pytest

import scoring
from scoring.extensions.dialects.page import dialects_page, probe_scores
from scoring.extensions.dialects.scores import equal_up_to_rounding
from scoring.extensions.dialects.tables import TaskDialects, task_dialects
from scoring.extensions.dialects.tasks import opened_tasks
from scoring.extensions.names.named import shipped_tasks, spec_path

REPOSITORY = Path(__file__).resolve().parents[3]

every_table = pytest.mark.parametrize("table", task_dialects().values(), ids=lambda table: table.name)


def test_the_committed_page_is_up_to_date() -> None:
    page = (REPOSITORY / "docs" / "dialects.md").read_text(encoding="utf-8")
    assert page == dialects_page(), "run `scoring generate`"


@every_table
def test_a_plain_name_means_the_first_task(table: TaskDialects) -> None:
    assert table.tasks.keys() <= shipped_tasks().keys()
    assert spec_path(table.name) == spec_path(next(iter(table.tasks)))
    beginnings = {task.partition("@")[0].removeprefix(table.name)[:1] for task in table.tasks}
    assert beginnings <= {"", "-"}, "a dialect is called NAME-HOST"
    assert not table.missing.keys() & {task.partition("@")[0] for task in table.tasks}


@every_table
def test_each_probe_tells_tasks_apart_and_all_tasks_are_told_apart(table: TaskDialects) -> None:
    assert len(table.tasks) > 1
    scores = probe_scores(table)
    for probe, row in zip(table.probes, scores, strict=True):
        same = all(equal_up_to_rounding(score, row[0]) for score in row)
        assert not same, f"all tasks give {probe.what!r} the same score"
        assert not {"`", "|"} & set(repr(probe)), "a cell of the page holds neither"
    columns = dict(zip(table.tasks, zip(*scores, strict=True), strict=True))
    for task, column in columns.items():
        alike = [other for other in columns if other != task and columns[other] == column]
        assert not alike, f"no probe tells {task} from {alike}"


@every_table
def test_all_tasks_read_the_same_keys(table: TaskDialects) -> None:
    read = {name: task.reads for name, task in opened_tasks(table.tasks).items()}
    paths = {name: tuple(sorted(map(str, one.items()))) for name, one in read.items()}
    assert len(set(paths.values())) == 1, paths
    example = [set(shipped_tasks()[name].with_suffix(".jsonl").read_text().splitlines()) for name in table.tasks]
    assert all(example)


@every_table
def test_every_task_scores_every_probe_or_says_why_not(table: TaskDialects) -> None:
    for name in table.tasks:
        for result in scoring.load(name).score_batch([probe.record for probe in table.probes]):
            assert result.status in ("scored", "unparsed", "not_applicable") or result.reason, (name, result)
