"""Metrics of ranked lists, such as the recall of the first k items."""
