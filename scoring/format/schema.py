"""JSON Schemas of the spec formats, generated from the registry: what editors complete, explain and refuse.

They are draft-07, which YAML language servers fully support, and shaped so that each mistake is one error at its own
place: choices are made by the type of the value, never by trying alternatives.
"""

from __future__ import annotations

import json
from functools import cache

from scoring.format.locate import data_folder
from scoring.format.nodes import Node
from scoring.format.schema_parts import DIALECT, DOC, PATH, WORD, Schema, definitions, expression
from scoring.format.validate import validate

KINDS = ("task", "pack", "suite")

_NAME = {"type": "string", "pattern": r"^\w[\w./-]*$", "maxLength": 200, "examples": ["house/extraction"]}
_VERSION = {
    "type": ["string", "number"],
    "description": "The version, such as 1.2.0. Raise it when scores may change.",
    "examples": ["1.0.0"],
}
_IMPORTS = {
    "type": "object",
    "description": (
        "Packs by alias: a shipped or installed one by name and version (`megabench@1`), or a file (`./house.yaml`)."
    ),
    "additionalProperties": {"type": "string", "minLength": 1},
    "propertyNames": WORD,
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
        "definitions": definitions(),
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
            "doc": DOC,
            "imports": _IMPORTS,
            "record": _record(),
            "parse": expression("A pipeline of transforms on the raw response, such as `json`."),
            "score": expression("The scorer of a task with a single answer; `fields` is for several."),
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
            "aggregate": expression(
                "How field scores become the record's score: `mean`, `min` … or a formula, `0.7 * a + 0.3 * b`."
            ),
            "pass": {
                "type": ["string", "boolean"],
                "description": "A condition such as `score >= 0.8 and total == 1`.",
            },
            "metrics": {
                "type": "array",
                "items": expression("A data-set metric, such as `mean` or `pass_rate`."),
                "description": "Metrics over the data set; the first one is the headline.",
            },
            "by": {
                "type": "array",
                "items": PATH,
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
                **PATH,
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
            "doc": DOC,
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
            "doc": DOC,
            "imports": _IMPORTS,
            "tasks": {
                "description": "Where the tasks are: spec files, folders of tasks, JSONL files of tasks.",
                "type": ["array", "string", "object"],
                "if": {"type": "array"},
                "then": {"minItems": 1, "items": {"$ref": "#/definitions/tasks"}},
                "else": {"$ref": "#/definitions/tasks"},
            },
            "dialect": DIALECT,
            "score": expression("A task's score over its records; by default the first of the task's own metrics."),
            "data": {
                "type": "object",
                "description": "How the rows of a data file belong to tasks.",
                "properties": {
                    "task": {**PATH, "description": "Where a row names its task."},
                    "records": {**PATH, "description": "Where a row holds a list of records, if it is no record."},
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
                        "additionalProperties": PATH,
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
                "items": expression("A metric over the tasks, such as `macro` or `micro`."),
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
        "properties": {name: {**PATH, "description": text} for name, text in known.items()},
        "additionalProperties": {
            "type": ["string", "object"],
            "if": {"type": "object"},
            "then": {
                "required": ["path"],
                "properties": {
                    "path": PATH,
                    "values": {
                        "type": "array",
                        "items": {"type": "string"},
                        "description": "Every value it may have; `switch` is checked against them.",
                    },
                    "doc": DOC,
                },
                "additionalProperties": False,
            },
            "else": PATH,
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
            "propertyNames": WORD,
        }
        for section, (key, text) in words.items()
    }
