"""Primitives that transform text, or compare two texts."""
