"""Scorers that put one plain question to the configured judge; larger programs are data of a pack."""
