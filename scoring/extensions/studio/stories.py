"""The story of one record as a tree of plain data, with what differs from the story that another spec tells of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.extensions.tracing.documents import trace_document
from scoring.report.document import Branch, Line, Tree, plain_text, spans
from scoring.report.visible import visible

MOST_NODES = 3_000
"""The most lines of a story that the page is sent."""
_DEEPEST = 200


def story_tree(story: Mapping[str, Any], *, full: bool) -> Tree:
    """Return the tree of a record's trace."""
    block = trace_document(story, full=full).blocks[0]
    assert isinstance(block, Tree)
    return block


def compared_trees(now: Tree, before: Tree | None) -> dict[str, Any]:
    """Return a tree as plain data, each line with how it stood before; and the first lines that moved.

    A line is ``new`` or ``gone``, or has the text that ``was`` there: ``moved`` where a value differs, ``written``
    where only the spec does. Of lines of one name on one level the first is compared with the first.
    """
    left = [MOST_NODES]
    lines = list(_lines(now.branches, None if before is None else before.branches, left, _DEEPEST))
    head, old = line_data(now.head), None if before is None else plain_text(before.head)
    told = {"head": head, "lines": lines, "is_cut": left[0] <= 0}
    if old is not None and old != plain_text(now.head):
        told["was"] = visible(old)
    return {**told, "moved": list(_moved(lines, ()))[:8]}


def line_data(line: Line) -> list[list[str]]:
    """Return a line as pairs of text and look; what does not show, or turns the direction of writing, is escaped."""
    return [[visible(one.text), one.look] for one in spans(line)]


def _lines(
    now: Sequence[Branch], before: Sequence[Branch] | None, left: list[int], deep: int
) -> Iterator[dict[str, Any]]:
    old = None if before is None else _named(before)
    for name, one in _named(now).items():
        left[0] -= 1
        if left[0] < 0:
            return
        was = None if old is None else old.pop(name, None)
        line: dict[str, Any] = {"name": one.name, "text": line_data(one.text)}
        if old is not None and was is None:
            line["state"] = "new"
        elif was is not None and plain_text(was.text) != plain_text(one.text):
            line |= {
                "state": "moved" if _values(was) != _values(one) else "written",
                "was": visible(plain_text(was.text)),
            }
        if deep == 0 and one.children:
            left[0] = 0
        if deep > 0 and (one.children or (was is not None and was.children)):
            below = None if before is None or was is None else was.children
            line["lines"] = list(_lines(one.children, below, left, deep - 1))
        yield line
    for gone in (old or {}).values():
        left[0] -= 1
        if left[0] < 0:
            return
        yield {"name": gone.name, "text": [], "state": "gone", "was": visible(plain_text(gone.text))}


def _values(branch: Branch) -> str:
    """Return the text of a line without what is written in the spec: settings are dimmed, and the expression of a call
    stands before an arrow."""
    text = "".join(one.text for one in spans(branch.text) if one.look != "dim").strip()
    return text.rpartition(" → ")[2]


def _named(branches: Sequence[Branch]) -> dict[tuple[str, int], Branch]:
    """Return branches by their names, numbered where a name is there twice."""
    seen: Counter[str] = Counter()
    found = {}
    for one in branches:
        seen[one.name] += 1
        found[one.name, seen[one.name]] = one
    return found


def _moved(lines: Sequence[Mapping[str, Any]], above: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Yield the lines that moved and have none below them that did: there the change begins."""
    for line in lines:
        path = (*above, line["name"])
        below = list(_moved(line.get("lines", ()), path))
        if below:
            yield from below
        elif line.get("state") not in (None, "written"):
            now = "".join(text for text, _ in line["text"])
            yield {"path": list(path), "state": line["state"], "now": now, "was": line.get("was", "")}
