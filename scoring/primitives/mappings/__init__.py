"""Primitives for mappings."""
