"""Check that a text is read when it is opened, not at its first completion."""

from __future__ import annotations

from scoring.extensions.editors.expression import step_tree
from scoring.extensions.editors.server.answering import OpenTextsDesk

STEPS = ("lower", "strip", "casefold", "collapse_spaces", "to_text")
FIELDS = "".join(f"  {one}_{two}: {one} | {two} | equal\n" for one in STEPS for two in STEPS if one != two)
TEXT = f"kind: task\nname: reading\nfields:\n{FIELDS}  last: strip | equal\n"


def test_the_expressions_of_a_text_are_read_before_its_first_completion() -> None:
    desk, last = OpenTextsDesk(), len(TEXT.splitlines()) - 1
    assert desk.answer({"ask": "read", "path": "/reading.yaml", "texts": {"/reading.yaml": TEXT}}) is None
    read = step_tree.cache_info().misses
    offered = desk.answer({"ask": "complete", "path": "/reading.yaml", "position": {"line": last, "character": 16}})
    assert "equal" in [one["label"] for one in offered["items"]]
    assert step_tree.cache_info().misses - read < len(STEPS)  # what stands before the place is read, no other field
