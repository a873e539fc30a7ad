"""The expression language: its grammar, its tree, and the one canonical text of a tree."""
