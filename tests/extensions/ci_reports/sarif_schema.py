"""What SARIF 2.1.0 says of the parts of a log that we write: the objects, what they must have, and nothing else.

Written by hand after the schema of the standard (sarif-schema-2.1.0.json), which is a hundred times as long.
"""

from __future__ import annotations

from typing import Any


def an_object(required: tuple[str, ...], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "required": list(required), "properties": properties}


TEXT = {"type": "string"}
FROM_1 = {"type": "integer", "minimum": 1}
MESSAGE = an_object((), text=TEXT, markdown=TEXT, id=TEXT, arguments={"type": "array", "items": TEXT})
MULTIFORM = an_object(("text",), text=TEXT, markdown=TEXT)
ARTIFACT = an_object(
    (),
    uri={"type": "string", "format": "uri-reference", "pattern": r"^[A-Za-z0-9._~/%-]*$"},
    uriBaseId=TEXT,
    index={"type": "integer", "minimum": -1},
    description=MESSAGE,
)
REGION = an_object((), startLine=FROM_1, startColumn=FROM_1, endLine=FROM_1, endColumn=FROM_1)
LOCATION = an_object(
    (),
    id={"type": "integer", "minimum": -1},
    physicalLocation=an_object((), artifactLocation=ARTIFACT, region=REGION),
    message=MESSAGE,
)
RULE = an_object(("id",), id=TEXT, name=TEXT, shortDescription=MULTIFORM, fullDescription=MULTIFORM, help=MULTIFORM)
DRIVER = an_object(
    ("name",), name=TEXT, semanticVersion=TEXT, rules={"type": "array", "uniqueItems": True, "items": RULE}
)
REPLACEMENT = an_object(("deletedRegion",), deletedRegion=REGION, insertedContent=an_object((), text=TEXT))
CHANGE = an_object(
    ("artifactLocation", "replacements"),
    artifactLocation=ARTIFACT,
    replacements={"type": "array", "minItems": 1, "items": REPLACEMENT},
)
FIX = an_object(
    ("artifactChanges",),
    description=MESSAGE,
    artifactChanges={"type": "array", "minItems": 1, "uniqueItems": True, "items": CHANGE},
)
RESULT = an_object(
    ("message",),
    ruleId=TEXT,
    ruleIndex={"type": "integer", "minimum": -1},
    level={"enum": ["none", "note", "warning", "error"]},
    message=MESSAGE,
    locations={"type": "array", "items": LOCATION},
    relatedLocations={"type": "array", "uniqueItems": True, "items": LOCATION},
    partialFingerprints={"type": "object", "additionalProperties": TEXT},
    fixes={"type": "array", "uniqueItems": True, "items": FIX},
)
RUN = an_object(
    ("tool",),
    tool=an_object(("driver",), driver=DRIVER),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    originalUriBaseIds={"type": "object", "additionalProperties": ARTIFACT},
    results={"type": "array", "items": RESULT},
)
LOG = an_object(
    ("version", "runs"),
    **{"$schema": {"type": "string", "format": "uri"}},
    version={"enum": ["2.1.0"]},
    runs={"type": "array", "items": RUN},
)
