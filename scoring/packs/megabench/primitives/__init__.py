"""Scorers and parsers of the released evaluation code, including its quirks."""
