"""Patterns: what is found in a text, and what it costs to look for it."""
