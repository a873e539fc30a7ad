"""Primitives for the shapes of objects in images."""
