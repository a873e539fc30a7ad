"""Run folders written: sealed, whole, and never two runs in one."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.engine.runs.manifest import holds

ROOT = Path(__file__).resolve().parents[4]
INVOICES = (ROOT / "specs/quickstart/invoices.yaml", ROOT / "specs/quickstart/invoices.jsonl")
BOXES = (ROOT / "specs/examples/detection/task.yaml", None)


def manifest_of(folder: Path) -> dict[str, Any]:
    held: dict[str, Any] = json.loads((folder / "manifest.json").read_text("utf-8"))
    return held


def digests(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    found = {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    del found["manifest.json"]
    return found


@pytest.fixture
def suite(tmp_path: Path) -> tuple[Path, Path]:
    spec, data = tmp_path / "suite.yaml", tmp_path / "answers.jsonl"
    (tmp_path / "one.yaml").write_text("kind: task\nname: one\nversion: 1.0.0\nscore: equal\n")
    spec.write_text("kind: suite\nname: s\nversion: 1.0.0\ntasks:\n  - one.yaml\n")
    data.write_text('{"task": "one", "id": 1, "response": "a", "reference": "a"}\n')
    return spec, data


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"html": True},
        {"scores": "parquet"},
        {"processes": 2, "keep_values": False, "keep_records": False},
        {"parts": "parts"},
        {"parts": "parts", "scores": "parquet"},
    ],
)
def test_a_manifest_has_the_digest_of_every_other_file(tmp_path: Path, how: dict[str, Any]) -> None:
    if "parts" in how:
        how = {**how, "parts": tmp_path / "parts"}
    scoring.evaluate(*INVOICES, output=tmp_path / "run", **how)
    assert manifest_of(tmp_path / "run")["files"] == digests(tmp_path / "run")


def test_so_it_has_of_a_suite_and_of_a_data_set_of_images(tmp_path: Path, suite: tuple[Path, Path]) -> None:
    scoring.evaluate(*suite, output=tmp_path / "suite", html=True)
    assert "task_results.json" in manifest_of(tmp_path / "suite")["files"]
    scoring.evaluate(*BOXES, output=tmp_path / "images", html=True)
    for name in ("suite", "images"):
        assert manifest_of(tmp_path / name)["files"] == digests(tmp_path / name)


def test_a_seal_holds_until_anything_in_the_manifest_is_changed(tmp_path: Path) -> None:
    scoring.evaluate(*INVOICES, output=tmp_path / "run")
    held = manifest_of(tmp_path / "run")
    assert holds(held) is True
    for name in held.keys() - {"seal"}:
        assert holds({**held, name: "changed"}) is False
        assert holds({key: value for key, value in held.items() if key != name}) is False
    assert holds({**held, "more": 1}) is False


def test_the_digest_of_records_is_of_their_lines_in_order_in_any_layout(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    rows = [json.loads(line) for line in INVOICES[1].read_text("utf-8").splitlines()]
    task = scoring.load(INVOICES[0])
    for name, records, layout in (("a", rows, "jsonl"), ("b", rows, "parquet"), ("c", rows[::-1], "jsonl")):
        task.evaluate(records).write(tmp_path / name, layout=layout)
    found = {name: manifest_of(tmp_path / name)["records"] for name in "abc"}
    assert found["a"] == {"count": len(rows), "sha256": digests(tmp_path / "a")["scores.jsonl"]}
    assert found["a"] == found["b"] != found["c"]
