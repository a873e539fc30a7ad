"""Findings about specs as plain values: the location in the text, the problem, and its presentation."""
