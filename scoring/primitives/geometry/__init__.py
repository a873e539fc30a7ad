"""Primitives for boxes and points: reading and comparing them."""
