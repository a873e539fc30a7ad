"""What a release is, or would be: the version and why, what was written, what comes next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scoring.diagnostics.words import counted
from scoring.report.document import Document, DocumentBlock, Line, Paragraph, Piece

_MOST = 12


def release_document(data: Mapping[str, Any]) -> Document:
    """A paragraph for each pack, then what was built, and what to do next."""
    blocks: list[DocumentBlock] = [Paragraph(tuple(_pack(one, data))) for one in data["packs"]]
    built = [f"wheel {data['wheel']}"] if data["wheel"] else []
    if "published" in data:
        new = data["published"]
        built.append(f"{', '.join(new) if new else 'nothing new'} at {data['to']}")
    blocks += [Paragraph(tuple(built))] if built else []
    blocks += [Paragraph(tuple(f"next: {line}" for line in data["next"]))] if data["next"] else []
    return Document(tuple(blocks), "Release")


def _pack(one: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[Line]:
    last, judgement = one["last"], one["judgement"]
    version = f"{last['version']} → {one['version']}" if last and last["version"] != one["version"] else one["version"]
    yield (Piece(one["name"], "bold"), f" {version}  {_told(one)}".rstrip())
    if last is not None:
        yield Piece(f"  held against {last['version']}: {last['where']}", "dim")
    reasons = judgement["reasons"] if judgement is not None else []
    for reason in reasons[:_MOST]:
        yield from _reason(reason)
    if len(reasons) > _MOST:
        yield f"  and {len(reasons) - _MOST:,} more like these"
    for line in (judgement or {}).get("untried", ()):
        yield Piece(f"  not tried: {line}", "dim")
    if not one["passed"]:
        errors = sum(finding["severity"] == "error" for finding in one["findings"])
        yield Piece(f"  not released: {counted(errors, 'finding')}", "bad")
    elif data["dry_run"]:
        yield Piece("  nothing was written (dry run)", "dim")
    yield from (f"  wrote {line}" for line in one["written"])


def _told(one: Mapping[str, Any]) -> str:
    if one["judgement"] is None:
        return "first release" if one["passed"] else ""
    if one["released"]:
        return "released already, with this content"
    part, needed = one["judgement"]["part"], one["judgement"]["needed"]
    return part if one["judgement"]["suffices"] else f"{part} (needs {needed})"


def _reason(reason: Mapping[str, Any]) -> Iterator[Line]:
    about = f"{reason['name']}: " if reason["name"] else ""
    yield f"  {reason['part']:<5}  {about}{reason['text']}"
    if "counterexample" in reason:
        yield Piece(f"         {_shown(reason['counterexample'])}", "bad")
    yield from (f"         {line}" for line in reason.get("changes", ()))


def _shown(found: Mapping[str, Any]) -> str:
    return str(found["text"])
