"""Figures over labels, over errors of predicted numbers, and over repeated samples of a question."""
