"""Signatures and keys that were made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.report.document import Document, Line, Paragraph, Piece


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
