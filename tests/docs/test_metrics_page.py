"""docs/metrics.md says what is so: its file is the shipped one, its commands print what it shows, its Python runs.

In a console block a line `…` stands for any lines. `UPDATE_TRANSCRIPTS=1` writes the blocks anew, in full.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.format.keys import keys_of
from scoring.format.read import read_file, read_text
from scoring.format.sections import Intervals
from scoring.registry import registry
from scoring.registry.plugins import PlugIn
from scoring.statistics.intervals import interval
from scoring.statistics.rows import Rows
from tests.cli.transcript import replay
from tests.support.golden import REPOSITORY

PATH = REPOSITORY / "docs" / "metrics.md"
PAGE = PATH.read_text(encoding="utf-8")
EXAMPLE = REPOSITORY / "specs" / "examples" / "retrieval"
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NO_COLOR", "1")
    shutil.copytree(EXAMPLE, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def blocks(kind: str) -> list[str]:
    found = [text for mark, text in BLOCKS if mark == kind]
    assert found
    return found


def test_the_file_is_the_shipped_example() -> None:
    shown = read_text(blocks("yaml")[0], "page").plain()
    shipped = read_file(EXAMPLE / "questions.yaml").plain()
    assert shown == {key: value for key, value in shipped.items() if key != "doc"}


def test_the_formulas_are_metrics() -> None:
    values = {"edits": "prediction | words | length", "n_gold": "reference | words | length", "letter": "prediction"}
    shown = read_text(blocks("yaml")[1], "page").plain()
    record = {
        "response": "A",
        "reference": "A",
        "logprob": -1,
        "tokens": 2,
        "given": 1,
        "gold": 2,
        "figure": 1,
        "question": 1,
    }
    run = scoring.evaluate(
        {"kind": "task", "name": "t", "values": values, "score": "equal", **shown}, [{**record, "logprob": -1}]
    )
    assert [*run.metrics] == [name if isinstance(name, str) else next(iter(name)) for name in shown["metrics"]]
    assert None not in run.metrics.values()


def test_the_commands_print_what_is_shown(folder: Path) -> None:
    page = PAGE
    for block in blocks("console"):
        found = replay(block, folder)
        if os.environ.get("UPDATE_TRANSCRIPTS"):
            page = page.replace(f"```console\n{block}```", f"```console\n{found}```")
            PATH.write_text(page, encoding="utf-8")
            continue
        wanted = "".join(r"(?:.*\n)*?" if line == "…\n" else re.escape(line) for line in block.splitlines(True))
        assert re.fullmatch(wanted, found), found


@pytest.mark.usefixtures("folder")
def test_the_python() -> None:
    names: dict[str, object] = {}
    exec(compile(blocks("python")[0], str(PATH), "exec"), names)
    run = names["run"]
    assert set(run.metrics) >= {"mean", "mrr", "ndcg(k=3)"}  # type: ignore[attr-defined]


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
