"""Verbs of packs that travel: projects, releases, signatures, citations and differences."""
