"""Comparators of two mappings, and transforms of one."""
