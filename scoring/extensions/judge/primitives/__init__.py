"""Scorers that ask the configured judge one plain question; programs of questions are data of a pack."""
