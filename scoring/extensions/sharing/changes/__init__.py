"""Differences between two versions of a spec: changed nodes, whether the meaning moved, and which records move."""
