"""Instance masks: 500 images, 3,010 objects, 6,353 detections as compressed run lengths, to the twelve statistics.

    python benchmarks/masks.py [--rounds 2]

COCO's tools read run lengths; valor-lite takes pixel arrays, so that it is also charged with unpacking them.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from side_by_side import Work, golden, main, quiet, shown

HEIGHT, WIDTH, IMAGES = 240, 320, 500


def prepare(folder: Path) -> None:
    """Draw the ellipses and write them as COCO files."""
    from scoring.extensions.vision.geometry.rle import Masks, compress

    data = np.load(golden("perf_masks.npz"))
    rows, columns = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float64)
    sides = {}
    for side in ("gt", "dt"):
        items = []
        for values in data[side].tolist():
            image, category, cy, cx, ry, rx, theta, *score = values
            u = (columns - cx) * np.cos(theta) + (rows - cy) * np.sin(theta)
            v = -(columns - cx) * np.sin(theta) + (rows - cy) * np.cos(theta)
            masks = Masks.from_bitmaps([(u / rx) ** 2 + (v / ry) ** 2 <= 1])
            code = {"size": [HEIGHT, WIDTH], "counts": compress(masks.counts(0))}
            item = {"image_id": int(image) + 1, "category_id": int(category), "segmentation": code}
            items.append(item | ({"score": score[0]} if score else {"area": float(masks.areas()[0])}))
        sides[side] = items
    for number, item in enumerate(sides["gt"], start=1):
        item |= {"id": number, "iscrowd": 0}
    images = [{"id": i + 1, "height": HEIGHT, "width": WIDTH} for i in range(IMAGES)]
    categories = [{"id": i, "name": f"c{i}"} for i in range(10)]
    content = {"images": images, "categories": categories, "annotations": sides["gt"]}
    (folder / "truth.json").write_text(json.dumps(content))
    (folder / "results.json").write_text(json.dumps(sides["dt"]))


def ours(folder: Path) -> Work:
    """Our coco@1."""
    from scoring.extensions.vision.detection.matches import match
    from scoring.packs.coco.documents import read_coco
    from scoring.packs.coco.summary import COCO, coco_summary

    def work() -> str:
        table = read_coco(folder / "truth.json", folder / "results.json", geometry="mask")
        statistics = coco_summary(match(table, COCO))
        return shown([statistics["AP"], statistics["AR100"]])

    return work


def faster(folder: Path) -> Work:
    """faster-coco-eval."""
    from faster_coco_eval import COCO, COCOeval_faster

    def work() -> str:
        truth = COCO(str(folder / "truth.json"))
        evaluator = COCOeval_faster(truth, truth.loadRes(str(folder / "results.json")), "segm")
        evaluator.evaluate()
        evaluator.accumulate()
        evaluator.summarize()
        return shown([evaluator.stats[0], evaluator.stats[8]])

    return lambda: quiet(work)


def pycocotools(folder: Path) -> Work:
    """pycocotools."""
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    def work() -> str:
        truth = COCO(str(folder / "truth.json"))
        evaluator = COCOeval(truth, truth.loadRes(str(folder / "results.json")), "segm")
        evaluator.evaluate()
        evaluator.accumulate()
        evaluator.summarize()
        return shown([evaluator.stats[0], evaluator.stats[8]])

    return lambda: quiet(work)


def valor_lite(folder: Path) -> Work:
    """valor-lite."""
    from pycocotools import mask as coco_mask
    from valor_lite.object_detection import Bitmask, Detection, Loader

    def work() -> str:
        truth = json.loads((folder / "truth.json").read_text())
        found = json.loads((folder / "results.json").read_text())
        images: dict[int, tuple[list, list]] = {image["id"]: ([], []) for image in truth["images"]}
        for side, items in enumerate((truth["annotations"], found)):
            for number, item in enumerate(items):
                pixels = coco_mask.decode(item["segmentation"]).astype(bool)
                scores = [item["score"]] if side else []
                label = [f"c{item['category_id']}"]
                images[item["image_id"]][side].append(
                    Bitmask(uid=f"{side}-{number}", mask=pixels, labels=label, scores=scores)
                )
        loader = Loader.in_memory()
        loader.add_bitmasks([Detection(uid=str(key), groundtruths=a, predictions=b) for key, (a, b) in images.items()])
        ious = [k / 100 for k in range(50, 100, 5)]
        metrics = loader.finalize().compute_precision_recall(iou_thresholds=ious, score_thresholds=[0.0])
        values = {str(getattr(k, "value", k)): v for k, v in metrics.items()}
        average = values["mAPAveragedOverIOUs"][0].to_dict()["value"]
        return shown([average, values["mAR"][0].to_dict()["value"]])

    return work


WORKERS = {"scoring coco@1": ours, "faster-coco-eval": faster, "pycocotools": pycocotools, "valor-lite": valor_lite}

if __name__ == "__main__":
    main(WORKERS, prepare, "run-length masks of 500 images: COCO files read, matched at 10 IoUs, AP and AR")
