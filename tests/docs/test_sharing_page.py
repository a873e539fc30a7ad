"""What the page on sharing shows of trust and of CI is true: tables are read, workflows are pinned, hooks exist."""

from __future__ import annotations

import re

import yaml

from scoring.project.file import parse_project_file
from tests.ci.action_schema import PINNED
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
