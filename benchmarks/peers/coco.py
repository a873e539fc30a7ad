"""COCO's evaluation by one of two packages, on `truth.json` and `results.json` here; prints the twelve statistics.

python benchmarks/peers/coco.py {faster-coco-eval,pycocotools} {bbox,segm}
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from typing import Any


def statistics(tool: str, kind: str) -> list[float]:
    """What the tool summarises."""
    evaluation: Any
    if tool == "pycocotools":
        from pycocotools.coco import COCO
        from pycocotools.cocoeval import COCOeval as evaluation
    else:
        from faster_coco_eval import COCO
        from faster_coco_eval import COCOeval_faster as evaluation
    truth = COCO("truth.json")
    run = evaluation(truth, truth.loadRes("results.json"), kind)
    run.evaluate()
    run.accumulate()
    run.summarize()
    return [float(value) for value in run.stats[:12]]


if __name__ == "__main__":
    with contextlib.redirect_stdout(io.StringIO()):
        found = statistics(*sys.argv[1:])
    print(json.dumps(found))
