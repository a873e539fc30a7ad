"""What the law of meanings edits: tasks that use every key, values for keys whose schema tells none, and records."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from typing import Any

AUDIT = {"except": {"case": "names are written as they are"}, "must": ["order"]}
LONG = {"doc": "What it is.", "source": "A paper.", "audit": AUDIT}
LOW = {"low": {"default": 0.4, "doc": "The least."}}
EDGE = {"edge": {"default": "", "doc": "What goes at both ends."}}
NEAR = {**LOW, "how": {"type": "pipeline", "default": "levenshtein"}}
DEFINITIONS: dict[str, Any] = {
    "imports": {"anls": "anls@1"},
    "scorers": {"near": {**LONG, "params": NEAR, "score": "how | zero_below(low)", "examples": [["a", "a", 1.0]]}},
    "parsers": {"answer": {**LONG, "params": EDGE, "parse": "strip(edge) | json", "examples": [["{}", {}]]}},
    "transforms": {"tidy": {**LONG, "params": EDGE, "transform": "casefold | strip(edge)", "examples": [["A", "a"]]}},
    "aggregates": {
        "least": {
            **LONG,
            "params": LOW,
            "aggregate": "min | zero_below(low)",
            "examples": [[{"a": 1.0, "b": 0.5}, 0.5]],
        }
    },
    "values": {"size": {"value": "prediction | length", "doc": "How long it is."}},
}
RECORD = {
    "id": "key",
    "response": "out",
    "reference": "gold",
    "context": "more",
    "weight": "points",
    "page": {"path": "meta.page", "values": ["one", "two", "three"], "doc": "Where it stands."},
    "long": "length(extra)",
}
INTERVALS = {"method": "percentile", "confidence": 0.9, "resamples": 100, "cluster": "page"}
HEAD: dict[str, Any] = {"kind": "task", "name": "law/all", "version": "1.0.0", "doc": "What it is."}
PLACES = {"prediction": "parsed.x", "reference": "reference.y"}
ROWS: dict[str, Any] = {
    **HEAD,
    **DEFINITIONS,
    "record": RECORD,
    "layouts": {"official": {"doc": "Of it.", "data": "jsonl", "references": "jsonl", "record": RECORD}},
    "reward": {
        "unparsed": -0.5,
        "unscored": "skip",
        "not_applicable": 0,
        "gate": "pass",
        "range": [0, 2],
        "seconds": 9,
    },
    "parse": "answer",
    "fields": {
        "a": {
            "score": "tidy | near",
            "weight": 2,
            "prediction": "parsed.x",
            "reference": "reference.y",
            "optional": False,
            "doc": "A.",
        }
        | {"audit": AUDIT},
        "b": {"score": "equal", "weight": 3},
        "c": {"score": "equal", "prediction": "prediction | json", "reference": "reference.b"},
        "d": {"score": "anls.anls", **PLACES},
    },
    "aggregate": "mean",
    "pass": "score >= 0.5",
    "on_unparsed": "zero",
    "on_error": "zero",
    "on_missing": "zero",
    "on_null": "absent",
    "examples": [{"response": '{"x": "A", "b": 2}', "reference": {"y": "a", "b": 2}, "expect": 1.0}],
    "metrics": ["mean", "weighted_mean", {"wide": "mean(a) - mean(b)"}],
    "better": {"wide": "higher"},
    "by": ["page", "size"],
    "intervals": INTERVALS,
    "audit": AUDIT,
}
LEAST = {**ROWS, "aggregate": "least"}
LEAST["fields"] = {"a": {"score": "near(low=0.3)", **PLACES}, "b": "equal"}
LEAST["metrics"] = ["mean"]
del LEAST["better"]
FORMULA: dict[str, Any] = {
    **LEAST,
    "fields": {**LEAST["fields"], "d": {"score": "clip(0.5 * a + size / 90 + record.long / 100, 0, 1)"}},
    "aggregate": "0.5 * a + 0.3 * b + 0.2 * d",
}
SINGLE: dict[str, Any] = {**HEAD, **DEFINITIONS, "record": RECORD, "score": "tidy | near", "by": ["size"]}
BASES: tuple[Mapping[str, Any], ...] = (ROWS, LEAST, FORMULA, SINGLE)

SCORERS = ["equal", "levenshtein", "tidy | equal", "near", "near(low=0.9)", "near(how=equal)", "anls.anls"]
PATHS = ["out", "out2", "gold", "gold2", "points", "points2", "more", "meta.page", "length(extra)", "length(out)"]
ANSWERED = ["parsed.x", "parsed.y", "parsed.b", "parsed.z", "record.long", "parsed.x | tidy", "parsed"]
WANTED = ["reference.x", "reference.y", "reference.b", "reference.z", "record.long", "reference.y | tidy", "reference"]
POOLS: Mapping[str, list[Any]] = {
    "name": ["law/other"],
    "version": ["1.0.1", "2.0.0"],
    "doc": ["Something else."],
    "source": ["Another paper."],
    "imports": [{"anls": "anls@1", "other": "anls@1"}],
    "extends": ["gqa@1", "docvqa@1", "pope@1"],
    "layouts": [{}, {"official": {"data": "jsonl", "record": {"id": "key"}}}, {"other": {"references": "csv"}}],
    "layouts.<name>.data": ["json", "csv,delimiter=tab", "json,rows=*"],
    "layouts.<name>.references": ["json", "csv", "lines"],
    "answers": ["one", "many"],
    "reward": [{}, {"unparsed": -1}, {"range": [0, 2], "seconds": 3}],
    "reward.unparsed": [-1, "skip"],
    "reward.unscored": [-2, "skip"],
    "reward.not_applicable": [-3, "skip"],
    "reward.range": [[0, 1], [1, 3]],
    "reward.seconds": [1, 2.5],
    "score": SCORERS,
    "parse": ["json", "answer", "lower | json", "strip"],
    "transform": ["casefold", "upper | strip", "strip | casefold", "words | join(separator=' ')"],
    "aggregates.<name>.aggregate": ["max", "min", "mean"],
    "aggregate": ["mean", "min", "max", "least", "0.5 * a + 0.5 * b", "0.3 * b + 0.5 * a + 0.2 * d", "max(a, b)"],
    "pass": ["score >= 0.5", "0.5 <= score", "score > 0.5", "score >= 0.9", "score == 1"],
    "value": ["reference | length", "prediction | length", "prediction | words | length", "record.extra | length"],
    "default": [0.2, 0.4, 0.75, "equal", "levenshtein", "indel", "L", "a "],
    "type": ["pipeline"],
    "prediction": ANSWERED,
    "fields.<name>.reference": WANTED,
    "id": ["key", "key2"],
    "response": PATHS,
    "reference": PATHS,
    "context": PATHS,
    "record.weight": PATHS,
    "path": ["meta.page", "meta.book", "extra"],
    "values": [["one", "two", "three", "four"]],
    "cluster": ["page", "meta.book", "size"],
    "strata": ["page", "meta.book", "size"],
    "metrics": [["mean"], ["pass_rate", "mean"], ["mean", "weighted_mean"], ["mean", {"wide": "mean(b)"}]],
    "by": [["page"], ["size", "page"], []],
    "better": [{"wide": "lower"}, {"mean": "higher"}, {"mean": "lower"}],
    "except": [{"case": "another reason"}],
    "must": [["order", "keys"], []],
    "examples": [[]],
    # Whole sections: what stands inside has edits of its own, and here one more stands in it.
    "scorers": [{**DEFINITIONS["scorers"], "unused": "equal"}],
    "parsers": [{**DEFINITIONS["parsers"], "unused": "json"}],
    "transforms": [{**DEFINITIONS["transforms"], "unused": "lower"}],
    "aggregates": [{**DEFINITIONS["aggregates"], "unused": "max"}],
    "params": [{**NEAR, "low": 0.9}, {"edge": "L"}, {"edge": {"default": "", "doc": "Other words."}}, {"low": 0.9}],
    "record": [{**RECORD, "unread": "gold2"}, {**RECORD, "long": "length(out)"}, {**RECORD, "long": "length( extra )"}],
    "fields": [{name: ROWS["fields"][name] for name in "dcba"}, {"a": "equal", "b": "equal"}],
    "audit": [{"must": ["keys"]}],
    "intervals": [{"confidence": 0.8}, {"cluster": "page"}],
}

_TEXTS = ("Lima", "lima", " Lima ", "Lyma", "Quito", "a", "", "no idea", "São Paulo")


def records(count: int, seed: int) -> list[dict[str, Any]]:
    """Records in which every kind of trouble stands: what does not parse, what is missing, null, or of another type."""
    chance = random.Random(f"records {seed}")
    return [_record(place, chance) for place in range(count)]


def _record(place: int, chance: random.Random) -> dict[str, Any]:
    def answer() -> dict[str, Any]:
        return {"x": chance.choice(_TEXTS), "y": chance.choice(_TEXTS), "b": chance.choice([1, 2, "2", None])}

    def response() -> str:
        found = answer()
        for name in ("x", "b"):
            if chance.random() < 0.1:
                found.pop(name)
        return chance.choice(["no", "{", "null", "3"]) if chance.random() < 0.15 else json.dumps(found)

    return {
        "key": f"r{place}",
        "key2": f"s{place}",
        "out": response(),
        "out2": response(),
        "gold": answer(),
        "gold2": answer(),
        "points": chance.choice([1, 2, 0.5]),
        "points2": chance.choice([1, 3, 0.25]),
        "more": {"note": chance.choice(_TEXTS)},
        "extra": "x" * chance.randrange(20),
        "meta": {"page": chance.choice(["one", "two", "three"]), "book": chance.choice(["red", "blue"])},
    }
