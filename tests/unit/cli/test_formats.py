"""The matrix of formats and kinds of task: every format, compressed or not, scores in every kind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scoring.cli.main import main
from tests.support.formats import PACK, WRITE, Records, general_formats

Capture = pytest.CaptureFixture[str]

ROWS = "kind: task\nname: words\nversion: 1.0.0\nrecord: {response: response, reference: gold}\nscore: lower | equal\n"
LABELS = """
kind: task
name: labels
version: 1.0.0
records: classification
groundtruth: none.csv
metrics: [label_report]
"""
PATHS = {"response": "response", "reference": "gold"}
ANSWERS: Records = [{"id": "1", "response": "A", "gold": "a"}, {"id": "2", "response": "B; c", "gold": "d"}]
SUITE: Records = [{**record, "task": "words"} for record in ANSWERS]
TRUTHS: Records = [{"id": "1", "label": "cat"}, {"id": "2", "label": "dog"}]
SCORES: Records = [{"id": "1", "cat": 0.75, "dog": 0.25}, {"id": "2", "cat": 0.75, "dog": 0.25}]


class World:
    """A folder of specs, and data in one format."""

    def __init__(self, folder: Path, kind: str, packed: str) -> None:
        self.folder, self.kind, self.packed = folder, kind, packed
        (folder / "tasks").mkdir()
        (folder / "tasks" / "words.yaml").write_text(ROWS)
        (folder / "words.yaml").write_text(ROWS)
        (folder / "labels.yaml").write_text(LABELS)
        (folder / "suite.yaml").write_text("kind: suite\nname: all\nversion: 1.0.0\n")

    def data(self, name: str, records: Records) -> str:
        path = self.folder / (name + general_formats()[self.kind].suffixes[0] + self.packed)
        path.write_bytes(PACK[self.packed](WRITE[self.kind](records)))
        return str(path)

    def score(self, *arguments: str) -> dict[str, Any]:
        """The summary of a run."""
        run = str(self.folder / "run")
        assert main(["score", *arguments, "-o", run]) == 0
        summary: dict[str, Any] = json.loads((self.folder / "run" / "summary.json").read_text())
        return summary

    def read_of(self, role: str) -> Any:
        manifest = json.loads((self.folder / "run" / "manifest.json").read_text())
        return next(entry for entry in manifest["inputs"] if entry["role"] == role).get("read")


@pytest.fixture(params=[(kind, packed) for kind in general_formats() for packed in PACK], ids="".join)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> World:
    return World(tmp_path, *request.param)


FOUND = {"csv": {"delimiter": "semicolon", "encoding": "utf-8"}, "tsv": {"delimiter": "tab", "encoding": "utf-8"}}


def test_rows(world: World) -> None:
    summary = world.score(str(world.folder / "words.yaml"), world.data("a", ANSWERS))
    assert summary["metrics"][0]["value"] == 0.5
    assert world.read_of("records") == FOUND.get(world.kind)


def test_rows_joined_by_id(world: World) -> None:
    predictions = world.data("p", [{"id": record["id"], "response": record["response"]} for record in ANSWERS])
    references = world.data("r", [{"id": record["id"], "gold": record["gold"]} for record in ANSWERS])
    summary = world.score(str(world.folder / "words.yaml"), predictions, "--references", references)
    assert summary["metrics"][0]["value"] == 0.5
    assert world.read_of("references") == FOUND.get(world.kind)


@pytest.mark.parametrize(
    ("content", "arguments", "message"),
    [
        (b"PK\x03\x04", [], "a.jsonl: it is a zip archive, as a spreadsheet is (.xlsx); save it as CSV"),
        (b"# ours\nkind: task\nname: t\n", [], "it is a spec, not data; the spec comes first, its data second"),
        (b"{}", ["--input-format", "xml"], "unknown kind of file `xml`; the known kinds are jsonl"),
        (b"{}", ["--input-format", "jsonl,delimiter=tab"], "`delimiter` is not a setting of the format `jsonl`"),
    ],
)
def test_refusals_name_cause_and_next_step(
    tmp_path: Path, capsys: Capture, content: bytes, arguments: list[str], message: str
) -> None:
    check_refusal(tmp_path, capsys, content, arguments, message)


def check_refusal(folder: Path, capsys: Capture, content: bytes, arguments: list[str], message: str) -> None:
    """Check that scoring a file with this content is refused with this message."""
    (folder / "words.yaml").write_text(ROWS)
    (folder / "a.jsonl").write_bytes(content)
    assert main(["score", str(folder / "words.yaml"), str(folder / "a.jsonl"), *arguments]) == 2
    assert message in capsys.readouterr().err
