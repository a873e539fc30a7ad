"""`scoring check`, `score` and `verify` with tasks over data sets of images."""

from __future__ import annotations

import json
import re
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
    assert "valor.ap                                0.6272  95% [0.0894, 0.9665]" in shown
    assert re.search(r"rain +1 +100% +0\.8500 +\[0\.\d+, 0\.\d+\] +0\.8500 +\[", shown)
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
    assert capsys.readouterr().out == "verified: 2 records and every figure came out again\nnot signed\n"
    (task.parent / "results.json").write_text("[]")
    assert main(["verify", str(tmp_path / "run")]) == 1
    assert "results.json (predictions) is not the file that was scored" in capsys.readouterr().out


def test_an_attribute_that_no_image_has_is_told(task: Path, capsys: Capture) -> None:
    assert main(["score", str(task), "--by", "wether", "--json"]) == 1
    assert "no image has `wether`, which `by` names" in capsys.readouterr().err


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


def test_a_data_set_has_what_a_row_task_has(tmp_path: Path, task: Path, capsys: Capture) -> None:
    """Lines, crossing, a limit, processes, a page: the same options, the same files."""
    folder = tmp_path / "run"
    assert main(["score", str(task), "-o", str(folder), "--html", "--by", "weather x id", "--processes", "2"]) == 0
    lines = [json.loads(line) for line in (folder / "scores.jsonl").read_text().splitlines()]
    assert [(line["id"], line["score"]) for line in lines] == [(1, 1.0), (2, 0.0)]
    assert lines[1]["fields"]["label"]["notes"] == {"found": 0, "confused": 1, "invented": 0, "missed": 0}
    summary = json.loads((folder / "summary.json").read_text())
    headline = summary["metrics"][0]
    assert (headline["metric"], headline["method"], headline["units"]) == ("coco.statistics", "bounded", 2)
    assert headline["interval"] == pytest.approx([0.0894, 0.9665], abs=1e-4)
    assert [group["group"] for group in summary["by"]["weather x id"]] == ["rain x 1", "sun x 2"]
    assert list(summary["keys"]["label"]["by"]["weather x id"]) == ["rain x 1", "sun x 2"]
    assert (folder / "report.html").is_file()
    capsys.readouterr()
    assert main(["score", str(task), "--limit", "1", "--json"]) == 0
    limited = json.loads(capsys.readouterr().out)
    assert (limited["images"], limited["counts"]["records"], limited["metrics"][0]["note"]) == (
        1,
        1,
        "few images of a label, so it may cover more or less",
    )
    assert limited["metrics"][0]["value"] == summary["by"]["weather"][0]["metrics"][0]["value"]


def test_scores_as_parquet(tmp_path: Path, task: Path, capsys: Capture) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    assert main(["score", str(task), "-o", str(tmp_path / "run"), "--scores", "parquet"]) == 0
    rows = parquet.read_table(tmp_path / "run" / "scores.parquet").to_pylist()
    assert [(row["id"], row["score"]) for row in rows] == [("1", 1.0), ("2", 0.0)]
    assert main(["verify", str(tmp_path / "run")]) == 0


def test_compare_computes_the_headline_again(tmp_path: Path, task: Path, capsys: Capture) -> None:
    other = task.parent / "other.json"
    other.write_text('[{"image_id": 2, "category_id": 1, "bbox": [5, 5, 40, 40], "score": 0.9}]')
    assert main(["score", str(task), "-o", str(tmp_path / "a")]) == 0
    assert main(["score", str(task), str(other), "-o", str(tmp_path / "b")]) == 0
    capsys.readouterr()
    runs = [str(tmp_path / name) for name in "ab"]
    assert main(["compare", *runs, "--resamples", "500", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    first, second = (json.loads((tmp_path / name / "summary.json").read_text())["metrics"][0]["value"] for name in "ab")
    assert (found["first"], found["second"], found["difference"]) == (first, second, second - first)
    assert found["interval"]["low"] < found["difference"] < found["interval"]["high"]
    assert [(flip["id"], flip["kind"]) for flip in found["flips"]] == [("1", "worse"), ("2", "better")]
    other.write_text("[]")
    assert main(["compare", *runs]) == 2
    told = capsys.readouterr().err
    assert "its headline is computed again for each resample, and" in told
    assert "other.json (predictions) is not the file that was scored" in told


def test_audit(task: Path, capsys: Capture) -> None:
    assert main(["audit", str(task)]) == 0
    shown = capsys.readouterr().out
    assert "coco.statistics                             8     8  –       –         order" in shown
    assert "must hold: reference, empty, others" in shown


def test_explain_an_image(task: Path, capsys: Capture) -> None:
    assert main(["explain", str(task), "--record", "2"]) == 0
    shown = capsys.readouterr().out
    assert "image 2  detection · score 0.0000" in shown
    assert "3   truck  0.6000  confused  3      3         1.0000" in shown
    other = task.parent / "other.json"
    other.write_text("[]")
    assert main(["explain", str(task), str(other), "--record", "2", "--json"]) == 0
    story = json.loads(capsys.readouterr().out)
    assert [one["became"] for one in story["keys"]["label"]["groundtruths"]] == ["missed"]
    assert main(["explain", str(task), "--record", "7"]) == 2
    assert "no image has the id `7`" in capsys.readouterr().err


def test_runs_of_two_kinds_are_not_compared(tmp_path: Path, task: Path, capsys: Capture) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"id": 1, "response": "a", "reference": "a"}\n')
    spec = tmp_path / "rows.yaml"
    spec.write_text("kind: task\nname: t\nscore: equal\n")
    assert main(["score", str(spec), str(rows), "-o", str(tmp_path / "rows")]) == 0
    assert main(["score", str(task), "-o", str(tmp_path / "images")]) == 0
    capsys.readouterr()
    assert main(["compare", str(tmp_path / "rows"), str(tmp_path / "images"), "--force"]) == 2
    assert "one run scored records, the other a whole data set" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--dialects"],
            "--dialects: scorers of answers are no metrics of a whole data set; name several metrics in the spec",
        ),
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
    assert loaded.evaluate().summary["keys"]["label"]["metrics"][1]["value"] == pytest.approx(0.6272277, abs=1e-7)
    other = task.parent / "other.json"
    other.write_text("[]")
    assert loaded.evaluate(other).summary["keys"]["label"]["metrics"][1]["value"] == 0.0


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
