"""Attacks on the metric itself."""
