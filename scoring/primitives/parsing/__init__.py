"""Parsers: from the raw response of a model to the answer it holds."""
