"""Compiled programs at run time: on one value, on pairs, on columns, and on the items of lists."""
