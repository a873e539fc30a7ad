"""Hostile files, links and paths."""
