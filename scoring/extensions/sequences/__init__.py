"""Comparison of lists and bags: shared items, common beginnings, and the edits that turn one list into another."""
