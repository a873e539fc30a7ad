"""The documents of sharing: releases, signatures and keys, citations, and sites."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scoring.diagnostics.words import counted
from scoring.extensions.verification.documents import LOOKS
from scoring.report.document import (
    Code,
    Document,
    DocumentBlock,
    DocumentTable,
    Line,
    Paragraph,
    Piece,
    Section,
    TableColumn,
    join_lines,
)

_MOST = 12


def release_document(data: Mapping[str, Any]) -> Document:
    """Return the document that shows a release: a paragraph for each pack, the files built, and the commands to run
    next.

    Args:
        data: The release as plain data.
    """
    blocks: list[DocumentBlock] = [Paragraph(tuple(_released(one, data))) for one in data["packs"]]
    built = [f"wheel {data['wheel']}"] if data["wheel"] else []
    if "published" in data:
        new = data["published"]
        built.append(f"{', '.join(new) if new else 'nothing new'} at {data['to']}")
    blocks += [Paragraph(tuple(built))] if built else []
    blocks += [Paragraph(tuple(f"next: {line}" for line in data["next"]))] if data["next"] else []
    return Document(tuple(blocks), "Release")


def _released(one: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[Line]:
    last, judgement = one["last"], one["judgement"]
    version = f"{last['version']} → {one['version']}" if last and last["version"] != one["version"] else one["version"]
    yield (Piece(one["name"], "bold"), f" {version}  {_judged_part(one)}".rstrip())
    if last is not None:
        yield Piece(f"  compared with {last['version']}: {last['where']}", "dim")
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


def _judged_part(one: Mapping[str, Any]) -> str:
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
        yield Piece(f"         {reason['counterexample']['text']}", "bad")
    yield from (f"         {line}" for line in reason.get("changes", ()))


# ---- signatures


def signed_document(data: Mapping[str, Any]) -> Document:
    """Return the document that shows a new signature: the signed target and the path of the signature.

    Args:
        data: The signature as plain data.
    """
    lines: list[Line] = [
        (Piece("signed", "good"), f"  {data['kind']} {data['name']} {data['version']}"),
        Piece(f"  with {data['fingerprint']}", "dim"),
        f"written to {data['path']}",
    ]
    return Document((Paragraph(tuple(lines)),), "Signature")


def key_document(data: Mapping[str, Any]) -> Document:
    """Return the document that shows a new key pair: both paths, the public key, and the purpose of each.

    Args:
        data: The key pair as plain data.
    """
    kept = (
        "encrypted with your passphrase"
        if data["encrypted"]
        else "without a passphrase: keep it where nobody else has access"
    )
    lines: list[Line] = [
        f"{data['path']}  the private key, {kept}",
        f"{data['path']}.pub  the public key, for those who should trust what you sign:",
        f"  {data['public_key']}",
        Piece(f"  {data['fingerprint']}", "dim"),
    ]
    return Document((Paragraph(tuple(lines)),), "Key")


def release_signature_document(data: Mapping[str, Any]) -> Document:
    """Return the document that shows whose signature is on the release of a pack.

    Args:
        data: The result of the check as plain data.
    """
    signed = data["signed"]
    head = f"{data['kind']} {data['name']} {data['version']}  sha256 {data['sha256'][:16]}"
    return Document((Paragraph((head, Piece(signed["says"], LOOKS[signed["state"]]))),), "Release")


# ---- citations and sites


def citation_document(data: Mapping[str, Any]) -> Document:
    """Return the document that shows a citation: the sentences, the references, and the works from which each rule
    comes.

    Args:
        data: The citation as plain data.
    """
    references = tuple(f"[{work['key']}] {work['reference']}" for work in data["works"])
    rules = DocumentTable.of(
        data["rules"],
        (TableColumn("rule"), lambda one: f"{one['name']} {one['version']}" if "version" in one else one["name"]),
        (TableColumn("comes from", width=70), lambda one: ", ".join(one["works"]) or "names no source"),
        title="Rules",
        brief=200,
    )
    listed = (Section("References", (Paragraph(references),)),) if references else ()
    return Document((Paragraph(tuple(data["sentences"])), *listed, rules), "Citation")


def noted_citation(data: Mapping[str, Any]) -> Document:
    """Return the document that shows a citation, with its BibTeX appended, for output as Markdown.

    Args:
        data: The citation as plain data.
    """
    return Document((*citation_document(data).blocks, Section("BibTeX", (Code(data["bibtex"], "bibtex"),))), "Citation")


def site_document(data: Mapping[str, Any]) -> Document:
    """Return the document about a site that was written: its start page and the number of its contents.

    Args:
        data: The result of writing as plain data.
    """
    counts = [
        counted(len(data["packs"]), "pack"),
        counted(data["tasks"], "task"),
        counted(data["definitions"], "definition"),
        counted(data["primitives"], "primitive"),
        f"{counted(data['examples'], 'example')} run",
    ]
    size = f"{counted(data['files'], 'file')}, {data['bytes'] / 1e6:.1f} MB"
    lines = (
        ("the site begins at ", Piece(data["start"], "bold")),
        join_lines(counts),
        Piece(size, "dim"),
        *(Piece(one, "warn") for one in data["skipped"]),
    )
    return Document((Paragraph(lines),), "Site")
