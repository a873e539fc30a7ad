"""coco@1 beside pycocotools on random data with ties, crowds and empty boxes; skipped where it is not installed."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import numpy as np
import pytest

import scoring
from scoring.extensions.vision.geometry.rle import Masks, compress

coco_module = pytest.importorskip("pycocotools.coco")
evaluation = pytest.importorskip("pycocotools.cocoeval")
SIZE = 60


def shape(generator: np.random.Generator, kind: str) -> dict[str, Any]:
    x, y = generator.integers(0, SIZE - 20, 2).tolist()
    w, h = generator.integers(0 if kind == "bbox" else 2, 20, 2).tolist()
    if kind == "bbox":
        return {"bbox": [x, y, w, h], "area": w * h}
    if kind == "polygon":
        corners = [[x, y], [x + w, y + generator.integers(0, 3).item()], [x + w / 2 + 0.5, y + h]]
        return {"segmentation": [[float(v) for corner in corners for v in corner]], "area": w * h / 2}
    pixels = np.zeros((SIZE, SIZE), dtype=np.bool_)
    pixels[y : y + h, x : x + w] = generator.random((h, w)) < 0.8
    masks = Masks.from_bitmaps([pixels])
    return {
        "segmentation": {"size": [SIZE, SIZE], "counts": compress(masks.counts(0))},
        "area": float(masks.areas()[0]),
    }


def data_set(seed: int, kind: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    generator = np.random.default_rng(seed)
    images = [{"id": i, "height": SIZE, "width": SIZE} for i in (7, 3, 5)]
    categories = [{"id": i, "name": f"c{i}"} for i in (4, 1, 2)]
    annotations = [
        {
            "id": number + 1,
            "image_id": int(generator.choice([3, 5, 7])),
            "category_id": int(generator.integers(1, 3)),
            "iscrowd": int(generator.random() < 0.2),
            "ignore": number % 7 == 3,  # which the official code overwrites
            **shape(generator, kind),
        }
        for number in range(int(generator.integers(1, 25)))
    ]
    found = []
    for _ in range(int(generator.integers(1, 60))):
        result = shape(generator, kind)
        if generator.random() < 0.6:  # near a true object, so that something matches
            copied = annotations[int(generator.integers(len(annotations)))]
            result = {key: copied[key] for key in ("bbox", "segmentation") if key in copied}
        result.pop("area", None)
        found.append(
            {
                "image_id": int(generator.choice([3, 5, 7])),
                "category_id": int(generator.choice([1, 2, 4])),
                "score": float(generator.integers(0, 6) / 5),
                **result,
            }
        )
    if kind == "polygon":  # results are never polygons in COCO
        masks = pytest.importorskip("pycocotools.mask")
        for result in found:
            (code,) = masks.frPyObjects(result["segmentation"], SIZE, SIZE)
            result["segmentation"] = {"size": [SIZE, SIZE], "counts": code["counts"].decode()}
    return {"images": images, "categories": categories, "annotations": annotations}, found


@pytest.mark.parametrize("kind", ["bbox", "mask", "polygon", "mixed"])
@pytest.mark.parametrize("seed", range(15))
def test_statistics_are_equal_to_the_bit(kind: str, seed: int) -> None:
    truth, found = data_set(seed, "polygon" if kind == "mixed" else kind)
    if kind == "mixed":  # as COCO's own files are: crowds are masks, all others polygons
        masks = data_set(seed + 100, "mask")[0]["annotations"]
        for annotation, other in zip(truth["annotations"], masks, strict=False):
            if annotation["iscrowd"]:
                annotation["segmentation"] = other["segmentation"]
    with contextlib.redirect_stdout(io.StringIO()):
        peer = coco_module.COCO()
        peer.dataset = truth
        peer.createIndex()
        run = evaluation.COCOeval(peer, peer.loadRes([dict(r) for r in found]), "bbox" if kind == "bbox" else "segm")
        run.evaluate()
        run.accumulate()
        run.summarize()
    spec = {
        "kind": "task", "name": "t", "version": "1.0.0", "records": "detection", "imports": {"coco": "coco@1"},
        "settings": {"geometry": "box"} if kind == "bbox" else {"rasterise": True},
        "metrics": [
            "coco.statistics",
            "coco.ar(iou_thresholds=[0.5, 0.75], max_detections=10)",
            "coco.ap(iou_thresholds=[0.5, 0.75], area=[0, 1024])",
        ],
        "intervals": {"resamples": 100},
    }  # fmt: skip
    mine, recall, small = scoring.evaluate(spec, found, references=truth).to_json()["keys"]["label"]["metrics"]
    names = ["AP", "AP50", "AP75", "AP_small", "AP_medium", "AP_large", "AR1", "AR10", "AR100"]
    names += ["AR_small", "AR_medium", "AR_large"]
    assert [mine["details"][name] for name in names] == run.stats.tolist()
    theirs = run.eval["recall"][[0, 5], :, 0, 1]
    assert recall["value"] == pytest.approx(theirs[:, theirs[0] > -1].mean(), abs=1e-12)
    for place, label in enumerate(sorted((c["id"], c["name"]) for c in truth["categories"])):
        precision = run.eval["precision"][[0, 5], :, place, 1, 2]
        if label[1] in small["details"]["labels"]:
            wanted = [None, None] if (precision == -1).any() else precision.mean(axis=1).tolist()
            found = small["details"]["labels"][label[1]]["ap"]
            assert found == wanted or found == pytest.approx(wanted, abs=1e-12)
        else:
            assert (precision == -1).all()


def test_an_object_with_the_id_0_is_found() -> None:
    """The one known difference: 0 is the official code's word for no match, so there it is missed."""
    truth, _ = data_set(1, "bbox")
    truth["annotations"] = [{**truth["annotations"][0], "id": 0, "iscrowd": 0, "bbox": [0, 0, 4, 4], "area": 16}]
    annotation = truth["annotations"][0]
    found = [
        {"image_id": annotation["image_id"], "category_id": annotation["category_id"], "bbox": [0, 0, 4, 4], "score": 1}
    ]
    spec = {"kind": "task", "name": "t", "version": "1.0.0", "records": "detection", "metrics": ["coco/statistics"]}
    assert scoring.evaluate(spec, found, references=truth).summary["metrics"][0]["value"] == pytest.approx(1.0)
    with contextlib.redirect_stdout(io.StringIO()):
        peer = coco_module.COCO()
        peer.dataset = truth
        peer.createIndex()
        run = evaluation.COCOeval(peer, peer.loadRes(found), "bbox")
        run.evaluate()
        run.accumulate()
        run.summarize()
    assert run.stats[0] == 0.0
