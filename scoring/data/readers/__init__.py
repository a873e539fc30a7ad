"""Readers of rows: one module for formats of one kind, each an entry point of the group `scoring.formats`."""
