"""What the page on sharing shows of trust and of CI is true: tables are read, workflows are pinned, hooks exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

from scoring.cli.main import main
from scoring.project.file import parse_project_file
from tests.ci.action_schema import PINNED
from tests.support.git_repository import Repository
from tests.support.golden import REPOSITORY

PAGE = (REPOSITORY / "docs" / "sharing.md").read_text("utf-8")


def blocks(language: str, section: str) -> list[str]:
    """The blocks of a language below a heading."""
    text = PAGE.split(f"\n## {section}\n", 1)[1].split("\n## ", 1)[0]
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_table_of_trust_is_read() -> None:
    (text,) = blocks("toml", "Who made it")
    trust = parse_project_file(text).trust
    assert trust is not None
    assert [(one.author, one.packs) for one in trust.keys] == [
        ("ann@example.org", ("*",)),
        ("metrics-team", ("acme-*",)),
    ]
    assert trust.wants("acme-text")


def commands(section: str) -> list[list[str]]:
    """The commands of the blocks below a heading, without what is said behind them."""
    lines = "".join(blocks("", section)).splitlines()
    return [shlex.split(line, comments=True) for line in lines if line.startswith(("scoring ", "git "))]


PACK = """\
kind: pack
name: close
version: 1.0.0
doc: Near texts.
scorers:
  close_text: {doc: How near., source: ours, params: {threshold: 0.8}, score: levenshtein | zero_below(threshold),
               examples: [[cafe, cafe, 1]]}
"""
TASK = "kind: task\nname: t\nversion: 1.0.0\nimports: {c: close@1}\nscore: c.close_text\n"


@pytest.fixture
def team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository with releases of a pack, in which we work."""
    made = Repository(tmp_path / "metrics")
    for name, value in {"user.name": "a", "user.email": "a@example.org"}.items():
        made.git("config", name, value)
    for version, threshold in (("1.0.0", 0.8), ("1.1.0", 0.8), ("2.0.0", 0.5)):
        text = PACK.replace("1.0.0", version).replace("0.8", str(threshold))
        made.commit({"packs/close.yaml": text}, tag=f"v{version}")
    monkeypatch.chdir(made.path)
    return made


def test_the_commands_for_packs_of_others_do_what_they_say(
    team: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    task = tmp_path / "task.yaml"
    imported = {"2": TASK.replace("close@1", "close@2"), "remove": TASK.split("imports")[0]}
    task.write_text(TASK)
    for _, *command in commands("Packs of others"):
        task.write_text(imported.get(command[-1], imported.get(command[0], task.read_text())))
        given = [word.replace("https://example.org/acme/metrics.git", team.address) for word in command]
        assert main(given) == 0, command
    assert "close" not in (tmp_path / "scoring.toml").read_text()


def test_the_commands_of_a_release_do_what_they_say(team: Repository) -> None:
    file = team.path / "packs" / "close.yaml"
    file.write_text(file.read_text().replace("0.5", "0.4"))
    codes = []
    for program, *command in commands("Releasing"):
        if program == "git":
            team.git(*command)
        else:
            codes.append(main(command))
    assert codes == [1, 0, 0]  # the first says what hinders it
    assert team.git("tag", "--points-at", "HEAD") == "v3.0.0"


def test_the_hooks_that_are_shown_exist() -> None:
    shown = yaml.safe_load(blocks("yaml", "In CI")[0])
    offered = {hook["id"] for hook in yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text("utf-8"))}
    assert {hook["id"] for hook in shown["repos"][0]["hooks"]} == offered


def test_the_workflow_is_pinned_and_gives_inputs_that_the_action_has() -> None:
    workflow = yaml.safe_load(blocks("yaml", "In CI")[1])
    steps = workflow["jobs"]["scoring"]["steps"]
    assert [step["uses"] for step in steps if not re.search(PINNED["pattern"], step["uses"])] == []
    action = yaml.safe_load((REPOSITORY / "action.yml").read_text("utf-8"))
    (ours,) = [step for step in steps if "/scoring@" in step["uses"]]
    assert set(ours["with"]) <= set(action["inputs"])
    asked = set(re.findall(r"steps\.scoring\.outputs\.(\w+)", blocks("yaml", "In CI")[1]))
    assert asked <= set(action["outputs"])
    assert workflow["permissions"]["contents"] == "read"
