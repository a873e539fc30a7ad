"""The kinds of spec that the law of meanings edits: their keys, the specs that use them, and the data of each."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scoring.format.keys import FileKind
from scoring.format.table import KeyPlace, every_place
from tests.property import meanings_base as rows
from tests.property.meanings_base import AUDIT, DEFINITIONS, HEAD, LONG

GONE: Any = object()
"""In place of a value: the key is taken away."""
_COMMON: Mapping[str, list[Any]] = {
    name: rows.POOLS[name] for name in ("name", "version", "doc", "except", "must", "audit")
}


@dataclass(frozen=True)
class Room:
    """One kind of spec.

    Args:
        kind: The kind of file whose keys are edited.
        bases: Specs that use the keys.
        pools: Values of keys whose schema tells none, by the place or the last word of it.
        data: What is scored, made from a seed, in the current folder; files are written there.
        references: What it is scored against, where that is a file of its own.
        alone: Keys that can't be edited alone, or of which not every voice speaks, each with the reason.
        wrapped: Of what can't score by itself, the task that imports it.
    """

    kind: FileKind
    bases: Sequence[Mapping[str, Any]]
    pools: Mapping[str, list[Any]]
    data: Callable[[int], Any]
    references: str | None = None
    alone: Mapping[str, str] = field(default_factory=dict)
    wrapped: Mapping[str, Any] | None = None

    @property
    def places(self) -> tuple[KeyPlace, ...]:
        """Every key of the kind, at each place where it may stand."""
        return tuple(place for place in every_place() if self.kind in place.kinds and place.text not in self.alone)

    def written(self, seed: int) -> Any:
        """The data, after all files were written into the current folder."""
        return self.data(seed)

    def given(self, spec: Mapping[str, Any], name: str) -> Any:
        """A side as it is given to a command: as data, or as the file of this name in the current folder."""
        if self.kind == "rows":
            return spec
        Path(name).mkdir(exist_ok=True)
        path = Path(name, "spec.json")
        path.write_text(json.dumps(spec))
        if self.wrapped is None:
            return str(path)
        task = Path(name, "task.json")
        task.write_text(json.dumps(self.wrapped))
        return str(task)


def _lines(name: str, held: Sequence[Mapping[str, Any]]) -> str:
    Path(name).write_text("".join(f"{json.dumps(one)}\n" for one in held))
    return name


ROWS = Room(
    "rows",
    rows.BASES,
    rows.POOLS,
    lambda seed: rows.records(200, seed),
    alone={
        **{
            f"{section}.<name>.params.<name>.type": "its default, and the calls of it, are then others, too"
            for section in ("scorers", "parsers", "transforms", "aggregates")
        },
        "kind": "another kind is another file",
    },
)

# ---- a pack that a task imports

_OLD = {"for": "near", "since": "1.0.0", "why": "It has a better name."}
_PACK: dict[str, Any] = {
    **HEAD,
    **DEFINITIONS,
    "kind": "pack",
    "name": "house",
    "scorers": {**DEFINITIONS["scorers"], "tight": "near(low=0.9)", "close": {"score": "near", "deprecated": _OLD}},
    "metrics": {"wide": {**LONG, "params": {"share": {"default": 0.5, "doc": "Which."}}, "metric": "quantile(share)"}},
    "audit": AUDIT,
}
_USER: dict[str, Any] = {
    **HEAD,
    "imports": {"house": "./spec.json"},
    "record": rows.RECORD,
    "parse": "house.answer",
    "fields": {
        "a": {"score": "house.tidy | house.near", "prediction": "parsed.x", "reference": "reference.y"},
        "b": {"score": "equal"},
    },
    "aggregate": "house.least",
    "metrics": ["mean", "house.wide"],
}
_OF_PACKS = {
    "kind": "another kind is another file",
    "name": "a pack that is imported by its path may be called anything",
    "requires": "no distribution is installed for a test",
    "judges": "they ask a model",
    "metrics.<name>.params.<name>.type": "as of scorers",
    "metrics.<name>.examples": "a metric has none",
    **{place: reason for place, reason in ROWS.alone.items() if place.endswith(".type")},
    **{
        place.text: "as of scorers, and a whole pack has another to stand for it"
        for place in every_place()
        if "deprecated" in place.path and place.path[0] != "scorers"
    },
}
_OF_PACK: Mapping[str, list[Any]] = {
    **rows.POOLS,
    "deprecated": [{"for": "tight", "since": "1.0.0"}],
    "for": ["tight"],
    "since": ["0.9.0"],
    "why": ["It was renamed."],
    "metrics": [{**_PACK["metrics"], "unused": "mean"}],
    "metrics.<name>.params": [{"share": {"default": 0.5, "doc": "Other words."}}],
    "metric": ["mean", "quantile(0.9)"],
    "default": [*rows.POOLS["default"], 0.9],
}
PACK = Room("pack", [_PACK], _OF_PACK, lambda seed: rows.records(200, seed), alone=_OF_PACKS, wrapped=_USER)

# ---- a suite

_TASKS: dict[str, dict[str, Any]] = {
    "one": {"score": "equal", "record": {"response": "out", "reference": "gold"}},
    "two": {"score": "levenshtein", "metrics": ["mean", "pass_rate"], "pass": "score >= 0.5"},
    "three": {"score": "casefold | levenshtein", "intervals": {"confidence": 0.9}},
}
_SUITE: dict[str, Any] = {
    **HEAD,
    "kind": "suite",
    "imports": {"anls": "anls@1"},
    "tasks": [
        "../tasks/one.json",
        {"path": "../tasks/two.json", "attributes": {"level": "hard"}},
        {"path": "../tasks/three.json", "only": ["three"], "attributes": {"level": "easy"}},
    ],
    "score": "mean",
    "data": {"task": "what", "records": "answers"},
    "attributes": {"path": "../attributes.json", "read": {"area": "topic.area"}},
    "groups": {"core": {"level": "hard"}, "open": {"level": "easy"}},
    "metrics": ["macro", "micro", {"wide": "mean(score)"}],
    "better": {"wide": "higher"},
    "by": ["level", "area"],
    "intervals": {"method": "percentile", "confidence": 0.9, "resamples": 100, "cluster": "area"},
}


def _suite_data(seed: int) -> str:
    chance = random.Random(f"suite {seed}")
    Path("tasks").mkdir()
    for name, task in _TASKS.items():
        Path("tasks", f"{name}.json").write_text(json.dumps({**HEAD, "name": name, **task}))
    for name, area in (("attributes", "maths"), ("others", "art")):
        areas = {"one": area, "two": "poems"}
        read = {task: {"topic": {"area": areas.get(task, "maths")}, "level2": "x"} for task in _TASKS}
        Path(f"{name}.json").write_text(json.dumps(read))
    words = ("Lima", "lima", "Lyma", "Quito", "a")
    keys = ("response", "reference", "out", "gold")
    held = [{"id": n, **{key: chance.choice(words) for key in keys}} for n in range(360)]
    part = [held[n : n + 10] for n in range(0, 360, 10)]
    named = [(name, list(_TASKS)[(n + 1) % 3]) for n, name in enumerate(_TASKS)] * 6
    return _lines(
        "data.jsonl",
        [
            {"what": what, "which": which, "answers": one, "more": other}
            for (what, which), one, other in zip(named, part[:18], part[18:], strict=True)
        ],
    )


SUITE = Room(
    "suite",
    [_SUITE, {**_SUITE, "intervals": {"confidence": 0.9}}],
    {
        **_COMMON,
        "imports": [{"anls": "anls@1", "other": "anls@1"}],
        "tasks": [["../tasks/one.json", "../tasks/two.json"], "../tasks"],
        "tasks.path": ["../tasks/two.json"],
        "only": [["one"]],
        "tasks.attributes": [{"level": "hard"}],
        "score": ["mean", "coverage", "pass_rate"],
        "data.task": ["which", "what", ["what", "which"]],
        "data.records": ["more", "answers"],
        "attributes": ["../attributes.json", {"path": "../others.json", "read": {"area": "topic.area"}}],
        "attributes.path": ["../others.json"],
        "read": [{"area": "level2"}, {"area": "topic.area", "more": "level"}],
        "groups": [{"core": {"level": "easy"}, "open": {"level": "hard"}}, {"core": {"level": ["hard", "easy"]}}],
        "metrics": [["micro", "macro"], ["macro"], ["macro", {"wide": "max(score)"}]],
        "better": [{"wide": "lower"}],
        "by": [["level"], ["area"]],
        "intervals": [{"confidence": 0.8}],
        "cluster": ["level", "area"],
        "export": [["megabench"]],
    },
    _suite_data,
    alone={
        "kind": "another kind is another file",
        "dialect": "no task here is a file of another tool",
        "tasks.dialect": "likewise",
        "tasks.path": "an entry of a list is edited with the list: `tasks`",
        "tasks.only": "likewise",
        "tasks.attributes": "likewise",
        "results": "a suite that is computed from results scores nothing",
    },
)

# ---- whole data sets

_FILTERS = {
    "groundtruth": {"size": {"min": 1, "max": 8}},
    "predictions": {"sure": {"min": 0, "max": 9}},
    "images": {"light": {"min": 0, "max": 5}},
}
_IMAGES: dict[str, Any] = {
    **HEAD,
    "imports": {"coco": "coco@1"},
    "groundtruth": "../truth.json",
    "predictions": "../found.json",
    "label_map": {"lorry": "truck"},
    "by": ["light"],
    "intervals": {"method": "percentile", "confidence": 0.9, "resamples": 100, "cluster": "site"},
    "audit": AUDIT,
}
_OF_IMAGES: Mapping[str, list[Any]] = {
    **_COMMON,
    "imports": [{"coco": "coco@1", "other": "coco@1"}],
    "label_map": [{"lorry": "car"}, {"lorry": "truck", "dog": "cat"}],
    "labels": [["cat", "dog"], ["dog", "cat"], ["car", "truck"]],
    "filters": [{"images": {"light": {"min": 2}}}],
    "filters.groundtruth": [{"size": {"min": 4}}],
    "filters.predictions": [{"sure": {"min": 4}}],
    "images": [{"light": {"min": 3}}],
    "min": [0, 2, 4],
    "max": [3, 6, 9],
    "settings": [{"worst": 3}],
    "worst": [3, 7],
    "better": [],
    "by": [["site"], []],
    "intervals": [{"confidence": 0.8}],
    "cluster": ["site", "light"],
}
_ALONE_OF_IMAGES = {
    "kind": "another kind is another file",
    "records": "another kind of data is another file",
    "groundtruth": "which data are scored is no rule",
    "predictions": "likewise",
    "better": "the figures of whole data sets say themselves which values are better",
}


def _places_of_images(chance: random.Random) -> list[dict[str, Any]]:
    return [
        {"id": n, "file_name": f"{n}.jpg", "width": 100, "height": 100, "light": n % 6, "site": chance.choice("abc")}
        for n in range(60)
    ]


def _boxes(seed: int) -> str:
    chance = random.Random(f"boxes {seed}")
    images = _places_of_images(chance)
    kinds = [{"id": n, "name": name} for n, name in enumerate(("car", "truck", "lorry"), start=1)]
    truth, found = list[dict[str, Any]](), list[dict[str, Any]]()
    for image in images:
        for _ in range(chance.randrange(3)):
            x, y, side, kind = (
                *(chance.randrange(60) for _ in range(2)),
                chance.randrange(10, 30),
                chance.randrange(1, 4),
            )
            one = {"image_id": image["id"], "category_id": kind, "bbox": [x, y, side, side]}
            truth.append({"id": len(truth) + 1, **one, "area": side * side, "iscrowd": 0, "size": chance.randrange(9)})
            moved = {**one, "bbox": [x + chance.randrange(9), y, side, side], "category_id": chance.choice([kind, 1])}
            found.append({**moved, "score": round(chance.random(), 2), "sure": chance.randrange(10)})
    Path("truth.json").write_text(json.dumps({"images": images, "categories": kinds, "annotations": truth}))
    Path("found.json").write_text(json.dumps(found))
    return "found.json"


DETECTION = Room(
    "detection",
    [
        {
            **_IMAGES,
            "records": "detection",
            "filters": _FILTERS,
            "settings": {
                "geometry": "box",
                "rasterise": False,
                "worst": 5,
                "worst_iou": 0.5,
                "worst_score": 0.25,
                "pictures": "images",
            },
            "metrics": ["coco.statistics", "detection_counts"],
        }
    ],
    {**_OF_IMAGES, "metrics": [["detection_counts"], ["detection_counts", "coco.statistics"]]},
    _boxes,
    "truth.json",
    {**_ALONE_OF_IMAGES, "imports": "what its metrics are imported from"},
)


def _labels(seed: int) -> str:
    chance = random.Random(f"labels {seed}")
    truth, found = list[dict[str, Any]](), list[dict[str, Any]]()
    for n in range(120):
        sure = round(chance.random(), 2)
        own = {"size": n % 9, "light": n % 6, "site": chance.choice("abc")}
        truth.append({"id": str(n), "label": chance.choice(["cat", "dog"]), **own})
        found.append({"id": str(n), "cat": sure, "dog": 1 - sure})
    _lines("truth.jsonl", truth)
    return _lines("found.jsonl", found)


CLASSIFICATION = Room(
    "classification",
    [
        {
            **_IMAGES,
            "groundtruth": "../truth.jsonl",
            "predictions": "../found.jsonl",
            "records": "classification",
            "settings": {"worst": 5},
            "metrics": ["label_report", "label_roc_auc"],
            "filters": {"groundtruth": {"size": {"min": 1, "max": 8}}},
        }
    ],
    {**_OF_IMAGES, "metrics": [["label_roc_auc"], ["label_report"]]},
    _labels,
    "truth.jsonl",
    {
        **_ALONE_OF_IMAGES,
        **{
            f"filters.{side}.<name>.{end}": "as of detections: what these data say of each is on the other side"
            for side in ("predictions", "images")
            for end in ("min", "max")
        },
    },
)

ROOMS: Mapping[str, Room] = {
    "rows": ROWS,
    "pack": PACK,
    "suite": SUITE,
    "detection": DETECTION,
    "classification": CLASSIFICATION,
}
