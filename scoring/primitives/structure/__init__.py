"""Primitives for structured values: schema validation, differences path by path, and tables as trees."""
