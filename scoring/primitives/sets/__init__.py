"""Comparators of two sets, and transforms of one."""
