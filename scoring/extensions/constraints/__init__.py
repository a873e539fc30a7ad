"""Checks of constraints on free text: words and their number and positions, length, form, language."""
