"""Declare the inputs of the tools, each with its type and bounds, as a JSON Schema, and check them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from scoring.diagnostics.suggest import did_you_mean
from scoring.errors import InputError

MOST_TEXT = 100_000
"""The longest text of a spec, in characters."""
MOST_NAME = 400
"""The longest name, path or search."""
MOST_RECORDS = 200
"""The most records in a call."""
MOST_REQUEST = 2_000_000
"""The largest arguments of a call as JSON, in characters."""


class ToolInput(Struct, frozen=True):
    """An input of a tool.

    Args:
        name: Its name.
        doc: What it means.
        most: The most characters, or items of a list.
        type: Its type in JSON: ``string`` or ``array`` of objects.
    """

    name: str
    doc: str
    most: int = MOST_NAME
    type: str = "string"

    def schema(self) -> dict[str, Any]:
        """Return the input as a JSON Schema."""
        if self.type == "array":
            items = {"type": "object"}
            return {"type": "array", "items": items, "minItems": 1, "maxItems": self.most, "description": self.doc}
        return {"type": "string", "minLength": 1, "maxLength": self.most, "description": self.doc}

    def check(self, value: object) -> None:
        """Check a value.

        Raises:
            InputError: when it has another type, or is too long.
        """
        is_list = self.type == "array"
        if not isinstance(value, list if is_list else str):
            wanted = "a list of records" if is_list else "a text"
            raise InputError(f"`{self.name}` is {wanted}, not {type(value).__name__}")
        assert isinstance(value, list | str)
        if not 0 < len(value) <= self.most:
            what = "records" if is_list else "characters"
            raise InputError(f"`{self.name}` has {len(value):,} {what}, and may have 1 to {self.most:,}")
        if is_list and (other := next((one for one in value if not isinstance(one, dict)), None)) is not None:
            raise InputError(f"`{self.name}` is a list of records, each a mapping, and holds a {type(other).__name__}")


class AgentTool(Struct, frozen=True):
    """A tool that an agent can call.

    Args:
        name: Its name.
        doc: What it does, and when to use it.
        inputs: Its inputs, none of which is always needed.
        one_of: Inputs of which exactly one is given; empty if all may be left out.
    """

    name: str
    doc: str
    inputs: tuple[ToolInput, ...]
    one_of: tuple[str, ...] = ()

    def schema(self) -> dict[str, Any]:
        """Return the inputs as a JSON Schema."""
        return {
            "type": "object",
            "properties": {one.name: one.schema() for one in self.inputs},
            "additionalProperties": False,
        }

    def check(self, given: Mapping[str, Any]) -> None:
        """Check the inputs of a call.

        Raises:
            InputError: for an unknown one, a wrong one, or too few or too many.
        """
        known = {one.name: one for one in self.inputs}
        for name, value in given.items():
            if name not in known:
                near = did_you_mean(name[:MOST_NAME], known, f"it takes {', '.join(known)}")
                raise InputError(f"`{self.name}` has no input `{name[:60]}`; {near}")
            known[name].check(value)
        if self.one_of and sum(name in given for name in self.one_of) != 1:
            raise InputError(f"`{self.name}` takes one of {', '.join(f'`{one}`' for one in self.one_of)}")


_PATH = ToolInput("path", "The spec's file, relative to the folder of the server, or the name of a shipped task.")
_TEXT = ToolInput("text", "The text of a spec, as YAML; imports are relative to the folder.", MOST_TEXT)

TOOLS = {
    one.name: one
    for one in (
        AgentTool(
            "check",
            "Find all mistakes in a spec, with the fixes that a machine can apply; `mended` is the text after them. "
            "Use it after every change.",
            (_PATH, _TEXT),
            ("path", "text"),
        ),
        AgentTool(
            "explain",
            "Explain a name (a step, a metric, `pack:scorer`, a shipped task, the id of a finding); or, with a spec "
            "and one record, show the value after every stage.",
            (
                ToolInput("name", "The name to explain."),
                _PATH,
                _TEXT,
                ToolInput("records", "The record, with what `record:` of the spec reads.", 1, "array"),
            ),
            ("name", "path", "text"),
        ),
        AgentTool(
            "score",
            "Score records with a spec, and return each score with its reason, and the metrics. Without records, run "
            "the examples that the spec states. No judge is asked, and no program is run.",
            (_PATH, _TEXT, ToolInput("records", "The records, as in a data file.", MOST_RECORDS, "array")),
            ("path", "text"),
        ),
        AgentTool(
            "list",
            "List what there is: steps and metrics of a kind, topic or family, `packs`, `tasks`, `topics`, the name of "
            "a pack; or search all of it by words.",
            (ToolInput("what", "What to list."), ToolInput("about", "Words to search for, such as word error rate.")),
        ),
    )
}
"""The tools of the server by name."""
