"""Parsers: primitives that extract the answer from the raw response of a model."""
