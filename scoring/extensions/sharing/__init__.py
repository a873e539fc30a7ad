"""Definitions travel between teams: where packs come from, what a new version changes, and what it must be called."""
