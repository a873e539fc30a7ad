"""The expression language: its grammar, its syntax trees, and the canonical text of a tree."""
