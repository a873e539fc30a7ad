"""Patterns: search in texts with bounded cost."""
