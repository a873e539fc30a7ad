"""Scorers called by other programs, such as trainers and evaluation harnesses: columns, JSON references, workers."""
