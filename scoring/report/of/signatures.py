"""Signatures and keys that were made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.report.document import Document, Line, Look, Paragraph, Piece

LOOKS: Mapping[str, Look] = {"signed": "good", "unknown": "warn", "untrusted": "warn", "none": "dim", "broken": "bad"}
"""How what a signature says is drawn."""


def signed_document(data: Mapping[str, Any]) -> Document:
    """What was signed, and where the signature is."""
    lines: list[Line] = [
        (Piece("signed", "good"), f"  {data['kind']} {data['name']} {data['version']}"),
        Piece(f"  with {data['fingerprint']}", "dim"),
        f"written to {data['path']}",
    ]
    return Document((Paragraph(tuple(lines)),), "Signature")


def key_document(data: Mapping[str, Any]) -> Document:
    """A key that was made: its public half, and what to do with the two."""
    kept = (
        "encrypted with your passphrase" if data["encrypted"] else "without a passphrase: keep it where nobody else is"
    )
    lines: list[Line] = [
        f"{data['path']}  the private key, {kept}",
        f"{data['path']}.pub  the public key, for whoever should trust what you sign:",
        f"  {data['public_key']}",
        Piece(f"  {data['fingerprint']}", "dim"),
    ]
    return Document((Paragraph(tuple(lines)),), "Key")


def release_signature_document(data: Mapping[str, Any]) -> Document:
    """Whose signature is on a release."""
    signed = data["signed"]
    head = f"{data['kind']} {data['name']} {data['version']}  sha256 {data['sha256'][:16]}"
    return Document((Paragraph((head, Piece(signed["says"], LOOKS[signed["state"]]))),), "Release")
