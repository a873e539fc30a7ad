"""Comparisons of finished runs: whether two differ, and the ranks of several."""
