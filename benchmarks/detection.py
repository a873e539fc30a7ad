"""Boxes: 5,000 images, 36,530 objects, 231,127 detections of 80 labels, from COCO files to the twelve statistics.

python benchmarks/detection.py [--rounds 2] [--images 5000]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from side_by_side import Work, golden, main, quiet, shown

IMAGES = int(sys.argv[sys.argv.index("--images") + 1]) if "--images" in sys.argv else 5000


def prepare(folder: Path) -> None:
    """Write the data set as COCO files; more images than it has are the same images again."""
    data = np.load(golden("perf_detection.npz"))
    copies = -(-IMAGES // 5000)
    truth, found = [], []
    for copy in range(copies):
        _add(truth, data, "gt", copy, IMAGES)
        _add(found, data, "dt", copy, IMAGES)
    for number, annotation in enumerate(truth, start=1):
        annotation |= {"id": number, "iscrowd": 0, "area": annotation["bbox"][2] * annotation["bbox"][3]}
    images = [{"id": i + 1, "height": 480, "width": 640} for i in range(IMAGES)]
    categories = [{"id": i, "name": f"c{i}"} for i in range(80)]
    content = {"images": images, "categories": categories, "annotations": truth}
    (folder / "truth.json").write_text(json.dumps(content))
    (folder / "results.json").write_text(json.dumps(found))


def _add(items: list[dict], data: np.lib.npyio.NpzFile, side: str, copy: int, images: int) -> None:
    image = data[f"{side}_image"].astype(int) + 1 + copy * 5000
    boxes = (data[f"{side}_box_hundredths"] / 100).tolist()
    rows = zip(image.tolist(), data[f"{side}_category"].tolist(), boxes, strict=True)
    scores = (data["dt_score_1e8"] / 1e8).tolist() if side == "dt" else [None] * len(boxes)
    for (image_id, category, box), score in zip(rows, scores, strict=True):
        if image_id <= images:
            item = {"image_id": image_id, "category_id": category, "bbox": box}
            items.append(item if score is None else {**item, "score": score})


def ours_coco(folder: Path) -> Work:
    """Our coco@1."""
    from scoring.extensions.vision.detection.matches import match
    from scoring.packs.coco.documents import read_coco
    from scoring.packs.coco.summary import COCO, coco_summary

    def work() -> str:
        statistics = coco_summary(match(read_coco(folder / "truth.json", folder / "results.json"), COCO))
        return shown([statistics["AP"], statistics["AR100"]])

    return work


def faster(folder: Path) -> Work:
    """faster-coco-eval (C++)."""
    from faster_coco_eval import COCO, COCOeval_faster

    def work() -> str:
        truth = COCO(str(folder / "truth.json"))
        evaluator = COCOeval_faster(truth, truth.loadRes(str(folder / "results.json")), "bbox")
        evaluator.evaluate()
        evaluator.accumulate()
        evaluator.summarize()
        return shown([evaluator.stats[0], evaluator.stats[8]])

    return lambda: quiet(work)


def pycocotools(folder: Path) -> Work:
    """pycocotools (Python and C)."""
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    def work() -> str:
        truth = COCO(str(folder / "truth.json"))
        evaluator = COCOeval(truth, truth.loadRes(str(folder / "results.json")), "bbox")
        evaluator.evaluate()
        evaluator.accumulate()
        evaluator.summarize()
        return shown([evaluator.stats[0], evaluator.stats[8]])

    return lambda: quiet(work)


def ours_lite(folder: Path) -> Work:
    """Our valor-lite@0.39: AP and AR."""
    from scoring.extensions.vision.detection.averages import mean_over_labels, precision_curves, recalls
    from scoring.extensions.vision.detection.matches import match
    from scoring.packs.coco.documents import read_coco
    from scoring.packs.valor.rules import VALOR_LITE

    def work() -> str:
        matches = match(read_coco(folder / "truth.json", folder / "results.json"), VALOR_LITE)
        ap = precision_curves(matches, interpolation="floor_101").average.mean(axis=0)
        ar = recalls(matches, at_score=0.0).mean(axis=0)
        return shown([mean_over_labels(ap, matches.observed, "zero"), mean_over_labels(ar, matches.observed, "zero")])

    return work


def valor_lite(folder: Path) -> Work:
    """valor-lite (Python, Arrow)."""
    from valor_lite.object_detection import BoundingBox, Detection, Loader

    def work() -> str:
        truth = json.loads((folder / "truth.json").read_text())
        found = json.loads((folder / "results.json").read_text())
        images: dict[int, tuple[list, list]] = {image["id"]: ([], []) for image in truth["images"]}
        for item in truth["annotations"]:
            x, y, w, h = item["bbox"]
            images[item["image_id"]][0].append(
                BoundingBox(
                    uid=f"g{item['id']}", xmin=x, xmax=x + w, ymin=y, ymax=y + h, labels=[f"c{item['category_id']}"]
                )
            )
        for number, item in enumerate(found):
            x, y, w, h = item["bbox"]
            images[item["image_id"]][1].append(
                BoundingBox(
                    uid=f"p{number}",
                    xmin=x,
                    xmax=x + w,
                    ymin=y,
                    ymax=y + h,
                    labels=[f"c{item['category_id']}"],
                    scores=[item["score"]],
                )
            )
        loader = Loader.in_memory()
        loader.add_bounding_boxes(
            [Detection(uid=str(key), groundtruths=a, predictions=b) for key, (a, b) in images.items()]
        )
        ious = [k / 100 for k in range(50, 100, 5)]
        metrics = loader.finalize().compute_precision_recall(iou_thresholds=ious, score_thresholds=[0.0])
        values = {str(getattr(k, "value", k)): v for k, v in metrics.items()}
        average = values["mAPAveragedOverIOUs"][0].to_dict()["value"]
        return shown([average, values["mAR"][0].to_dict()["value"]])

    return work


WORKERS = {
    "scoring coco@1": ours_coco,
    "faster-coco-eval": faster,
    "pycocotools": pycocotools,
    "scoring valor-lite@0.39": ours_lite,
    "valor-lite": valor_lite,
}

if __name__ == "__main__":
    if "--ours" in sys.argv:
        WORKERS = {name: worker for name, worker in WORKERS.items() if name.startswith("scoring")}
    main(WORKERS, prepare, f"boxes of {IMAGES} images: COCO files read, matched at 10 IoUs, AP and AR")
