"""Deprecated definitions and packs: warnings about their uses, and the replacements to write instead."""
