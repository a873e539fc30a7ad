"""JSON Schemas of the spec formats, generated from the registry: what editors complete, explain and refuse.

They are draft-07, which YAML language servers fully support, and shaped so that each mistake is one error at its own
place: choices are made by the type of the value, never by trying alternatives.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from scoring.registry import registry
from scoring.registry.model import REQUIRED, Param, Primitive
from scoring.spec.locate import data_folder
from scoring.spec.nodes import Node
from scoring.spec.validate import validate
from scoring.values import Type

KINDS = ("task", "pack", "suite")
Schema = dict[str, Any]

_NAME = {"type": "string", "pattern": r"^\w[\w./-]*$", "maxLength": 200, "examples": ["house/extraction"]}
_VERSION = {
    "type": ["string", "number"],
    "description": "The version, such as 1.2.0. Raise it when scores may change.",
    "examples": ["1.0.0"],
}
_WORD = {"pattern": r"^[A-Za-z_]\w*$", "description": "a word of letters, digits and `_`"}
_DOC = {"type": "string", "description": "What this is, for people."}
_IMPORTS = {
    "type": "object",
    "description": (
        "Packs by alias: a shipped or installed one by name and version (`megabench@1`), or a file (`./house.yaml`)."
    ),
    "additionalProperties": {"type": "string", "minLength": 1},
    "propertyNames": _WORD,
}
_SHORT = {
    "if": {"type": "object"},
    "then": {"$ref": "#/definitions/call"},
    "else": {"$ref": "#/definitions/steps"},
}
_PATH = {"type": "string", "minLength": 1, "description": "A JMESPath into the record."}
_DIALECT = {
    "enum": ["megabench", "megabench-upstream"],
    "description": "The pack that gives the names of MEGA-Bench files their meaning: as documented, or as released.",
}


def schema_of(kind: str) -> Schema:
    """The schema of one kind of file: task, pack or suite."""
    body = {"task": _task, "pack": _pack, "suite": _suite}[kind]()
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": f"scoring {kind}",
        "type": "object",
        **body,
        "additionalProperties": False,
        "definitions": _definitions(),
    }


def text_of(kind: str) -> str:
    """The schema as committed under ``schemas/``."""
    return json.dumps(schema_of(kind), indent=2, ensure_ascii=False, sort_keys=False) + "\n"


def check_structure(node: Node) -> None:
    """Check a file's structure against the schema of its kind.

    Raises:
        SpecError: with every mistake at its own key or value.
    """
    found = node.get("kind")
    kind = found.value if found is not None and found.value in KINDS else "task"
    validate(node, _committed(str(kind))).raise_errors()


@cache
def _committed(kind: str) -> Schema:
    """The schema from its file, so that a check never waits for every primitive to be imported."""
    path = data_folder("schemas") / f"{kind}.schema.json"
    if not path.is_file():
        return schema_of(kind)
    loaded: Schema = json.loads(path.read_text(encoding="utf-8"))
    return loaded


def _task() -> Schema:
    return {
        "description": "How the records of one task become scores.",
        "required": ["kind", "name"],
        "properties": {
            "kind": {"const": "task"},
            "name": {**_NAME, "description": "The task's name, such as invoices/extraction."},
            "version": _VERSION,
            "doc": _DOC,
            "imports": _IMPORTS,
            "record": _record(),
            "parse": _expression("A pipeline of transforms on the raw response, such as `json`."),
            "score": _expression("The scorer of a task with a single answer; `fields` is for several."),
            "fields": {
                "type": "object",
                "description": "The scorer of each field.",
                "minProperties": 1,
                "additionalProperties": {"$ref": "#/definitions/field"},
            },
            "weights": {
                "type": "object",
                "description": "What the fields weigh in the aggregate, by name; 1 by default.",
                "additionalProperties": {"type": "number", "minimum": 0},
            },
            "aggregate": _expression(
                "How field scores become the record's score: `mean`, `min` … or a formula, `0.7 * a + 0.3 * b`."
            ),
            "pass": {
                "type": ["string", "boolean"],
                "description": "A condition such as `score >= 0.8 and total == 1`.",
            },
            "metrics": {
                "type": "array",
                "items": _expression("A data-set metric, such as `mean` or `pass_rate`."),
                "description": "Metrics over the data set; the first one is the headline.",
            },
            "by": {
                "type": "array",
                "items": _PATH,
                "uniqueItems": True,
                "description": "Attributes of the breakdowns; `tags[]` counts each tag, `a x b` crosses two.",
            },
            "intervals": _intervals(),
            "on_unparsed": {
                "enum": ["unscored", "zero", "raw"],
                "description": "A response that does not parse stays unscored, counts 0, or gives each field its text.",
            },
            "on_error": {
                "enum": ["unscored", "zero"],
                "description": "When a scorer fails: leave the record unscored, or count 0.",
            },
            "on_missing": {
                "enum": ["zero", "unscored", "pass"],
                "description": "A field that the response lacks: counts 0, stays unscored, or is compared as nothing.",
            },
            "examples": {
                "type": "array",
                "items": {"type": "object", "required": ["expect"]},
                "description": "Records with the scores they must get; `scoring test` runs them.",
            },
            "records": {
                "enum": ["classification", "detection", "segmentation"],
                "description": "What the records of a vision task are.",
            },
            **_vision(),
            **_sections(metrics=False),
        },
    }


def _intervals() -> Schema:
    """How confidence intervals are made."""
    methods = ["auto", "bca", "percentile", "wilson", "clopper_pearson", "normal"]
    return {
        "type": "object",
        "description": "How the confidence intervals of the metrics are made.",
        "properties": {
            "method": {
                "enum": methods,
                "default": "auto",
                "description": "The kind of interval; `auto` takes Wilson's for shares of records, else BCa.",
            },
            "confidence": {
                "type": "number",
                "exclusiveMinimum": 0,
                "exclusiveMaximum": 1,
                "default": 0.95,
                "description": "The share of intervals that would cover the true value.",
            },
            "resamples": {
                "type": "integer",
                "minimum": 100,
                "maximum": 100_000,
                "default": 2000,
                "description": "How many times the bootstrap draws.",
            },
            "cluster": {
                **_PATH,
                "description": "The attribute whose records are drawn together, such as the document of a question.",
            },
        },
        "additionalProperties": False,
    }


def _vision() -> Schema:
    """The settings of tasks over whole data sets of images."""
    return {
        "groundtruth": {"type": ["string", "object"], "description": "The ground-truth file, relative to this spec."},
        "predictions": {"type": ["string", "object"], "description": "The predictions file, relative to this spec."},
        "labels": {"type": ["array", "string"], "description": "The labels, in order, or a file that lists them."},
        "label_map": {"type": "object", "description": "From labels in the data to labels that are evaluated."},
        "filters": {"type": "object", "description": "Which ground truths and predictions count."},
        "settings": {
            "type": ["string", "object"],
            "description": "Named settings, such as `coco.detection`, or their values.",
        },
    }


def _pack() -> Schema:
    return {
        "description": "Named, documented, parametrised scorers to import and share.",
        "required": ["kind", "name", "version"],
        "properties": {
            "kind": {"const": "pack"},
            "name": {**_NAME, "description": "The pack's name, by which others import it."},
            "version": _VERSION,
            "doc": _DOC,
            "imports": _IMPORTS,
            "judges": {
                "type": "object",
                "description": "Judge programs by name: steps, prompts, reply schemas and a formula.",
            },
            **_sections(metrics=True),
        },
    }


def _suite() -> Schema:
    return {
        "description": "Many tasks with their joint aggregation and breakdowns.",
        "required": ["kind", "name"],
        "properties": {
            "kind": {"const": "suite"},
            "name": {**_NAME, "description": "The suite's name."},
            "version": _VERSION,
            "doc": _DOC,
            "imports": _IMPORTS,
            "tasks": {
                "description": "Where the tasks are: spec files, folders of tasks, JSONL files of tasks.",
                "type": ["array", "string", "object"],
                "if": {"type": "array"},
                "then": {"minItems": 1, "items": {"$ref": "#/definitions/tasks"}},
                "else": {"$ref": "#/definitions/tasks"},
            },
            "dialect": _DIALECT,
            "score": _expression("A task's score over its records; by default the first of the task's own metrics."),
            "data": {
                "type": "object",
                "description": "How the rows of a data file belong to tasks.",
                "properties": {
                    "task": {**_PATH, "description": "Where a row names its task."},
                    "records": {**_PATH, "description": "Where a row holds a list of records, if it is no record."},
                },
                "additionalProperties": False,
            },
            "attributes": {
                "type": ["string", "object"],
                "description": "A file of task attributes by task name, or its path with what is read from it.",
                "properties": {
                    "path": {"type": "string", "minLength": 1, "description": "The file."},
                    "read": {
                        "type": "object",
                        "description": "Further attributes, as JMESPaths into those of a task.",
                        "additionalProperties": _PATH,
                    },
                },
                "additionalProperties": False,
            },
            "groups": {
                "type": "object",
                "description": "Groups of tasks by the attributes they must have; by default core and open.",
                "additionalProperties": {"type": "object", "description": "Each attribute with its value or values."},
            },
            "metrics": {
                "type": "array",
                "items": _expression("A metric over the tasks, such as `macro` or `micro`."),
                "description": "Metrics over the tasks; the first one is the headline.",
            },
            "by": {
                "type": "array",
                "items": {"type": "string", "minLength": 1},
                "description": "Task attributes of the breakdowns; a list counts in each of its groups.",
            },
            "intervals": _intervals(),
            "results": {"type": "string", "description": "A file of task results, to recompute the suite from it."},
            "export": {
                "type": "array",
                "items": {"enum": ["megabench"]},
                "description": "Further files for the run folder, in the layouts of others.",
            },
        },
    }


def _record() -> Schema:
    known = {
        "id": "Where the record's id is.",
        "response": "Where the model's raw response is.",
        "reference": "Where the reference answer is.",
        "context": "Where further inputs of scorers are.",
        "weight": "Where the record's weight is.",
    }
    return {
        "type": "object",
        "description": "Where the parts of a record are, as JMESPaths; further names can be read as `record.name`.",
        "properties": {name: {**_PATH, "description": text} for name, text in known.items()},
        "additionalProperties": {
            "type": ["string", "object"],
            "if": {"type": "object"},
            "then": {
                "required": ["path"],
                "properties": {
                    "path": _PATH,
                    "values": {
                        "type": "array",
                        "items": {"type": "string"},
                        "description": "Every value it may have; `switch` is checked against them.",
                    },
                    "doc": _DOC,
                },
                "additionalProperties": False,
            },
            "else": _PATH,
        },
    }


def _sections(*, metrics: bool) -> Schema:
    words = {
        "scorers": ("score", "Named scorers."),
        "parsers": ("parse", "Named parsers of responses."),
        "transforms": ("transform", "Named pipelines of transforms."),
        "aggregates": ("aggregate", "Named aggregators of field scores."),
    }
    if metrics:
        words["metrics"] = ("metric", "Named data-set metrics.")
    return {
        section: {
            "type": "object",
            "description": text,
            "additionalProperties": {"$ref": f"#/definitions/{key}_definition"},
            "propertyNames": _WORD,
        }
        for section, (key, text) in words.items()
    }


def _expression(description: str) -> Schema:
    return {
        "description": description,
        "type": ["string", "array", "object"],
        "if": {"type": "object"},
        "then": {"$ref": "#/definitions/call"},
        "else": {"$ref": "#/definitions/steps"},
    }


def _definitions() -> Schema:
    found: Schema = {
        "steps": {"if": {"type": "array"}, "then": {"minItems": 1, "items": {"$ref": "#/definitions/step"}}},
        "step": {
            "type": ["string", "object", "array"],
            "if": {"type": "object"},
            "then": {"$ref": "#/definitions/call"},
        },
        "call": _call(),
        "field": _field(),
        "tasks": _tasks(),
    }
    for key in ("score", "parse", "transform", "aggregate", "metric"):
        found[f"{key}_definition"] = _definition(key)
    for primitive in registry:
        found[_key(primitive)] = _primitive(primitive)
    return found


def _call() -> Schema:
    """A one-key mapping; names that are no primitives may be definitions and are checked by the compiler."""
    return {
        "type": "object",
        "minProperties": 1,
        "maxProperties": 1,
        "properties": {
            primitive.name: {"$ref": f"#/definitions/{_key(primitive)}"}
            for primitive in registry
            if primitive.kind != "metric" or registry.get(primitive.name) is None
        },
    }


def _key(primitive: Primitive) -> str:
    kind = "metric" if primitive.kind == "metric" else "primitive"
    return f"{kind}.{primitive.name.replace('/', '.')}"


def _field() -> Schema:
    long: Schema = {
        "properties": {
            "score": _expression("The field's scorer."),
            "weight": {
                "type": "number",
                "minimum": 0,
                "description": "What the field weighs in the aggregate; 1 by default.",
            },
            "prediction": {**_PATH, "description": "Its place in the parsed response; `@` is the whole of it."},
            "reference": {**_PATH, "description": "Its place in the reference; `@` is the whole of it."},
            "optional": {"type": "boolean", "description": "Whether a response may lack it."},
            "doc": _DOC,
        },
        "additionalProperties": False,
        "required": ["score"],
    }
    # A mapping with a key of the long form is meant as one; any other mapping is a call.
    keys = "|".join(key for key in long["properties"])
    return {
        "type": ["string", "array", "object", "null"],
        "if": {"type": "object", "not": {"propertyNames": {"not": {"pattern": f"^({keys})$"}}}},
        "then": long,
        "else": _SHORT,
    }


def _tasks() -> Schema:
    return {
        "type": ["string", "object"],
        "description": "A spec file, a folder of tasks, or a JSONL file of tasks.",
        "required": ["path"],
        "properties": {
            "path": {"type": "string", "minLength": 1, "description": "The file or folder, relative to this spec."},
            "dialect": _DIALECT,
            "only": {"type": "array", "items": {"type": "string"}, "description": "The names of the tasks to keep."},
            "attributes": {"type": "object", "description": "Attributes of all these tasks."},
        },
        "additionalProperties": False,
    }


def _definition(key: str) -> Schema:
    long: Schema = {
        "properties": {
            key: _expression("The pipeline."),
            "doc": _DOC,
            "params": {
                "type": "object",
                "description": "Parameters with their defaults, or `{default, doc, type: pipeline}`.",
                "propertyNames": _WORD,
            },
            "source": {"type": "string", "description": "Where the formula comes from."},
            "examples": {
                "type": "array",
                "items": {"type": ["array", "object"]},
                "description": "[prediction, reference, score]",
            },
            "reads": {"type": "array", "items": {"type": "string"}, "description": "What it reads of the record."},
        },
        "additionalProperties": False,
        "required": [key],
    }
    return {
        "type": ["string", "array", "object"],
        "if": {"type": "object", "required": [key]},
        "then": long,
        "else": _SHORT,
    }


def _primitive(primitive: Primitive) -> Schema:
    doc = primitive.doc
    found: Schema = {"description": f"{doc.summary}\n\n{primitive.signature}"}
    if primitive.params and not any(param.variadic == "keyword" for param in primitive.params):
        properties = {param.name: _param(param) for param in primitive.params if not param.variadic}
        found["if"] = {"type": "object"}
        found["then"] = {"properties": properties, "additionalProperties": False}
    return found


def _param(param: Param) -> Schema:
    found: Schema = {"description": param.doc}
    if param.pipeline is not None:
        if param.pipeline.mapping:
            return {**found, "type": ["object", "null"]}
        return {**found, "type": ["string", "array", "object", "null"]}
    if param.choices:
        found["enum"] = list(param.choices)
    else:
        found.update(_value_type(param.type, nullable=param.default is None))
    if param.low is not None:
        found["minimum"] = param.low
    if param.high is not None:
        found["maximum"] = param.high
    if param.default is not REQUIRED and _is_json(param.default):
        found["default"] = param.default
    return found


_TYPES = {"Text": "string", "Number": "number", "Bool": "boolean", "List": "array", "Dict": "object", "None": "null"}


def _value_type(kind: Type, *, nullable: bool) -> Schema:
    """The JSON type of a value; a `{$path: …}` mapping may stand for any of them."""
    members = kind.args if kind.name == "Union" else (kind,)
    names = [_TYPES.get(member.name) for member in members]
    if not all(names):
        return {}
    types = dict.fromkeys([*(name for name in names if name), "object", *(["null"] if nullable else [])])
    return {"type": list(types)}


def _is_json(value: Any) -> bool:
    return value is None or isinstance(value, (bool, int, float, str, list))
