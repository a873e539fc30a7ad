"""Sharing of packs between teams: their sources, the changes of a new version, and the version number it requires."""
