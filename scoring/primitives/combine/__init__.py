"""Combinators: primitives that take pipelines."""
