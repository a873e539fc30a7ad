"""Verbs for sharing packs: projects, releases, signatures, citations and comparisons."""
