"""`scoring check`, `score` and `verify` with tasks over data sets of images."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import scoring
from scoring.cli.main import main
from tests.support.golden import REPOSITORY

EXAMPLE = REPOSITORY / "specs" / "examples" / "detection"

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def task(tmp_path: Path) -> Path:
    shutil.copytree(EXAMPLE, tmp_path / "data")
    return tmp_path / "data" / "task.yaml"


def test_the_shipped_example(tmp_path: Path, task: Path, capsys: Capture) -> None:
    folder = tmp_path / "run"
    assert main(["check", str(task)]) == 0
    assert main(["score", str(task), "-o", str(folder)]) == 0
    shown = capsys.readouterr().out
    assert "street/boxes 1.0.0  detection · 2 images · box" in shown
    assert "valor.ap                                0.6272" in shown
    assert "rain                 0.8500    0.8500" in shown
    summary = json.loads((folder / "summary.json").read_text())
    figures = {metric["metric"]: metric["value"] for metric in summary["keys"]["label"]["metrics"]}
    assert figures["coco.statistics"] == pytest.approx(0.6272277, abs=1e-7)
    manifest = json.loads((folder / "manifest.json").read_text())
    assert [entry["role"] for entry in manifest["inputs"]] == ["spec", "groundtruth", "predictions"]
    assert manifest["signature"] == summary["signature"]


def test_verify(tmp_path: Path, task: Path, capsys: Capture) -> None:
    assert main(["score", str(task), "-o", str(tmp_path / "run")]) == 0
    capsys.readouterr()
    assert main(["verify", str(tmp_path / "run")]) == 0
    assert capsys.readouterr().out == "verified: every figure came out again\n"
    (task.parent / "results.json").write_text("[]")
    assert main(["verify", str(tmp_path / "run")]) == 1
    assert "results.json (predictions) is not the file that was scored" in capsys.readouterr().err


def test_other_predictions(tmp_path: Path, task: Path, capsys: Capture) -> None:
    other = tmp_path / "other.json"
    other.write_text("[]")
    assert main(["score", str(task), str(other), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["keys"]["label"]["metrics"][1]["value"] == 0.0


def test_a_folder_of_label_maps_and_what_force_leaves(tmp_path: Path, capsys: Capture) -> None:
    """A segmentation's folders are named in the manifest by the digest of what they hold."""
    numpy = pytest.importorskip("numpy")
    for side in ("truth", "found"):
        (tmp_path / side).mkdir()
        numpy.save(tmp_path / side / "a.npy", numpy.array([[0, 1], [1, 2]], dtype=numpy.uint8))
    spec = tmp_path / "task.yaml"
    spec.write_text(
        "kind: task\nname: masks\nversion: 1.0.0\nrecords: segmentation\ngroundtruth: truth\npredictions: found\n"
        "labels: [road, car]\nmetrics: [pixel_report]\n"
    )
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "plot_old.svg").write_text("<svg/>")
    assert main(["score", str(spec), "-o", str(folder), "--force", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["keys"]["label"]["metrics"][0]["value"] == 1.0
    assert not (folder / "plot_old.svg").exists()
    assert main(["verify", str(folder)]) == 0
    numpy.save(tmp_path / "found" / "a.npy", numpy.array([[0, 1], [2, 2]], dtype=numpy.uint8))
    assert main(["verify", str(folder)]) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--limit", "3"], "street/boxes scores a whole data set; leave --limit out"),
        (["none.json"], "can't read none.json: there is no such file"),
    ],
)
def test_refusals(
    task: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(task.parent)
    assert main(["score", "task.yaml", *arguments]) == 2
    assert f"scoring: {message}" in capsys.readouterr().err


def test_broken_records_stop_the_run_with_their_places(tmp_path: Path, task: Path, capsys: Capture) -> None:
    (task.parent / "results.json").write_text('[{"image_id": 9, "category_id": 1, "bbox": [1, 1, 1, 1], "score": 1}]')
    assert main(["score", str(task), "-o", str(tmp_path / "run")]) == 2
    assert "results.json[0]" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_settings_that_make_no_sense_are_findings(task: Path, capsys: Capture) -> None:
    text = task.read_text().replace("records: detection", "records: segmentation")
    task.write_text(text.replace("label_map: {lorry: truck}\n", ""))
    assert main(["check", str(task), "--format", "concise"]) == 1
    assert "error[missing-key] the key `labels` is missing" in capsys.readouterr().out


def test_from_python(task: Path) -> None:
    loaded = scoring.load(task)
    found = loaded.evaluate_files()
    assert found.data["keys"]["label"]["metrics"][1]["value"] == pytest.approx(0.6272277, abs=1e-7)
    other = task.parent / "other.json"
    other.write_text("[]")
    assert loaded.evaluate_files(predictions=other).data["keys"]["label"]["metrics"][1]["value"] == 0.0
    with pytest.raises(ValueError, match="scores a whole data set of detection: call `evaluate_files`"):
        loaded.evaluate([])
    with pytest.raises(ValueError, match="scores record by record"):
        scoring.load({"kind": "task", "name": "t", "score": "equal"}).evaluate_files()


def test_a_folder_where_a_file_belongs(tmp_path: Path, task: Path, capsys: Capture) -> None:
    assert main(["score", str(task), str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"scoring: can't read {tmp_path}: it is a folder\n"


def test_a_list_of_labels_that_is_no_text_stops_the_run(tmp_path: Path, capsys: Capture) -> None:
    spec = tmp_path / "task.yaml"
    spec.write_text(
        "kind: task\nname: s\nversion: 1.0.0\nimports: {valor: valor@1}\nrecords: segmentation\n"
        "labels: labels.txt\ngroundtruth: g\npredictions: p\nmetrics: [valor.segmentation]\n"
    )
    (tmp_path / "labels.txt").write_bytes(b"\xff")
    assert main(["score", str(spec)]) == 2
    assert capsys.readouterr().err.startswith("scoring: can't score s: 'utf-8' codec can't decode")
