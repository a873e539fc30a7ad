"""Combinators: primitives that take pipelines as parameters."""
