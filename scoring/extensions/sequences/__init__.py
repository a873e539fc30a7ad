"""Comparison of lists and bags of items: shared items, common beginnings, and the edits that turn one into the other."""
