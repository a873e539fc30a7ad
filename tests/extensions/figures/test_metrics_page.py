"""docs/metrics.md says what is so: its commands print what it shows, its formulas are metrics, its Python runs.

In a console block a line `…` stands for any lines. `UPDATE_TRANSCRIPTS=1` writes the blocks anew, in full.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

import scoring
from scoring.format.read import read_text
from tests.cli.transcript import replay
from tests.docs.test_metrics_page import EXAMPLE, PAGE, PATH, blocks


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NO_COLOR", "1")
    shutil.copytree(EXAMPLE, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


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
