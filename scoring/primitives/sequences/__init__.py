"""Comparators of two lists, and transforms of one."""
