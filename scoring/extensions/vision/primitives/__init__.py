"""Primitives over shapes of objects in images."""
