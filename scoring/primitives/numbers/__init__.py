"""Primitives that read numbers from text, and compare them."""
