"""The hooks for pre-commit: their entries run as pre-commit runs them, with the names of the files that changed."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from scoring.cli.main import main
from tests.extensions.ci_reports import monorepo
from tests.support.golden import REPOSITORY

HOOKS: dict[str, dict[str, Any]] = {
    hook["id"]: hook for hook in yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text("utf-8"))
}


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(monorepo.write(tmp_path))
    return tmp_path


def ran(hook: str, *changed: str) -> int:
    """The exit code of a hook, as pre-commit would start it for these files."""
    held = HOOKS[hook]
    program, *arguments = shlex.split(held["entry"])
    assert program == "scoring"
    return main([*arguments, *(changed if held.get("pass_filenames", True) else ())])


def test_each_hook_has_what_pre_commit_wants() -> None:
    assert list(HOOKS) == ["scoring-check", "scoring-fmt", "scoring-test", "scoring-check-all"]
    for hook in HOOKS.values():
        assert {"id", "name", "description", "entry", "language"} <= hook.keys()
        assert hook["language"] == "python"
        assert hook["require_serial"] is True
        assert hook["types_or"] == ["yaml", "json"]


def test_hooks_pass_where_all_is_well(repository: Path) -> None:
    for hook in HOOKS:
        assert ran(hook, "projects/a/task.yaml", "projects/b/task.yaml", "compose.yaml", "package.json") == 0


def test_hooks_find_what_changed_for_the_worse(repository: Path) -> None:
    task = Path("projects/b/task.yaml")
    task.write_text(task.read_text().replace("c.near", "c.neer"))
    assert ran("scoring-check", "projects/a/task.yaml") == 0
    assert ran("scoring-check", str(task)) == 1
    assert ran("scoring-test", str(task)) == 1
    assert ran("scoring-check-all", "compose.yaml") == 1


def test_the_formatter_changes_what_it_is_given_and_nothing_else(repository: Path) -> None:
    paths = [Path(f"projects/{name}/loose.yaml") for name in "ab"]
    for path in paths:
        path.write_text("kind: task\nname: t\nscore: casefold|equal\n")
    other = Path("compose.yaml").read_text()
    assert ran("scoring-fmt", str(paths[0]), "compose.yaml") == 0
    assert ["casefold | equal" in path.read_text() for path in paths] == [True, False]
    assert Path("compose.yaml").read_text() == other
