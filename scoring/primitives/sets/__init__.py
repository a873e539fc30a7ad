"""Primitives that compare two sets, or transform one."""
