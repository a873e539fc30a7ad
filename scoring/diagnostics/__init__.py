"""Findings about specs as plain values: position, message, and how they are shown."""
