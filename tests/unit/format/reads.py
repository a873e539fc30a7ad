"""Files that use every key of their kind, run with an eye on which attributes of the model anybody reads."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.cli.main import main
from scoring.format.keys import FileKind
from scoring.format.table import every_place

DOC = "What it is."
HEAD: dict[str, Any] = {"name": "demo/all", "version": "1.0.0", "doc": DOC}
INTERVALS = {"method": "percentile", "confidence": 0.9, "resamples": 100, "cluster": "page"}
PARAMS = {"low": {"default": 0.5, "doc": DOC}, "how": {"type": "pipeline", "default": "levenshtein", "doc": DOC}}
AUDIT = {"except": {"case": "names are written as they are"}, "must": ["order"]}
SINCE = {"since": "1.0.0", "why": DOC}
LONG: dict[str, Any] = {"doc": DOC, "params": PARAMS, "source": DOC, "audit": AUDIT}
DEFINITIONS: dict[str, dict[str, dict[str, Any]]] = {
    "scorers": {"near": {**LONG, "score": "how | zero_below(low)", "examples": [["a", "a", 1.0]]}},
    "parsers": {"answer": {**LONG, "parse": "json", "examples": [["{}", {}]]}},
    "transforms": {"tidy": {**LONG, "transform": "casefold | strip", "examples": [["A", "a"]]}},
    "aggregates": {"least": {**LONG, "aggregate": "min", "examples": [[{"a": 1.0, "b": 0.5}, 0.5]]}},
}
RECORD = {
    "id": "key",
    "response": "out",
    "reference": "gold",
    "context": "more",
    "weight": "points",
    "page": {"path": "meta.page", "values": ["one", "two"], "doc": DOC},
    "type": "type(meta.page)",
}
ROWS = {
    "kind": "task",
    "edition": 2027,
    **HEAD,
    "extends": "./base.json",
    "imports": {"anls": "anls@1"},
    "layouts": {"official": {"doc": DOC, "data": "jsonl", "references": "jsonl", "record": RECORD}},
    "answers": "many",
    "reward": {
        "unparsed": -0.5,
        "unscored": "skip",
        "not_applicable": -1,
        "gate": "pass",
        "range": [0, 2],
        "seconds": 60,
    },
    **DEFINITIONS,
    "record": RECORD,
    "parse": "json",
    "fields": {
        "a": {
            "score": "tidy | equal",
            "weight": 2,
            "prediction": "parsed.x",
            "reference": "reference.y",
            "optional": True,
            "doc": DOC,
        }
        | {"audit": AUDIT},
        "b": "equal",
        "c": {"score": "equal", "prediction": "parsed.b", "reference": "reference.b"},
        "d": {"score": "0.5 * a"},
    },
    "values": {"size": {"value": "prediction | length", "doc": DOC}},
    "aggregate": "0.5 * a + 0.5 * b",
    "pass": "score >= 0.5",
    "on_unparsed": "zero",
    "on_error": "zero",
    "on_missing": "unscored",
    "on_null": "value",
    "examples": [{"response": '{"x": "A", "b": 2}', "reference": {"y": "a", "b": 2}, "expect": 1.0}],
    "metrics": ["mean", "weighted_mean"],
    "better": {"mean": "higher"},
    "by": ["page", "size"],
    "intervals": {**INTERVALS, "strata": "type"},
    "audit": AUDIT,
}
SINGLE = {"kind": "task", **HEAD, "score": "equal"}
DATA_SET = {
    "kind": "task",
    "edition": 2027,
    **HEAD,
    "by": ["weather"],
    "intervals": {**INTERVALS, "cluster": "weather"},
    "audit": AUDIT,
}
FILTERS = {
    "groundtruth": {"area": {"min": 1, "max": 1e9}, "weather": "rain"},
    "predictions": {"score": {"min": 0.0, "max": 1.0}},
    "images": {"heat": {"min": 0, "max": 9}},
}
CLASSIFICATION = {
    **DATA_SET,
    "records": "classification",
    "imports": {"valor": "valor@1"},
    "groundtruth": "data.jsonl",
    "predictions": "found.jsonl",
    "labels": ["cat", "dog"],
    "label_map": {"kitten": "cat"},
    "filters": FILTERS,
    "settings": {"worst": 3},
    "metrics": ["label_report"],
    "better": {"label_report": "higher"},
}
DETECTION = {
    **DATA_SET,
    "records": "detection",
    "imports": {"coco": "coco@1"},
    "groundtruth": "instances.json",
    "predictions": "results.json",
    "labels": "labels.txt",
    "label_map": {"lorry": "truck"},
    "filters": FILTERS,
    "settings": {
        "geometry": "box",
        "rasterise": True,
        "worst": 3,
        "worst_iou": 0.4,
        "worst_score": 0.2,
        "pictures": "images",
    },
    "metrics": ["coco.statistics"],
    "better": {"coco.statistics": "higher"},
}
SEGMENTATION = {
    **DATA_SET,
    "records": "segmentation",
    "imports": {"valor": "valor@1"},
    "groundtruth": "truth.jsonl",
    "predictions": "found.jsonl",
    "labels": ["road", "car"],
    "settings": {"pictures": "images", "worst": 3},
    "metrics": ["pixel_report"],
    "better": {"pixel_report": "higher"},
}
SUITE = {
    "kind": "suite",
    "edition": 2027,
    **HEAD,
    "imports": {"anls": "anls@1"},
    "tasks": {"path": "tasks", "dialect": "megabench-upstream", "only": ["t"], "attributes": {"size": "small"}},
    "dialect": "megabench",
    "score": "mean",
    "data": {"task": "which", "records": "answers"},
    "attributes": {"path": "attributes.json", "read": {"area": "topic.area"}},
    "groups": {"small": {"size": "small"}},
    "metrics": ["macro"],
    "better": {"macro": "higher"},
    "by": ["area"],
    "intervals": {**INTERVALS, "cluster": "area"},
    "export": ["megabench"],
}
RESULTS = {"kind": "suite", **HEAD, "results": "task_results.json"}
OLD = {
    "scorers": {"near": "how | zero_below(low)"},
    "parsers": {"answer": "json"},
    "transforms": {"tidy": "casefold"},
    "aggregates": {"least": "min"},
}
PACK = {
    "kind": "pack",
    "edition": 2027,
    **HEAD,
    "audit": AUDIT,
    "imports": {"anls": "anls@1"},
    **{
        section: {name: {**one, "deprecated": {**SINCE, "for": OLD[section][name]}} for name, one in held.items()}
        for section, held in DEFINITIONS.items()
    },
    "deprecated": {**SINCE, "for": "anls@1"},
    "requires": ["scoring-dsl>=0"],
    "values": {"size": {"value": "prediction | length", "doc": DOC}},
    "metrics": {
        "middle": {
            **LONG,
            "metric": "quantile(low)",
            "examples": [[[0.0, 1.0], 0.5]],
            "deprecated": {**SINCE, "for": "quantile(low)"},
        }
    },
    "judges": {
        "short": {
            "doc": DOC,
            "inputs": {"response": "prediction"},
            "prompt": "Write the answer alone.",
            "reply": {"json": {"type": "object", "required": ["answer"], "properties": {"answer": {"type": "string"}}}},
            "gives": {"answer": "answer"},
            "value": "answer",
        }
    },
}
# Two files where keys exclude one another.
FILES: dict[FileKind, list[dict[str, Any]]] = {
    "rows": [ROWS, SINGLE],
    "classification": [CLASSIFICATION],
    "detection": [DETECTION],
    "segmentation": [SEGMENTATION],
    "suite": [SUITE, RESULTS],
    "pack": [PACK],
}


def lines(*rows: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


SCENE = {"area": 9, "weather": "rain", "heat": 5}
BOX = {"image_id": 1, "category_id": 1, "bbox": [1, 1, 3, 3]}
DATA: dict[FileKind, dict[str, str]] = {
    "rows": {
        "base.json": json.dumps(SINGLE),
        "data.jsonl": lines(
            {"key": 1, "out": '{"x": "A", "b": 2}', "gold": {"y": "a", "b": 2}, "points": 2, "meta": {"page": "one"}},
            {"key": 2, "out": "no", "gold": {"y": 1, "b": 2}, "points": 1, "meta": {"page": "two"}, "more": "c"},
        ),
    },
    "classification": {
        "data.jsonl": lines({"id": "a", "groundtruth": "cat", **SCENE}, {"id": "b", "groundtruth": "dog", **SCENE}),
        "found.jsonl": lines(
            {"id": "a", "predictions": {"kitten": 0.9, "dog": 0.1}}, {"id": "b", "predictions": {"dog": 0.6}}
        ),
    },
    "detection": {
        "instances.json": json.dumps(
            {
                "images": [{"id": 1, "width": 9, "height": 9, **SCENE}],
                "categories": [{"id": 1, "name": "lorry"}],
                "annotations": [{**BOX, "id": 1, "area": 9, "iscrowd": 0, "weather": "rain"}],
            }
        ),
        "results.json": json.dumps([{**BOX, "score": 0.9}]),
        "labels.txt": "truck\n",
    },
    "segmentation": {
        "truth.jsonl": lines({"id": 1, "height": 1, "width": 2, "groundtruth": [[1, 2]], "weather": "rain"}),
        "found.jsonl": lines({"id": 1, "height": 1, "width": 2, "prediction": [[1, 0]]}),
    },
    "suite": {
        "data.jsonl": lines({"which": "t", "answers": [{"id": 1, "response": "a", "reference": "a"}]}),
        "attributes.json": json.dumps({"t": {"topic": {"area": "words"}}}),
        "task_results.json": json.dumps([{"name": "t", "score": 1.0}]),
        "tasks/t.json": json.dumps({"kind": "task", "name": "t", "score": "equal"}),
        "tasks/metrics.json": json.dumps({"field_score_function": {"a": "exact_str_match"}}),
        "tasks/t.yaml": "kind: task\nname: t\nversion: 1.0.0\nscore: equal\n",
    },
    "pack": {},
}


PACKAGE = str(Path(scoring.__file__).parent)


class Reads:
    """Which attributes of which classes were read by anybody who uses the model."""

    def __init__(self) -> None:
        self.found: set[tuple[FileKind, type, str]] = set()

    def knows(self, kind: FileKind, owner: type, attribute: str) -> bool:
        """Whether the attribute was read of a file of that kind."""
        return (kind, owner, attribute) in self.found


class Sections(dict[str, Any]):
    """The keys of a part of a spec that extensions bring; it tells which of them is read."""

    def __init__(self, held: Mapping[str, Any], tell: Callable[[str], None]) -> None:
        super().__init__(held)
        self.tell = tell

    def get(self, name: str, default: Any = None) -> Any:
        if is_reader(sys._getframe(1)):
            self.tell(name)
        return super().get(name, default)


def is_reader(frame: Any) -> bool:
    """Whether code uses the model: not what builds, copies, compares or shows it."""
    file, name = frame.f_code.co_filename, frame.f_code.co_name
    if name == "of" and file.endswith("format/keys.py"):
        return is_reader(frame.f_back)  # who asks a key for its value
    if file.endswith("format/build.py"):
        return name == "_whole_task"  # a single answer becomes a field
    if name in ("to_json", "moving") or file.endswith("compiler/identity/meaning.py"):
        return False  # to be named in a signature is no effect
    return file.startswith(PACKAGE) and not file.endswith("dataclasses.py")


@contextmanager
def reads_of_a_run(folder: Path) -> Iterator[Reads]:
    """What is read while every file of `FILES` is checked, tested, audited and scored."""
    reads = Reads()
    kind: FileKind = "pack"

    def watched(self: Any, name: str) -> Any:
        found = object.__getattribute__(self, name)
        if name == "sections":
            return Sections(found, lambda key: reads.found.add((kind, type(self), key)))
        if is_reader(sys._getframe(1)):
            reads.found.add((kind, type(self), name))
        return found

    with pytest.MonkeyPatch.context() as patch, redirect_stdout(io.StringIO()):
        for owner in {place.owner for place in every_place()}:
            patch.setattr(owner, "__getattribute__", watched, raising=False)
        for kind, specs in FILES.items():
            for name, text in DATA[kind].items():
                path = folder / kind / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            for number, spec in enumerate(specs):
                run(folder / kind, number, spec)
    yield reads


def run(folder: Path, number: int, spec: dict[str, Any]) -> None:
    """Check a file, test its examples, audit it, and score its data."""
    folder.mkdir(exist_ok=True)
    path = folder / f"spec{number}.json"
    path.write_text(json.dumps(spec))
    assert main(["check", str(path)]) == 0
    if spec["kind"] != "suite" and "records" not in spec:
        assert main(["test", str(path)]) == 0
    if "reward" in spec:
        assert scoring.rewards.trl(path)(prompts=["?"], completions=["no"], gold=[{"y": 1, "b": 2}]) == [-0.5]
    if spec["kind"] == "pack":
        assert main(["list", str(path)]) == 0
        assert main(["audit", str(path)]) in (0, 1)
        return
    if spec is SINGLE:
        return
    data = [str(folder / "data.jsonl")] if spec in (ROWS, SUITE) else []
    if spec["kind"] != "suite":
        assert main(["audit", str(path), *data]) in (0, 1)
    assert main(["score", str(path), *data, "-o", str(folder / "run"), "--force"]) in (0, 1)
    if "layouts" in spec:
        assert main(["score", str(path), *data, "--references", *data, "--layout", *spec["layouts"]]) == 0
