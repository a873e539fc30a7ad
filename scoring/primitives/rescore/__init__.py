"""Rescorers: from a score to a score."""
