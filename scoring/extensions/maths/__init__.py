"""Formulas and numbers written in LaTeX: parsed in a worker process that can be killed, never evaluated."""
