"""LLM-guided scoring: judges, their questions and replies, caches, panels and judge programs.

Import the modules by name; this package stays empty so that nothing heavy is loaded by chance.
"""
