"""Dialects: several scorers that share a name in the field, compared on the same answers."""
