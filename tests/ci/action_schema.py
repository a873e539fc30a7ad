"""What GitHub says that an action of steps may hold, as a JSON Schema; written by hand after its reference.

Source:
    docs.github.com, "Metadata syntax for GitHub Actions"
"""

from __future__ import annotations

from typing import Any


def an_object(wanted: tuple[str, ...], properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "required": list(wanted), "properties": properties}


TEXT = {"type": "string", "minLength": 1}
TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}
NAMED = {"propertyNames": {"pattern": "^[a-zA-Z_][a-zA-Z0-9_-]*$"}, "type": "object"}
FLAG = {"type": "boolean"}
INPUT = an_object(
    ("description",), {"description": TEXT, "required": FLAG, "default": {"type": "string"}, "deprecationMessage": TEXT}
)
OUTPUT = an_object(("description", "value"), {"description": TEXT, "value": TEXT})
PINNED: dict[str, str] = {"type": "string", "pattern": "^[^@]+@[0-9a-f]{40}$"}
USES = an_object(("uses",), {"name": TEXT, "id": TEXT, "uses": PINNED, "with": TEXTS})
STEP = {"name": TEXT, "id": TEXT, "run": TEXT, "shell": {"enum": ["bash"]}, "env": TEXTS, "if": TEXT}
RUN = an_object(("run", "shell"), {**STEP, "working-directory": TEXT, "continue-on-error": FLAG})
STEPS = {"type": "array", "items": {"oneOf": [USES, RUN]}}
ACTION = an_object(
    ("name", "description", "runs"),
    {
        "name": TEXT,
        "description": TEXT,
        "author": TEXT,
        "branding": an_object(("icon", "color"), {"icon": TEXT, "color": TEXT}),
        "inputs": {**NAMED, "additionalProperties": INPUT},
        "outputs": {**NAMED, "additionalProperties": OUTPUT},
        "runs": an_object(("using", "steps"), {"using": {"const": "composite"}, "steps": STEPS}),
    },
)
