"""A repository of several projects is checked and tested in one process, each spec by the lock of its own project."""

from __future__ import annotations

from pathlib import Path

import pytest

import scoring
from scoring.cli.main import main
from tests.extensions.ci_reports import monorepo

TASKS = ["projects/a/task.yaml", "projects/b/task.yaml"]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(monorepo.write(tmp_path))
    return tmp_path


def test_two_projects_have_two_versions_of_one_pack_in_one_process(repository: Path) -> None:
    found = scoring.test(".", only_specs=True)
    assert found.passed, found.findings
    assert found.examples == 6
    assert [str(path) for path in found.files] == [*TASKS, "shared/1.0.0/close.yaml", "shared/1.1.0/close.yaml"]
    record = [{"response": "abcd", "reference": "abcx"}]
    means = [scoring.evaluate(task, record).metrics["mean"] for task in TASKS]
    assert means == [0.75, 0.0]


def test_neither_order_nor_names_of_files_change_what_a_spec_means(repository: Path) -> None:
    for names in (TASKS, TASKS[::-1], [*TASKS, *TASKS]):
        assert scoring.test(names).passed
        assert scoring.check(names, frozen=True).passed


def test_what_is_no_spec_is_left_out_only_where_that_was_asked(repository: Path) -> None:
    assert main(["check", ".", "--only-specs"]) == 0
    assert not scoring.check(".").passed
    changed = ["compose.yaml", "deployment.yml", "package.json", *TASKS]
    assert [str(path) for path in scoring.check(changed, only_specs=True).files] == TASKS
    assert main(["check", "--only-specs", "compose.yaml"]) == 0
    assert main(["fmt", "--only-specs", "--check", *changed]) == 0


def test_a_spec_that_can_not_be_read_is_not_left_out(repository: Path) -> None:
    Path("broken.yaml").write_text("kind: task\n  x: [")
    Path("gone.yaml").unlink(missing_ok=True)
    assert main(["check", "--only-specs", "broken.yaml"]) == 1
    assert main(["check", "--only-specs", "gone.yaml"]) == 1


def test_a_spec_in_json_is_one_on_one_line(repository: Path) -> None:
    Path("task.json").write_text('{"name": "t", "kind": "task", "score": "eqal"}')
    assert main(["check", "--only-specs", "task.json"]) == 1


def test_the_store_of_a_project_is_not_checked_as_if_it_were_its_specs(repository: Path) -> None:
    assert [str(path) for path in scoring.check("projects").files] == TASKS


def test_one_project_whose_lock_does_not_fit_does_not_hide_behind_another(repository: Path) -> None:
    (repository / "projects" / "b" / "scoring.lock").unlink()
    assert main(["check", *TASKS[:1], "--frozen"]) == 0
    assert main(["check", *TASKS, "--frozen"]) == 1
