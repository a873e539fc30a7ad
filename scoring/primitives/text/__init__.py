"""Transforms of text, and comparators of two texts."""
