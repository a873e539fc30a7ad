"""Comparison of trees of values (lists, dictionaries and leaves) with any scorer for the leaves."""
