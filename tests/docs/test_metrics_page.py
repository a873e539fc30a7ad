"""docs/metrics.md says what is so: its file is the shipped one, its own metric is one, and what it lists is all."""

from __future__ import annotations

import re
from typing import Any

from scoring.format.keys import keys_of
from scoring.format.read import read_file, read_text
from scoring.format.sections import Intervals
from scoring.registry import registry
from scoring.registry.plugins import PlugIn
from scoring.statistics.intervals import interval
from scoring.statistics.rows import Rows
from tests.support.golden import REPOSITORY

PATH = REPOSITORY / "docs" / "metrics.md"
PAGE = PATH.read_text(encoding="utf-8")
EXAMPLE = REPOSITORY / "specs" / "examples" / "retrieval"
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def blocks(kind: str) -> list[str]:
    found = [text for mark, text in BLOCKS if mark == kind]
    assert found
    return found


def test_the_file_is_the_shipped_example() -> None:
    shown = read_text(blocks("yaml")[0], "page").plain()
    shipped = read_file(EXAMPLE / "questions.yaml").plain()
    assert shown == {key: value for key, value in shipped.items() if key != "doc"}


def test_the_metric_of_ones_own() -> None:
    names: dict[str, Any] = {"__name__": "house.metrics"}
    with registry._under(PlugIn("house", "house.metrics", "house", "1.0")):
        exec(compile(blocks("python")[1], str(PATH), "exec"), names)
    try:
        found = registry.of_function(names["spread"])
        assert (found.name, found.kind, found.reads) == ("house/spread", "metric", "scores")
        statistic = names["spread"](Rows.of_scores([0.0, 1.0, None]))
        assert statistic.value() == 0.5
        assert interval(statistic) is not None
        assert names["spread"](Rows.of_scores([])).value() is None
    finally:
        del registry._metrics["house/spread"]


def test_every_metric_of_scores_and_lists_is_named() -> None:
    shown = set(re.findall(r"`(\w+)[`(]", PAGE.split("## Confidence intervals")[0]))
    ours = {
        found.name
        for found in registry
        if found.kind == "metric"
        and found.location.startswith(("scoring.metrics.", "scoring.extensions.figures.metrics."))
        and not found.location.startswith("scoring.extensions.vision.metrics")
    }
    left = {name for name in ours - shown if not name.startswith(("mmesgbench_", "megabench_"))}
    assert left == set()


def test_every_setting_of_intervals_is_described() -> None:
    table = PAGE.split("`intervals:` changes how it is made, or switches it off:")[1].split("\n\n- ")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == {key.name for key in keys_of(Intervals)}
