"""Comparison of formulas and numbers in LaTeX, which are parsed in a worker process and never evaluated as code."""
