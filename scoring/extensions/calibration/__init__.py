"""Probabilities that answers are given with: calibration and proper scores."""
