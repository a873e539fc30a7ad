"""Boxes and points, and how far they agree."""
