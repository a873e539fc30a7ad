"""Small packs as texts."""

from __future__ import annotations


def pack(name: str = "close", version: str = "1.0.0", more: str = "") -> str:
    return f"kind: pack\nname: {name}\nversion: {version}\n{more}scorers:\n  same: equal\n"
