"""Findings as an editor shows them, what corrects them, completion, hovering and formatting."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scoring.diagnostics.diagnostic import Diagnostic, Fix, SpecError
from scoring.diagnostics.visible import safe_line
from scoring.errors import InputError
from scoring.extensions.editors.asking import completions, flow_at
from scoring.extensions.editors.server.specs import MOST_NAMED, OpenSpec
from scoring.extensions.editors.server.texts import EditedText

FIX_ALL = "source.fixAll.scoring"
_MOST_FINDINGS, _MOST_FIXES = 500, 50
_MOST_ITEMS = 200
_KINDS = {  # of completion, in the numbers of the protocol
    "step": 3,
    "metric": 3,
    "function": 3,
    "definition": 2,
    "parameter": 10,
    "value": 6,
    "field": 5,
    "pack": 9,
    "path": 18,
    "key": 14,
    "constant": 21,
}


def lsp_findings(spec: OpenSpec) -> list[dict[str, Any]]:
    """Return the findings about a text as the protocol has them."""
    return [_lsp_finding(spec, one) for one in spec.findings[:_MOST_FINDINGS]]


def _lsp_finding(spec: OpenSpec, found: Diagnostic) -> dict[str, Any]:
    span = found.span
    own = span is not None and span.source.name == str(spec.path)
    start, end = (span.start, max(span.end, span.start + 1)) if span is not None and own else (0, 0)
    label = f": {found.primary.text}" if found.primary.text else ""
    elsewhere = f"{span}: " if span is not None and not own else ""
    lines = [f"{elsewhere}{found.message}{label}", *(f"help: {one}" for one in found.help)]
    lines += [f"note: {one}" for one in found.note]
    return {
        "range": spec.edited.range(start, end),
        "severity": 1 if found.severity == "error" else 2,
        "code": found.id,
        "source": "scoring",
        "message": "\n".join(map(safe_line, lines)),
        "tags": [1] if found.id.startswith("unused-") else [2] if found.id == "deprecated-use" else [],
        "relatedInformation": [*_related(spec, found)],
    }


def _related(spec: OpenSpec, found: Diagnostic) -> Iterator[dict[str, Any]]:
    for label in found.secondary:
        span = label.span
        if span is None:
            continue
        path = Path(span.source.name)
        if path == spec.path:
            place = spec.edited.range(span.start, span.end)
        elif path.is_absolute():
            place = EditedText(span.source.text, spec.edited.encoding).range(span.start, span.end)
        else:
            continue
        yield {"location": {"uri": path.as_uri(), "range": place}, "message": safe_line(label.text or "here")}


def code_actions(spec: OpenSpec, start: int, end: int, only: list[str] | None) -> list[dict[str, Any]]:
    """Return what corrects the findings that touch a stretch of the text, and one that corrects all at once."""
    actions: list[dict[str, Any]] = []
    if _wants(only, "quickfix"):
        for found in spec.findings:
            if found.span is None or found.span.start > end or found.span.end < start:
                continue
            for fix in found.fixes[:_MOST_FIXES]:
                if fix.span.source.name == str(spec.path):
                    actions.append(_action(spec, found, fix))
    if _wants(only, FIX_ALL) and any(found.fixes for found in spec.findings):
        actions.append({"title": "Fix all that has one sensible answer", "kind": FIX_ALL, "data": {"uri": _uri(spec)}})
    return actions


def _wants(only: list[str] | None, kind: str) -> bool:
    return not only or any(kind == one or kind.startswith(f"{one}.") for one in only)


def _uri(spec: OpenSpec) -> str:
    return spec.path.as_uri()


def _action(spec: OpenSpec, found: Diagnostic, fix: Fix) -> dict[str, Any]:
    shown = fix.text if len(fix.text) <= 60 else f"{fix.text[:60]}…"
    title = fix.title or (f"write `{shown}`" if shown.strip() else "remove it")
    edit = {"range": spec.edited.range(fix.span.start, fix.span.end), "newText": fix.text}
    return {
        "title": safe_line(title[:1].upper() + title[1:]),
        "kind": "quickfix",
        "isPreferred": fix.is_safe,
        "diagnostics": [_lsp_finding(spec, found)],
        "edit": {"changes": {_uri(spec): [edit]}},
    }


def fixed_whole(spec: OpenSpec) -> list[dict[str, Any]]:
    """Return the edits that apply all fixes that have one sensible answer."""
    from scoring.extensions.authoring.repairing import repair_text

    try:
        return _edits(spec, repair_text(spec.text, path=spec.path).after)
    except (SpecError, InputError):
        return []


def formatted(spec: OpenSpec) -> list[dict[str, Any]] | None:
    """Return the edits that bring a text to its canonical form, None for one that can't be read."""
    from scoring.extensions.authoring.formatting import format_text

    if not spec.is_spec:
        return None
    try:
        return _edits(spec, format_text(spec.text, str(spec.path)))
    except SpecError:
        return None


def _edits(spec: OpenSpec, after: str) -> list[dict[str, Any]]:
    """Return the edits of the lines that differ, so that the editor's cursor and folds stay."""
    from difflib import SequenceMatcher

    before = spec.text
    if before == after:
        return []
    old, new = (text.splitlines(keepends=True) for text in (before, after))
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    matcher = SequenceMatcher(None, old, new, autojunk=False) if max(len(old), len(new)) < 5_000 else None
    codes = matcher.get_opcodes() if matcher is not None else [("replace", 0, len(old), 0, len(new))]
    return [
        {"range": spec.edited.range(starts[a], starts[b]), "newText": "".join(new[c:d])}
        for tag, a, b, c, d in codes
        if tag != "equal"
    ]


def completion_items(spec: OpenSpec, offset: int) -> dict[str, Any]:
    """Return what may come next at an offset, the likeliest first."""
    if len(spec.text) > MOST_NAMED:
        return {"isIncomplete": False, "items": []}
    items = []
    for number, one in enumerate(completions(spec.text, spec.path, offset)[:_MOST_ITEMS]):
        item = {
            "label": one.label,
            "kind": _KINDS.get(one.kind, 1),
            "sortText": f"{number:04}",
            "filterText": one.label,
            "textEdit": {"range": spec.edited.range(one.start, one.end), "newText": one.insert},
        }
        if one.detail:
            item["detail"] = one.detail
        if one.documentation:
            item["documentation"] = one.documentation
        items.append(item)
    return {"isIncomplete": True, "items": items}


def hover(spec: OpenSpec, offset: int) -> dict[str, Any] | None:
    """Return what stands at an offset: its type, range and documentation, and what flows there."""
    if not spec.is_spec or len(spec.text) > MOST_NAMED:
        return None
    found = flow_at(spec.text, spec.path, offset)
    standing = found.standing
    if standing is None:
        return None
    code = standing.signature or standing.name
    if standing.name not in code:
        code = f"{standing.name}: {code}"
    lines = [f"```text\n{code.replace('```', '')}\n```"]
    if standing.kind in ("step", "metric"):
        lines += _range_of(standing.name, standing.kind)
    if standing.documentation:
        lines.append(_plain(standing.documentation))
    before = next((step.type for step in found.steps[::-1] if step.end <= standing.start), found.type)
    if before:
        lines.append(f"takes {_code(before)}")
    return {
        "contents": {"kind": "markdown", "value": "\n\n".join(lines)},
        "range": spec.edited.range(standing.start, standing.end),
        "of": {"step": standing.name, "path": [str(one) for one in found.path], "place": len(found.steps)},
    }


def _range_of(name: str, kind: str) -> Iterator[str]:
    from scoring.registry import registry

    found = registry.metric(name) if kind == "metric" else registry.get(name)
    if found is not None and found.kind not in ("transform", "aggregator"):
        low, high = found.range
        yield f"gives a value from {low:g} to {high:g}"


def _code(text: str) -> str:
    return f"`{text.replace('`', chr(39))}`"


def _plain(text: str) -> str:
    """Return the text of a spec's author so that Markdown draws no picture, link or markup of it."""
    return "".join(f"\\{sign}" if sign in "\\*_{}[]<>()#!|&~" else sign for sign in text)
