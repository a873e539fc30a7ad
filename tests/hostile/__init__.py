"""Hostile files as data: each with what must come of it."""
