"""The packs coco, valor and valor-lite, compiled: their named metrics give the golden values."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest
from msgspec.structs import replace

from scoring.compiler.checks.definitions import compile_definition
from scoring.compiler.checks.link import Linker
from scoring.compiler.checks.resolve import Resolver
from scoring.compiler.programs.messages import Findings
from scoring.compiler.tasks.compiled_parts import Metric
from scoring.extensions.vision.classification.table import Classifications, Datum
from scoring.extensions.vision.data_set.evaluate import How, evaluate_tables
from scoring.extensions.vision.data_set.from_spec import data_files, vision_task
from scoring.extensions.vision.data_set.table import read_data_set
from scoring.extensions.vision.segmentation.pixels import LabelMap, count_pixels
from scoring.extensions.vision.spec import VisionSpec
from scoring.format.load import Loader
from scoring.packs.coco.documents import read_coco
from tests.parity.test_valor_segmentation import label_map
from tests.support.golden import golden_dir, read_jsonl

SPECS = Path(__file__).resolve().parents[2] / "specs"
FOLDER = golden_dir()
CURVE = tuple(k / 100 for k in range(5, 100, 5))
needs_golden = pytest.mark.skipif(FOLDER is None, reason="no golden folder")


@cache
def metric(pack: str, name: str, **arguments: Any) -> Metric:
    loader, findings = Loader(), Findings()
    loaded = loader.file(SPECS / pack / "pack.yaml")
    scope = Linker(loader, findings).scope(loaded)
    definition = loaded.spec.definitions[name]
    given = {key: list(value) if isinstance(value, tuple) else value for key, value in arguments.items()}
    program = compile_definition(definition, scope, Resolver(findings), given)
    assert findings.diagnostics.sorted() == ()
    return Metric(f"{pack}.{name}", program)


def golden(name: str, count: int | None = None) -> list[Any]:
    rows = list(read_jsonl(FOLDER / "valor" / f"{name}.jsonl")) if FOLDER else []
    return rows[:count]


def close(found: Any, wanted: Any) -> bool:
    if found is None or wanted is None:
        return found is wanted
    return math.isclose(found, wanted, rel_tol=0, abs_tol=1e-9)


def all_close(found: Any, wanted: Any) -> bool:
    return len(found) == len(wanted) and all(map(close, found, wanted))


@needs_golden
@pytest.mark.parametrize("row", golden("detection"), ids=lambda row: row["id"])
def test_detection(row: Any) -> None:
    box: Literal["box"] | None = "box" if row["geometry"] == "bbox" else None
    if "stats" in row["expected"]["coco"]:
        drawn = read_coco(row["coco"], row["predictions"], geometry=box, rasterise=True)
        assert metric("coco", "statistics")(drawn).details() == row["expected"]["coco"]["stats"]
    table = read_coco(row["coco"], row["predictions"], geometry=box)
    lite, service = row["expected"]["valor_lite"], row["expected"]["valor_service"]
    ap = metric("valor-lite", "ap")(table)
    assert close(ap.value(), lite["mAPAveragedOverIOUs"])
    assert all_close(ap.details()["mean"], lite["mAP"])
    assert {k: pytest.approx(v, abs=1e-9) for k, v in lite["AP"].items()} == {
        k: v["ap"] for k, v in ap.details()["labels"].items()
    }
    ar = metric("valor-lite", "ar", score_thresholds=tuple(lite["score_thresholds"]))(table)
    assert close(ar.value(), lite["mARAveragedOverScores"])
    assert all_close(ar.details()["mean"], lite["mAR"])
    curve = metric("valor", "detection_curve")(table).details()["curves"][0]["labels"]
    for label, columns in lite["pr_curve_counts_iou_0.5"].items():
        assert curve[label]["tp"] == columns["tp"]
        assert curve[label]["fp"] == columns["fp"]
    if "AP" in service:
        found = metric("valor", "ap")(table)
        assert all_close(found.details()["mean"], service["mAP"])
        for label, columns in row["expected"]["seed_derived"]["pr_curve"].items():
            if label in curve and row["kind"] != "micro_second_best_gt":  # there the document's second choice matters
                assert all(all_close(curve[label][name], columns[name]) for name in ("precision", "recall"))
                assert all_close(curve[label]["f1"], columns["f1_score"])
        errors = metric("valor", "detection_errors")(table).details()["labels"]
        for label, columns in row["expected"]["seed_derived"]["detailed_pr_curve"].items():
            assert {k: v for k, v in errors[label].items() if k != "examples"} == {
                k: v for k, v in columns.items() if k != "examples"
            }


@needs_golden
@pytest.mark.parametrize("row", golden("classification"), ids=lambda row: row["id"])
def test_classification(row: Any) -> None:
    seed, lite = row["expected"]["seed_derived"], row["expected"]["valor_lite"]
    data = [Datum(d["uid"], d["groundtruth"], d["predictions"], d["scores"]) for d in row["data"]]
    table = Classifications.from_data(data)
    assert close(metric("valor", "classification")(table).value(), seed["accuracy"])
    assert close(metric("valor", "roc_auc")(table).value(), seed["rocauc_mean_over_defined"])
    curve = metric("valor", "classification_curve")(table).details()["labels"]
    for label, columns in seed["pr_curve"].items():
        for name, values in columns.items():
            assert all_close(curve[label][name], values)
    errors = metric("valor", "classification_errors", max_examples=0)(table).details()["labels"]
    for label, columns in seed["detailed_pr_curve"].items():
        assert errors[label] == {k: v for k, v in columns.items() if k != "example_datum_uids"}
    dropped = set(lite.get("dropped_uids", ()))
    kept = Classifications.from_data([d for d in data if d.id not in dropped])
    assert close(metric("valor-lite", "roc_auc")(kept).value(), lite["mean_rocauc"])
    for wanted in lite["precision_recall"]:
        found = metric(
            "valor-lite", "classification", thresholds=(wanted["score_threshold"],), hard_max=wanted["hardmax"]
        )(kept)
        assert close(found.value(), wanted["accuracy"])
        assert found.details()["labels"][0] == {
            label: pytest.approx(values, abs=1e-9) for label, values in wanted["labels"].items()
        }


@needs_golden
@pytest.mark.parametrize("row", golden("semantic_segmentation"), ids=lambda row: row["id"])
def test_segmentation(row: Any) -> None:
    images = [LabelMap(i["uid"], label_map(i["groundtruth"], i), label_map(i["prediction"], i)) for i in row["images"]]
    counts = count_pixels(images, row["labels"])
    assert close(metric("valor", "segmentation")(counts).value(), row["expected"]["service_formula"]["mIOU"])
    assert close(metric("valor-lite", "segmentation")(counts).value(), row["expected"]["valor_lite"]["mIOU"])


def test_a_spec_runs_over_its_files(tmp_path: Path) -> None:
    box = '{"label": "cat", "bbox": [0, 0, 5, 5], "score": 0.9}'
    (tmp_path / "t.jsonl").write_text(f'{{"id": 1, "site": "a", "groundtruth": [{box}], "predictions": [{box}]}}\n')
    spec = VisionSpec(
        kind="detection", name="t", version="1.0.0", records="detection", by=("site",), groundtruth="t.jsonl"
    )
    found = metric("valor", "ap")
    data = read_data_set(vision_task(spec, tmp_path), data_files(spec, tmp_path)["groundtruth"])
    result = evaluate_tables(vision_task(spec, tmp_path), {found.text: found}, data, How())
    assert result.data["keys"]["label"]["metrics"][0]["value"] == 1.0
    assert result.data["keys"]["label"]["by"]["site"]["a"][0]["value"] == 1.0
    with pytest.raises(ValueError, match="is outside the spec's folder"):
        data_files(replace(spec, groundtruth="../t.jsonl"), tmp_path / "inner")
