"""A spec scores data sets of VLMEvalKit by its own `run.py`; its tables are read, written back and evaluated again."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import scoring
from tests.extensions.hosts.harness_calls import rows_of
from tests.support.golden import REPOSITORY
from tests.support.host_cases import CASES, HostCase, host_case, meaning_of

FOUND = find_spec("vlmeval")
if FOUND is None or FOUND.origin is None:
    pytest.skip("VLMEvalKit is not on the path", allow_module_level=True)
CHECKOUT = str(Path(FOUND.origin).parents[1])
"""Where VLMEvalKit is, with its `run.py`."""
COMMAND = Path(__file__).with_name("vlmevalkit_model.py")


@dataclass(frozen=True)
class Kit:
    """A folder in which `run.py` was run over all cases with one model."""

    folder: Path
    cases: Mapping[str, HostCase]

    def run(self, *arguments: str) -> None:
        """Run `run.py`, with the judge replayed."""
        command = [sys.executable, str(COMMAND), str(self.folder), *arguments, "--work-dir", str(self.folder / "work")]
        with self.cases["judged"].replaying():
            environ = {**os.environ, "PYTHONPATH": os.pathsep.join((str(REPOSITORY), CHECKOUT))}
            environ |= {"HF_HUB_OFFLINE": "1", "LMUData": str(self.folder), "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
            done = subprocess.run(command, cwd=self.folder, env=environ, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-4000:]

    def table(self, name: str) -> Path:
        """The table of the last run, to which `run.py` has left a link."""
        return (self.folder / "work" / "answers" / f"answers_{name}.xlsx").resolve()

    def lines(self, name: str) -> list[dict[str, Any]]:
        """What our hook wrote beside the table."""
        table = self.table(name)
        written = table.with_name(f"{table.stem}_scoring.jsonl").read_text("utf-8")
        return [json.loads(line) for line in written.splitlines()]

    def headline(self, name: str) -> float:
        """The figure that `run.py` reports as the primary one of a data set, in the status of the run."""
        status = json.loads((self.table(name).parent / "status.json").read_text("utf-8"))["datasets"][name]
        return float(status["metrics"][status["primary_metric"]])

    @cached_property
    def wanted(self) -> dict[str, list[float | None]]:
        """The scores of `scoring score`: an absent answer is the text `None` to VLMEvalKit, and an empty one absent."""
        found = {}
        for name, case in self.cases.items():
            task, scores = scoring.load(case.spec), list(case.scores)
            for place, one in enumerate(case.records):
                if one.response is None:
                    scores[place] = task.score_parts("None", one.reference).score
                elif one.response == "":
                    scores[place] = task.score_parts(None, one.reference).score
            found[name] = scores
        return found


@pytest.fixture(scope="module")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Kit:
    folder = tmp_path_factory.mktemp("kit")
    made = Kit(folder, {name: host_case(name, folder, "texts") for name in CASES})
    for name, case in made.cases.items():
        case.check(case.scores)
        rows = [
            {"index": one.id, "question": one.id, **row} for one, row in zip(case.records, rows_of(case), strict=True)
        ]
        answers = {one.id: one.response for one in case.records}
        (folder / f"{name}.rows.json").write_text(json.dumps(rows), encoding="utf-8")
        (folder / f"{name}.answers.json").write_text(json.dumps(answers), encoding="utf-8")
    made.run()
    return made


@pytest.mark.parametrize("name", CASES)
def test_all_records(name: str, kit: Kit) -> None:
    lines, case = kit.lines(name), kit.cases[name]
    assert [line["id"] for line in lines] == [one.id for one in case.records]
    assert [line["score"] for line in lines] == kit.wanted[name]
    assert {f"meaning:{line['meaning']}".split("|")[0] for line in lines} == {case.meaning}
    said = [place for place, one in enumerate(case.records) if one.response]
    assert [lines[place]["score"] for place in said] == [case.scores[place] for place in said]
    assert [lines[place]["status"] for place in said] == [case.lines[place]["status"] for place in said]


@pytest.mark.parametrize("name", CASES)
def test_tables_are_read_written_back_and_evaluated_again(name: str, kit: Kit, tmp_path: Path) -> None:
    case, out = kit.cases[name], tmp_path / "back.xlsx"
    with case.replaying():
        run = scoring.evaluate(
            case.spec, kit.table(name), layout="vlmevalkit", input_format="vlmevalkit,reference=json", write_back=out
        )
    assert [one.score for one in run.records] == kit.wanted[name]
    assert meaning_of(run.summary["signature"]) == case.meaning
    assert run.summary["metrics"][0]["value"] == kit.headline(name)
    assert out.stat().st_size > 0


def test_tables_that_were_written_back_are_evaluated_again(kit: Kit) -> None:
    before = {name: (kit.lines(name), kit.headline(name)) for name in CASES}
    for name, case in kit.cases.items():
        out = kit.folder / f"{name}-back.xlsx"
        with case.replaying():
            scoring.evaluate(case.spec, kit.table(name), layout="vlmevalkit", write_back=out)
        shutil.copy(out, kit.table(name))
    kit.run("--mode", "eval", "--reuse")
    for name in CASES:
        assert (kit.lines(name), kit.headline(name)) == before[name]
