"""Paired tests and the uncertainty of ranks: how far figures over the same records differ."""
