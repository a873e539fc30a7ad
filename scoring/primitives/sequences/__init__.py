"""Primitives that compare two lists, or transform one."""
