"""Scorers and parsers of the released evaluation code, with its quirks."""
