"""Comparison of two versions of a spec: the nodes that changed, their effect on meaning, and the scores that move."""
