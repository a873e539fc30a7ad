"""Rescorers: primitives that turn a score into another score."""
