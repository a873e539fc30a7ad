"""Comparison of two versions of a spec: the nodes that changed, whether the meaning did, and which records move."""
