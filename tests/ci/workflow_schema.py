"""What GitHub says that a workflow of jobs may hold, as a JSON Schema; written by hand after its reference.

Source:
    docs.github.com, "Workflow syntax for GitHub Actions"
"""

from __future__ import annotations

from typing import Any

from tests.ci.action_schema import FLAG, RUN, TEXT, TEXTS, USES, an_object

COUNT = {"type": "integer", "minimum": 1}
PLAIN = {"type": "array", "minItems": 1, "items": {"type": "string"}}
ROWS = {"type": "array", "items": {"type": "object"}}
AXES: dict[str, Any] = {
    "type": "object",
    "properties": {"include": ROWS, "exclude": ROWS},
    "additionalProperties": PLAIN,
}
STRATEGY = an_object(("matrix",), {"matrix": AXES, "fail-fast": FLAG, "max-parallel": COUNT})
JOB = an_object(
    ("runs-on", "steps"),
    {
        "name": TEXT,
        "runs-on": TEXT,
        "needs": PLAIN,
        "if": TEXT,
        "env": TEXTS,
        "permissions": TEXTS,
        "timeout-minutes": COUNT,
        "strategy": STRATEGY,
        "steps": {"type": "array", "minItems": 1, "items": {"oneOf": [USES, RUN]}},
    },
)
WORKFLOW = an_object(
    ("on", "jobs", "permissions"),
    {
        "name": TEXT,
        "on": an_object((), {"push": {"type": "object"}, "pull_request": {"type": "object"}, "schedule": ROWS}),
        "permissions": TEXTS,
        "env": TEXTS,
        "jobs": {"type": "object", "minProperties": 1, "additionalProperties": JOB},
    },
)
