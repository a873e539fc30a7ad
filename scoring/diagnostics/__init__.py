"""Findings about specs as plain values: where text stands, what is wrong with it, and how to show it."""
