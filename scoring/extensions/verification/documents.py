"""The documents about verified runs and bundles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from scoring.diagnostics.words import counted
from scoring.engine.runs.folder import TEXTS
from scoring.extensions.verification.verification import Verification
from scoring.report.document import Document, Line, Look, Paragraph, Piece

LOOKS: Mapping[str, Look] = {"signed": "good", "unknown": "warn", "untrusted": "warn", "none": "dim", "broken": "bad"}
"""The look of the line about a signature, by the signature's state."""
MAX_KEYS = 10


class RunSignature(Protocol):
    """The result of checking a run's signature, as an extension returns it; `str` of it is a line for people to
    read."""

    @property
    def state(self) -> str:
        """The state of the signature, one of the keys of `LOOKS`, such as ``signed``."""

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain data."""


def verification_document(found: Verification, signed: RunSignature | None = None) -> Document:
    """Return the lines that report a verification: that everything is the same, or what differs; and who signed the
    run, if `signed` is given."""
    what = f"{found.total} records and every figure" if found.total else "every figure"
    lines: list[Line] = [Piece(f"verified: {what} came out again", "good")] if found.same else []
    if found.signature:
        lines += [(Piece("signature", "bad"), f"  {found.signature[0]}"), f"       now {found.signature[1]}"]
    if found.records:
        more = f" and {len(found.records) - MAX_KEYS} more" if len(found.records) > MAX_KEYS else ""
        keys = ", ".join(found.records[:MAX_KEYS])
        lines.append((Piece("records", "bad"), f"    {len(found.records)} of {found.total} differ: {keys}{more}"))
    lines += [(Piece("records", "bad"), "    the same ones, in another order")] if found.order else []
    for name, parts in (("summary", found.summary), ("manifest", found.manifest)):
        lines += [(Piece(name, "bad"), f"{'':{11 - len(name)}}these parts differ: {', '.join(parts)}")] if parts else []
    lines += [(Piece("manifest", "bad"), f"   {line}") for line in found.unknown]
    lines += [(Piece("folder", "bad"), f"     {line}") for line in found.files]
    lines += [Piece(f"version    {line}", "dim") for line in found.versions]
    lines += [Piece(str(signed), LOOKS[signed.state])] if signed is not None else []
    return Document((Paragraph(tuple(lines)),), "Verification")


def unverifiable_document(data: Mapping[str, Any]) -> Document:
    """Return the lines that report that a run can't be scored again: the files that are missing, and how to provide
    them."""
    lines: list[Line] = [
        *data["changed"],
        *((Piece("folder", "bad"), f"  {line}") for line in data.get("files", ())),
        Piece("without these files the run can't be scored again", "bad"),
    ]
    where = "their names are relative to the folder in which it was scored: run this there, or name it (--root FOLDER)"
    if not all(TEXTS in line for line in data["changed"]):  # that file only exists in the run's own folder
        lines += [Piece(where, "dim"), Piece("or give the files themselves: --data FILE, --references FILE", "dim")]
    signed = data.get("signed")
    lines += [Piece(signed["says"], LOOKS[signed["state"]])] if signed else []
    return Document((Paragraph(tuple(lines)),), "Verification")


def bundle_document(data: Mapping[str, Any]) -> Document:
    """Return the lines that report a written bundle: its size, the inputs that were left out, and the command that
    verifies it."""
    what = counted(len(data["members"]), "file")
    lines: list[Line] = [f"{data['run']} in {data['bundle']}: {what}"]
    lines += [
        (Piece("left out", "warn"), f"  {one['name']} ({one['role']}), sha256 {one['sha256']}")
        for one in data["left_out"]
    ]
    options = " --data FILE" if data["left_out"] else ""
    lines.append(Piece(f"anyone can score it again: scoring verify {data['bundle']}{options}", "dim"))
    return Document((Paragraph(tuple(lines)),), "Bundle")
