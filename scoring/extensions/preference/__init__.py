"""Preferences between models: strengths, win rates, control for length."""
