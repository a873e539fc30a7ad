"""Formulas: their kinds, ranges, directions and functions, over one record and over the data set."""
