"""Deprecated definitions and packs: what their importers are told, and what is written in their place."""
