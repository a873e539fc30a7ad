"""LLM-guided scoring: judges, their questions and replies, caches, panels and judge programs.

Import the modules directly; this package is empty so that importing it loads nothing heavy.
"""
