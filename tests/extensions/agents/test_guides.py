"""The pages for language models: short enough to be read whole, and right in every name and example."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import scoring
from scoring.diagnostics.diagnostic import Diagnostic
from scoring.extensions.agents.guides import MOST_BYTES, SHAPES, agent_guides, index_of_pages, shapes, skill_text
from scoring.format.table import every_place
from scoring.registry import registry
from scoring.specs import check_text, repair_text
from tests.support.golden import REPOSITORY

BLOCK = re.compile(r"^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def errors(found: tuple[Diagnostic, ...]) -> list[str]:
    """What is wrong, in words."""
    return [str(one) for one in found if one.severity == "error"]


def test_each_page_is_short_and_stands_in_the_repository() -> None:
    for name, text in agent_guides(REPOSITORY).items():
        assert len(text.encode()) <= MOST_BYTES, name
        assert (REPOSITORY / name).read_text("utf-8") == text, "run `scoring generate`"


def test_the_skill_has_the_head_that_agents_look_for() -> None:
    head = skill_text().split("---\n")[1]
    keys = dict(line.split(": ", 1) for line in head.strip().splitlines())
    assert keys["name"] == (REPOSITORY / "docs/skills/scoring/SKILL.md").parent.name  # as the format wants it
    assert 20 < len(keys["description"]) <= 1024


def test_ten_shapes_are_in_order_and_each_has_a_wrong_answer() -> None:
    assert len(shapes()) == 10
    tried = scoring.test(SHAPES)
    assert tried.findings == ()
    assert tried.examples >= 2 * len(shapes())
    for path, examples in tried.tried.items():
        scores = [one.found.score for one in examples]
        assert max(scores) == 1.0 or path.name.startswith("5-"), path
        assert min(scores) < 1.0, path


def test_what_the_skill_shows_can_be_copied() -> None:
    blocks = BLOCK.findall(skill_text())
    assert len(blocks) == 10
    for block in blocks:
        assert errors(check_text(block)) == [], block
        assert repair_text(block).after == block


def test_the_skill_names_every_step_and_metric_that_a_task_over_rows_can_use() -> None:
    text = skill_text()
    words = set(re.findall(r"\w+", text))
    for one in registry:
        if one.is_own and not one.is_quirk and one.family != "vision" and one.inputs[0].name != "Detections":
            is_of_rows = one.kind != "metric" or one.inputs[0].name == "Rows"
            assert one.name in words or not is_of_rows, one.name


def test_the_skill_names_every_key_at_the_top_of_a_task() -> None:
    rare = {"audit", "layouts", "judges", "deprecated", "reward", "extends", "source"}
    for place in every_place():
        if "rows" in place.kinds and len(place.path) == 1 and place.path[0] not in rare:
            assert f"- `{place.text}`" in skill_text(), place.text


def test_each_link_of_the_index_is_a_page() -> None:
    links = re.findall(r"\]\(([^)]+)\)", index_of_pages(REPOSITORY))
    assert len(links) == len(set(links)) > 50
    for link in links:
        assert (REPOSITORY / "docs" / f"{link.removesuffix('/')}.md").is_file(), link


def test_a_page_that_has_grown_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoring.extensions.agents.guides.MOST_BYTES", 1_000)
    with pytest.raises(ValueError, match=r"SKILL\.md has .* bytes, and may have 1,000"):
        agent_guides(Path(REPOSITORY))
