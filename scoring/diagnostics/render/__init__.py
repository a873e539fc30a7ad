"""Render findings for people (`text.py`, `snippet.py`) and for programs (`formats.py`)."""
