"""Scorers that ask the configured judge one plain question; longer judge programs are written in packs, as data."""
