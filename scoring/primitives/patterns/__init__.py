"""Primitives that search text with regular expressions, whose cost is limited before they run."""
