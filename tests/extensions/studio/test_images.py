"""A studio of a data set of images: its figures, its images one by one, and what an edit moves on them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import scoring
from scoring.extensions.studio import driving
from scoring.extensions.studio.images import ImagesInProgress
from scoring.extensions.studio.server import StudioServer
from scoring.extensions.studio.verbs import open_studio
from tests.extensions.studio.asking import IMAGES, asked, settled, typed, write_images, written
from tests.extensions.vision.pictures import street
from tests.support.hostile_texts import HOSTILE_TEXTS
from tests.support.waiting import wait_until

STRICT = IMAGES.replace("0.3", "0.5")
CALLED_CARS = IMAGES.replace("by:", "label_map: {truck: car}\nby:")


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_images(tmp_path_factory.mktemp("images") / "set")


@pytest.fixture(scope="module")
def served(spec: Path) -> Iterator[StudioServer]:
    with open_studio(spec) as studio:
        settled(studio)
        yield studio


def rows(studio: StudioServer, **query: Any) -> list[str]:
    return [row["id"] for row in asked(studio, "rows", **query)["rows"]]


def test_the_figures_are_those_of_a_run(served: StudioServer, spec: Path) -> None:
    found, run = written(served, IMAGES), scoring.evaluate(spec)
    assert (found["kind"], found["noun"], found["records"]) == ("table", "image", 12)
    metrics = {one["metric"]: (one["value"], one["interval"]) for one in found["figures"]["metrics"]}
    assert metrics == {one["metric"]: (one["value"], one["interval"]) for one in run.summary["metrics"]}
    (weather,) = found["figures"]["groups"]
    assert [(one["group"], one["sizes"]) for one in weather["groups"]] == [("rain", [6]), ("sun", [6])]
    assert [one["metrics"][0]["interval"] for one in weather["groups"]] == [
        one["metrics"][0]["interval"] for one in run.summary["by"]["weather"]
    ]
    details = {(one["metric"], one["name"]): one["value"] for one in found["details"]}
    assert details["valor.ap", "mean_over_ious"] == run.metrics["valor.ap"]
    drawings = [one["title"] for one in asked(served, "report")["blocks"]]
    assert drawings == [
        "valor.detection_confusion: confusion matrix",
        "valor.detection_curve: precision recall iou 0.5",
    ]


def test_images_are_sorted_and_filtered_by_what_there_is_on_them(served: StudioServer) -> None:
    written(served, IMAGES)
    assert asked(served, "state")["counts"] == ["confused", "found", "invented", "missed"]
    assert rows(served, having="missed") == ["i02", "i06", "i10"]
    assert rows(served, having="confused", search="SUN") == []
    assert rows(served, search="1 car → 1 truck") == ["i01", "i05", "i09"]
    assert rows(served, sort="field:invented", descending=True, limit=3) == ["i03", "i07", "i11"]
    assert rows(served, **{"from": 0.6, "to": 0.7}) == ["i03", "i07", "i11"]
    first = asked(served, "rows", limit=1)["rows"][0]
    assert first["about"] == "1 car → 1 car · file_name 0.png · weather sun"
    assert (first["score"], first["fields"]) == (1.0, [1.0, 0.0, 0.0, 0.0])


def test_an_edit_says_which_images_moved_and_what_became_of_what_is_on_them(served: StudioServer) -> None:
    written(served, IMAGES)
    state = written(served, STRICT)
    assert (state["movement"]["moved"], state["movement"]["down"]) == (3, 3)
    assert state["movement"]["figures"]["valor.ap"] == state["figures"]["metrics"][0]["value"]
    told = asked(served, "record", row=3, against="edit")
    moved = {" ".join(one["path"]): (one["was"], one["now"]) for one in told["moved"]}
    assert moved["score"] == ("0.6667", "0.0000")
    assert moved["missed"] == ("0", "1")
    assert moved["ground truth 4"] == ("car · found", "car · missed")
    assert moved["detection 3"] == ("car · 0.4000 · found", "car · 0.4000 · below the score")
    assert [one["side"] for one in told["drawings"]] == ["now", "before"]
    assert "data:image/jpeg;base64," in told["drawings"][0]["svg"]
    assert "of-truth missed" in told["drawings"][0]["svg"]
    assert "of-truth found" in told["drawings"][1]["svg"]
    still = asked(served, "record", row=0, against="edit")
    assert [one["path"] for one in still["moved"]] == [["score_threshold"]]


def test_an_edit_that_changes_the_labels_moves_the_figures(served: StudioServer) -> None:
    before = written(served, IMAGES)["figures"]["metrics"][0]["value"]
    state = written(served, CALLED_CARS)
    assert state["figures"]["metrics"][0]["value"] > before == state["movement"]["figures"]["valor.ap"]
    assert {one["was"] for one in state["details"] if one["name"] == "mean_over_ious"} == {before}
    assert state["movement"]["up"] == 3


def test_what_can_not_be_read_or_is_on_no_image_is_told_beside_the_last_good_results(served: StudioServer) -> None:
    good = written(served, IMAGES)
    for wrong, said in (("weather", "`wether`"), ("records.jsonl", "none.jsonl")):
        text = IMAGES.replace(wrong, said.strip("`"))
        asked(served, "edit", text=text)
        state = settled(served)
        assert said in state["problem"]
        assert (state["version"], state["figures"]) == (good["version"], good["figures"])
    assert written(served, IMAGES + "# on\n")["problem"] is None


def test_the_first_faults_of_a_file_are_told_each_on_its_line(served: StudioServer, spec: Path) -> None:
    lines = [{"id": n, "groundtruth": [{"label": "car", "bbox": [0, 0, -1, 1]}], "predictions": []} for n in range(9)]
    (spec.parent / "faulty.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    asked(served, "edit", text=IMAGES.replace("records.jsonl", "faulty.jsonl"))
    found = settled(served)["problem"].split("\n")
    assert len(found) == 7
    assert "faulty.jsonl:2" in found[1]
    assert found[-1] == "… and 3 more"


def test_an_audit_is_run_on_the_images(served: StudioServer) -> None:
    found = asked(served, "audit", text=IMAGES)
    assert "passed" in found
    assert any(block["kind"] == "table" for block in found["blocks"])


@pytest.fixture
def better(spec: Path) -> Path:
    """The same images with the predictions of another model, which finds what was missed."""
    lines = [json.loads(line) for line in (spec.parent / "records.jsonl").read_text("utf-8").splitlines()]
    for line in lines:
        line["predictions"] = line["predictions"] or [{"label": "car", "bbox": [20, 20, 40, 40], "score": 0.9}]
    (spec.parent / "better.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    (spec.parent / "better.yaml").write_text(IMAGES.replace("records.jsonl", "better.jsonl"), "utf-8")
    return spec.parent / "better.yaml"


@pytest.mark.parametrize("kind", ["spec", "run", "run whose files are others now"])
def test_another_spec_or_a_run_beside_shows_what_its_model_does_on_an_image(
    kind: str, spec: Path, better: Path, tmp_path: Path
) -> None:
    if kind != "spec":
        scoring.evaluate(better, output=tmp_path / "run")
    if kind == "run whose files are others now":
        (better.parent / "better.jsonl").write_text("{}", "utf-8")
    with open_studio(spec, beside=better if kind == "spec" else tmp_path / "run") as studio:
        state = settled(studio, "beside")
        assert state["beside_problem"] is None
        assert (state["movement"]["moved"], state["movement"]["down"]) == (3, 3)
        assert state["movement"]["figures"]["valor.ap"] > state["figures"]["metrics"][0]["value"]
        told = asked(studio, "record", row=2, against="beside")
        if kind == "run whose files are others now":
            assert "only its scores are compared" in told["note"]
            assert [one["side"] for one in told["drawings"]] == [""]
        else:
            assert ["ground truth", "3"] in [one["path"] for one in told["moved"]]
            assert not any(one["path"][0] == "detection" for one in told["moved"]), "those are of two models"
            assert "of-truth found" in told["drawings"][1]["svg"]


def test_what_is_beside_is_of_the_same_kind(spec: Path, tmp_path: Path) -> None:
    other = tmp_path / "rows.yaml"
    other.write_text("kind: task\nname: t\nscore: equal\n", "utf-8")
    with open_studio(spec, beside=other) as studio:
        problem = settled(studio, "beside")["beside_problem"]
    assert "is a task over records, and what is edited is a task over a data set as a whole" in problem


def test_files_that_are_given_stand_in_place_of_those_of_the_spec(spec: Path, better: Path, tmp_path: Path) -> None:
    instances = {
        "images": [{"id": n} for n in range(3)],
        "categories": [{"id": 1, "name": "car"}],
        "annotations": [
            {"id": n, "image_id": n, "category_id": 1, "bbox": [0, 0, 9, 9], "area": 81, "iscrowd": 0} for n in range(3)
        ],
    }
    found = [{"image_id": 0, "category_id": 1, "bbox": [0, 0, 9, 9], "score": 0.9}]
    for name, content in (("instances", instances), ("results", found)):
        (tmp_path / f"{name}.json").write_text(json.dumps(content), "utf-8")
    text = IMAGES.replace("by: [weather]\n", "")
    (tmp_path / "street.yaml").write_text(text, "utf-8")
    files = tmp_path / "results.json", tmp_path / "instances.json"
    with open_studio(tmp_path / "street.yaml", files[0], references=files[1], limit=2) as studio:
        state = settled(studio)
        assert (state["records"], state["has_more"]) == (2, True)
        run = scoring.evaluate(tmp_path / "street.yaml", files[0], references=files[1], limit=2)
        assert state["figures"]["metrics"][0]["value"] == run.metrics["valor.ap"]
        assert asked(studio, "record", row=1)["drawings"][0]["note"] != ""


def test_label_maps_show_what_became_of_their_pixels(tmp_path: Path) -> None:
    maps = [np.zeros((8, 8), dtype=int), np.ones((8, 8), dtype=int)]
    maps[0][2:5, 2:5] = 1
    lines = [{"id": f"m{n}", "groundtruth": maps[0].tolist(), "prediction": one.tolist()} for n, one in enumerate(maps)]
    (tmp_path / "maps.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    spec = tmp_path / "maps.yaml"
    spec.write_text(
        "kind: task\nname: t\nimports: {valor: valor@1}\nrecords: segmentation\nlabels: [road]\n"
        "groundtruth: maps.jsonl\nmetrics: [valor.segmentation]\n",
        "utf-8",
    )
    with open_studio(spec) as studio:
        state = settled(studio)
        assert state["problem"] is None
        assert state["counts"] == ["common_pixels", "predicted_pixels", "true_pixels"]
        told = asked(studio, "record", row=1)
    assert told["id"] == "m1"
    assert "shape of-answer invented area" in told["drawings"][0]["svg"]
    assert "Blue is found" in told["how"]


def test_labelled_data_without_images_are_shown_by_their_labels(tmp_path: Path) -> None:
    lines = [{"id": n, "groundtruth": "cat", "predictions": {"cat": 0.6 - n / 5, "dog": 0.4 + n / 5}} for n in range(3)]
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    spec = tmp_path / "spec.yaml"
    spec.write_text(
        "kind: task\nname: t\nrecords: classification\n"
        "groundtruth: data.jsonl\nmetrics: [label_roc_auc, label_report]\n",
        "utf-8",
    )
    with open_studio(spec) as studio:
        state = settled(studio)
        assert (state["problem"], state["noun"]) == (None, "record")
        assert [row["about"] for row in asked(studio, "rows", sort="score")["rows"]][-1] == "cat → cat 0.600"
        told = asked(studio, "record", row=2)
    assert told["drawings"] == []
    assert any(block.get("title") == "Scores" for block in told["blocks"])


def test_a_newer_text_ends_the_scoring_of_an_older_one_before_its_next_figure(
    spec: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scoring.extensions.studio.desk import StudioDesk
    from scoring.extensions.studio.settings import StudioSettings

    desk = StudioDesk(StudioSettings(str(spec), None))
    desk.begin(typed(spec, IMAGES, 1))
    older = desk.doing
    assert isinstance(older, ImagesInProgress)
    older.step(0.0)
    assert "what" in desk.state({})["doing"]
    desk.begin(typed(spec, STRICT, 2))
    wait_until(lambda: bool(desk.step({})["is_done"]))
    assert older.is_complete
    assert desk.state({})["version"] == 2
    desk.begin(typed(spec, STRICT + "# the same\n", 3))
    assert (desk.doing, desk.state({})["version"]) == (None, 3), "nothing is scored where nothing is meant by an edit"


def test_a_data_set_that_takes_too_long_is_given_up(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_studio(spec) as studio:
        good = settled(studio)
        monkeypatch.setattr(driving, "WHOLE", -1.0)
        asked(studio, "edit", text=STRICT)
        wait_until(lambda: "given up" in str(asked(studio, "state", against="edit")["problem"]))
        monkeypatch.setattr(driving, "WHOLE", 600.0)
        assert written(studio, IMAGES + "# on\n")["figures"] == good["figures"]


def test_hostile_labels_and_names_are_escaped_in_every_drawing(tmp_path: Path) -> None:
    texts = [text for text in HOSTILE_TEXTS.values() if "\ud800" not in text][:8]
    texts += ['"><script>globalThis.hostile = 1</script><img src=x onerror="1">', "</title></svg><b>"]
    with open_studio(street(tmp_path / "street", texts)) as studio:
        state = settled(studio)
        assert state["problem"] is None
        for row in range(len(texts)):
            for one in asked(studio, "record", row=row)["drawings"]:
                assert "<script" not in one["svg"]
                assert "<img" not in one["svg"]
                assert "<b>" not in one["svg"]
        assert rows(studio, search="onerror")
