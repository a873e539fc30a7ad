"""What an editor draws into a text: colours, folding, symbols, types between steps."""

from __future__ import annotations

from typing import Any

from scoring.extensions.editors.expression import half_written
from scoring.extensions.editors.outline import OutlineKey, OutlineNode
from scoring.extensions.editors.roles import ENTRIES, follower_of
from scoring.extensions.editors.server.legend import TOKEN_TYPES
from scoring.extensions.editors.server.marks import marks_in
from scoring.extensions.editors.server.specs import OpenSpec
from scoring.extensions.editors.uses import expressions_in

_TYPE_OF = {
    "key": "keyword",
    "definition": "function",
    "field": "property",
    "value": "variable",
    "alias": "namespace",
    "parameter": "parameter",
    "step": "macro",
    "argument": "parameter",
    "path": "variable",
    "text": "string",
    "number": "number",
    "constant": "keyword",
}
_FUNCTION, _STRING, _FIELD, _VARIABLE, _MODULE, _KEY, _EVENT = 12, 15, 8, 13, 2, 20, 24
_SYMBOLS = {"fields": _FIELD, "values": _VARIABLE, "imports": _MODULE, "examples": _EVENT}
_MOST_HINTS = 500
_DEEPEST = 4


def semantic_tokens(spec: OpenSpec) -> dict[str, Any]:
    """Return the colours of the names in a text, as numbers: line, column, length, type and modifiers, each relative
    to the one before."""
    data: list[int] = []
    line = column = end = 0
    for mark in marks_in(spec.names):
        if mark.start < end or mark.start >= mark.end or "\n" in spec.text[mark.start : mark.end]:
            continue
        end = mark.end
        at = spec.edited.position(mark.start)
        modifiers = (1 if mark.is_declared else 0) | (2 if mark.kind == "step" else 0)
        step = at["character"] - (column if at["line"] == line else 0)
        kind = TOKEN_TYPES.index(_TYPE_OF[mark.kind])
        data += [at["line"] - line, step, spec.edited.units(mark.start, mark.end), kind, modifiers]
        line, column = at["line"], at["character"]
    return {"data": data}


def folding_ranges(spec: OpenSpec) -> list[dict[str, Any]]:
    """Return the stretches of lines that can be folded: the value of each key that takes several lines."""
    found: list[dict[str, Any]] = []
    waiting = [spec.names.root]
    while waiting and len(found) < 5_000:
        node = waiting.pop()
        for key, value in node.entries:
            if value is not None:
                first, last = spec.edited.position(key.start)["line"], _last_line(spec, value)
                if last > first:
                    found.append({"startLine": first, "endLine": last})
                waiting.append(value)
        for item in node.items:
            first, last = spec.edited.position(item.start)["line"], _last_line(spec, item)
            if item.style != "scalar" and last > first:
                found.append({"startLine": first, "endLine": last})
            waiting.append(item)
    kept = {one["startLine"]: one for one in sorted(found, key=lambda one: (one["startLine"], one["endLine"]))}
    return list(kept.values())


def _last_line(spec: OpenSpec, node: OutlineNode) -> int:
    end = _end_of(node)
    return spec.edited.position(len(spec.text[:end].rstrip()))["line"]


def _end_of(node: OutlineNode) -> int:
    """Return where the last part of a node ends, at any depth."""
    end, waiting = node.end, [node]
    while waiting:
        one = waiting.pop()
        end = max(end, one.end, one.scalar.end if one.scalar is not None else 0)
        waiting += [value for _, value in one.entries[-1:] if value is not None]
        waiting += one.items[-1:]
    return end


def document_symbols(spec: OpenSpec) -> list[dict[str, Any]]:
    """Return the outline of a text: its keys, and the definitions, fields, values and imports below them."""
    return [_symbol(spec, key, value, (), 0) for key, value in spec.names.root.entries]


def _symbol(
    spec: OpenSpec, key: OutlineKey, value: OutlineNode | None, path: tuple[str, ...], depth: int
) -> dict[str, Any]:
    end = max(key.end, _end_of(value) if value is not None else 0)
    end = max(key.end, len(spec.text[:end].rstrip()))
    kind = _KEY if not path else _SYMBOLS.get(path[0], _FUNCTION if depth == 1 else _STRING)
    found: dict[str, Any] = {
        "name": key.text[:200] or "?",
        "kind": kind,
        "range": spec.edited.range(key.start, end),
        "selectionRange": spec.edited.range(key.start, key.end),
    }
    if value is not None and value.style == "scalar":
        found["detail"] = value.text.strip().partition("\n")[0][:80]
    elif value is not None and depth < _DEEPEST:
        inner = [_symbol(spec, one, below, (*path, key.text), depth + 1) for one, below in value.entries[:1_000]]
        if inner:
            found["children"] = inner
    return found


def inlay_hints(spec: OpenSpec, start: int, end: int) -> list[dict[str, Any]]:
    """Return the types between the steps of expressions in a stretch of the text."""
    hints: list[dict[str, Any]] = []
    for _, expected, node in expressions_in(spec.names):
        scalar = node.scalar
        if scalar is None or scalar.end < start or scalar.start > end or expected.role in ("condition", "record path"):
            continue
        # A sign behind the text makes its last step one that is before the cursor.
        steps = half_written(f"{scalar.text} | ", ENTRIES.get(expected.role, "scorer")).parts
        if len(steps) != 1 or len(steps[0].steps) < 2:
            continue
        stream, follower = expected.stream, follower_of(spec.names, expected)
        for text, begin, stop in steps[0].steps[:-1]:
            stream = follower.through(stream, [text])
            kind = str(stream.type)
            if kind in ("Any", "?") or "Poison" in kind or stop > len(scalar.ends):
                continue
            behind = scalar.offset(begin + len(scalar.text[begin:stop].rstrip()) - 1) + 1
            hints.append(
                {"position": spec.edited.position(behind), "label": f": {kind}", "kind": 1, "paddingLeft": False}
            )
            if len(hints) >= _MOST_HINTS:
                return hints
    return hints
