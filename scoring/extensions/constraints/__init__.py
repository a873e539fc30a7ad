"""Constraints on free texts: words, counts, positions, lengths."""
