"""The key ``judges`` of a pack: judge programs, each of which is a definition. Its reader is imported on first use."""

from __future__ import annotations

from typing import Any, Final

from scoring.format.keys import ReadsValues, SpecSection, ValueForm
from scoring.format.nodes import SpecNode


def _read(building: ReadsValues, node: SpecNode) -> Any:
    from scoring.extensions.judge.keys import judge_definitions

    return judge_definitions(node, building)


SECTION: Final = SpecSection(
    ("pack",),
    ValueForm(lambda kind: {"type": "object"}, _read),
    "Judge programs by name: steps, prompts, reply schemas and a formula.",
    moves="compiled",
)
