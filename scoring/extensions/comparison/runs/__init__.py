"""Finished runs held against one another, over the records that they have in common."""
