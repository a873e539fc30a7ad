"""Everything beyond the core language, a folder each, plugged in through the registry that third parties use.

The core runs without this folder: it imports nothing of it, and finds verbs, commands, effects, tables, documents and
primitives by their entry points.
"""
