"""ANLS: the comparison of its dialects."""
